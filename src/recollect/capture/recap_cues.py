"""By which words a line tells that something was done, decided, is blocked or comes next, and how much it says. Pure.

The words are those of people who write software, not of one project. English; what is written in another language is
told by its names, numbers and lists alone.
"""

import re
from functools import lru_cache

from recollect.capture.patterns import Pattern
from recollect.domain.session import NoteCode

SHORT_WORDS = 20  # of a message that only answers
REQUEST_WORDS = 8


class Cue(Pattern):
    """Words, in whatever case they are written. A pattern that knows one case is several times as fast."""

    __slots__ = ()

    def match(self, text: str) -> re.Match[str] | None:
        return self.compiled.match(text.lower())

    def search(self, text: str) -> re.Match[str] | None:
        return self.compiled.search(text.lower())


_DONE_VERBS = (
    "implemented|added|fixed|updated|removed|deleted|configured|created|moved|renamed|refactored|set up|switched|"
    "replaced|migrated|merged|pushed|committed|wired|extracted|introduced|enabled|disabled|deployed|released|upgraded|"
    "bumped|pinned|resolved|solved|cleaned up|converted|rewrote|rewritten|split|documented|covered|tested|verified|"
    "confirmed|installed|applied|built|completed|finished|optimi[sz]ed|reverted|dropped|exposed|registered|scheduled|"
    "hardened|patched|simplified|unified|ported|normali[sz]ed|published|integrated|cached|indexed|reduced|corrected"
)
_DONE = Cue(
    rf"^(?:{_DONE_VERBS}|done|works|all (?:tests|checks) (?:pass|are green))\b"
    rf"|^(?:i|we)(?:'ve| have)? (?:now |also |just |already )*(?:{_DONE_VERBS})\b"
    rf"|\b(?:is|are|was|were|has been|have been) (?:now |all |fully |successfully )*(?:{_DONE_VERBS}|complete|done"
    rf"|in place|live|green)\b"
    r"|\bnow (?:uses?|works?|runs?|returns?|supports?|passes|pass|handles?|has|have|goes|reads?|writes?|lives?)\b"
    r"|\b(?:down|dropped|went|drops|reduced|reducing) (?:from .{1,30} )?to \d|\d\S* ?(?:->|→) ?\d"
)
_FIX = Cue(
    r"\broot cause\b|\b(?:the|a) (?:fix|problem|issue|bug|cause|culprit)(?: (?:is|was)\b|:)|^fix(?:es|ed)?\b"
    r"|\bcaused by\b"
    r"|\bdue to\b|\bbecause\b.{3,}\b(?:fail|error|crash|time|broke|broken|wrong|miss)|\bworkaround\b|\bclassic\b"
    r"|\bguess:"
)
_DECIDED = Cue(
    r"\b(?:decided|decision|chose|chosen|opted|went with|go(?:ing)? with|settled on|agreed|picked|instead of"
    r"|rather than"
    r"|in favou?r of|switch(?:ed|ing)? (?:from|to)|mov(?:ed|ing) (?:away )?from|replac(?:es|ing)|prefer|must(?: not)?"
    r"|always|never|only|by default|default(?:s)? to|no longer|approach|strategy|convention|trade-?off|so that"
    r"|which means"
    r"|(?:we|i)(?:'ll| will| are| am|'m|'re)? us(?:e|ing)|stored? in|stays?|keep(?:s)?)\b"
    r"|^(?:use|using|uses)\b|\bwon't\b|\bdon't\b|\bnot \w+\b.{0,40}\bbut\b"
)
_NEXT = Cue(
    r"^(?:next(?: steps?| up)?|todo|to do|to-do|pending|remaining|left(?: to do)?|still (?:open|to do|pending|missing)"
    r"|follow-?ups?|later|open(?: points?| items?| tasks?)?|upcoming|outstanding|not (?:yet )?(?:done"
    r"|started))\b\s*[:\-–—(]"
    r"|\btodo\b|\b(?:still|yet) (?:need|needs|have|has|pending|open|missing|to be|to do|todo|left|needed|required)\b"
    r"|\bremains? (?:to be|open|to)\b|\bremaining (?:work|tasks?|steps?|items?|pieces?)\b|\bwhat(?:'s| is) (?:left"
    r"|next|missing)\b"
    r"|\bnext (?:session|time|week|sprint|up|step)\b|\bcoming next\b|\btomorrow\b|\bcritical path\b"
    r"|\bnot (?:yet )?implemented\b"
    r"|\b(?:is|are|still) pending\b|\b(?:is|are|still) in progress\b|\bbefore (?:launch|release|the release"
    r"|we (?:can )?(?:ship|launch|release|merge))\b"
)
_BLOCKED = Cue(
    r"\bblock(?:ed|er|ers|ing)(?: by| on|:|\b)|\bwaiting (?:for|on)\b|\bstill fail(?:s|ing)?\b|\bcan(?:not"
    r"|'t) (?:proceed|continue|go on)\b"
    r"|\bstuck (?:on|with|at)\b|\bneeds? (?:your|a) (?:input|decision|answer|approval|credentials|access)\b"
    r"|\bdepends on you\b"
    r"|\bunresolved\b|\bcould(?: not|n't) (?:fix|reproduce|resolve|verify|run)\b"
)
_NOT_BLOCKED = Cue(
    r"\bnon-?blocking\b|\bun-?blocked\b|\bno(?:t| longer)? (?:a )?block|n't block|\bwithout blocking\b"
    r"|\bblocking (?:call|io|i/o|operation|the event|the main|the response)"
    r"|\bcode block|\bblock (?:size|storage|device|element|comment)|\btry block|\bcatch block"
)

_OPEN_ITEM = Cue(
    r"^(?:pending|todo|to do|next|remaining|still|open|left|not (?:yet )?(?:done|started)|in progress"
    r"|later)\b\s*[:\-–—(]|^todo\b"
)
_DONE_ITEM = Cue(
    rf"^(?:done|complete|{_DONE_VERBS})\b|\b(?:is )?(?:complete|completed|done)\b(?! (?:by|when|if"
    r"|before))"
)

_LEADS: tuple[tuple[NoteCode, Pattern], ...] = (
    (
        NoteCode.NEXT,
        Cue(
            r"\b(?:next|todo|to-?do|pending|remaining|left|still|follow-?ups?|in progress|upcoming|outstanding|open|"
            r"not (?:yet )?(?:done|started|implemented)|later|planned|future work)\b"
        ),
    ),
    (NoteCode.BLOCK, Cue(r"\b(?:block(?:ed|ers?)|waiting|unresolved|open questions?)\b")),
    (
        NoteCode.IMPL,
        Cue(
            rf"\b(?:{_DONE_VERBS}|done|complete|changes?|changed|what (?:i|was|we) (?:did|done|changed)|result"
            rf"|results|shipped|"
            r"accomplished|fix(?:es)?|progress|summary of (?:the )?(?:changes|work))\b"
        ),
    ),
    (
        NoteCode.DEC,
        Cue(
            r"\b(?:decisions?|decided|approach|design|strategy|plan|conventions?|key points?|trade-?offs?|settings"
            r"|config|"
            r"architecture|rationale|why|noted|preferences?|rules?)\b"
        ),
    ),
)

_NARRATION = Cue(
    r"^(?:let me|let's|lets|now (?:let|i'll|i will|i)\b|i'll|i will|i'm going to|i am going to|first,? (?:let|i)"
    r"|ok(?:ay)?,? (?:let|i)"
    r"|looking at|checking|searching|reading|running|here(?:'s| is| are)\b|sure\b|great\b|good\b|perfect\b"
    r"|excellent\b|got it\b|on it\b"
    r"|understood\b|absolutely\b|of course\b|certainly\b|you're (?:absolutely )?right|i see\b|i can see\b"
    r"|i understand\b|ready when"
    r"|solid\b|nice\b|noted\b|hope (?:this|that)|feel free|happy to|anything (?:else|to)\b|would you like"
    r"|do you want|should i\b|shall i\b"
    r"|want me to|what(?:'s| is) the (?:core|data|first)|thanks\b|thank you|sounds good|no problem|my (?:guess|bad)"
    r"|wait\b|hmm?\b|actually,? let"
    r"|common trap|starting with|in (?:summary|short)|to summari[sz]e|as (?:you can see|mentioned|noted))"
)
_FILLER = Pattern(
    r"^(?:(?:got it|yes|yep|ok(?:ay)?|sure|noted|also|and|so|then|plus|right|done|confirmed|perfect|great|good"
    r"|finally|now|well)"
    r"\s*[—–:,.!-]+\s+|(?:and|also|so|then|plus)\s+(?:also\s+|please\s+)*"
    r"|(?:here(?:'s| is| are)(?: the| a| an| my)?|these are(?: the)?|this is the)\s+)+",
    re.IGNORECASE,
)
_EMPTY_LEAD = Cue(
    r"^(?:noted|added|done|implemented|key (?:points|settings|changes)|got it|summary|config|changes|details|notes?"
    r"|result|updated|fix|"
    r"(?:two|three|four|some|a few) (?:things|reasons|points|options)|key points|what i did|overview|i'll implement"
    r"|in short|tl;?dr)$"
)
_LEANS = Cue(
    r"^(?:this|that|these|those|it|its|it's|they|both|here|there|which|if|when|whenever|otherwise|however|my guess"
    r"|for example"
    r"|e\.g|in (?:this|that) case|because|since|note that)\b"
)
_PRAISE = Cue(
    r"\b(?:is|are|was) (?:usually |always |also |generally |a |an |the )*(?:right|best|good|great|solid|fine|classic"
    r"|common|standard|fastest|easiest"
    r"|simplest|cleanest|perfect|worth)\b|\bbest practices?\b|\bparticularly (?:valuable|useful|helpful)\b"
)
_OFFERED = Cue(r"^\W*(?:option|approach|alternative|choice|variant) (?:\d{1,2}|[a-h])\b")
_TALK = Cue(
    r"\b(?:good to have|worth knowing|for future reference|keep .{2,40} in your toolkit|huge improvement"
    r"|widely understood"
    r"|let me know|if you (?:want|like|need|have)|you (?:can|could|might|may) (?:also )?(?:consider|want|try))\b"
)

_ACCEPTS = Cue(
    r"^(?:yes|yep|yeah|yup|ok(?:ay)?|good|great|perfect|nice|cool|awesome|excellent|lgtm|sounds (?:good|great|right)"
    r"|looks (?:good|great|right)"
    r"|do (?:it|that|so)|go (?:ahead|for it|on)|agreed?|exactly|correct|right|sure|fine|approved?|ship it|works"
    r"|love it|makes sense|that works"
    r"|please do|proceed|implement (?:it|that|all)|let's do (?:it|that)|confirmed|thanks|thank you|down to)\b"
)
_REJECTS = Cue(
    r"^(?:no\b(?! problem| more)|nope|nah|wrong|stop|don'?t(?! forget| worry)|do not(?! forget)|revert|undo|that's not"
    r"|that is not|not (?:what|like|that)|wait\b|actually,? no)"
)
_REJECTS_INSIDE = Cue(
    r"(?:^|[,.;:!—–-] |\b(?:but|and|please|pls) )(?:no,|no (?:new|extra|more|additional|other)\b"
    r"|(?:don'?t|do not|never)(?! forget| worry| mind)\b|not (?:that|this|like that)\b|without (?:a |any )?new\b)"
)
_RETRACTS = Cue(
    r"^(?:(?:hm+|oh|ah|sorry|wait|ok(?:ay)?)[,.! ]+)*(?:actually,? (?:no\b|use|let's|make it|go with)"
    r"|no,? (?:wait|use|make it|let's|go with|take|rather)|no, \S+\W*$|scratch that|on second thou?ght|never ?mind)"
)
_UNSAID = Cue(
    r"^(?:please |can you |could you |let's |ok(?:ay)?,? |so,? |now,? )*(?:where (?:were|did) we"
    r"|what(?:'s| is| was) (?:next|left)"
    r"|continue|go on|carry on|keep going|resume|pick up|proceed|(?:\w+ ){1,3}the \w+ ones?\b"
    r"|(?:do|fix|try|finish|use) (?:it|that|this|them|the (?:other|rest|same))\b)"
)
_ADVISED = Cue(
    r"\b(?:i'd|i would|we could|you could|one could|we might|you might|i(?:'d| would)? (?:recommend|suggest|propose))\b"
)
_OPTIONS = Cue(
    r"\b(?:options|alternatives|choices|candidates|possibilities|approaches|ways|contenders)\b"
    r"|^steps?$|^worth remembering\b"
)
_OWN = Pattern(r"^\W*(?:Worth remembering\b|\[[a-z]{3,12}\] )", re.IGNORECASE)
_TOLD_NEXT = Pattern(r"^(?:next(?: steps?| up)?|to-?do|to do)\s*[:\-–—]+\s+(?=\S)", re.IGNORECASE)
_RESULT = Pattern(r"^\W*\d+ (?:tests? )?(?:passed|failed|skipped|errors?|warnings?|passing|failing)\b", re.IGNORECASE)
_CHOICE = Cue(
    r"^(?:use|keep|prefer|store|switch|replace)\b|\b(?:always|never|instead of|rather than|must|should|by default)\b"
)
_ORDER = Cue(r"\bi (?:want|need) you to\b|\byet\b|^how (?:should|do|can) (?:we|i)\b|^(?:can|could|would) you\b")
_MENDS = Cue(r"\bfix(?:e[sd])?\b|\bworkaround\b|\bsolv(?:ed|es)\b|\bresolv(?:ed|es)\b|\bso (?:i|we)\b")
_WORKED = Cue(
    r"\b(?:that|this|it) (?:has |now )?(?:fixed|solved|resolved|worked|works|did it|helped|did the trick)\b"
    r"|\b(?:fixed|solved|resolved) (?:it|that|now|the)\b"
    r"|\bno more \w+|\bworks (?:now|great|fine|perfectly)\b|\ball green\b|\btests? pass(?:es|ing)?\b|\bdown to \d"
)
_STANDING = Cue(
    r"\b(?:always|never|from now on|going forward|prefer|i like|i don't like|i dislike|please don't|no need to"
    r"|make sure|keep in mind"
    r"|remember|must(?: not)?|should(?: not|n't)?|instead of|rather than|switch(?:ing)? (?:from|to)|mov(?:e"
    r"|ing) (?:away )?from|we(?:'re| are) using"
    r"|i want|we want|i(?:'d| would) (?:like|rather)|use|only|not \w+|don't|everything|default)\b"
)
_PROBLEM = Cue(
    r"\b(?:errors?|fail(?:s|ed|ing|ure)?|bugs?|broken|breaks?|crash(?:es|ed|ing)?|slow|timeouts?|timing out|wrong"
    r"|issues?|problems?|exception|"
    r"duplicate|leak(?:s|ing)?|flaky|hangs?|stuck|doesn't|does not|isn't|can't|cannot|not working|won't|missing"
    r"|returns? (?:4|5)\d\d|[45]\d\ds?)\b"
)
_GREETING = Pattern(
    r"^(?:hi|hello|hey|good (?:morning|afternoon|evening)|yo|hiya|thanks|thank you|ok(?:ay)?|yes|no|sure|continue"
    r"|go on|start|test|ping)\b[\s,!.]*(?:there|all|again|claude|everyone)?[\s,!.]*",
    re.IGNORECASE,
)
_TEMPLATE = Pattern(r"^\s*(?:/[\w:-]+(?:\s|$)|<[\w-]+>|#\s*/|Caveat: |\[Request interrupted)")
_QUESTION = Pattern(r"\?\s*[\"')\]]*$")
_COURTESY = Cue(
    r"\b(?:anything (?:else|to)|what(?:'s| is) next|what would you like|how (?:can|may) i help|sound good|make sense"
    r"|any (?:other )?questions"
    r"|ready to|need anything|is there anything|next steps)\b"
)

_NAME = Pattern(
    r"--?[a-z][\w-]+(?:=\S+)?|[\w.-]*[A-Za-z][\w.-]*=[^\s,;)]+|[@~.]?/?[\w.@{}*-]+(?:/[\w.@{}*-]+)+|/[\w{}*-]+"
    r"|\b[A-Za-z]+_\w+|\b[a-z]+[A-Z]\w*"
    r"|\b[A-Z][a-z0-9]+[A-Z]\w*|\b[A-Z][A-Z0-9]{2,}\b|\b[\w-]+\.(?:[a-z]{2,5})\b|\b\w+\(\)|\b(?:GET|POST|PUT|PATCH"
    r"|DELETE) "
)
_NUMBER = Pattern(r"(?<![\w.])v?\d[\d.,:]*(?:%|[a-zA-Z]{1,3}\b)?")
_PROPER = Pattern(r"(?<=[a-z,;:(] )[A-Z][a-zA-Z]{2,}\b")


def code_of_lead(lead: str) -> NoteCode | None:
    """What a heading says of all that stands below it."""
    if not lead or len(lead) > 120:
        return None
    return next((code for code, cue in _LEADS if cue.search(lead)), None)


def code_of(line: str) -> NoteCode | None:
    """What a line says of itself."""
    if is_blocked(line):
        return NoteCode.BLOCK
    if _NEXT.search(line):
        return NoteCode.NEXT
    if _DONE.search(line) or tells_fix(line):
        return NoteCode.IMPL
    return NoteCode.DEC if _DECIDED.search(line) else None


def code_of_item(item: str) -> NoteCode | None:
    """What an item of a list says of itself, whatever stands above the list."""
    if _OPEN_ITEM.match(item):
        return NoteCode.NEXT
    return NoteCode.IMPL if _DONE_ITEM.search(item) else None


def code_of_fact(line: str) -> NoteCode | None:
    """What a list without a heading may be: it does not speak of what is left only because it names a state."""
    if _DONE.search(line) or tells_fix(line):
        return NoteCode.IMPL
    return NoteCode.DEC if _DECIDED.search(line) else None


def is_open(line: str) -> bool:
    return bool(_NEXT.search(line))


def is_blocked(line: str) -> bool:
    return bool(_BLOCKED.search(line)) and not _NOT_BLOCKED.search(line)


def tells_fix(line: str) -> bool:
    """A cause alone mends nothing."""
    return bool(_FIX.search(line)) and bool(_MENDS.search(line))


def is_advice(line: str) -> bool:
    """What somebody would do: nothing, until somebody says yes."""
    return bool(_ADVISED.search(line))


def leads_options(lead: str) -> bool:
    return bool(_OPTIONS.search(lead))


def is_own(line: str) -> bool:
    """In the form in which we ask for what is worth remembering: that is kept as memories."""
    return bool(_OWN.match(line))


def is_result(line: str) -> bool:
    """`41 passed`"""
    return bool(_RESULT.match(line))


def without_next(line: str) -> str:
    return _TOLD_NEXT.sub("", line, count=1)


def is_choice(order: str) -> bool:
    """`Use uv instead of pip`: an order that holds for longer than now."""
    return bool(_CHOICE.search(order))


def is_order(sentence: str) -> bool:
    return bool(_ORDER.search(sentence))


def retracts(prompt: str) -> bool:
    """`actually no, the other one`"""
    return len(prompt.split()) <= SHORT_WORDS and bool(_RETRACTS.match(prompt.lstrip()))


def leans_on_unsaid(request: str) -> bool:
    """`where were we`"""
    return len(request.split()) <= REQUEST_WORDS and bool(_UNSAID.match(request.lstrip()))


def is_talk(line: str) -> bool:
    """Of the conversation, not of the work. What is offered is not decided."""
    return bool(_NARRATION.match(line)) or bool(_TALK.search(line)) or bool(_OFFERED.match(line))


def is_praise(line: str) -> bool:
    """How good something is, not what it is."""
    return bool(_PRAISE.search(line))


def without_filler(line: str) -> str:
    """`Also: always log` -> `Always log`."""
    told = _FILLER.sub("", line, count=1)
    return told[:1].upper() + told[1:] if told and told != line else line


def says_nothing(lead: str) -> bool:
    """A lead that the list below it does not need."""
    return bool(_EMPTY_LEAD.match(lead))


def leans(line: str) -> bool:
    """It explains what was said before it, or says what happens in some case."""
    return bool(_LEANS.match(line))


def is_question(line: str) -> bool:
    return bool(_QUESTION.search(line))


def is_courtesy(line: str) -> bool:
    return bool(_COURTESY.search(line))


def accepts(prompt: str) -> bool:
    return bool(_ACCEPTS.match(prompt.lstrip())) and not is_question(prompt.strip()[:200].partition("\n")[0][:80])


def rejects(prompt: str) -> bool:
    said = prompt.strip()
    return bool(_REJECTS.match(said)) or (len(said.split()) <= SHORT_WORDS and bool(_REJECTS_INSIDE.search(said)))


def says_it_worked(prompt: str) -> bool:
    return bool(_WORKED.search(prompt[:300]))


def is_standing(sentence: str) -> bool:
    return bool(_STANDING.search(sentence)) and not is_question(sentence)


def tells_problem(sentence: str) -> bool:
    return bool(_PROBLEM.search(sentence))


def is_template(prompt: str) -> bool:
    return bool(_TEMPLATE.match(prompt))


def without_greeting(prompt: str) -> str:
    return _GREETING.sub("", prompt.lstrip(), count=1)


@lru_cache(maxsize=2048)
def specificity(line: str) -> int:
    """How many names, numbers, commands and places it gives."""
    names = _NAME.findall(line)
    rest = _NAME.sub(" ", line)
    return len(dict.fromkeys(names)) + len(_NUMBER.findall(rest)) + len(dict.fromkeys(_PROPER.findall(rest)))
