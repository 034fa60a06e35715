"""Estimate whether a user's sentence stays valid in later sessions, by its words and its signs. Pure.

Rules alone recognise the forms that their author thought of. The weights were fitted on labelled messages:
`python -m bench.lasting`.
"""

from recollect.capture.said.cues import cues_of, fix_spelling
from recollect.capture.said.development import is_about_work, names_tool
from recollect.text import linear


def lasting_probability(text: str, signs: frozenset[str]) -> float:
    """Return 0..1. `signs`: names of other findings about the sentence."""
    return linear.probability(features(text, signs), "recollect.capture", "lasting.json")


def features(text: str, signs: frozenset[str]) -> set[str]:
    said = fix_spelling(text)
    known = {f"={cue.value}" for cue in cues_of(said)} | {f"={sign}" for sign in signs}
    return linear.features(said, names_tool) | known | ({"=work"} if is_about_work(said) else set())
