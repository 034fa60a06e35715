"""Find what a sentence needs from its neighbours to be understood alone. Pure; it guesses nothing."""

import re
from collections.abc import Sequence

from recollect.capture.said.clauses import Sentence
from recollect.text.lazy_pattern import AnyCasePattern, LazyPattern

# "This repo", "this project" mean the same a month later; "this function" does not.
_LASTING = (
    r"(?:repo|repository|project|codebase|monorepo|app|application|service|tool|cli|library|package|plugin|product|site|"
    r"website|api|team|company|machine|workspace|backend|frontend|server|game|engine|firmware)"
)
_POINTS_BACK = LazyPattern(
    rf"""^(?:(?:so|but|and|then|now|also|however|because|since|instead|basically|here|presumably|apparently|
      i\sthink|i\sguess)[\s,]+)*
    (?:
      (?:this|that|these|those)(?!\s+(?:{_LASTING})\b)(?!\s+is\s+(?:an?|our|the|my)\s(?:\S+\s){{0,4}}?{_LASTING}\b)
        (?=\s+(?:is|are|was|were|isn't|aren't|means?|allows?|makes?|ensures?|should|must|needs?|has|have|will|won't|can|can't|
           doesn't|does|do|don't|could|would|handles?|avoids?|prevents?|lets?|causes?|breaks?|way|one|works?|happens?|keeps?|
           gives?|removes?|matches|also|now|only|function|method|file|test|case|error|issue|change|fix|line|flag|value|field|
           part|bit|thing|pattern|approach|check|call|block|helper|class|code|dir|directory|folder|branch|commit)\b)
    | (?:this|that|these|those)'s?(?:s|re|ll)?\b(?=\s*(?:['’]|$))
    | (?:that's|this's|it's|they're|it'll|they'll|it|they|them|he|she|its|their)\b
    | (?:the\s(?:latter|former|same|second|first\sone|other\sone|above)|same|neither|both|otherwise|likewise|such)\b
    | (?:which|where|so\sthat)\b
    | (?:we|i|you|they|just|please|don't|do\snot)\s(?:(?:\w+|don't)\s){{0,2}}?
        (?:want|need|expect|make|let|keep|have|use|put|call|treat)
        \s(?:it|them|(?:this|that|these|those)(?=\s(?:to|in|at|here|there|repeated|done|as)\b|[.,;!]|$))(?:\s|[.,;!]|$)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_LATER_REFERENT = LazyPattern(
    r"^(?:it's|it is|it was|it makes|it would|it seems|it looks|it turns)\b.{1,60}?\b(?:that|to|when|if)\b",
    re.IGNORECASE,
)
_EXPLAINS_ITSELF = LazyPattern(r"^that's what (?:the |our )?\S+ (?:\w+ )?(?:is|are) for\b", re.IGNORECASE)
_OBJECT = AnyCasePattern(
    r"\b(?:do|does|did|use|using|want|need|like|keep|drop|remove|fix|make|put|move|change|handle|have|for|with|of|to|in|see|get|call|say|said)"
    r"\s+(?:(?:this|that|it|them)\b(?!\s+[a-z])|(?:these|those)\s+(?:\w+ed|\d+)\b)"
)
_THING = (
    "function|method|file|test|case|error|issue|change|fix|line|flag|value|field|part|bit|thing|check|call|block|helper|"
    "class|code|dir|directory|folder|branch|commit|button|page|row|column|table|section|comment|name|variable|parameter|"
    "argument|json|output|link|image|icon|dialog|screen|message|warning|one|ones|stuff|mess|garbage|plan|option|import|"
    "query|endpoint|route|hook|component|struct|type|interface|loop|condition|regex|string|number|list|map|key|dependency"
)
_THIS_THING = AnyCasePattern(rf"\b(?:this|that|these|those)\s+(?:\w+\s+){{0,2}}?(?:{_THING})s?\b")
_VERB = LazyPattern(
    r"\b(?:is|are|was|were|do|does|did|has|have|should|can|could|will|would|use|why|how|what|who|where|when|which)\b",
    re.IGNORECASE,
)
MAX_TOPIC_WORDS = 6


def points_back(sentence: Sentence) -> bool:
    """Return True if its subject is in an earlier sentence."""
    text = sentence.text
    if text.endswith((":", "：")):
        return False  # "These are the roles:" speaks of what follows
    return bool(_POINTS_BACK.match(text)) and not _LATER_REFERENT.match(text) and not _EXPLAINS_ITSELF.match(text)


def needs_this_moment(text: str) -> bool:
    """Return True if it can be understood only now: `do that`, `this test`."""
    return bool(_OBJECT.search(text) or _THIS_THING.search(text))


def topic_of(sentence: Sentence) -> str | None:
    """ "A singleton?" asks nothing: it names what the next sentence is about."""
    words = sentence.text.rstrip("?! .").split()
    if not sentence.is_question or not 0 < len(words) <= MAX_TOPIC_WORDS or _VERB.search(sentence.text):
        return None
    return " ".join(words)


def find_referent(sentences: Sequence[Sentence], at: int) -> int | None:
    """Return the index of the earlier sentence that says what this one is about; None: unknown."""
    for before in range(at - 1, max(-1, at - 4), -1):
        known = sentences[before]
        if sentences[at].block - known.block > 1:
            return None
        if not known.is_question or topic_of(known):
            return before
    return None
