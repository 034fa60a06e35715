"""One door to all formats that are read as a whole text. Pure."""

from collections.abc import Iterator
from typing import assert_never

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Kind
from recollect.imports import claude_mem, claude_memory, markdown, mem0, own_markdown
from recollect.imports.entry import Entry, FileOrigin, NamesProject
from recollect.imports.format import Format
from recollect.imports.markdown import Manner
from recollect.privacy.secrets import redact

RULES = ("rules", ".mdc")  # .cursorrules and its like: a file of rules by its very name


def entries(form: Format, text: str, origin: FileOrigin, named: NamesProject) -> Iterator[Entry]:
    if form in (Format.MARKDOWN, Format.CLAUDE_MEMORY):
        text = redact(text).text  # before it is taken apart: a key has several lines
    match form:
        case Format.MARKDOWN:
            if own_markdown.is_own(text):
                return own_markdown.parse(text, origin)
            holds_rules = origin.name.lower().endswith(RULES)
            return markdown.parse(text, origin, Manner(otherwise=Kind.RULE if holds_rules else Kind.DECISION))
        case Format.CLAUDE_MEMORY:
            return claude_memory.parse(text, origin)
        case Format.CLAUDE_MEM:
            return claude_mem.parse(text, origin, named)
        case Format.MEM0:
            return mem0.parse(text, origin)
        case Format.JSONL:
            raise InvalidValue("JSON lines are read line by line.")
        case _ as never:
            assert_never(never)
