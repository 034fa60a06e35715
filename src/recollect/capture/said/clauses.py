"""The sentences of a message, each with the place it has there. Pure.

A person types fast: no capitals, three dots for a pause, a tag question behind a statement. So a full stop ends a
sentence before a small letter too, and ", no?" makes a statement unsure rather than a question.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from recollect.capture.patterns import LazyPattern
from recollect.capture.said.cues.spelling import fix_spelling
from recollect.capture.said.masking import LineForm, MaskedMessage, MessageLine

MAX_SENTENCES = 120  # of a message that are weighed
MAX_LEAD_CHARS = 120

_PAUSE = LazyPattern(r"\s*(?:\.{3,}(?!/)|…|(?<=\w)\.\.(?=\s))\s*")
_PAUSE_AFTER_END = LazyPattern(r"(?<=[!?])\s*(?:\.{3,}(?!/)|…)\s*")  # the sentence was over before it
_END = LazyPattern(r"(?<=[.!?])[\"')\]*_]*(?P<gap>\s+)|(?<=[。！？])(?P<none>)")
_SHORT_FORM = LazyPattern(
    r"(?:\b(?:e\.g|i\.e|cf|vs|etc|approx|resp|incl|mr|mrs|dr|st|no|nos|fig|sec|inc|ltd|z\.b|d\.h|p\.ej)\.|\b[A-Z]\.)"
    r"[\"')\]*_]*$",
    re.IGNORECASE,
)
_EMPHASIS = LazyPattern(r"(?<![\w*])(\*{1,3}|_{2,3})(?=\S)(.+?)(?<=\S)\1(?![\w*])")
_LINK = LazyPattern(r"!?\[([^\]]{1,200})\]\([^)\s]{1,400}\)")
_BOX = LazyPattern(r"^\[[ xX]\]\s+")
_TAG_QUESTION = LazyPattern(
    r"[\s,.…]+(?:no|yeah|yes|yep|right|correct|ok|okay|eh|huh|you know|(?:does (?:that|this) )?makes? sense|isn't it|"
    r"aren't they|don't you think|doesn't it|agreed?|oder|nicht wahr|stimmt's|verdad|vale|¿?no)\s*\?+$",
    re.IGNORECASE,
)
_FILLER = LazyPattern(
    r"^(?:(?:ok(?:ay|ie)?|k|so|well|hm+|um+|uh+|ah+|oh+|er+m?|yeah|yep|yup|yea|nah|omg|omfg|argh|gah|jeez|also|"
    r"finally|lastly|actually|dude|bro|"
    r"basically|and|but|plus|anyway|btw|fyi|in particular|of course|honestly|obviously)\b[\s,:;.!…—–-]+"
    r"|(?:yes|no|nope|right|sure|great|good|nice|perfect|cool|thanks|thank you|alright|hey|hi|hello|look|listen|sorry|"
    r"man|done|clean|excellent|of important note|ja|nein|doch|bueno|pues|sí|vale)\b(?:[,:;.!…—–]+\s*|\s+-+\s+)"
    r"|(?:no[ ,.!]+){2,}"
    r"|(?:for|on|re|regarding|as for) #?\d{1,3}[,:]\s+)+",
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
_BLANKS = LazyPattern(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    text: str  # without signs of emphasis and without fillers before it
    raw: str  # as it stands there
    form: LineForm
    block: int
    number: int  # of its message
    of: int  # how many the message has
    lead: str = ""  # the heading or the words with a colon under which it stands
    is_question: bool = False
    is_unsure: bool = False  # ends with a tag: ", no?"
    is_opening: bool = False  # the first of its block


def sentences(page: MaskedMessage) -> list[Sentence]:
    found: list[Sentence] = []
    heading, lead, lead_block = "", "", -9
    for number, lines in enumerate(_blocks(page.lines)):
        first = lines[0]
        if first.form is LineForm.HEADING:
            heading, lead = _plain(first.text)[:MAX_LEAD_CHARS], ""
            continue
        under = lead if lead and number - lead_block <= 1 else heading
        for text, at_begin in _join_wrapped(lines):
            for sentence in _read_text(text, first.form, number, under, at_begin):
                found.append(sentence)
                under = under if first.form is not LineForm.PROSE else heading
        if first.form is LineForm.PROSE and _LABEL_END.search(_plain(lines[-1].text)):
            above = found[-1].text if found and found[-1].block == number else _plain(lines[-1].text)
            lead, lead_block = above.rstrip(" :：")[-MAX_LEAD_CHARS:], number
        if len(found) >= MAX_SENTENCES:
            break
    kept = found[:MAX_SENTENCES]
    return [replace(sentence, number=number, of=len(kept)) for number, sentence in enumerate(kept)]


def _blocks(lines: Sequence[MessageLine]) -> list[list[MessageLine]]:
    blocks: list[list[MessageLine]] = []
    for line in lines:
        if blocks and blocks[-1][0].block == line.block and line.form is not LineForm.HEADING:
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return blocks


def _join_wrapped(lines: list[MessageLine]) -> list[tuple[str, bool]]:
    """Lines that a hand or an editor broke are one text; items and rows stand for themselves."""
    if lines[0].form is not LineForm.PROSE:
        return [(line.text, True) for line in lines]
    texts = [lines[0].text]
    for before, line in pairwise(lines):
        wrapped = line.text[:1].islower() and not before.text.endswith((":", ".", "!", "?")) and len(before.text) >= 50
        if wrapped:
            texts[-1] += f" {line.text}"
        else:
            texts.append(line.text)
    return [(text, number == 0) for number, text in enumerate(texts)]


def _read_text(text: str, form: LineForm, block: int, lead: str, at_begin: bool) -> list[Sentence]:
    found: list[Sentence] = []
    for piece in _split_sentences(_plain(text)):
        tagged = _TAG_QUESTION.search(piece)
        said = piece[: tagged.start()] if tagged else piece
        stripped = _FILLER.sub("", said).strip(" ,;—–…")
        if not any(map(str.isalnum, _SPAN.sub("", stripped))) or _CODE_COMMENT.match(stripped):
            continue  # nothing, or code alone: a word of a sentence, but not a sentence
        asked = bool(_ASKING.match(fix_spelling(stripped))) or (not tagged and piece.rstrip(" \"')*_").endswith("?"))
        found.append(
            Sentence(
                text=capitalise(stripped),
                raw=piece,
                form=form,
                block=block,
                number=0,
                of=0,
                lead=lead,
                is_question=asked,
                is_unsure=tagged is not None,
                is_opening=at_begin and not found,
            )
        )
    return found


def capitalise(text: str) -> str:
    """A word begins with a capital; a name keeps its own letters."""
    first = text.split(maxsplit=1)[0].rstrip(",;:").replace("'", "")
    return text[:1].upper() + text[1:] if first.isalpha() and first.islower() and " " in text else text


def _plain(text: str) -> str:
    plain = _LINK.sub(r"\1", _BOX.sub("", text.replace("\u2019", "'").replace("\u2018", "'")))
    return _BLANKS.sub(" ", _EMPHASIS.sub(r"\2", plain)).strip()


def _split_sentences(text: str) -> list[str]:
    pieces: list[str] = []
    waiting: list[str] = []
    is_in_code = False
    held = _PAUSE.sub("… ", _PAUSE_AFTER_END.sub(" ", text))
    ends = [(end.start("gap") if end["gap"] else end.start(), end.end()) for end in _END.finditer(held)]
    begins = [0, *(after for _, after in ends)]
    for begin, end in zip(begins, [*(before for before, _ in ends), len(held)], strict=True):
        piece = held[begin:end].strip()
        if not piece:
            continue
        waiting.append(piece)
        is_in_code ^= piece.count("`") % 2 == 1
        # A code span or a bracket that is still open holds the full stop, not the sentence.
        if is_in_code or _SHORT_FORM.search(piece):
            continue
        pieces.append(" ".join(waiting))
        waiting = []
    return [*pieces, " ".join(waiting)] if waiting else pieces
