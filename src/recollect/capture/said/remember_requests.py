"""Find what a user asks the agent to remember, without the words that ask. Pure.

The request may come before it (`remember: ...`, `put it in your notes that ...`), after it (`..., note that down`), or
in a sentence of its own (`Remember this: ...`). A task for now is an order like any other (`remember to push`), and
`do you remember ...` asks something else.
"""

import re
from collections.abc import Sequence

from recollect.capture.echo import words_of
from recollect.capture.said.clauses import Sentence, capitalise
from recollect.capture.said.cues import Cue, cues_of
from recollect.capture.said.outright import MAX_CHARS, states
from recollect.capture.said.reference import needs_this_moment
from recollect.text.lazy_pattern import AnyCasePattern, LazyPattern

MIN_WORDS = 2  # content words of the text to remember; with fewer, the next or previous sentence is meant

_IT = r"(?:this|that|it)(?: (?:one|info|lesson|fact)\b)?"
_ASKING = (
    r"(?:\b(?:please|pls|also|and|so|but|oh|ok|hey|btw|can you|could you|i want (?:that )?you(?: to)?|try to)[\s,]+)*"
)
_LATER = (
    r"(?:for (?:good|later|(?:the )?next \w+|(?:the |all )?future\b(?: \w+)?)|(?:also )?tomorrow|once and for all|"
    r"in every session)"
)
_NOTES = (
    r"(?:(?:your|ur) (?:long[- ]term |project )?(?:memory|notes|instructions|rules|file)|"
    r"the (?:project )?(?:memory|notes)|record\b|project (?:memory|notes)|claude\.md|agents\.md)"
)
_ENGLISH = (
    r"\b(?:remember|memori[sz]e|remind yourself|(?:don't|dont|do not|never) (?:ever )?forget)\b"
    rf"(?: {_IT}(?=\W*(?:$|[:,.!-]|for\b|and\b|ok\b|also\b|once\b)))?(?:,? {_LATER})?|"
    rf"\b(?:write|note|put|save|store|keep|record|add|stick)\b(?: {_IT}| down)? (?:(?:in|on|to|into) {_NOTES}|"
    rf"somewhere\b)|\bupdate {_NOTES}|"
    rf"\b(?:write|note|jot) (?:{_IT} )?down\b(?= that\b|\s*(?:[:,.!-]|$)| and\b)|"
    rf"\b(?:save|store|record) {_IT}(?: {_LATER})?(?=\s*[:,-])|"
    r"\b(?:make|take) (?:a |one )?(?:mental )?note\b|\bnote (?:to self|for (?:later|you))\b(?: \([^)]*\))?|"
    r"\bfor (?:the record|next time|the future|(?:all )?(?:future|next) (?:chats|sessions|conversations)|"
    rf"{_NOTES})(?=[^.!?,]{{0,24}}[:,])"
)
_OTHER_LANGUAGES = (
    r"\bmerke? dir|\bdenk\w* (?:bitte )?dar?an|\bvergiss (?:bitte )?nicht|\brecuerda\b|\bno (?:te )?olvides|"
    r"\bque no se te olvide|\b(?:souviens|rappelle)[- ]toi|\bn'oublie pas|\bretiens\b|\blembr[ae]\b(?:-te|-se)?|"
    r"\bnão (?:se )?esqueça|\bguarda isso(?: aí)?|\bricorda(?:ti)?\b|\bnon dimenticare|запомни|не забудь|"
    r"не забывай|(?:请)?记住|请记得|别忘了|覚えて(?:おいて|ください|ね)?|忘れないで(?:ください|ね)?"
)
_REQUEST = AnyCasePattern(
    rf"{_ASKING}(?:{_ENGLISH}|{_OTHER_LANGUAGES})(?:,? (?:please|pls|ok|okay|bitte|por favor)\b)?"
)
# Often only for the task at hand.
_WEAK_REQUEST = LazyPattern(rf"{_ASKING}(?:keep|bear) in mind(?: that|[,:])? ", re.IGNORECASE)
# An order for now, a question about the past, a thing that a program stores.
_OTHER_MEANING = LazyPattern(
    r"\b(?:do|did|does|don't|can't|cannot|couldn't|doesn't|i|we|he|she|they|who|won't|wont|make you|has to|must|"
    r"(?<!something )(?<!one )to|it|should)(?: (?:also|still|just|not|always|even|should))* remember\b|"
    r"\bremember(?:\?|/| (?:when|me\b|how (?:we|you|i)|last|what|if|where|which)\b)|"
    r"\b(?:remember|forget) to\b(?! (?:always|never))|\b(?:i|we|you|they|i'll|always) forget\b",
    re.IGNORECASE,
)
_BEFORE = LazyPattern(
    r"[\s,;:.!?<>()–—-]*(?:\b(?:so|and|but|then|please|pls|oh|also|because|btw|ok|well)[\s,;:–—-]*)*$", re.I
)
_AFTER = LazyPattern(
    r"^[\s,;:.!?()–—-]*(?:(?:that|dass|que|che|что|and|so|please|pls|ok|because|too|as well|for me|again)\b"
    r"[\s,;:.!?–—-]+)*",
    re.I,
)
# "... and go on"; "in the ticket that ...": the text to remember does not follow.
_GOES_ON = LazyPattern(
    r"^(?:and|then|now|so|ok|go on|carry on|continue|in|as|for|from|on|with|the \w+ from)\b", re.IGNORECASE
)


def text_to_remember(found: Sequence[Sentence], at: int) -> str:
    """Return what the user asks to remember with this sentence, in their own words; empty: nothing."""
    text = found[at].text
    weak = _WEAK_REQUEST.match(text)
    if weak and states(text[weak.end() :]):
        return _check_kept(text[weak.end() :])
    request = _find_request(text)
    if request is None:
        return ""
    behind = text[request.end() :].strip(" ,")
    before = _BEFORE.sub("", text[: request.start()]).strip()
    kept = "" if _GOES_ON.match(behind) else _check_kept(_AFTER.sub("", behind))
    kept = kept or _check_kept(before)
    if kept or len(words_of(behind + before)) >= MIN_WORDS:
        return kept
    # "Remember this: ..." points to the next sentence, "... Remember that." to the one before.
    place = at + 1 if text.endswith((":", "…")) or "this" in request.group().lower() else at - 1
    if not 0 <= place < len(found) or found[place].is_question:
        return ""
    return _check_kept(found[place].text)


def _find_request(text: str) -> re.Match[str] | None:
    request = _REQUEST.search(text)
    if request is None or _OTHER_MEANING.search(text) or cues_of(text) & {Cue.REPORTED, Cue.MOOD}:
        return None
    return request


def _check_kept(kept: str) -> str:
    """Return it if it says something by itself and is no errand."""
    kept = kept.strip(" ,;:-–—")
    cues = cues_of(kept)
    if len(words_of(kept)) < MIN_WORDS or len(kept) > MAX_CHARS or kept.endswith("?") or needs_this_moment(kept):
        return ""
    if Cue.POINTER in cues or (Cue.TASK in cues and not cues & {Cue.LASTING, Cue.OURS, Cue.UNIVERSAL}):
        return ""
    return capitalise(kept)
