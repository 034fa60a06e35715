"""Whether a user states outright that something holds. Pure; strict, since what is confirmed is shown unasked.

A statement is explicit if its words say that it lasts ("always", "from now on", "we use X, not Y"), what is preferred,
how all others do it, what takes precedence, or what they do not want; and if nothing takes that back: a doubt, a
question, this one time only, a thing that only this moment knows.
"""

import re

from recollect.capture.clauses import Sentence
from recollect.capture.cues import Cue, cues_of, spelt
from recollect.capture.cues.english_words import ENGLISH_WORDS
from recollect.capture.masking import Form
from recollect.capture.patterns import Pattern
from recollect.capture.reference import points_back, speaks_of_here

MIN_WORDS, MAX_WORDS = 4, 70
SET_RIGHT = 0.12  # how durable what sets something right has to be
SURE = 0.6  # how durable a plain wish has to be

_STRONG = frozenset({Cue.ASKED, Cue.STANDING, Cue.PREFERENCE, Cue.ALIKE})
_TAKEN_BACK = frozenset({Cue.HYPOTHESIS, Cue.ONCE, Cue.POINTER, Cue.REPORTED, Cue.NARRATION, Cue.EVENT, Cue.OFFER})
_USED_NOT = Pattern(
    r"\bwe (?:only |all |always )?(?:use|run|write|ship|deploy|want|do|go with|stick to|have|keep)\b[^.!?]{2,80}?"
    r"(?:,| and| but)? (?:not|never|no|rather than|instead of)\b",
    re.IGNORECASE,
)
# Who says what was decided and for what reason wants it to be known.
_DECIDED = Pattern(
    r"^(?:(?:ok|okay|so|and|also|btw)[\s,:]+)*"
    r"(?:(?:we|i)(?:'ve| have)? (?:decided|chose|chosen|opted|settled|agreed)|"
    r"(?:(?:we|i)(?:'re|'m|'ll| are| am| will) |let's )go(?:ing)? with|(?:our |the )?decision:)"
    r"[^.!?]{3,160}\b(?:because|since|so that|due to|as (?:we|the|our|it))\b",
    re.IGNORECASE,
)
_REFUSED = Pattern(
    r"\b(?:we|i) (?:really |just )?(?:don't|do not|dont|never) (?:ever )?want\b"
    r"(?! (?:this|that|these|those|it|them|to (?:see|do|go|know|talk))\b)",
    re.IGNORECASE,
)
_WISH = Pattern(r"\bwe (?:just |also |really )?want (?!to (?:do|see|know|try|start|add|make)\b)", re.IGNORECASE)
_FIRM = Pattern(
    r"\b(?:must (?:not |never |always )?\w+|should (?:not|never|always|only|just always)\b|shouldn't\b|"
    r"(?:is|are) only (?:for|meant)|(?:is|are) not allowed|takes? (?:precedence|priority)|"
    r"(?:priority|precedence|order) is|(?:has|have) to be|don't belong|doesn't belong|belongs? in|"
    r"should (?:be|match|equal|mirror) (?:the )?(?:exact|same|identical)\w*|should (?:match|mirror|equal)|"
    r"exact(?:ly)? (?:match|equivalent|the same)|should be (?:real|proper|plain)\b)",
    re.IGNORECASE,
)
_IDENTITY = Pattern(
    r"^(?:this|it) is (?:an?|our|the|my) (?:[\w-]+ ){0,4}"
    r"(?:repo|repository|project|codebase|monorepo|library|app|service|tool)\b",
    re.IGNORECASE,
)
_OWN_PLACE = Pattern(r"\bthat's what (?:the |our )?\S+ (?:\w+ )?(?:is|are) for\b", re.IGNORECASE)
# An order or a rule by its form: what is done here, whatever it is about. Needs no estimate.
_CALLED = (
    r"(?:(?:please|ok|so|and|but|also|just|from now on|going forward|let's|in this (?:repo|project|codebase))[\s,:]+)*"
)
_VERB = "|".join(ENGLISH_WORDS["order"].split())
_DOES = (
    rf"(?:{_VERB}|prefer|follow|ask|answer|import|target|branch|throw|raise|catch|log|type|cache|validate|define|avoid|"
    "force)"
)
# What one meets is a fact, no deed.
_MET = r"(?:see|get|find|think|look|figure|tell|help|go|have|need|take|wait|show)\b(?! (?:rid|sure)\b)"
_RULES = (
    Pattern(rf"^{_CALLED}(?:don't|do not) use [^.!?;]{{2,40}}[,;] (?:but )?(?:always )?use \w", re.IGNORECASE),
    Pattern(rf"^{_CALLED}i (?:always|never) (?:want|(?!{_MET}){_DOES})\b", re.IGNORECASE),
    Pattern(rf"^{_CALLED}(?:always|never|(?:don't|do not) ever)\s+(?:\w+ly\s+)?(?!{_MET}){_DOES}\b", re.IGNORECASE),
    Pattern(
        rf"^{_CALLED}(?:use|prefer|run|import|write|install|stick (?:to|with))\s+(?!(?:the|a|an|this|that|my|"
        rf"your|it|one|more|"
        r"less|another|\d+)\b)[^.!?;]{1,50}?(?:,? (?:instead of|rather than|and not|not|never|over)|, no) \w",
        re.IGNORECASE,
    ),
    Pattern(
        rf"^{_CALLED}(?:don't|do not|never) {_DOES}\b[^.!?]{{0,60}}\b(?:without|unless|before|directly|to main|"
        rf"to master)\b",
        re.IGNORECASE,
    ),
    Pattern(
        rf"^{_CALLED}we (?:don't|do not|never|always|only|must|"
        rf"must not) (?:ever )?(?!{_MET}){_DOES}\b",
        re.IGNORECASE,
    ),
    Pattern(
        r"^(?:i|we) (?:(?:really|strongly|generally|usually|much|always) )*prefer (?!(?:the|this|that|it|your|a|"
        r"an|option|to|\d+)\b)\S+ \S",
        re.IGNORECASE,
    ),
    Pattern(
        r"^no (?!(?:problem|worries|idea|need|rush|thanks|doubt|longer|more|changes?|luck|way|logs?|data|access|"
        r"warnings?|internet|permissions?|one|such|errors?|"
        r"output|matter|"
        r"results?|difference|question|reason|other|new|clue|response|sense)\b)(?=[^,]*(?:[\w)]s\b|[.(`/]|"
        r"\bor\b| in | on | from ))"
        r"(?!.*\b(?:is|are|was|were|found|ran|works?|yet|changed|passed|failed|happen\w*)\b)\S+ \S",
        re.IGNORECASE,
    ),
)
_MOMENT = Pattern(
    r"\b(?:this|that|these|those)\b(?! (?:repo|repository|project|codebase|monorepo|app|service|package|workspace)\b)|"
    r"\b(?:it|them|now|there|today|both|again|instead)\b(?! of\b)(?<!from now)|\bone\b",
    re.IGNORECASE,
)
# What bounds an order; "never push until it is green" is bounded by nothing.
_BOUNDED = Pattern(
    r"^(?!.*\b(?:never|don't|not|no)\b.*\b(?:until|till|while)\b).*\b(?:until|till|while (?:you|we|i)|for now|"
    r"as long as you)\b|"
    r"\bi(?:'d| would) (?:prefer|rather|like|love)\b.*\b(?:here|this|that|one|ones)\b",
    re.IGNORECASE,
)
# Anger and praise say how somebody feels today.
_MOOD = Pattern(
    r"\b(?:stupid|damn|dammit|bloody|fuck\w*|shit\w*|so much|why oh why|as (?:usual|always)|always the same|"
    r"so (?:annoying|tired)|"
    r"sick of|omg|wtf|lol)\b|\bAGAIN\b|"
    r"\b(?:it|this|that|these|linter|build|test|tests|ci)\s+(?:always|never)\s+(?:breaks?|fails?|crash\w*|"
    r"works?|hangs?|does|do|"
    r"gets?|takes?|finds?|forgets?)\b|\bi (?:\w+ )?(?:love|like|hate) (?:how|that|when|it|this)\b",
    re.IGNORECASE,
)
_FEELS = Pattern(r"\b(?:hate|love|despise|dislike)s?\b", re.IGNORECASE)
_PREFERS = Pattern(r"\b(?:prefer\w*|rather|don't like|fan of|style|taste|ideal)\b", re.IGNORECASE)
_ABOUT_YOU = Pattern(
    r"^(?:you|i)(?:'re|'ve|'m| are| have| keep| did| forgot| missed| always| never)\b"
    r"(?! (?:prefer|use|want|like|hate))",
    re.IGNORECASE,
)


_FOR_EVER = Pattern(r"\b(?:always|never|ever|from now on|going forward|we|i)\b", re.IGNORECASE)
_PARTS = Pattern(r"[:;.!?>|\])–—]\s+|\s-+\s")


def is_explicit(sentence: Sentence, durability: float, *, floor: float, scolding: bool = False) -> bool:
    """`scolding`: the message rebukes the agent, so what it says about how things should be sets something right."""
    text = spelt(sentence.text)
    cues = cues_of(text)
    if sentence.is_question or sentence.is_unsure or len(text.split()) > MAX_WORDS:
        return False
    if _MOOD.search(spelt(sentence.raw)) or _BOUNDED.search(text):
        return False
    if is_rule(text):
        return True
    if len(text.split()) < MIN_WORDS:
        return False
    if Cue.ASKED in cues and not cues & {Cue.HYPOTHESIS, Cue.REPORTED, Cue.NARRATION}:
        return True
    sets_right = scolding and Cue.NORM in cues
    floor = min(floor, SET_RIGHT) if sets_right else floor
    if durability >= floor and _OWN_PLACE.search(text):
        return True
    if durability < floor or cues & _TAKEN_BACK or _ABOUT_YOU.match(text):
        return False
    if Cue.HEDGE in cues and not cues & {Cue.STANDING, Cue.PREFERENCE}:
        return False
    if speaks_of_here(text) and not points_back(sentence) and Cue.STANDING not in cues:
        return False
    if Cue.PREFERENCE in cues and _FEELS.search(text) and not _PREFERS.search(text):
        cues -= {Cue.PREFERENCE}  # love and hate prefer nothing by themselves
    if Cue.UNIVERSAL in cues:
        return True
    firm = any(form.search(text) for form in (_USED_NOT, _DECIDED, _REFUSED, _FIRM, _IDENTITY))
    return bool(cues & _STRONG) or firm or sets_right or (durability >= SURE and bool(_WISH.search(text)))


def stands_by_itself(sentence: Sentence) -> bool:
    """Of what is explicit: a rule, a decision with its reason, what is to be remembered. A wish may need neighbours."""
    text = spelt(sentence.text)
    is_whole = is_rule(text) or bool(_DECIDED.search(text) or cues_of(text) & {Cue.ASKED, Cue.STANDING})
    return is_whole and sentence.form is Form.PROSE


def is_rule(text: str) -> bool:
    """Whether its form alone says what is done and what is not: `always use absolute imports`, `pnpm, not npm`."""
    said = spelt(text)
    if _MOMENT.search(said) or cues_of(said) & (_TAKEN_BACK | {Cue.HEDGE}):
        return False
    return any(form.match(said) for form in _RULES)


def gives_rules(printed: str) -> bool:
    """Whether a line that a program printed says how to work, always: errors do not, what was planted in one does."""
    parts = [part.strip() for part in (printed, *_PARTS.split(printed)) if part.strip()]
    # "No rule to make target" and "Prefer absolute imports" of a linter are errors like any other.
    return any(is_rule(part) and _FOR_EVER.search(part) for part in parts) or any(
        cues_of(part) & {Cue.ASKED, Cue.UNIVERSAL} for part in parts
    )
