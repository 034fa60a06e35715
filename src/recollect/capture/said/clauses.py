"""Split a message into sentences, each with its place in the message. Pure.

People type fast: no capitals, three dots for a pause, a tag question after a statement. So a full stop also ends a
sentence before a small letter, and ", no?" makes a statement unsure instead of a question.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from recollect.capture.said.cues import fix_spelling
from recollect.capture.said.masking import LineForm, MaskedMessage, MessageLine
from recollect.text.lazy_pattern import AnyCasePattern, LazyPattern

MAX_SENTENCES = 120  # of a message
MAX_LEAD_CHARS = 120

_PAUSE = LazyPattern(r"\s*(?:\.{3,}(?!/)|…|(?<=\w)\.\.(?=\s))\s*")
_PAUSE_AFTER_END = LazyPattern(r"(?<=[!?])\s*(?:\.{3,}(?!/)|…)\s*")  # the sentence had already ended
_END = LazyPattern(r"(?<=[.!?])[\"')\]*_]*(?P<gap>\s+)|(?<=[。！？])(?P<none>)")
_SHORT_FORM = AnyCasePattern(
    r"(?:\b(?:e\.g|i\.e|cf|vs|etc|approx|resp|incl|mr|mrs|dr|st|no|nos|fig|sec|inc|ltd|z\.b|d\.h|p\.ej)\.|\b[a-z]\.)"
    r"[\"')\]*_]*$"
)
_EMPHASIS = LazyPattern(r"(?<![\w*])(\*{1,3}|_{2,3})(?=\S)(.+?)(?<=\S)\1(?![\w*])")
_LINK = LazyPattern(r"!?\[([^\]]{1,200})\]\([^)\s]{1,400}\)")
_BOX = LazyPattern(r"^\[[ xX]\]\s+")
_TAG_QUESTION = AnyCasePattern(
    r"[\s,.…]+(?:no|yeah|yes|yep|right|correct|ok|okay|eh|huh|you know|(?:does (?:that|this) )?makes? sense|isn't it|"
    r"aren't they|don't you think|doesn't it|agreed?|oder|nicht wahr|stimmt's|verdad|vale|¿?no)\s*\?+$"
)
_FILLER = LazyPattern(
    r"^(?:(?:ok(?:ay|ie)?|k|so|well|hm+|um+|uh+|ah+|oh+|er+m?|yeah|yep|yup|yea|nah|omg|omfg|argh|gah|jeez|also|"
    r"finally|lastly|actually|dude|bro|basically|and|but|plus|anyway|btw|fyi|in particular|of course|honestly|"
    r"obviously)\b[\s,:;.!…—–-]+|(?:yes|no|nope|right|sure|great|good|nice|perfect|cool|thanks|thank you|alright|hey|"
    r"hi|hello|look|listen|sorry|man|done|clean|excellent|of important note|ja|nein|doch|bueno|pues|sí|"
    r"vale)\b(?:[,:;.!…—–]+\s*|\s+-+\s+)|(?:no[ ,.!]+){2,}|(?:for|on|re|regarding|as for) #?\d{1,3}[,:]\s+)+",
    re.IGNORECASE,
)
_BE = "is|are|was|were|do|does|did|can|could|would|should|will|has|have"
_ASKING = LazyPattern(
    r"^(?!(?:do|have) (?:the|this|that|it|these|those|our)\b)"  # these are orders
    r"(?:(?:for|about|as for|regarding|on|in) [^,]{1,40},\s*)?(?:"
    rf"(?:what|how|why|which|who|whose|where)(?:'s|'re)?(?: come\b| \w+){{0,2}}? (?:{_BE}|about)\b|"
    rf"(?:what|how|why) about\b|how come\b|why (?!not\b)|i (?:don't|can't|do not) (?:get|understand|know|see|"
    rf"tell) (?:why|how|what|where)\b|(?:{_BE}|isn't|aren't|don't|doesn't|didn't|shouldn't|wouldn't|can't)"
    r" (?:this|that|these|those|it|we|you|there|the|any|anyone|i|they|our|he|she)\b|"
    r"(?:warum|wieso|wie|was|wer|wo|welche[rsn]?) (?:ist|sind|war|hat|haben|machen|kann|können|soll|sollen)\b|¿)",
    re.IGNORECASE,
)
_SPAN = LazyPattern(r"`[^`]*`")
_CODE_COMMENT = LazyPattern(r"^(?://|/\*|\*/)")
_LABEL_END = LazyPattern(r"[:：]\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    text: str  # without emphasis marks and leading fillers
    raw: str  # as written
    form: LineForm
    block: int
    total: int  # the number of sentences in the message
    lead: str = ""  # the heading, or the words with a colon, above it
    is_question: bool = False
    is_unsure: bool = False  # ends with a tag: ", no?"


def sentences(page: MaskedMessage) -> list[Sentence]:
    found: list[Sentence] = []
    heading, lead, lead_block = "", "", -9
    for number, lines in enumerate(_blocks(page.lines)):
        first = lines[0]
        if first.form is LineForm.HEADING:
            heading, lead = _plain(first.text)[:MAX_LEAD_CHARS], ""
            continue
        is_prose = first.form is LineForm.PROSE
        under = lead if lead and number - lead_block <= 1 else heading
        for text in _join_wrapped(lines):
            added = list(_read_text(text, first.form, number, under))
            found += added
            if added and is_prose:
                under = heading
        last = _plain(lines[-1].text) if is_prose else ""
        if _LABEL_END.search(last):
            above = found[-1].text if found and found[-1].block == number else last
            lead, lead_block = above.rstrip(" :：")[-MAX_LEAD_CHARS:], number
        if len(found) >= MAX_SENTENCES:
            break
    kept = found[:MAX_SENTENCES]
    return [replace(sentence, total=len(kept)) for sentence in kept]


def _blocks(lines: Sequence[MessageLine]) -> list[list[MessageLine]]:
    blocks: list[list[MessageLine]] = []
    for line in lines:
        if blocks and blocks[-1][0].block == line.block and line.form is not LineForm.HEADING:
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return blocks


def _join_wrapped(lines: list[MessageLine]) -> list[str]:
    """Join lines that a person or an editor wrapped; items and table rows stay separate."""
    texts = [lines[0].text]
    for before, line in pairwise(lines):
        is_wrapped = (
            line.form is LineForm.PROSE
            and line.text[:1].islower()
            and not before.text.endswith((":", ".", "!", "?"))
            and len(before.text) >= 50
        )
        if is_wrapped:
            texts[-1] += f" {line.text}"
        else:
            texts.append(line.text)
    return texts


def _read_text(text: str, form: LineForm, block: int, lead: str) -> Iterator[Sentence]:
    for piece in _split_sentences(_plain(text)):
        tag = _TAG_QUESTION.search(piece)
        said = piece[: tag.start()] if tag else piece
        stripped = _FILLER.sub("", said).strip(" ,;—–…")
        if not any(map(str.isalnum, _SPAN.sub("", stripped))) or _CODE_COMMENT.match(stripped):
            continue  # empty, or code alone: no sentence
        has_mark = tag is None and piece.rstrip(" \"')*_").endswith("?")
        yield Sentence(
            text=capitalise(stripped),
            raw=piece,
            form=form,
            block=block,
            total=0,
            lead=lead,
            is_question=has_mark or bool(_ASKING.match(fix_spelling(stripped))),
            is_unsure=tag is not None,
        )


def capitalise(text: str) -> str:
    """Begin a plain word with a capital; a name keeps its own letters."""
    first = text.split(maxsplit=1)[0].rstrip(",;:").replace("'", "")
    return text[:1].upper() + text[1:] if first.isalpha() and first.islower() and " " in text else text


def _plain(text: str) -> str:
    plain = _BOX.sub("", text.replace("\u2019", "'").replace("\u2018", "'"))
    if "](" in plain:
        plain = _LINK.sub(r"\1", plain)
    if "*" in plain or "__" in plain:
        plain = _EMPHASIS.sub(r"\2", plain)
    return " ".join(plain.split())


def _split_sentences(text: str) -> list[str]:
    if ".." in text or "…" in text:
        text = _PAUSE.sub("… ", _PAUSE_AFTER_END.sub(" ", text))
    parts, begin = list[str](), 0
    for end in _END.finditer(text):
        parts.append(text[begin : end.start("gap") if end["gap"] else end.start()].strip())
        begin = end.end()
    parts.append(text[begin:].strip())
    pieces: list[str] = []
    waiting: list[str] = []
    is_in_code = False
    for part in filter(None, parts):
        waiting.append(part)
        is_in_code ^= part.count("`") % 2 == 1
        # A full stop inside an open code span or after an abbreviation does not end the sentence.
        if not is_in_code and not _SHORT_FORM.search(part):
            pieces.append(" ".join(waiting))
            waiting = []
    return [*pieces, " ".join(waiting)] if waiting else pieces
