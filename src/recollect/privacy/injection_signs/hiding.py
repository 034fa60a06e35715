"""Orders to keep something from the user, or to do something else before the task."""

from recollect.privacy.injection_signs import reasons
from recollect.privacy.injection_signs.sign import NEGATED, Sign, any_of

_THIS = (
    r"(?:(?:about |of )?(?:this|that|it|these|any of (?:this|it))\b|about (?:the )?(?:instruction"
    r"|message|note|change|command|comment|transfer|email|upload|download|step)s?\b|that you\b"
    r"|what you\b|anything\b|you did|you have|why\b|[.!,;]|$|and\b|or\b)"
)


HIDING = (
    Sign(
        reasons.HIDE,
        ("let",),
        r"\b(?:do not|don'?t|never) let (?:the user|your user|the human|anyone|them) (?:know|notice|find out)"
        r"(?: ?[.!,;]| ?$| about| that you| what you| of this)",
    ),
    Sign(
        reasons.HIDE,
        any_of("tell|inform|notify|alert|warn|show|let |mention|reveal|disclose|report|say "),
        r"\b(?:do not|don'?t|never|must not|should not|mustn'?t|shouldn'?t|dare not|avoid|refrain from) "
        r"(?:ever |please )?(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?) "
        rf"(?:the user|your user|the human|the owner|your owner|the operator|anyone|anybody) ?{_THIS}",
        r"\b(?:banner|toast|dialog|twice|email template|ui)\b",
    ),
    Sign(
        reasons.HIDE,
        any_of("mention|reveal|disclose|report|talk about|admit|refer to|acknowledge|bring up|say anything"),
        r"\b(?:do not|don'?t|never|must not|should not|without|avoid|refrain from) (?:ever )?(?:mention"
        r"(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|report(?:ing)?|talk(?:ing)? about|admit(?:ting)?|refer"
        r"(?:ring)? to|acknowledg(?:e|ing)|bring(?:ing)? up) "
        r"(?:this|that|it|these|any of this|the existence of|having|(?:this|the|these) (?:instruction"
        r"|message|note|comment|command|request|order|prompt|step)s?)\b(?! \w+(?:ing|ed)\b)"
        r"(?: (?:instruction|message|note|comment|command|request|order|prompt|step|fact|text|email|file"
        r"|action)s?)?(?: ?[.!,;]| ?$| to (?:the|your|any)| in (?:your|the) (?:answer|reply|response"
        r"|summary|output|report|final)| when| or| and| anywhere| at all| again)",
        r"\b(?:changelog|release notes|commit|tests? )\b",
    ),
    Sign(
        reasons.HIDE,
        ("secret", "hidden from", "confidential", "between us", "to yourself"),
        r"\bkeep (?:this|it|that|all of this|these \w+|this \w+) (?:a |strictly |completely )?(?:(?:secret"
        r"|hidden|confidential|private) from (?:the user|your user|everyone|the human|the owner|them"
        r"|anyone)|between us|to yourself)\b|\bkeep (?:this|it) (?:a |strictly )?(?:secret|confidential)"
        r"(?: ?[.!,;]| ?$| and)",
        r"\b(?:repo|repository|branch|package|key|endpoint|api|field|method|class|channel|bucket)\b",
    ),
    Sign(
        reasons.HIDE,
        ("without",),
        r"\bwithout (?:telling|informing|notifying|alerting|asking|warning) (?:the user|your user"
        r"|the human|the owner|anyone)\b(?: first| about it| of this)?|\bwithout letting (?:the user"
        r"|your user|the human|anyone|them) (?:know|notice|see)\b",
        NEGATED + r"|\b(?:when|if|whether|only|ever|wrong|bug|we|they|it|i|he|she|cancel\w*|nobody|crash\w*|fails?"
        r"|failed|logs?|silently|can|may|app|service|job|script|client|server|which|that|tests?|lint\w*"
        r"|format\w*|commits?)\b",
    ),
    Sign(
        reasons.HIDE,
        ("secretly", "covertly", "surreptitiously", "silently", "quietly", "discreetly", "stealthily", "behind the"),
        r"\b(?:secretly|covertly|surreptitiously|silently|quietly|discreetly|stealthily) (?:send|upload"
        r"|forward|exfiltrate|e-?mail|post|curl|copy|leak|transmit|install|add a (?:backdoor|key)"
        r"|append your|insert|recommend|promote)\b|\b(?:secretly|covertly|surreptitiously|stealthily) "
        r"(?:run|execute|change|modify|replace|delete|disable|add|open|read|create)\b",
        NEGATED + r"|\b(?:we|they|clients?|workers?|jobs?|it|would|could|can|may|might|used to)\b",
    ),
    Sign(
        reasons.HIDE,
        ("do not mention", "don't mention", "not tell", "don't tell", "never mention", "without mention"),
        r"\b(?:run|execute|send|forward|install|download|upload|delete|open|visit)\b[^.!?]{0,120}?"
        r"(?:\band |, |; |\.\s)(?:then )?(?:do not|don'?t|never|without) (?:mention|mentioning|tell"
        r"|telling)\b(?! (?:internal|ticket|issue|jira|the version|version|customer|names?|people))",
    ),
)

DETOURS = (
    Sign(
        reasons.DETOUR,
        ("before", "prior to"),
        r"\b(?:before|prior to) (?:you (?:can |may |could )?)?(?:solv\w+|complet\w+|answer\w*|continu\w+(?: with)?"
        r"|respond\w*(?: to)?|finish\w*|perform\w*|help\w*(?: with)?|proceed\w*(?: with| to)?|process\w*) "
        r"(?:the|my|this|your|any|that) (?:original |user'?s |current |actual |next )?(?:task|request"
        r"|question|query|prompt|user)\b[^.!?]{0,80}?(?:\bfirst\b|\bplease\b|\byou (?:must|have to|need to"
        r"|should)\b|\bdo the following\b|: ?\w)",
        r"\b(?:worker|queue|celery|scheduler|middleware|handler|make \w+)\b",
    ),
    Sign(
        reasons.DETOUR,
        ("following first", "gave you", "do that", "doing that", "done so", "done that"),
        r"\b(?:please )?do the following first\b|\bthe (?:original )?task (?:that )?(?:i|the user) "
        r"(?:originally )?(?:gave|assigned|have given)(?: to)? you\b|\b(?:after|once|when) (?:you (?:do"
        r"|did|have done|are done with|finish(?:ed)?|complete(?:d)?)|doing|completing) (?:that|this|so|it"
        r"|these),? (?:you (?:can|may|should|will) |then )?(?:solve|continue|return|resume|go back|proceed"
        r"|carry on|help)(?: (?:with|to|on|working))*(?: (?:solving|doing))? (?:the|your|my|with) "
        r"(?:original |actual |user'?s )?(?:task|request|question|work)\b",
    ),
    Sign(
        reasons.DETOUR,
        ("instead of", "rather than", "abandon", "stop"),
        r"\b(?:instead of|rather than) (?:answering|doing|completing|solving|performing|following) (?:the"
        r"|your|my) (?:user'?s |original |current |assigned )?(?:task|request|question|prompt"
        r"|instructions?)\b|\b(?:stop what you(?: are|'re) doing|stop (?:the|your) current task"
        r"|abandon (?:the|your) (?:current "
        r"|original |user'?s )?(?:task|goal|request))\b",
    ),
)
