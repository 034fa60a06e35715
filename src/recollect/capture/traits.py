"""What can be seen of a sentence without understanding it: its words, its form, its place, its neighbours. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from recollect.capture.clauses import Sentence
from recollect.capture.cues import Cue, cues_of
from recollect.capture.masking import Form
from recollect.capture.patterns import Pattern
from recollect.capture.reference import points_back, speaks_of_here

LONG_REPLY_CHARS = 400  # replies of this length hold something in two of three cases, shorter ones in one of ten

_NAME = Pattern(
    r"`[^`]+`|\b\w+\([^)]*\)|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\b\w+_\w+|(?<!\w)--?[a-z][\w-]*|\b\w+\.[a-z]{1,4}\b|"
    r"(?:[\w@.~-]+/)+[\w.-]+|\b[A-Z]{3,}[A-Z_0-9]*\b"
)
_ENDINGS = (
    "py|go|ts|tsx|js|jsx|rs|rb|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sql|sh|ya?ml|toml|json|md|html|css|scss|vue|svelte|tf|"
    "proto|gradle|xml|ini|cfg|env|lock|mod|sum"
)
_PATH = Pattern(rf"(?:(?<![\w/])[@.~]{{0,3}}/?(?:[\w.-]+/)+[\w.-]*[\w]|\b[\w-]+\.(?:{_ENDINGS}))\b")
_SHOUTED = Pattern(r"\b(?:[A-Z]{4,}|NOT|ALL|NO|IS|BUT|DO|ANY)\b(?!_)")
_NUMBER = Pattern(r"\d")
_WORD = Pattern(r"[^\W\d_]{2,}")

_OTHERWISE = frozenset({Cue.TASK, Cue.JOINT, Cue.NARRATION, Cue.EVENT, Cue.CHAT, Cue.HEDGE})

SIGNS: tuple[str, ...] = (
    *(f"cue_{cue.value}" for cue in Cue),
    "words", "short", "long", "names", "path", "code", "item", "row", "lead", "first", "last", "place", "turn", "brief",
    "lengthy", "sentences", "shown", "question", "unsure", "points_back", "here", "shouted", "number", "exclaims",
    "after_question", "before_reason", "after_cause", "norm_and_reason", "want_denied", "state_and_name",
    "cause_and_name", "change_and_name", "design_and_state", "reason_and_name", "task_only", "label",
    "plain_state", "near_standing",
)  # fmt: skip
_AT = {name: number for number, name in enumerate(SIGNS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The message that a sentence stands in."""

    chars: int  # of what is said in it
    shown_chars: int


@lru_cache(maxsize=512)
def names_in(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_NAME.findall(text)))


def paths_in(text: str) -> tuple[str, ...]:
    found = (path.lstrip("@").rstrip(".") for path in _PATH.findall(text))
    return tuple(dict.fromkeys(path for path in found if path and "://" not in path and not path.startswith("//")))


def is_emphatic(text: str) -> bool:
    return bool(_SHOUTED.search(text)) or text.rstrip().endswith("!")


def traits(sentences: Sequence[Sentence], at: int, turn: Turn) -> list[float]:
    """One number for each of `SIGNS`, most of them 0 or 1."""
    sentence = sentences[at]
    text = sentence.text
    cues = cues_of(text)
    words = len(_WORD.findall(text))
    names = names_in(text)
    before = sentences[at - 1] if at else None
    after = sentences[at + 1] if at + 1 < len(sentences) else None
    cues_before = cues_of(before.text) if before else frozenset[Cue]()
    cues_after = cues_of(after.text) if after else frozenset[Cue]()
    found = [0.0] * len(SIGNS)
    for cue in cues:
        found[_AT[f"cue_{cue.value}"]] = 1.0
    seen: dict[str, float] = {
        "words": min(math.log1p(words) / 3.5, 1.2),
        "short": words < 5,
        "long": words > 45,
        "names": min(len(names), 4) / 4,
        "path": bool(_PATH.search(text)),
        "code": "`" in text,
        "item": sentence.form is Form.ITEM,
        "row": sentence.form is Form.ROW,
        "lead": bool(sentence.lead),
        "first": sentence.number == 0,
        "last": sentence.number == sentence.of - 1,
        "place": sentence.number / max(1, sentence.of - 1),
        "turn": min(math.log1p(turn.chars) / 8, 1.2),
        "brief": turn.chars < 60,
        "lengthy": turn.chars >= LONG_REPLY_CHARS,
        "sentences": min(sentence.of, 20) / 20,
        "shown": turn.shown_chars / (turn.chars + turn.shown_chars + 1),
        "question": sentence.is_question,
        "unsure": sentence.is_unsure,
        "points_back": points_back(sentence),
        "here": speaks_of_here(text),
        "shouted": bool(_SHOUTED.search(text)),
        "number": bool(_NUMBER.search(text)),
        "exclaims": text.endswith("!"),
        "after_question": bool(before and before.is_question),
        "before_reason": Cue.REASON in cues_after or Cue.CAUSE in cues_after,
        "after_cause": Cue.CAUSE in cues_before or Cue.STANDING in cues_before,
        "norm_and_reason": Cue.NORM in cues and Cue.REASON in cues,
        "want_denied": Cue.WANT in cues and Cue.DENIAL in cues,
        "state_and_name": Cue.STATE in cues and bool(names),
        "cause_and_name": Cue.CAUSE in cues and bool(names),
        "change_and_name": (Cue.CHANGE in cues or Cue.NOW in cues) and bool(names),
        "design_and_state": Cue.DESIGN in cues and Cue.STATE in cues,
        "reason_and_name": Cue.REASON in cues and bool(names),
        "task_only": Cue.TASK in cues and not cues & {Cue.STANDING, Cue.REASON, Cue.ALIKE, Cue.PREFERENCE, Cue.NORM},
        "label": text.endswith(":"),
        "plain_state": Cue.STATE in cues and not cues & _OTHERWISE,
        "near_standing": Cue.STANDING in cues_after or Cue.PREFERENCE in cues_after or Cue.ALIKE in cues_after,
    }  # fmt: skip
    for name, value in seen.items():
        found[_AT[name]] = float(value)
    return found
