"""Read a file of any format that is read as one whole text. Pure."""

from collections.abc import Iterator
from typing import assert_never

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Kind
from recollect.imports import claude_mem, claude_memory, markdown, mem0, own_markdown
from recollect.imports.entry import Entry, FileOrigin, FindsProject
from recollect.imports.format import Format
from recollect.imports.markdown import FileHints
from recollect.privacy.secrets import redact

RULES = ("rules", ".mdc")  # .cursorrules and similar names: the file contains rules


def entries(form: Format, text: str, origin: FileOrigin, find_project: FindsProject) -> Iterator[Entry]:
    if form in (Format.MARKDOWN, Format.CLAUDE_MEMORY):
        text = redact(text).text  # before it is split: a secret key has several lines
    match form:
        case Format.MARKDOWN:
            if own_markdown.is_own(text):
                return own_markdown.parse(text, origin)
            has_rules = origin.name.lower().endswith(RULES)
            hints = FileHints(default_kind=Kind.RULE if has_rules else Kind.DECISION)
            return markdown.parse(text, origin, hints)
        case Format.CLAUDE_MEMORY:
            return claude_memory.parse(text, origin)
        case Format.CLAUDE_MEM:
            return claude_mem.parse(text, origin, find_project)
        case Format.MEM0:
            return mem0.parse(text, origin)
        case Format.JSONL:
            raise InvalidValue("JSON lines are read line by line.")
        case _ as never:
            assert_never(never)
