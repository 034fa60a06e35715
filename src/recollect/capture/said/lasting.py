"""How surely a user's sentence holds for later sessions: by its words, and by the signs that rules know. Pure.

Rules alone know the forms that their author thought of. The weights were fitted on messages that readers labelled:
`python -m bench.lasting`.
"""

from recollect.capture.said.cues import cues_of, fix_spelling
from recollect.capture.said.development import is_about_work, names_tool
from recollect.text import linear


def lasting_probability(text: str, signs: frozenset[str]) -> float:
    """How surely, 0..1. `signs`: what else is known of it, by name."""
    return linear.sure(features(text, signs), "recollect.capture", "lasting.json")


def features(text: str, signs: frozenset[str]) -> set[str]:
    said = fix_spelling(text)
    known = {f"={cue.value}" for cue in cues_of(said)} | {f"={sign}" for sign in signs}
    return linear.features(said, names_tool) | known | ({"=work"} if is_about_work(said) else set())
