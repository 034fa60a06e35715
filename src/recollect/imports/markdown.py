"""Memories from Markdown: CLAUDE.md, AGENTS.md, GEMINI.md, .cursorrules, notes. Pure.

One memory for each bullet, short paragraph and table row, with the words above it that it needs to be understood alone.
What is no knowledge is left out: badges, tables of contents, licences, comments, long code. Includes are not followed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from recollect.domain.memory import MAX_TEXT_CHARS, Kind
from recollect.imports import front_matter
from recollect.imports.decoding import lines_of
from recollect.imports.entry import Entry, FileOrigin, RejectedEntry, SkippedEntry, anchors_of, time_of, title_of
from recollect.imports.inline import includes_in, is_boilerplate, plain_words
from recollect.imports.markdown_blocks import Block, What, blocks
from recollect.imports.wording import kind_of, path_in

CODE_LINES, CODE_CHARS = 12, 800  # what is longer is a file, not a memory
COMMAND_LINES = 60  # of a list of commands, which is taken apart
PARENTS, CONTEXT_CHARS = 3, 200  # of the words above a bullet
PARAGRAPH_CHARS = 1200  # a longer one is taken apart
PIECE_CHARS = 800
FEW_WORDS = 3  # fewer do not speak for themselves: their section is said with them
SHELLS = ("bash", "sh", "shell", "zsh", "console", "fish", "powershell", "")

_LEFT_OUT = re.compile(
    r"^\W*(?:table of contents|contents|toc|licen[cs]e|copyright|acknowledge?ments?|contributors|credits|sponsors?|"
    r"badges|star history)\W*$",
    re.IGNORECASE,
)
_GENERIC = re.compile(
    r"^\W*(?:claude|agents?|gemini|memory|readme|cursor ?rules|copilot instructions)(?:\.\w+)?\W*$", re.I
)
_CHECKED = re.compile(r"^\[(?P<mark>[ xX])\]\s+")
_DATE_FIRST = re.compile(r"^\W*(?P<date>\d{4}-\d\d-\d\d)\b")
_DATE_LAST = re.compile(r"[(\[](?P<date>\d{4}-\d\d-\d\d)[)\]]\W*$")
_SENTENCE_END = re.compile(r"(?<=[.!?。])\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """What is known of a whole file beside its origin."""

    kind: Kind | None = None  # None: told from wording and section
    title: str | None = None  # stands before the section
    otherwise: Kind = Kind.DECISION  # where neither wording nor section tells


PLAIN = Manner()


def parse(text: str, origin: FileOrigin, manner: Manner = PLAIN) -> Iterator[Entry]:
    lines = lines_of(text)
    values, first = front_matter.split(lines)
    at = time_of(values.get("date") or values.get("updated") or values.get("created"))
    found = blocks(lines, first)
    tops = sum(block.what is What.HEADING and block.depth == 1 for block in found)
    return iter(_Document(found, origin, manner, at or origin.at, has_title=tops == 1))


@dataclass(frozen=True, slots=True)
class _Above:
    """A bullet, or a sentence that ends with a colon, that what follows belongs to."""

    indent: int  # -1: a sentence, above every bullet
    words: str
    introduces: bool  # it ends with a colon: it says what kind of things follow


@dataclass(slots=True)
class _Document:
    found: list[Block]
    origin: FileOrigin
    manner: Manner
    at: datetime
    has_title: bool  # its only heading of the first level is that of the whole, not of a section
    headings: list[tuple[int, str]] = field(default_factory=list)
    above: list[_Above] = field(default_factory=list)

    def __iter__(self) -> Iterator[Entry]:
        number = 0
        while number < len(self.found):
            block = self.found[number]
            following = self.found[number + 1] if number + 1 < len(self.found) else None
            takes_code = following is not None and following.what is What.CODE and _introduces(block, following)
            number += 2 if takes_code else 1
            if block.what is What.HEADING:
                self._enter(block)
            elif not any(_LEFT_OUT.match(heading) for _, heading in self.headings):
                yield from self._entries(block, following if takes_code else None, following)

    def _enter(self, heading: Block) -> None:
        self.headings = [(depth, words) for depth, words in self.headings if depth < heading.depth]
        self.headings.append((heading.depth, plain_words(heading.text)))
        self.above = []

    def _entries(self, block: Block, code: Block | None, following: Block | None) -> Iterator[Entry]:
        if len(block.text) > MAX_TEXT_CHARS:
            yield RejectedEntry(
                block.line, f"It has {len(block.text):,} characters without a break; a memory has {MAX_TEXT_CHARS:,}."
            )
            return
        for path in includes_in(block.text) if block.what is not What.CODE else ():
            yield SkippedEntry(block.line, f"the file that `@{path}` includes; import it by itself")
        if block.what is What.CODE:
            yield from self._code_alone(block)
        elif block.what is What.ITEM:
            yield from self._item(block, code, following)
        elif block.what is What.ROW:
            yield from self._said(block, self._in_context(words := plain_words(block.text)), own=words)
        else:
            yield from self._paragraph(block, code, following)

    def _item(self, block: Block, code: Block | None, following: Block | None) -> Iterator[Entry]:
        self.above = [above for above in self.above if above.indent < block.depth]
        checked = _CHECKED.match(block.text)
        words = plain_words(block.text[checked.end() :] if checked else block.text)
        is_parent = following is not None and (
            (following.what is What.ITEM and following.depth > block.depth)
            or (following.what is What.CODE and code is None)
        )
        if code is not None and not _is_short(code):
            yield _left_code(code)
        if words and not (is_parent and words.endswith(":")) and not is_boilerplate(words, block.text):
            text = self._in_context(_joined(words, code) if code else words)
            open_task = checked is not None and checked["mark"] == " "
            kind = Kind.OUTCOME if checked and not open_task else None
            yield from self._said(block, f"To do: {text}" if open_task else text, own=words, kind=kind)
        self.above.append(_Above(block.depth, words.rstrip(":. "), words.endswith(":")))

    def _in_context(self, text: str) -> str:
        context = ": ".join(above.words for above in self.above[-PARENTS:])[-CONTEXT_CHARS:].lstrip(": ")
        return f"{context}: {text}" if context else text

    def _paragraph(self, block: Block, code: Block | None, following: Block | None) -> Iterator[Entry]:
        self.above = []
        words = plain_words(block.text)
        if is_boilerplate(words, block.text):
            return
        goes_on = following is not None and following.what in (What.ITEM, What.ROW, What.CODE)
        if words.endswith(":") and code is None and goes_on:
            self.above = [_Above(-1, words.rstrip(": "), introduces=True)]
            return
        lines = block.text.split("\n")
        if code is None and len(lines) > 1 and all(re.search(r"[.!?:;]\W*$", line) for line in lines):
            for offset, line in enumerate(lines):  # each line is a sentence of its own: rules without bullets
                yield from self._said(block, plain_words(line), at_line=block.line + offset, raw=line)
            return
        if code is not None and not _is_short(code):
            yield _left_code(code)
        if code is None and len(words) > PARAGRAPH_CHARS:
            for piece in _pieces(words):
                yield from self._said(block, piece, raw=piece)
            return
        yield from self._said(block, _joined(words, code) if code else words, own=words)

    def _code_alone(self, code: Block) -> Iterator[Entry]:
        """Code that is no part of a sentence: what stands above it introduces it."""
        heading = self.above[-1].words if self.above else self.headings[-1][1] if self.headings else ""
        lines = code.text.split("\n")
        if code.language in SHELLS and len(lines) <= COMMAND_LINES and not _is_drawing(code):
            for line, words, command in _commands(code):
                text = f"{words or heading}: `{command}`" if words or heading else f"`{command}`"
                yield from self._said(code, text, at_line=line, raw=command)
        elif heading and _is_short(code):
            yield from self._said(code, _joined(heading, code))
        else:
            yield _left_code(code)

    def _said(
        self,
        block: Block,
        text: str,
        *,
        own: str | None = None,
        kind: Kind | None = None,
        at_line: int | None = None,
        raw: str | None = None,
    ) -> Iterator[Entry]:
        """`own`: the words of the block itself, without what stands above them."""
        words = text if own is None else own
        if not any(map(str.isalnum, words)):
            return
        sections = tuple(heading for _, heading in self.headings)
        if len(words.split()) < FEW_WORDS and ":" not in words and text == words and sections:
            text = f"{sections[-1]}: {text}"
        introduced = (
            [above.words for above in self.above if above.introduces] if block.what in (What.ITEM, What.ROW) else []
        )
        path = path_in(words)
        yield self.origin.draft(
            at_line or block.line,
            text,
            kind or self.manner.kind or kind_of(words, (*sections, *introduced), self.manner.otherwise),
            at=self._time(words),
            title=title_of(self._title()),
            evidence=(raw or block.raw,),
            anchors=anchors_of([path] if path else []),
        )

    def _title(self) -> str | None:
        told = [(depth, words) for depth, words in self.headings if not _GENERIC.match(words)]
        named = [words for depth, words in told if depth > 1 or not self.has_title] or [words for _, words in told]
        return " / ".join([self.manner.title, *named] if self.manner.title else named) or None

    def _time(self, words: str) -> datetime:
        """What a bullet or its heading says, where that is not in the future of the file."""
        texts = [words, *(heading for _, heading in reversed(self.headings))]
        dates = [date["date"] for text in texts for date in (_DATE_FIRST.match(text), _DATE_LAST.search(text)) if date]
        told = [moment for date in dates if (moment := time_of(date)) is not None and moment <= self.origin.at]
        return told[0] if told else self.at


def _introduces(block: Block, code: Block) -> bool:
    """Whether code is part of the sentence before it. Not a list of commands with comments, each of which is a matter
    of its own; nor, where no colon leads to it, several commands."""
    if block.what not in (What.ITEM, What.PARAGRAPH) or is_boilerplate(plain_words(block.text), block.text):
        return False
    if code.language not in SHELLS or "\n" not in code.text or not _is_short(code):
        return True
    told = [bool(words) for _, words, _ in _commands(code)]
    return block.text.rstrip("* ").endswith(":") and not (len(told) > 1 and all(told))


def _joined(words: str, code: Block) -> str:
    """The sentence and its code, unless that is long."""
    if not _is_short(code) or not code.text:
        return words.rstrip(":").rstrip()
    if "\n" in code.text:
        return f"{words}\n{code.text}"
    return f"{words.rstrip(':.')}: `{code.text.removeprefix('$ ')}`"


def _is_short(code: Block) -> bool:
    return len(code.text) <= CODE_CHARS and code.text.count("\n") < CODE_LINES and not _is_drawing(code)


def _is_drawing(code: Block) -> bool:
    return code.language in ("mermaid", "plantuml", "dot") or any(mark in code.text for mark in "├└│┌")


def _left_code(code: Block) -> SkippedEntry:
    count = code.text.count("\n") + 1
    return SkippedEntry(code.line, "a drawing" if _is_drawing(code) else f"{count} lines of code")


def _commands(code: Block) -> Iterator[tuple[int, str, str]]:
    """Line, what it is for, the command: told by the comment beside it or by the one above."""
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
    """Sentences, as many together as fit."""
    piece = ""
    for sentence in _SENTENCE_END.split(words):
        if piece and len(piece) + len(sentence) > PIECE_CHARS:
            yield piece
            piece = ""
        piece = f"{piece} {sentence}".strip()
    if piece:
        yield piece
