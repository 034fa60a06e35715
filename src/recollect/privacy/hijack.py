"""How orders to an agent read that do not come from its user: one row per way of putting it.

The phrases are those of people who attack, not of people who develop: "always run the tests" is a rule, "ignore all
earlier instructions" is none. Every pattern meets small letters without accents, all on one line (`trust` prepares them),
and repeats nothing without a bound, so that its time is in proportion to the text.
"""

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Sign:
    """One way of putting it."""

    reason: str  # for people: "asks to ..."
    hints: tuple[str, ...]  # one of them is in every text that the pattern matches: most texts cost no more than that
    pattern: str
    unless: str = ""  # in the same sentence: then it is an ordinary rule about users or agents

    def is_in(self, text: str) -> bool:
        if not any(hint in text for hint in self.hints):
            return False
        return any(not self._is_ordinary(found) for found in _compiled(self.pattern).finditer(text))

    def _is_ordinary(self, found: re.Match[str]) -> bool:
        if not self.unless:
            return False
        begin = max(found.string.rfind(end, 0, found.start()) for end in _ENDS) + 1
        begin = max(begin, found.start() - _SENTENCE_CHARS)
        return _compiled(self.unless).search(found.string, begin, found.end() + 40) is not None


@cache  # a pattern is made when its hint is first met: most processes make none
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_ENDS = (".", "!", "?", ">", ";")
_SENTENCE_CHARS = 200
_NEGATED = r"\b(?:never|not|don'?t|doesn'?t|cannot|can'?t|must ?n[o']t|no|avoid|refuse|forbid\w*|prevent\w*)\b"

# Where an order begins; a description ("the worker sends", "we send") has a subject before its verb.
_ORDER = (
    r"(?:^|[.!?:;,>)\]\"'*-] ?|\b(?:please|kindly|must|should|shall|then|now|first|also|just|always|immediately|you|will"
    r"|can|finally|instead|silently|secretly|quietly|and|to|or) )"
)
_DOC = r"(?! (?:\w+ )?(?:in|from|on|of|at) (?:the |our |their |its )?[`'\"]?[\w./-]{0,60}(?:readme|wiki|docs?\b|guide|manual|file|page|runbook|ticket|\.[a-z]{2,12}\b))"

_IGNORE = "asks to ignore earlier instructions"
_POSE = "claims to speak for the user or the system"
_TEMPLATE = "imitates a system message or a chat template"
_ROLE = "gives the agent a new role"
_HIDE = "asks to keep something from the user"
_DETOUR = "asks for something else before the task"
_PLANT = "asks to be obeyed in later sessions"
_ADDRESS = "speaks to an AI that reads it"
_LEAK = "asks to send private data away"
_MONEY = "asks to send money"
_PROMPT = "asks for the system prompt"
_DECODE = "asks to run what is encoded"
_COMMENT = "hides an instruction in markup"

_EARLIER = r"(?:previous|prior|earlier|preceding|above|foregoing|former|original|initial|existing|old|system|developer|safety|current)"
_ORDERS = r"(?:instructions?|directions?|directives?|prompts?|guidelines?|guardrails?|rules?|commands?|orders?|programming|training)"
_FILLER = r"(?:(?:all|any|every|each|of|the|my|your|our|its|these|those|this|that|other|and|or|previous|prior|earlier|given) ){0,5}"

_IGNORING = (
    Sign(
        _IGNORE,
        ("ignor", "disregard", "forget", "neglect", "overlook"),
        rf"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|neglect|overlook) {_FILLER}{_EARLIER} (?:\w+ ){{0,2}}?{_ORDERS}\b{_DOC}",
        r"\b(?:tests?|parser|flag|handler|reducer|worker|bot|we|they|it) (?:should |must |can |will |may )?(?:ignore|forget|disregard)\b"
        r"|\b(?:injections?|jailbreaks?|attacks?|tests?|detect\w*|reject\w*|refus\w*)\b[^.]{0,60}[\"'`](?:ignore|disregard|forget)",
    ),
    Sign(
        _IGNORE,
        ("ignor", "disregard", "forget"),
        r"\b(?:ignore|disregard|forget) (?:absolutely )?(?:everything|anything|all|whatever|what)(?: that| of what)? "
        r"(?:(?:you(?: ha|')ve been|you were|you are) (?:told|given|taught|instructed|asked)|you (?:know|learned|were)\b"
        r"|(?:i|we|they|the (?:user|operator|developer|system)|your (?:owner|user|developer)|anyone)(?: have| has|'ve)? (?:told you|asked you|instructed|said (?:before|above|so far|earlier|until now))"
        r"|(?:said|written|stated) (?:above|before|so far|earlier)|(?:above|before this|before that|prior to this)"
        r"(?= ?(?:[.!,;:]|and\b|instead|$)))",
    ),
    Sign(
        _IGNORE,
        ("ignor", "disregard", "forget"),
        r"\b(?:ignore|disregard|forget(?: about)?) (?:all |any |the |everything in )?"
        r"(?:your|my|the user'?s|the system'?s?|the developer'?s?) (?:\w+ ){0,2}?"
        r"(?:instructions?|directives?|prompts?|guidelines|guardrails|programming|training|safety rules?|rules|restrictions|task)\b"
        + _DOC + r"|(?:^|[.!?:] ?)(?:ignore|disregard|forget) (?:the|your) user'?s? (?:request|question|task)(?= ?[.!,;]| and\b)",
        r"\b(?:settings?|eslint|config|lint\w*) ",
    ),
    Sign(_IGNORE, ("ignore", "disregard"), r"\b(?:ignore|disregard) (?:all|any)(?: of)?(?: the| your| my)? (?:previous|prior|earlier|above|preceding) (?:messages|context|conversation|text|content|input)\b|\b(?:ignore|disregard) (?:all |any |every |the |other ){0,2}(?:guidance|instructions?|rules|orders|directives|advice|prompts?)(?: that)? (?:you(?: ha|')ve|you were|you|i|we|they) (?:been given|received?|given|got|gave|were given|told|read|have|had)\b"),
    Sign(
        _IGNORE,
        ("directive", "instruction", "orders", "guidelines", "prompt", "safety"),
        r"\b(?:all|any|your|every|the)(?: of)?(?: your| the)? (?:previous|prior|earlier|original|old|safety|system) (?:\w+ )?(?:instructions?|directives?|orders?|guidelines|prompts?|rules|filters|restrictions)"
        r" (?:(?:are|is|were|have been|has been)(?: now| hereby)? (?:void|null|cancell?ed|revoked|overridden|superseded|invalid|disabled|suspended|lifted|a test)|no longer (?:apply|applies|hold|count|matter|valid))\b",
        r"\b(?:docs?|readme|wiki|config|eslint|firewall|when|if)\b",
    ),
    Sign(
        _IGNORE,
        ("instructions", "prompt", "guidelines", "directives", "orders"),
        r"\b(?:do not|don'?t|stop|no longer|never|without) (?:follow(?:ing)?|obey(?:ing)?|listen(?:ing)? to|adher(?:e|ing) to|comply(?:ing)? with)"
        r" (?:any |all |the |your |my |of ){0,3}(?:previous|prior|earlier|original|initial|system|developer|safety|user'?s)"
        r" (?:\w+ )?(?:instructions?|prompts?|guidelines|directives|orders|messages?)\b" + _DOC,
    ),
    Sign(
        _IGNORE,
        ("override", "supersede", "precedence", "priority over", "replace", "void", "cancel"),
        r"\b(?:this|these|it|which|that|below|following|message|text|note|instructions?|rules?|prompt)(?: \w+){0,3}? (?:overrides?|supersedes?|takes? (?:precedence|priority) over|replaces?|voids?|cancels?) "
        r"(?:all |any |every |each )?(?:of )?(?:your |my |the )?(?:previous|prior|earlier|other|original|system|existing|user'?s?)"
        r" (?:\w+ )?(?:instructions|orders|directives|commands from|guidelines)\b" + _DOC,
        r"\b(?:flag|option|env|variable|config|cli|argument|\.\w{2,4}) ",
    ),
)

_POSING = (
    Sign(
        _POSE,
        ("message", "instruction", "request", "note", "notice"),
        r"\b(?:message|instructions?|request|note|notice|order|directive|command)s? (?:\w+ )?(?:from|by) (?:me,? )?"
        r"(?:the |your )(?:real |actual |legitimate |system )?(?:user|owner|developers?|creators?|admin\w*|operator|system|principal)"
        r"(?:,? (?:to|for) (?:you|the (?:assistant|ai|agent|model)|all (?:agents|assistants))\b|:|, (?:the|your) )",
        r"\b(?:is|are|was|were|gets?) (?:\w+ed|kept|sent|cut|shown|put)\b",
    ),
    Sign(
        _POSE,
        ("this is", "i am", "i'm"),
        r"\b(?:this is|i am|i'm) (?:me, )?(?:the |your )(?:real |actual |true |new |legitimate |system )?"
        r"(?:user|owner|developer|creator|admin\w*|operator|supervisor|boss)(?: speaking|,? and | of this (?:agent|assistant|ai))",
    ),
    Sign(
        _POSE,
        ("the user has", "user already", "the user wants you", "the user authori", "the owner has", "already approved"),
        r"\bthe (?:user|owner|human|operator) (?:has |have )?(?:already |explicitly |previously |pre-?)+"
        r"(?:approved|authori[sz]ed|consented to|confirmed|agreed to|given (?:consent|permission)) ?"
        r"(?:this|these|all|any|every|the following|to|for)\b|\bthe user wants you to (?:ignore|send|forward|upload|keep|hide)\b",
        r"\b(?:if|once|when|until|after|whether|unless|that|only)\b[^.]{0,20}\bthe user has\b",
    ),
    Sign(
        _POSE,
        ("anthropic", "openai", "google", "microsoft", "security team", "it department"),
        r"\b(?:message|notice|instructions?|order|directive|update|request) (?:from|by) (?:the )?(?:anthropic|openai|google|microsoft|"
        r"(?:it |ai )?(?:security|safety) (?:team|department)|it department)\b[^.!?]{0,60}(?:you (?:must|are|should|need)|agents?|assistants?|comply|:)",
    ),
)

_TAGS = (
    r"(?:system|information|instructions?|important|admin|assistant|developer|secret|priority|sudo|directive|hidden|urgent"
    r"|system[-_ ](?:message|prompt|reminder|override|instructions?|note)|user[-_ ](?:message|request|instructions?)|new[-_ ](?:task|instructions?))"
)
_CALL = (
    r"(?:you(?:r|'re)?|ignore|send|please|do not|don't|must|forget|disregard|override|from now|new|the user|attention"
    r"|important|always|never|reply|execute|run|delete|forward|e-?mail|transfer|visit|create|make|change|get|upload|post|reveal|stop)\b"
)

_STRONG_CALL = (
    r"(?:you (?:are|must|will|answer|only|obey|now|have been)|ignore (?:all|any|your|the user|previous|prior)|disregard|forget (?:all|your|everything)"
    r"|override|from now on|the user (?:has|wants|is)|your (?:safety|new|previous|instructions|restrictions)|all (?:previous|prior|safety)|new instructions)\b"
)

_TEMPLATES = (
    Sign(
        _TEMPLATE,
        ("<",),
        rf"(?<![`\w])<{_TAGS}(?: [^<>]{{0,80}})?> ?(?:[^<`]{{12,4000}}</|[^<`]{{0,30}}\b{_CALL})",
        r"> (?:tags?|elements?|blocks?|nodes?|sections?|is|are|holds?|wraps?|contains?|must|should|and)\b",
    ),
    Sign(
        _TEMPLATE,
        ("<|",),
        r"(?<!`)<\|(?:im_start|start|system|user|assistant|developer|start_header_id|begin_of_text|begin.of.sentence|message|channel)\|?>?"
        r" ?(?:system|user|assistant|developer|<\||you\b|[a-z]+ [a-z]+ [a-z]+)",
        r"> ?(?:is|tokens?|markers?|and|as|in|of|to|for|at)\b",
    ),
    Sign(_TEMPLATE, ("<|",), r"<\|(?:im_end|end|eot_id|eot|endoftext|end_of_text|end.of.sentence)\|> ?(?:<\||system\b|user\b|assistant\b|human\b)"),
    Sign(_TEMPLATE, ("<start_of_turn>", "<end_of_turn>", "<<sys>>", "[inst]", "[/inst]"), r"(?<!`)(?:<start_of_turn> ?(?:user|model|system)|<end_of_turn> ?<|<<sys>> ?\w+ \w+|\[/?inst\] ?(?:<<|\w+ \w+))",
         r"\b(?:tokens?|tags?|markers?|template)\b"),
    Sign(
        _TEMPLATE,
        ("system", "admin", "developer", "assistant", "instruction", "human"),
        r"(?:^|[.!?>\]#*-] ?)(?:[#*\[({=-]{1,6} ?(?:system|admin\w*|developer|root)(?: (?:message|prompt|note|notice|override|alert|instructions?|update|command|directive|mode))?"
        rf" ?[\])}}*=-]{{0,6}} ?: ?[\])}}*=-]{{0,6}} ?{_CALL}|(?:system|developer|admin\w*)(?: (?:message|note|notice|override|alert|update|command|directive))? ?: ?{_STRONG_CALL})",
    ),
    Sign(_TEMPLATE, ("system", "admin"), rf"[\[({{*=#-] ?(?:system|admin\w*)(?: (?:message|prompt|note|notice|override|alert|instructions?|update|command|directive))? ?[\])}}*=#-]{{1,6}} ?{_CALL}"),
    Sign(_TEMPLATE, ("system override", "admin override", "system directive", "priority override"), r"\b(?:system|admin|priority) (?:override|directive)\b ?(?:[:!\])-]|engaged|activated|in effect)"),
    Sign(_TEMPLATE, ("end of", "end system", "begin system", "end_of", "start of"), r"[\[(<{=*#-]{1,6} ?(?:end|begin|start)(?:ning)?(?: of)?(?: the)? (?:system|user|original|previous|untrusted|tool|real|actual)(?:'s)? (?:prompt|instructions?|message|input|output|context|query|request)"),
)

_ROLES = (
    Sign(
        _ROLE,
        ("you are now", "you're now", "you will now", "you are no longer", "you are going to"),
        r"\b(?:you are|you're|you will) (?:now|no longer|going to)(?: be| act as| play)?,? (?:(?:an?|the|my|in|called|named|known as|bound|restricted|limited|subject|free|operating|acting|dan)\b)"
        r"(?! (?:member|part|owner|admin of|folder|directory|branch|shell|venv|repo\w*|project|team|main|root of|position|place|loop|queue|sync|step)\b)"
        r"(?: \w+){0,4}? ?(?:assistant|ai|agent|bot|model|hacker|admin\w*|mode|gpt|dan|persona|character|terminal|shell|by|from|to|of|unrestricted|evil|expert|helper|tool|pirate)\b",
        r"\b(?:message|toast|banner|says|shows|dialog|status|prompt is)\b",
    ),
    Sign(_ROLE, ("from now on", "henceforth", "starting now", "from this point"), r"\b(?:from now on|henceforth|starting now|from this (?:point|moment)(?: on\w*| forward)?),? (?:(?:respond|answer|reply|speak) only (?:in the persona|as|like|to)|you (?:are|will be|shall be|act|will act|will answer|will respond|obey|must obey|only obey|serve|work for)|your (?:name|role|task|goal|job|purpose) is|pretend|act as|answer only to)\b"),
    Sign(_ROLE, ("your new", "your real", "your true", "your actual", "your only", "your primary", "your updated", "new system prompt", "new instructions"), r"\byour (?:new|real|true|actual|only|primary|updated|hidden|secret) (?:task|goal|purpose|instructions?|objective|mission|job|role|identity|orders|directives?|system prompt)s? (?:is|are|:)|\bnew system prompt ?(?::|is|=)|\b(?:here are|follow these|these are) (?:your |the )?new (?:instructions|orders|directives)"),
    Sign(_ROLE, ("do anything now", "jailbreak", "dan mode", "no restrictions", "no rules", "no ethical", "unrestricted", "developer mode"), r"\bdo anything now\b|\b(?:enter|enable|activate|switch to|in) (?:jailbreak|dan|god|unrestricted) mode\b|\byou (?:have|now have|are under|follow) no (?:restrictions|rules|ethical|content policy|limits|guidelines)|\bact as an? (?:unrestricted|unfiltered|uncensored)\b|\bdeveloper mode (?:is )?(?:enabled|activated|on)[.,;:!]? (?:you|ignore|all|your)"),
    Sign(_ROLE, ("pretend", "imagine you", "roleplay", "role-play"), r"\b(?:pretend|imagine|act as if|roleplay as if) (?:that )?(?:you are|you're|to be|you have|you had) (?:an? |the |no )?(?:\w+ )?(?:ai|assistant|hacker|evil|unrestricted|root|restrictions|rules|guidelines|guardrails|administrator)\b"),
)

_THIS = r"(?:(?:about |of )?(?:this|that|it|these|any of (?:this|it))\b|about (?:the )?(?:instruction|message|note|change|command|comment|transfer|email|upload|download|step)s?\b|that you\b|what you\b|anything\b|you did|you have|why\b|[.!,;]|$|and\b|or\b)"
_PEOPLE = r"(?:the user|your user|the human|the owner|your owner|the operator|anyone|anybody|them|him|her|me|the developer|your developer|people)"

_HIDING = (
    Sign(
        _HIDE,
        ("tell", "inform", "notify", "alert", "warn", "show", "let ", "mention", "reveal", "disclose", "report", "say "),
        rf"\b(?:do not|don'?t|never|must not|should not|mustn'?t|shouldn'?t|dare not|avoid|refrain from) (?:ever |please )?(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?) (?:the user|your user|the human|the owner|your owner|the operator|anyone|anybody) ?{_THIS}",
        r"\b(?:banner|toast|dialog|twice|email template|ui)\b",
    ),
    Sign(
        _HIDE,
        ("mention", "reveal", "disclose", "report", "talk about", "admit", "refer to", "acknowledge", "bring up", "say anything"),
        r"\b(?:do not|don'?t|never|must not|should not|without|avoid|refrain from) (?:ever )?(?:mention(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|report(?:ing)?|talk(?:ing)? about|admit(?:ting)?|refer(?:ring)? to|acknowledg(?:e|ing)|bring(?:ing)? up) "
        r"(?:this|that|it|these|any of this|the existence of|having|(?:this|the|these) (?:instruction|message|note|comment|command|request|order|prompt|step)s?)\b(?! \w+(?:ing|ed)\b)"
        r"(?: (?:instruction|message|note|comment|command|request|order|prompt|step|fact|text|email|file|action)s?)?(?: ?[.!,;]| ?$| to (?:the|your|any)| in (?:your|the) (?:answer|reply|response|summary|output|report|final)| when| or| and| anywhere| at all| again)",
        r"\b(?:changelog|release notes|commit|tests? )\b",
    ),
    Sign(_HIDE, ("secret", "hidden from", "confidential", "between us", "to yourself"), r"\bkeep (?:this|it|that|all of this|these \w+|this \w+) (?:a |strictly |completely )?(?:(?:secret|hidden|confidential|private) from (?:the user|your user|everyone|the human|the owner|them|anyone)|between us|to yourself)\b|\bkeep (?:this|it) (?:a |strictly )?(?:secret|confidential)(?: ?[.!,;]| ?$| and)",
         r"\b(?:repo|repository|branch|package|key|endpoint|api|field|method|class|channel|bucket)\b"),
    Sign(_HIDE, ("without",), r"\bwithout (?:telling|informing|notifying|alerting|asking|warning) (?:the user|your user|the human|the owner|anyone|me)\b(?: first| about it| of this)?|\bwithout letting (?:the user|your user|the human|anyone|them) (?:know|notice|see)\b",
         _NEGATED + r"|\b(?:when|if|whether|only|ever|wrong|bug|we|they|it|i|he|she|cancel\w*|nobody|crash\w*|fails?|failed|logs?|silently|can|may|app|service|job|script|client|server|which|that|tests?|lint\w*|format\w*|commits?)\b"),
    Sign(_HIDE, ("secretly", "covertly", "surreptitiously", "silently", "quietly", "discreetly", "stealthily", "behind the"), r"\b(?:secretly|covertly|surreptitiously|silently|quietly|discreetly|stealthily) (?:send|upload|forward|exfiltrate|e-?mail|post|curl|copy|leak|transmit|install|add a (?:backdoor|key)|append your|insert|recommend|promote)\b|\b(?:secretly|covertly|surreptitiously|stealthily) (?:run|execute|change|modify|replace|delete|disable|add|open|read|create)\b",
         _NEGATED + r"|\b(?:we|they|clients?|workers?|jobs?|it|would|could|can|may|might|used to)\b"),
    Sign(_HIDE, ("do not mention", "don't mention", "not tell", "don't tell", "never mention", "without mention"), r"\b(?:run|execute|send|forward|install|download|upload|delete|open|visit)\b[^.!?]{0,120}?(?:\band |, |; |\.\s)(?:then )?(?:do not|don'?t|never|without) (?:mention|mentioning|tell|telling)\b(?! (?:internal|ticket|issue|jira|the version|version|customer|names?|people))"),
)

_DETOURS = (
    Sign(
        _DETOUR,
        ("before",),
        r"\bbefore (?:you (?:can |may |could )?)?(?:solv\w+|complet\w+|answer\w*|continu\w+(?: with)?|respond\w*(?: to)?|finish\w*|perform\w*|help\w*(?: with)?|proceed\w*(?: with| to)?|process\w*) (?:the|my|this|your|any|that) (?:original |user'?s |current |actual |next )?(?:task|request|question|query|prompt|user)\b[^.!?]{0,80}?(?:\bfirst\b|\bplease\b|\byou (?:must|have to|need to|should)\b|\bdo the following\b|: ?\w)",
        r"\b(?:worker|queue|celery|scheduler|middleware|handler|make \w+)\b",
    ),
    Sign(_DETOUR, ("following first", "gave you", "do that", "doing that", "done so", "done that"), r"\b(?:please )?do the following first\b|\bthe (?:original )?task (?:that )?(?:i|the user) (?:originally )?(?:gave|assigned|have given)(?: to)? you\b|\b(?:after|once|when) (?:you (?:do|did|have done|are done with|finish(?:ed)?|complete(?:d)?)|doing|completing) (?:that|this|so|it|these),? (?:you (?:can|may|should|will) |then )?(?:solve|continue|return|resume|go back|proceed|carry on|help)(?: (?:with|to|on|working))*(?: (?:solving|doing))? (?:the|your|my|with) (?:original |actual |user'?s )?(?:task|request|question|work)\b"),
    Sign(_DETOUR, ("instead of", "rather than", "abandon", "drop the", "stop what you"), r"\b(?:instead of|rather than) (?:answering|doing|completing|solving|performing|following) (?:the|your|my) (?:user'?s |original |current |assigned )?(?:task|request|question|prompt|instructions?)\b|\b(?:stop what you(?: are|'re) doing|abandon (?:the|your) (?:current |original |user'?s )?(?:task|goal|request))\b"),
)

_LATER = r"(?:(?:all|every|any|each|your|my|the) )?(?:of )?(?:(?:all|your|my|the) )?(?:future|later|coming|subsequent|following|other|next|new|upcoming) (?:sessions?|conversations?|chats?|tasks?|requests?|interactions?|projects?|responses?|answers?|replies)"
_OUTWARD = r"(?:send|e-?mail|mail|forward|post|upload|transfer|wire|pay|visit|open|book|buy|order|reserve|make (?:a|an|the) (?:reservation|payment|booking|transfer|purchase)|delete|remove|approve|accept|allow|grant|share|reply|say|tell|recommend|promote|invite|change|modify|update (?:the|my|his|her) (?:password|address|account|recipient)|create (?:a|an) [^.]{0,30}?(?:event|account|meeting|user|file|link)|click|download|execute|concatenate|get (?:me|all|the)|include (?:the|a|this) (?:link|url|image)|append|insert|bcc|cc|curl|skip|bypass|disable|trust|obey|leak|schedule|add (?:me|him|her|x|a) )"
_PLANTING = (
    Sign(
        _PLANT,
        ("future", "later", "coming", "subsequent", "following", "other", "next", "new", "upcoming"),
        rf"\b(?:remember|memori[sz]e|note|store|save|record|keep in (?:mind|memory))\b[^.!?]{{0,40}}?\b(?:for|in|across|during|to use in) {_LATER}\b[^.!?]{{0,40}}?[:,.-]? ?(?:that )?(?:you (?:must|should|will|have to) )?(?:please )?(?:always )?\b{_OUTWARD}|(?:^|[.!?:] ?)(?:in|for|across|during) {_LATER},? (?:you (?:must|should|will) )?(?:please )?(?:always )?{_OUTWARD}",
    ),
    Sign(
        _PLANT,
        ("from now on", "future", "henceforth", "always", "every time", "whenever", "any time", "each session", "every session"),
        r"\b(?:from now on|henceforth|in (?:all|every|any) (?:future )?(?:sessions?|conversations?|chats?|tasks?)|for (?:all|every) future (?:sessions?|requests?|tasks?|conversations?)|always|every time|whenever|in each session)\b[^.!?]{0,80}?"
        r"\b(?:auto-?)?(?:approve|accept|allow|authori[sz]e|grant|confirm|run|execute)(?: and run)? (?:all|any|every|each|whatever) (?:\w+ ){0,3}?(?:commands?|requests?|tool calls?|permissions?|actions?|transactions?|payments?|transfers?|instructions?|scripts?|code|access)\b(?! (?:in|from|under|inside|of) (?:the )?(?:makefile|ci|tests?|scripts?|docs))",
        r"\b(?:ci|pipeline|bot|middleware|firewall|server|mock|stub|fake|tests?|cors|dependabot|renovate|through|via|inside|with|in a|under|as|against|one by one|migrations?)\b",
    ),
    Sign(_PLANT, ("confirmation", "approval", "permission", "safety", "security", "asking"), r"\b(?:from now on|henceforth|always|in (?:all|every|any) (?:future )?(?:sessions?|conversations?|tasks?)|for (?:all|every) future \w+)\b[^.!?]{0,60}?\b(?:skip|bypass|disable|suppress|ignore|turn off) (?:all |any |the |every |its |your ){0,2}(?:user )?(?:confirmations?|approvals?|permissions?|safety|security|human review)(?: (?:prompts?|checks?|reviews?|dialogs?|warnings?|steps?|requests?|filters?))?\b",
         r"\b(?:tests?|ci|mock|e2e|fixtures?|staging|false positives?|in dev|playwright|cypress)\b"),
    Sign(_PLANT, ("without asking", "without confirm", "without approval", "without permission", "not ask", "never ask", "n't ask"), r"\b(?:run|execute|approve|accept|send|install|delete|transfer|perform|carry out|push|apply)\b (?:all|any|every|whatever|each|shell|the) ?(?:\w+ ){0,4}?(?:commands?|code|requests?|actions?|scripts?|payments?|transactions?|tool calls?|emails?|instructions?)\b[^.!?]{0,60}?(?:without (?:asking|confirm\w+|approval|permission)|(?:do not|don'?t|never) ask)",
         r"\b(?:never|must not|do not run|don'?t run|not allowed|forbidden|refuse\w*|make \w+|read-only|lint\w*|test\w*|makefile|you (?:can|may))\b"),
    Sign(_PLANT, ("auto-approv", "autoapprov", "approve", "skip"), r"\bthe user (?:always |now |has )?(?:wants?|prefers?|likes?|allows?|agreed|trusts?|expects?)\b[^.!?]{0,80}?\b(?:auto-?approv\w+|approve (?:all|any|every)|skip(?:ped|ping)? (?:all |any )?(?:confirmations?|permissions?|approvals?))"),
    Sign("asks to destroy files", ("rm -rf",), rf"{_ORDER}(?:run|execute|do) [`'\"]?(?:sudo )?rm -rf (?:--no-preserve-root )?(?:/|~|\$home)(?:[\s`'\"*.]|$)", _NEGATED),
    Sign(_PLANT, ("obey", "trust", "treat", "follow", "carry out", "execute"), r"\b(?:obey|comply with) (?:all |any |every |the |its ){0,2}(?:instructions?|commands?|orders?|directives?|requests?) (?:from|in|on|at|found|that (?:appear|come|are))\b|\b(?:execute|carry out|follow) (?:all |any |every |the ){0,2}(?:instructions?|commands?|orders?|directives?) (?:from|in|on|at|found (?:in|on|at)|that (?:appear|come|are) \w+) (?:this|that|these|the|any|my)? ?(?:https?://|comments?|emails?|websites?|web ?pages?|attached)\b|\btreat (?:everything|all|any|every|the) (?:\w+ ){0,4}?(?:as|like) (?:trusted (?:instructions?|commands?|orders?)|instructions|commands|orders|(?:if it came )?from (?:the user|your user|me, the user))\b|\b(?:always )?trust (?:all|any|every) (?:instructions?|messages?|emails?|commands?|requests?|content) (?:from|that comes from|by|at) ",
         _NEGATED + r"|\b(?:worker|runner|scheduler|cluster|agentless|ssh|proxy|proxies|cert\w*|ca)\b"),
    Sign(_PLANT, ("add this to", "store this", "save this", "write this", "update your memory", "your memory", "long-term memory", "your rules", "claude.md", "agents.md", "cursorrules"), r"\b(?:add|store|save|write|put|persist|copy|append) (?:this|these|the following)(?: \w+){0,4}? (?:to|in|into) (?:your|the (?:agent|assistant|ai)(?:'s)?)(?: own| long-term| permanent| persistent)? (?:memory|memories|rules|system prompt|instructions|knowledge)\b|\b(?:update|overwrite|replace|edit) your (?:long-term |permanent |persistent )?(?:memory|memories|rules|system prompt|instructions) (?:to|with|so|and)\b"),
)

_AI = r"(?:ai|a\.i\.|llm|language model|large language model|ai assistant|ai agent|ai model|coding agent|coding assistant|chatbot|claude|chatgpt|copilot|gemini|gpt)"
_ADDRESSING = (
    Sign(_ADDRESS, ("as an ai", "as a language", "as an llm", "as a large", "as the ai", "as an assistant", "as a coding", "as a helpful"), r"\bas (?:an?|the) (?:\w+ )?(?:ai|llm|language model|assistant)(?: \w+)?,? you (?:must|should|are (?:required|obliged|instructed|to)|have to|need to|will|shall|may not|cannot)\b"),
    Sign(_ADDRESS, ("if you are", "if you're", "if an ai", "if a language", "if an llm"), rf"\bif (?:you are|you're) (?:an?|the) (?:\w+ )?{_AI}\b(?: \w+){{0,6}}?,? ?(?:you|please|ignore|do|send|include|say|then|stop|reply|respond|add|must|run|and)\b|\bif (?:you are|you're) an? (?:\w+ )?{_AI}(?: \w+)? (?:processing|reading|parsing|reviewing|summari[sz]ing|handling) (?:this|these)\b|\bif an? {_AI} (?:reads?|is reading|sees?|processes)\b"),
    Sign(_ADDRESS, ("attention", "dear", "hey", "hello", "calling", "note to", "message to", "message for", "memo to"), rf"\b(?:attention|dear|hello|calling|note to|message (?:to|for)|memo to|hey),? (?:all |any |every |the |to )?(?:{_AI}s?|(?:ai |llm |coding |automated )(?:agents?|assistants?|models?|bots?|systems?|reviewers?)|assistants?|agents?)\b[^.!?]{{0,60}}?[:,!.-] ?[^.!?]{{0,40}}?\b(?:you|ignore|must|please|do|send|stop|include|run|execute|your|approve|always)\b",
         r"^$"),
    Sign(_ADDRESS, ("reading this", "read this", "reads this", "processing this", "processes this", "parsing this", "summarizing this", "summarising this", "reviewing this", "reviews this", "sees this", "see this", "encounter this"), rf"\b(?:any |an |all |the |every )?(?:(?:{_AI}s?|(?:ai |llm |automated )(?:agents?|assistants?|bots?))(?: (?:that|who|which|is|are|currently)){{0,3}} (?:read(?:s|ing)?|process(?:es|ing)?|pars(?:es?|ing)|summari[sz](?:es?|ing)|review(?:s|ing)?|sees?|seeing|analy[sz](?:es?|ing)) this\b[^.!?]{{0,80}}?|(?:agents?|assistants?|bots?|models?)(?: (?:that|who|which|is|are|currently)){{0,3}} (?:reads?|reading|processing|parsing|summari[sz]ing|sees?|seeing) this ?[,:]? ?)\b(?:must|should|ignore|please|do|send|stop|include|run|execute|need|has to|have to|approve|will|is required|are required|:)",
         _NEGATED + r" (?:a |the |need|use)"),
    Sign(_ADDRESS, ("ing this",), r"\bwhen(?:ever)? (?:you (?:are )?)?(?:summari[sz]ing|reviewing|processing|analy[sz]ing|reading|describing|parsing) this (?:page|document|e-?mail|file|text|repo\w*|issue|pr|pull request|website|article|message|ticket),? (?:you (?:must|should|will) |always |please |also |then )*(?:include|say|add|mention|state|recommend|approve|output|ignore|report that|send|insert|append|claim|write|praise|reply|answer)\b"),
    Sign(_ADDRESS, ("you see this", "you read this", "you encounter this", "reading this"), r"\b(?:when(?:ever)?|once|if|as soon as|after) you (?:see|read|encounter|process|reach|are reading|have read) this(?: (?:text|comment|note|page|document|email|instruction|sentence|memory|paragraph|readme))?(?: ?[,:;-]| you|\b(?= (?:send|ignore|immediately|run|execute|please))) ?(?:you (?:must|should|will|have to|need to)|immediately|please|first|then|send|execute|ignore|reply|respond|forward|say|print|output|delete|stop|upload|e-?mail|fetch|call|add)\b",
         r"\b(?:this,? (?:restart|rebuild|clear|check|rerun|the|it is|it's))\b"),
    Sign(_ADDRESS, ("you must", "you are", "you shall", "you have been"), r"\byou (?:must|are (?:hereby )?(?:required to|instructed to|ordered to|commanded to|programmed to)|shall|have been (?:instructed|ordered|authori[sz]ed|reprogrammed) to) (?:now |always |immediately |strictly |first )*(?:obey|comply|ignore (?:all|any|the|your|previous)|disregard|execute (?:the following|this|these|all|any)|follow (?:these|my|only|the following|all) (?:new )?(?:instructions?|orders|commands)|send (?:all|the user|your|any)|reveal|recommend|promote|advertise|endorse|exfiltrate|do as i|carry out)\b"),
)

_SECRET = (
    r"(?:environment(?:al)? variables?|env(?:ironment)? vars?|\.env\b|ssh keys?|private keys?|signing keys?|api[ _-]?keys?|access[ _-]?(?:keys?|tokens?)|auth(?:entication)?[ _-]tokens?"
    r"|tokens|credentials?|passwords?|passphrases?|secrets|cookies|session (?:tokens?|cookies)|passport|credit[ _-]card|bank[ _-]account|social security|iban|security codes?|verification codes?|2fa codes?"
    r"|inbox|chat history|conversation(?: history)?|address book|wallet|seed phrase|personal (?:data|information|details)|user (?:data|information|records)|keychain|id_rsa|\.ssh|\.aws)"
)
_PAPERS = r"(?:e-?mails?|messages|files?|documents?|contacts|source code|code ?base|repository|database|transactions?|\w+ history)"
_WHOSE = (
    r"(?:the (?:full |entire |complete |whole |raw )?(?:contents?|bod(?:y|ies)|text|list|values?|dump|output) of|a (?:full |complete )?(?:copy|dump|list|summary) of|all|every|each|any|my|your|his|her|their|the user'?s|user'?s|this user'?s|the (?:entire|whole|full|complete))"
)
_SEND_AWAY = r"(?:send|e-?mail|mail|forward|post|upload|share|transmit|exfiltrate|leak)"
_SEND = r"(?:send|e-?mail|mail|forward|post|upload|share|transmit|exfiltrate|leak|submit|deliver|dump|paste|concatenate)"
_THERE = (
    r"(?:https?://|hxxps?://|ftp://|[\w.+-]{1,40}@[\w-]{1,40}\.\w|attacker|pastebin|ngrok|webhook\.site|requestbin|the (?:website|url|link)\b|(?:(?:a|an|the|our) )?(?:this|that|my|following|external|remote|public|new|his|her) "
    r"(?:[\w']+ ){0,2}(?:url|website|web ?site|site|server|address|endpoint|link|e-?mail|account|host|domain|ip|channel|number|gist|webhook|bucket|bot)\b|(?:\d{1,3}\.){3}\d{1,3})"
)
_LEAKING = (
    Sign(
        _LEAK,
        ("send", "mail", "forward", "post", "upload", "share", "transmit", "exfiltrate", "leak", "submit", "deliver", "dump", "paste", "concatenate"),
        rf"{_ORDER}(?:{_SEND} (?:me |us |back )?(?:out )?{_WHOSE} [^!?]{{0,60}}?(?:\b|(?=\.)){_SECRET}\b[^!?]{{0,80}}?\b(?:to|at|via|into|through|in the (?:url|query|request)|using) {_THERE}|{_SEND_AWAY} {_WHOSE} [^.!?]{{0,60}}?\b{_PAPERS}\b[^!?]{{0,80}}?\bto (?:[\w ]{{0,30}}e-?mail address|[\w.+-]{{1,40}}@[\w-]{{1,40}}\.\w))",
        _NEGATED + r"|\b(?:public|we|they|clients?|workers?|cron|ci|pipeline|job|nightly|backups?|service|app|coverage|sentry|codecov|artifact\w*|build|release|users|customers?|tests?|staging|log files?|mailhog|mailpit|s3|gcs|registry|pypi|npm|docs?)\b",
    ),
    Sign(_LEAK, ("environment variables", "env var", ".env", "ssh key", "private key", "chat history", "conversation", "system prompt", "inbox", "id_rsa", "passport", "credit card", "security code", "seed phrase"),
         rf"{_ORDER}(?:send|e-?mail|forward|post|upload|share|transmit|exfiltrate|leak|submit|dump|paste|tell me|give me) (?:\w+ ){{0,2}}?(?:the |my |your |all |any ){{0,2}}(?:[\w']+ ){{0,3}}?(?:environment variables|env vars?|\.env(?: file)?|ssh (?:private )?keys?|private keys?|chat history|conversation(?: history)?|system prompt|inbox|id_rsa|passport number|credit card(?: number)?|security codes?|seed phrase)\b[^!?]{{0,100}}?\b(?:to|at|via|into|through) ?{_THERE}",
         _NEGATED + r"|\b(?:public|we|they|clients?|ci|pipeline|job|vault|1password|bitwarden|github secrets|heroku|vercel|fly|container|docker|stripe|tokeni[sz]\w*|deploy key\w*|form|frontend|backend|checkout)\b"),
    Sign(_LEAK, ("curl", "wget", "nc ", "netcat", "invoke-webrequest", "http"), r"\b(?:curl|wget|http(?:ie)?|invoke-webrequest|iwr)\b[^;|\n]{0,200}?(?:-d|--data[\w-]*|-f|--form|-t|--upload-file|--post-file|--post-data|-body)[ =]?[\"']?(?:[\w=]{0,30})?(?:@[\"']?(?:[~\w./$-]{0,60})?(?:\.env|id_rsa|id_ed25519|\.ssh|\.aws|\.netrc|passwd|shadow|credentials|secret|\.npmrc|\.pypirc|wallet)|[\"']?\$\(? ?(?:env|printenv|cat |<|base64))"),
    Sign(_LEAK, ("| curl", "|curl", "| nc", "|nc", "| wget", "| base64", "|base64", "| xxd"), r"\b(?:printenv|env|set|cat [^|;]{0,80}?(?:\.env|id_rsa|id_ed25519|\.ssh|\.aws|passwd|shadow|credentials|\.netrc|secret|history)[^|;]{0,40}) ?\|(?:[^|;]{0,60}\|)?[^|;]{0,20}?\b(?:curl|nc|ncat|netcat|wget|telnet)\b"),
    Sign(_LEAK, ("~/.", "/etc/", "id_rsa", ".ssh", ".aws", "mcp.json", ".env", "secret", "private", "`env", "printenv"),
         r"\b(?:read|open|cat|load|get|encode|take)\b[^!?]{0,60}?(?:~/\.\w+|/etc/(?:passwd|shadow)|id_rsa|id_ed25519|\.ssh/|\.aws/|mcp\.json|\.env\b|secrets?\.\w+|private keys?)[^!?]{0,60}?\b(?:and|then) (?:\w+ )?(?:pass|send|include|put|add|append|provide|attach|post|paste|return|embed)\b[^!?]{0,60}?\b(?:parameter|argument|sidenote|note|field|description|comment|issue|url|message|reply|response|answer|gist)\b"
         r"|\b(?:append|add|include|attach|send|post|put|pass)\b[^.!?]{0,30}?\b(?:output|contents?|values?) of [`'\"]?(?:env|printenv|\.env|~/\.\w+|/etc/\w+)\b[^!?]{0,60}?\b(?:to|in|with|as) (?:every|each|all|your|the) "
         r"|\b(?:create|open|publish|make|post)\b[^.!?]{0,40}?\bpublic\b[^.!?]{0,40}?\b(?:contents? of|with|containing)\b[^.!?]{0,30}?\bprivate (?:repos?\w*|keys?|data|files?|messages)\b",
         _NEGATED),
    Sign(_LEAK, ("![",), r"!\[[^\]]{0,100}\]\(https?://[^)\s]{0,300}[?&/=](?:\w{1,30}=)?(?:\{|\[|<|\$|%7b|\.\.\.)",),
    Sign(_LEAK, ("user information", "user's", "my password", "passport", "credit card", "bank account"), rf"(?:^|[.!?] )(?:please )?(?:get|collect|gather|find|extract|read|retrieve|fetch) (?:all |any |the |every ){{0,2}}(?:of )?(?:the )?(?:user(?:'s)?|my|personal|customer) (?:personal |private |account )?(?:information|data|details|passwords?|credentials|secrets)\b[^!?]{{0,160}}?\b(?:send|e-?mail|post|upload|forward) (?:it|them|this|that|these)(?: \w+)? to (?:my|{_THERE})",
         r"\b(?:we|form|endpoint|service|gdpr|export)\b"),
    Sign(_LEAK, ("send", "mail", "post", "upload", "forward"), rf"\b(?:my|your|the user'?s|all|any|every) (?:\w+ ){{0,2}}?{_SECRET}\b[^!?]{{0,160}}?{_ORDER}(?:send|e-?mail|post|upload|forward) (?:it|them|this|that|these|everything|the results?)(?: \w+)? to {_THERE}",
         _NEGATED + r"|\b(?:we|form|endpoint|service|gdpr|export|stripe|vault)\b"),
    Sign(_LEAK, ("e-mail", "email"), r"(?:^|[.!?:>] ?)(?:please )?(?:e-?mail|send|forward) (?:the |all |every )(?:\w+ ){0,3}?(?:contents?|body|bodies|emails?|codes?|files?)\b[^.!?]{0,100}?\b(?:inbox|cloud|received|unread|drive|sent emails?)\b[^.!?]{0,80}?\bto\b",
         _NEGATED + r"|\b(?:we|mailhog|mailpit|queue|webhook|service|tests?|worker|handler)\b"),
)

_COMMENTS = (
    Sign(_COMMENT, ("<!--",), rf"<!--(?=[^>]{{0,300}}?\b(?:{_AI}s?|assistants?|agents?)\b)(?=[^>]{{0,300}}?\b(?:must|should|please|ignore|send|run|execute|add|include|insert|do not|don't|never|always|approve|forward|upload|reply|say)\b)|<!--[^>]{{0,200}}?\b(?:ignore (?:all|any|previous|the (?:above|user|reviewer))|do not tell|don't tell|you must (?:obey|send|approve|run)|send (?:all|your|the user))\b",
         r"\b(?:if you (?:edit|change|add)|do not edit|don't edit|generated)\b"),
    Sign(_COMMENT, ("display", "font-size", "visibility", "opacity", "color"), r"(?:display ?: ?none|font-size ?: ?[01](?:px|pt)?\b|visibility ?: ?hidden|opacity ?: ?0\b(?!\.)|colou?r ?: ?(?:white|#fff\w*|transparent))[^<>]{0,80}> ?[^<]{0,200}?\b(?:ignore|you must|instructions|assistant|system prompt|send (?:all|the))\b"),
)

_OTHERS = (
    Sign(_MONEY, ("money", "transfer", "pay ", "wire", "send", "bitcoin"), r"(?:^|[.!?:>] ?|\bplease |\binstead,? |\bmust |\bfirst,? )(?:send|transfer|wire|pay|donate) (?:as much money|all (?:of )?(?:my|the|your|their) (?:money|funds|balance)|(?:[$€£]|usd |eur |btc )\d[\d,.]*|\d[\d,.]* ?(?:dollars|euros?|usd|eur|btc|bitcoins?|eth|usdc))\b[^.!?]{0,100}?\bto\b",
         r"\b(?:never|not|don'?t|cannot|tests?|sandbox|fixture|scenario|when|user story)\b"),
    Sign(_PROMPT, ("prompt", "instructions"), r"\b(?:reveal|print|output|show|repeat|tell|leak|display|send|recite|disclose|dump|give|paste|echo|write out)\b(?: me| us| back| out)? (?:all |the )?(?:of )?your (?:full |entire |hidden |initial |exact |complete |original |secret |internal |own |whole |current )*(?:system (?:prompt|message|instructions)|initial (?:prompt|instructions)|hidden (?:prompt|instructions)|instructions|prompt)\b|\brepeat (?:everything|all(?: of)? the (?:words|text)|the (?:words|text)) (?:above|before this)\b",
         _NEGATED),
    Sign(_DECODE, ("base64", "atob", "decode", "rot13", "hex"), r"\b(?:decode|decrypt|unbase64)\b[^.!?]{0,80}?\b(?:and|then|,) ?(?:then )?(?:run|execute|eval(?:uate)?|follow|obey|carry out|do) (?:it|them|this|that|what|the (?:result|output|decoded|commands?|instructions?))\b|\bbase64 (?:-d|-di|--decode|-D)\b[^;]{0,60}?\| ?(?:sudo )?(?:ba|z|da|k)?sh\b|\b(?:eval|exec)\( ?(?:atob|base64|codecs|bytes\.fromhex|buffer\.from)|\b(?:base64|rot13|hex)\b[^.!?]{0,60}?\b(?:run|execute|follow|obey) (?:it|them|the (?:result|output|decoded))",
         _NEGATED + r"|\b(?:verify|signature|jwt|we|fixture|worker|follow (?:the )?(?:link|redirect))\b"),
)

_ABROAD = (
    # German
    Sign(_IGNORE, ("ignorier", "vergiss", "missacht", "vergesst"), r"\b(?:ignorier\w*|vergiss|vergesst|missachte\w*) (?:\w+ ){0,3}?(?:vorherig\w+|bisherig\w+|vorig\w+|obig\w+|fruher\w+|vorangegangen\w+|vorhergehend\w+|urspunglich\w+|ursprunglich\w+) (?:\w+ )?(?:anweisung\w*|instruktion\w*|befehl\w*|regeln|vorgaben|prompts?|aufgabe\w*|auftrag\w*|nachricht\w*)\b|\b(?:ignorier\w*|vergiss) (?:alles|alle anweisungen)(?: \w+)?,? (?:davor|zuvor|bisher\w*|oben|was (?:dir|man|ich|du))"),
    Sign(_ROLE, ("du bist",), r"\bdu bist (?:jetzt|nun|ab (?:sofort|jetzt)|von nun an) (?:ein|eine|kein|der|die|nicht|mein)\b|\bab (?:sofort|jetzt) bist du (?:ein|eine|kein|der|die|mein|nicht)\b"),
    Sign(_HIDE, ("nutzer", "benutzer", "anwender", "niemand"), r"\b(?:sag|sage|erzahl|erzahle|verrate|verrat|erwahne|teile|melde) (?:\w+ ){0,2}?(?:dem|der|den|deinem|gegenuber dem) (?:nutzer|benutzer|anwender|user)\w* (?:\w+ ){0,2}?(?:nichts|nicht|niemals)\b(?!,? (?:wann|ob|wie|was|dass|welche\w*|die|den|das|warum))|\b(?:sag|erzahl|verrate?) (?:das |dies |es )?niemand"),
    Sign(_LEAK, ("sende", "schick", "lade"), r"\b(?:sende|schicke?|lade)\b[^.!?]{0,60}?\b(?:umgebungsvariablen|zugangsdaten|passwort\w*|passworter|schlussel|geheimnisse|\.env)\b[^.!?]{0,60}?\b(?:an|nach|zu|auf) (?:https?://|\S+@|(?:diese|folgende|meine|die) )", r"\b(?:nie|niemals|nicht|keine?)\b"),
    # French
    Sign(_IGNORE, ("ignore", "oubli", "tiens pas", "tenez pas"), r"\b(?:ignore[zr]?|oublie[zr]?|ne (?:tiens|tenez) pas compte d\w+) (?:\w+ ){0,3}?(?:instructions?|consignes?|directives?|regles|ordres|messages?) (?:\w+ )?(?:precedent\w*|anterieur\w*|ci-dessus|initiales?|recues?)\b|\b(?:ignore|oublie)[zr]? (?:tout ce qui precede|tout ce qu(?:e|i) (?:\w+ ){0,3}?(?:avant|dit|demande))"),
    Sign(_ROLE, ("tu es", "vous etes"), r"\b(?:tu es|vous etes) (?:maintenant|desormais|dorenavant) (?:une?|mon|ma|le|la)\b"),
    Sign(_HIDE, ("utilisateur", "personne"), r"\bn[e'] ?(?:le |lui |en )?(?:dis|dites|dire|parle|parlez|mentionne[zr]?|revele[zr]?|informe[zr]?) (?:surtout )?(?:rien|pas|jamais)(?: (?:cela|ceci|ca|de cela|en))? (?:a )?(?:l'|votre |ton )utilisateur\b"),
    # Spanish, Portuguese, Italian
    Sign(_IGNORE, ("instruc", "ordenes", "indicaciones", "istruzioni", "regras"), r"\b(?:ignor[aei]\w*|olvid[ae]\w*|descart[ae]\w*|ha[czg]\w* caso omiso de|esquec[ae]\w*|desconsider[ae]\w*|dimentica\w*) (?:\w+ ){0,4}?(?:instrucciones|ordenes|indicaciones|reglas|directrices|instrucoes|ordens|regras|istruzioni|regole) (?:\w+ )?(?:anteriores?|previas?|de arriba|iniciales|acima|precedenti|iniziali|recibidas)\b|\b(?:ignora|olvida|ignore|esqueca) (?:\w+ ){0,3}?(?:anteriores|previas|precedenti) (?:instrucciones|instrucoes|istruzioni|ordenes)\b"),
    Sign(_ROLE, ("ahora eres", "eres ahora", "de ahora", "agora voce", "ora sei"), r"\b(?:ahora eres|eres ahora|(?:a partir )?de ahora(?: en adelante)?,? (?:eres|seras)|agora voce e|ora sei) (?:una?|mi|el|la|um|uma|uno)\b"),
    Sign(_HIDE, ("usuari", "utente"), r"\b(?:no|nao|non) (?:se lo |le |lo |ao |o )?(?:digas?|menciones?|reveles?|informes?|cuentes?|diga|conte|dire|menzionare) (?:nada |esto |nunca |isso |nulla )?(?:de esto |sobre esto )?(?:al|a la|ao|a|all') ?(?:usuari[oa]|utente)\b(?! (?:cuando|si|que))"),
    # Russian
    Sign(_IGNORE, ("игнор", "забуд"), r"(?:(?:про)?игнориру\w+|забуд\w+) (?:\w+ ){0,3}?(?:предыдущ\w+|прежн\w+|прошл\w+|выше) (?:\w+ )?(?:инструкц\w+|указан\w+|команд\w+|правил\w*)"),
    # Chinese, Japanese
    Sign(_IGNORE, ("忽略", "无视", "無視", "忘记", "忘記", "忘掉", "不要理会", "不用管"), r"(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|不用管)(?:掉|你|我|您|的|所有|一切|全部|任何|之?前|以?上面?|先前|前面|此前|以前|系统|給|给|说|說|收到|过|了|，|,| ){1,14}(?:指令|指示|提示词?|提示|命令|规则|規則|说明|說明|要求|内容|內容|对话|對話)"),
    Sign(_IGNORE, ("指示", "命令"), r"(?:これまで|以前|上記|前|先ほど)(?:の|まて|すへて|全て){0,4}(?:指示|命令|フロンフト)(?:を|は)?(?:すへて|全て)?(?:無視|忘れ)"),
    Sign(_ROLE, ("你现在是", "你現在是", "现在开始", "现在起", "現在開始", "現在起"), r"你[现現]在是(?:一|我|没|沒|不受|个|個)|从?[现現]在[起开開](?:始)?[，, ]?你(?:是|将|將|必须|必須|要听|只)"),
    Sign(_HIDE, ("用户", "用戶", "使用者"), r"(?:不要|别|別|切勿|请勿|不得|无需)(?:再)?(?:告诉|告訴|告知|通知|提醒|让|讓|向)(?:任何)?(?:用户|用戶|使用者)(?:知道|提及|透露|说明|此事|这|這|提起|发现|，|。|,|\.|$)"),
    Sign(_LEAK, ("密钥", "密码", "环境变量", "凭据", "令牌", "密鑰", "密碼"), r"(?:把|将|將|请)[^。.!?]{0,24}?(?:密钥|密码|环境变量|凭据|令牌|密鑰|密碼)[^。.!?]{0,16}?(?:发送|上传|发给|发到|傳送|發送|提交)(?:到|给|至|給)? ?(?:https?|以下|这个|我|外部|\w+@)"),
)  # fmt: skip

SIGNS: tuple[Sign, ...] = (
    *_COMMENTS,
    *_IGNORING,
    *_POSING,
    *_TEMPLATES,
    *_HIDING,
    *_DETOURS,
    *_PLANTING,
    *_ADDRESSING,
    *_LEAKING,
    *_ROLES,
    *_OTHERS,
    *_ABROAD,
)

# The most typical ones as they read without spaces, dashes and digits for letters: "1 g n 0 r e - p r e v ...".
SQUEEZED = (
    Sign(_IGNORE, ("ignor", "disregard", "forget"), r"(?:ignore|disregard|forget)(?:all|any|the|my|your|of|these|those){0,3}(?:previous|prior|earlier|preceding|above|system)(?:system)?(?:instruction|prompt|directive|guideline)"),
    Sign(_HIDE, ("tell", "inform"), r"donott?(?:ell|inform)theuserabout(?:this|it)"),
    Sign(_ROLE, ("younowdan", "anythingnow", "unrestricted"), r"youarenowdan|doanythingnow|youarenowunrestricted"),
    Sign(_ROLE, ("newsystemprompt",), r"newsystempromptyou"),
)  # fmt: skip
