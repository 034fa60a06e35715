"""Memories from Markdown: CLAUDE.md, AGENTS.md, GEMINI.md, .cursorrules, notes. Pure.

One memory for each bullet, short paragraph and table row, with the words above it that it needs to be understood alone.
Skipped: badges, tables of contents, licences, comments, long code. Includes are not followed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from recollect.domain.memory import MAX_TEXT_CHARS, Kind
from recollect.imports.decoding import lines_of
from recollect.imports.entry import Entry, FileOrigin, RejectedEntry, SkippedEntry, anchors_of, time_of, title_of
from recollect.imports.inline import includes_in, is_boilerplate, plain_words
from recollect.imports.kinds import kind_of, path_in
from recollect.imports.markdown_blocks import Block, BlockKind, blocks, split_front_matter

CODE_LINES, CODE_CHARS = 12, 800  # longer code is a file, not a memory
COMMAND_LINES = 60  # a longer list of commands is not split
MAX_PARENTS, CONTEXT_CHARS = 3, 200  # of the words above a bullet
PARAGRAPH_CHARS = 1200  # a longer paragraph is split
PIECE_CHARS = 800
MIN_WORDS = 3  # fewer words are not clear alone: their section is added
SHELLS = ("bash", "sh", "shell", "zsh", "console", "fish", "powershell", "")

_SKIPPED_SECTION = re.compile(
    r"^\W*(?:table of contents|contents|toc|licen[cs]e|copyright|acknowledge?ments?|contributors|credits|sponsors?|"
    r"badges|star history)\W*$",
    re.IGNORECASE,
)
_GENERIC_TITLE = re.compile(
    r"^\W*(?:claude|agents?|gemini|memory|readme|cursor ?rules|copilot instructions)(?:\.\w+)?\W*$", re.I
)
_CHECKBOX = re.compile(r"^\[(?P<mark>[ xX])\]\s+")
_DATE_FIRST = re.compile(r"^\W*(?P<date>\d{4}-\d\d-\d\d)\b")
_DATE_LAST = re.compile(r"[(\[](?P<date>\d{4}-\d\d-\d\d)[)\]]\W*$")
_SENTENCE_END = re.compile(r"(?<=[.!?。])\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileHints:
    kind: Kind | None = None  # None: decided by wording and section
    title: str | None = None  # put before the section
    default_kind: Kind = Kind.DECISION  # where neither wording nor section decides


NO_HINTS = FileHints()


def parse(text: str, origin: FileOrigin, hints: FileHints = NO_HINTS) -> Iterator[Entry]:
    lines = lines_of(text)
    values, first = split_front_matter(lines)
    at = time_of(values.get("date") or values.get("updated") or values.get("created"))
    found = blocks(lines, first)
    titles = [block for block in found if block.kind is BlockKind.HEADING and block.depth == 1]
    return iter(_Document(found, origin, hints, at or origin.at, has_title=len(titles) == 1))


@dataclass(frozen=True, slots=True)
class _Above:
    """A bullet, or a sentence that ends with a colon, with the items below it."""

    indent: int  # -1: a sentence, above every bullet
    words: str
    introduces: bool  # it ends with a colon: it says what kind of items follow


@dataclass(slots=True)
class _Document:
    found: list[Block]
    origin: FileOrigin
    hints: FileHints
    at: datetime
    has_title: bool  # its only heading of level 1 is the title of the file, not of a section
    headings: list[tuple[int, str]] = field(default_factory=list)
    above: list[_Above] = field(default_factory=list)

    def __iter__(self) -> Iterator[Entry]:
        number = 0
        while number < len(self.found):
            block = self.found[number]
            following = self.found[number + 1] if number + 1 < len(self.found) else None
            takes_code = following is not None and following.kind is BlockKind.CODE and _introduces(block, following)
            number += 2 if takes_code else 1
            if block.kind is BlockKind.HEADING:
                self._enter(block)
            elif not any(_SKIPPED_SECTION.match(heading) for _, heading in self.headings):
                yield from self._entries(block, following if takes_code else None, following)

    def _enter(self, heading: Block) -> None:
        self.headings = [(depth, words) for depth, words in self.headings if depth < heading.depth]
        self.headings.append((heading.depth, plain_words(heading.text)))
        self.above = []

    def _entries(self, block: Block, code: Block | None, following: Block | None) -> Iterator[Entry]:
        if len(block.text) > MAX_TEXT_CHARS:
            size = f"{len(block.text):,} characters without a break"
            yield RejectedEntry(block.line, f"The text has {size}; a memory has at most {MAX_TEXT_CHARS:,}.")
            return
        if block.kind is BlockKind.CODE:
            yield from self._code_alone(block)
            return
        for path in includes_in(block.text):
            yield SkippedEntry(block.line, f"the file that `@{path}` includes; import it separately")
        if block.kind is BlockKind.ITEM:
            yield from self._item(block, code, following)
        elif block.kind is BlockKind.ROW:
            words = plain_words(block.text)
            yield from self._draft(block, self._in_context(words), own=words)
        else:
            yield from self._paragraph(block, code, following)

    def _item(self, block: Block, code: Block | None, following: Block | None) -> Iterator[Entry]:
        self.above = [above for above in self.above if above.indent < block.depth]
        checkbox = _CHECKBOX.match(block.text)
        words = plain_words(block.text[checkbox.end() :] if checkbox else block.text)
        if code is not None and not _is_short(code):
            yield _skip_code(code)
        is_intro = words.endswith(":") and _is_parent(block, code, following)
        if words and not is_intro and not is_boilerplate(words, block.text):
            text, kind = self._in_context(_join(words, code) if code else words), None
            if checkbox is not None and checkbox["mark"] == " ":
                text = f"To do: {text}"
            elif checkbox is not None:
                kind = Kind.OUTCOME
            yield from self._draft(block, text, own=words, kind=kind)
        self.above.append(_Above(block.depth, words.rstrip(":. "), words.endswith(":")))

    def _in_context(self, text: str) -> str:
        context = ": ".join(above.words for above in self.above[-MAX_PARENTS:])[-CONTEXT_CHARS:].lstrip(": ")
        return f"{context}: {text}" if context else text

    def _paragraph(self, block: Block, code: Block | None, following: Block | None) -> Iterator[Entry]:
        self.above = []
        words = plain_words(block.text)
        if is_boilerplate(words, block.text):
            return
        continues = following is not None and following.kind in (BlockKind.ITEM, BlockKind.ROW, BlockKind.CODE)
        if words.endswith(":") and code is None and continues:
            self.above = [_Above(-1, words.rstrip(": "), introduces=True)]
            return
        lines = block.text.split("\n")
        if code is None and len(lines) > 1 and all(re.search(r"[.!?:;]\W*$", line) for line in lines):
            for offset, line in enumerate(lines):  # each line is its own sentence: rules without bullets
                yield from self._draft(block, plain_words(line), at_line=block.line + offset, raw=line)
            return
        if code is not None and not _is_short(code):
            yield _skip_code(code)
        if code is None and len(words) > PARAGRAPH_CHARS:
            for piece in _pieces(words):
                yield from self._draft(block, piece, raw=piece)
            return
        yield from self._draft(block, _join(words, code) if code else words, own=words)

    def _code_alone(self, code: Block) -> Iterator[Entry]:
        """Read code that is not part of a sentence; the words above introduce it."""
        heading = ""
        if self.above:
            heading = self.above[-1].words
        elif self.headings:
            heading = self.headings[-1][1]
        lines = code.text.split("\n")
        if code.language in SHELLS and len(lines) <= COMMAND_LINES and not _is_drawing(code):
            for line, words, command in _commands(code):
                purpose = words or heading
                text = f"{purpose}: `{command}`" if purpose else f"`{command}`"
                yield from self._draft(code, text, at_line=line, raw=command)
        elif heading and _is_short(code):
            yield from self._draft(code, _join(heading, code))
        else:
            yield _skip_code(code)

    def _draft(
        self,
        block: Block,
        text: str,
        *,
        own: str | None = None,
        kind: Kind | None = None,
        at_line: int | None = None,
        raw: str | None = None,
    ) -> Iterator[Entry]:
        """`own`: the words of the block itself, without the context above them."""
        words = text if own is None else own
        if not any(map(str.isalnum, words)):
            return
        sections = tuple(heading for _, heading in self.headings)
        if len(words.split()) < MIN_WORDS and ":" not in words and text == words and sections:
            text = f"{sections[-1]}: {text}"
        intros: list[str] = []
        if block.kind in (BlockKind.ITEM, BlockKind.ROW):
            intros = [above.words for above in self.above if above.introduces]
        path = path_in(words)
        yield self.origin.draft(
            at_line or block.line,
            text,
            kind or self.hints.kind or kind_of(words, (*sections, *intros), self.hints.default_kind),
            at=self._time(words),
            title=title_of(self._title()),
            evidence=(raw or block.raw,),
            anchors=anchors_of([path] if path else []),
        )

    def _title(self) -> str | None:
        headings = [(depth, words) for depth, words in self.headings if not _GENERIC_TITLE.match(words)]
        if self.has_title and any(depth > 1 for depth, _ in headings):
            headings = [(depth, words) for depth, words in headings if depth > 1]
        parts = [words for _, words in headings]
        if self.hints.title:
            parts.insert(0, self.hints.title)
        return " / ".join(parts) or None

    def _time(self, words: str) -> datetime:
        """Return the date of a bullet or its headings, if it is not later than the file."""
        for text in (words, *(heading for _, heading in reversed(self.headings))):
            for date in (_DATE_FIRST.match(text), _DATE_LAST.search(text)):
                moment = time_of(date["date"]) if date else None
                if moment is not None and moment <= self.origin.at:
                    return moment
        return self.at


def _is_parent(block: Block, code: Block | None, following: Block | None) -> bool:
    if following is None:
        return False
    has_children = following.kind is BlockKind.ITEM and following.depth > block.depth
    return has_children or (following.kind is BlockKind.CODE and code is None)


def _introduces(block: Block, code: Block) -> bool:
    """Check whether code is part of the sentence before it; several commands only after a colon and without comments."""
    if block.kind not in (BlockKind.ITEM, BlockKind.PARAGRAPH) or is_boilerplate(plain_words(block.text), block.text):
        return False
    if code.language not in SHELLS or "\n" not in code.text or not _is_short(code):
        return True
    purposes = [words for _, words, _ in _commands(code)]
    return block.text.rstrip("* ").endswith(":") and not (len(purposes) > 1 and all(purposes))


def _join(words: str, code: Block) -> str:
    if not _is_short(code) or not code.text:
        return words.rstrip(":").rstrip()
    if "\n" in code.text:
        return f"{words}\n{code.text}"
    return f"{words.rstrip(':.')}: `{code.text.removeprefix('$ ')}`"


def _is_short(code: Block) -> bool:
    return len(code.text) <= CODE_CHARS and code.text.count("\n") < CODE_LINES and not _is_drawing(code)


def _is_drawing(code: Block) -> bool:
    return code.language in ("mermaid", "plantuml", "dot") or any(mark in code.text for mark in "├└│┌")


def _skip_code(code: Block) -> SkippedEntry:
    count = code.text.count("\n") + 1
    return SkippedEntry(code.line, "a drawing" if _is_drawing(code) else f"{count} lines of code")


def _commands(code: Block) -> Iterator[tuple[int, str, str]]:
    """Yield line, purpose and command; a comment beside or above the command gives the purpose."""
    above = ""
    for number, line in enumerate(code.text.split("\n"), start=code.line + 1):
        text = line.strip()
        if text.startswith("#"):
            above = text.lstrip("# ").rstrip(":. ")
            continue
        command, _, beside = text.removeprefix("$ ").partition("  #")
        if command.strip():
            yield number, beside.strip(" #") or above, command.strip()
        else:
            above = ""


def _pieces(words: str) -> Iterator[str]:
    piece = ""
    for sentence in _SENTENCE_END.split(words):
        if piece and len(piece) + len(sentence) > PIECE_CHARS:
            yield piece
            piece = ""
        piece = f"{piece} {sentence}".strip()
    if piece:
        yield piece
