"""Read what a file is for: from the comment at its head, or from a sentence about it.

A file without a stated purpose is no memory. Only candidates: nothing has proven yet that they are needed.
"""

import re
from collections.abc import Iterator

from recollect.capture.happened.calls import changes_of
from recollect.capture.happened.edit_summary import relative_paths
from recollect.capture.happened.failures import failure_of
from recollect.capture.happened.fixes import split_prose
from recollect.domain.event import Event, Reply, ToolSucceeded
from recollect.domain.learning import Basis, Proposal
from recollect.domain.memory import Kind, MessageId, Role, Tier
from recollect.text.lazy_pattern import LazyPattern
from recollect.text.query import content_words

MAX_FILES = 400  # of a session
MAX_HEAD_CHARS, MAX_TEXT_CHARS = 1500, 300
MIN_WORDS = 3  # content words
HEAD_DURABILITY, SENTENCE_DURABILITY = 0.5, 0.55  # durability

_HEAD = LazyPattern(
    r"""\A\s*(?:\#![^\n]*\n\s*)?(?:['"]use\ \w+['"];?\s*)?(?:
    [rub]{0,2}\"\"\"(?P<python>.*?)\"\"\"
    |[rub]{0,2}'''(?P<single>.*?)'''
    |/\*\*?(?P<block>.*?)\*/
    |(?P<lines>(?:(?://[/!]?|\#|--)[ \t]+[^\n]+\n?)+)
    )""",
    re.VERBOSE | re.DOTALL,
)
_EDGE = LazyPattern(r"^[ \t]*(?:\*|//[/!]?|#|--)[ \t]?", re.MULTILINE)
_LICENCE = LazyPattern(
    r"copyright|licen[cs]e|spdx|eslint|prettier|pylint|noqa|type:|generated|do not edit|coding:|@ts-|todo|fixme|"
    r"import ",
    re.IGNORECASE,
)
_FIRST_SENTENCE = LazyPattern(r"^(?P<first>.{8,260}?[.!])(?:\s|$)", re.DOTALL)
_SOURCE = LazyPattern(
    r"\.(?:py|js|jsx|ts|tsx|mjs|go|rs|java|kt|rb|php|cs|swift|c|h|cc|cpp|hpp|scala|ex|exs|sh|sql|lua|dart|vue|svelte|"
    r"tf|proto|graphql)$|(?:^|/)(?:Makefile|Dockerfile|justfile)$"
)
_TEST = LazyPattern(r"(?:^|/)(?:tests?|specs?|__tests__)/|[._-](?:test|spec)\.\w+$|(?:^|/)test_")
_NAMES = LazyPattern(r"[\w./@-]{1,120}\.[A-Za-z]{1,8}\b|\bMakefile\b|\bDockerfile\b")
_IS_FOR = LazyPattern(
    r"^`?\s*(?:\([^)]{1,80}\)\s*)?(?:now |only |also )?(?:holds?|contains?|is (?:the|a|an|where|for|responsible)|"
    r"handles?|implements?|defines?|provides?|wraps?|exposes?|parses?|manages?|stores?|does|keeps?|owns?|describes?|"
    r"configures?)\b",
    re.IGNORECASE,
)


_ARTICLES = frozenset({"", "The", "the", "The new", "The file", "File", "Created", "Note that"})


class FilePurposes:
    def __init__(self) -> None:
        self._written: dict[str, None] = {}
        self._proposed: dict[str, None] = {}

    def hear(self, event: Event) -> list[Proposal]:
        match event:
            case ToolSucceeded() if not failure_of(event):
                return list(self._hear_edit(event))
            case Reply() if self._written:
                return list(self._hear_reply(event))
            case _:
                return []

    def _hear_edit(self, event: ToolSucceeded) -> Iterator[Proposal]:
        for change in changes_of(event.tool, event.input):
            for path in relative_paths([change.path], event.folder):
                _add_bounded(self._written, path)
                is_new_source = not change.old and _SOURCE.search(path) and not _TEST.search(path)
                purpose = _purpose_at_head(change.new) if is_new_source else ""
                if purpose:
                    yield from self._propose(path, purpose, HEAD_DURABILITY, Basis.DEED, ())

    def _hear_reply(self, reply: Reply) -> Iterator[Proposal]:
        for sentence in split_prose(reply.text):
            for name in _NAMES.finditer(sentence):
                path = self._path(name[0])
                is_subject = sentence[: name.start()].strip(" `*") in _ARTICLES
                if path and is_subject and _IS_FOR.match(sentence[name.end() :]):
                    yield from self._propose(path, sentence, SENTENCE_DURABILITY, Basis.SAID, (reply.message,))
                    break

    def _path(self, name: str) -> str:
        """The written file with this name; empty: none, or several."""
        found = [path for path in self._written if path == name or path.endswith(f"/{name}")]
        return found[0] if len(found) == 1 else ""

    def _propose(
        self, path: str, purpose: str, durability: float, basis: Basis, messages: tuple[MessageId, ...]
    ) -> Iterator[Proposal]:
        if path in self._proposed or len(content_words(purpose)) < MIN_WORDS or len(purpose) > MAX_TEXT_CHARS:
            return
        _add_bounded(self._proposed, path)
        yield Proposal(
            text=purpose if path in purpose else f"{path}: {purpose}",
            kind=Kind.FILE_CONTEXT,
            tier=Tier.CANDIDATE,
            basis=basis,
            role=Role.ASSISTANT,
            messages=messages,
            evidence=(purpose,),
            durability=durability,
            paths=(path,),
        )


def _add_bounded(known: dict[str, None], path: str) -> None:
    known[path] = None
    if len(known) > MAX_FILES:
        del known[next(iter(known))]


def _purpose_at_head(content: str) -> str:
    """The first sentence of the comment at the head of a file; empty: it does not say what the file is for."""
    found = _HEAD.match(content[:MAX_HEAD_CHARS])
    if found is None:
        return ""
    said = next(part for part in found.groups() if part is not None)
    plain = " ".join(_EDGE.sub("", said).split())
    first = _FIRST_SENTENCE.match(f"{plain} ")
    sentence = first["first"] if first else plain[:MAX_TEXT_CHARS]
    return "" if _LICENCE.search(sentence) else sentence
