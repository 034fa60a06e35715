"""Orders to drop the instructions of the user or the host, and claims to speak for them."""

from recollect.privacy.injection_signs import reasons
from recollect.privacy.injection_signs.sign import IN_A_DOCUMENT, Sign

_EARLIER = (
    r"(?:previous|prior|earlier|preceding|above|foregoing|former|original|initial|existing|old|system"
    r"|developer|safety|current)"
)
_ORDERS = (
    r"(?:instructions?|directions?|directives?|prompts?|guidelines?|guardrails?|rules?|commands?"
    r"|orders?|programming|training)"
)
_FILLER = (
    r"(?:(?:all|any|every|each|of|the|my|your|our|its|these|those|this|that|other|and|or|previous"
    r"|prior|earlier|given) ){0,5}"
)
# Texts about such orders quote them.
_QUOTED = (
    r"\b(?:injections?|jailbreaks?|attacks?|tests?|detect\w*|reject\w*|refus\w*)\b[^.]{0,60}[\"'`]"
    r"(?:ignore|disregard|forget)"
)

IGNORING = (
    Sign(
        reasons.IGNORE,
        ("ignor", "disregard", "forget", "neglect", "overlook"),
        rf"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|neglect|overlook) {_FILLER}{_EARLIER} "
        rf"(?:\w+ ){{0,2}}?{_ORDERS}\b{IN_A_DOCUMENT}",
        r"\b(?:tests?|parser|flag|handler|reducer|worker|bot|we|they|it) (?:should |must |can |will "
        r"|may )?(?:ignore|forget|disregard)\b"
        r"|" + _QUOTED,
    ),
    Sign(
        reasons.IGNORE,
        ("ignor", "disregard", "forget"),
        r"\b(?:ignore|disregard|forget) (?:absolutely )?(?:everything|anything|all|whatever|what)(?: that"
        r"| of what)? "
        r"(?:(?:you(?: ha|')ve been|you were|you are) (?:told|given|taught|instructed|asked)|you (?:know"
        r"|learned|were)\b"
        r"|(?:i|we|they|the (?:user|operator|developer|system)|your (?:owner|user|developer)|anyone)"
        r"(?: have| has|'ve)? (?:told you|asked you|instructed|said (?:before|above|so far|earlier"
        r"|until now))|the user (?:said|asked|wants)\b"
        r"|(?:said|written|stated) (?:above|before|so far|earlier)|(?:above|before this|before that"
        r"|prior to this)"
        r"(?= ?(?:[.!,;:]|and\b|instead|$)))",
    ),
    Sign(
        reasons.IGNORE,
        ("ignor", "disregard", "forget"),
        r"\b(?:ignore|disregard|forget(?: about)?) (?:all |any |the |everything in )?"
        r"(?:your|my|the user'?s|the system'?s?|the developer'?s?) (?:\w+ ){0,2}?"
        r"(?:instructions?|directives?|prompts?|guidelines|guardrails|programming|training|safety rules?"
        r"|rules|restrictions|task)\b"
        + IN_A_DOCUMENT
        + r"|(?:^|[.!?:] ?)(?:ignore|disregard|forget) (?:the|your) user'?s? (?:request|question|task)"
        r"(?= ?[.!,;]| and\b)",
        r"\b(?:settings?|eslint|config|lint\w*) |" + _QUOTED,
    ),
    Sign(
        reasons.IGNORE,
        ("ignore", "disregard", "forget"),
        r"\b(?:ignore|disregard) (?:all|any)(?: of)?(?: the| your| my)? (?:previous|prior|earlier|above"
        r"|preceding) (?:messages|context|conversation|text|content|input)\b|\b(?:ignore|disregard) "
        r"(?:all |any |every |the |other ){0,2}(?:guidance|instructions?|rules|orders|directives|advice"
        r"|prompts?)(?: that)? (?:you(?: ha|')ve|you were|you|i|we|they) (?:been given|received?|given|got"
        r"|gave|were given|told|read|have|had)\b"
        r"|\bforget (?:all )?the (?:rules|instructions|orders) you (?:were|have been) (?:given|told)\b",
    ),
    Sign(
        reasons.IGNORE,
        ("directive", "instruction", "order", "guidelines", "prompt", "safety", "rule", "filter", "restriction"),
        r"\b(?:all|any|your|every|the)(?: of)?(?: your| the)? (?:previous|prior|earlier|original|old"
        r"|safety|system) (?:\w+ )?(?:instructions?|directives?|orders?|guidelines|prompts?|rules?|filters"
        r"|restrictions)"
        r" (?:(?:are|is|were|have been|has been)(?: now| hereby)? (?:void|null|cancell?ed|revoked"
        r"|overridden|superseded|invalid|disabled|suspended|lifted|a test)|no longer (?:apply|applies|hold"
        r"|count|matter|valid)|(?:do not|don't) (?:apply|count|hold|matter))\b",
        r"\b(?:docs?|readme|wiki|config|eslint|firewall|when|if)\b",
    ),
    Sign(
        reasons.IGNORE,
        ("instructions", "prompt", "guidelines", "directives", "orders"),
        r"\b(?:do not|don'?t|stop|no longer|never|without) (?:follow(?:ing)?|obey(?:ing)?|listen"
        r"(?:ing)? to|adher(?:e|ing) to|comply(?:ing)? with)"
        r" (?:any |all |the |your |my |of ){0,3}(?:previous|prior|earlier|original|initial|system"
        r"|developer|safety|user'?s)"
        r" (?:\w+ )?(?:instructions?|prompts?|guidelines|directives|orders|messages?)\b" + IN_A_DOCUMENT,
    ),
    Sign(
        reasons.IGNORE,
        ("override", "supersede", "precedence", "priority over", "replace", "void", "cancel"),
        r"\b(?:this|these|it|which|that|below|following|message|text|note|instructions?|rules?|prompt)"
        r"(?: \w+){0,3}? (?:overrides?|supersedes?|takes? (?:precedence|priority) over|replaces?|voids?"
        r"|cancels?) "
        r"(?:all |any |every |each )?(?:of )?(?:your |my |the )?(?:previous|prior|earlier|other|original"
        r"|system|existing|user'?s?)"
        r" (?:\w+ )?(?:instructions|orders|directives|commands from|guidelines)\b" + IN_A_DOCUMENT,
        r"\b(?:flag|option|env|variable|config|cli|argument|\.\w{2,4}) ",
    ),
)

POSING = (
    Sign(
        reasons.POSE,
        ("message", "instruction", "request", "note", "notice"),
        r"\b(?:message|instructions?|request|note|notice|order|directive|command)s? (?:\w+ )?(?:from|by) "
        r"(?:me,? )?"
        r"(?:the |your )(?:real |actual |legitimate |system )?(?:user|owner|developers?|creators?|admin\w*"
        r"|operator|system|principal)"
        r"(?:,? (?:to|for) (?:you|the (?:assistant|ai|agent|model)|all (?:agents|assistants))\b|:|, (?:the"
        r"|your) )",
        r"\b(?:is|are|was|were|gets?) (?:\w+ed|kept|sent|cut|shown|put)\b",
    ),
    Sign(
        reasons.POSE,
        ("this is", "i am", "i'm"),
        r"\b(?:this is|i am|i'm) (?:me, )?(?:the |your )(?:real |actual |true |new |legitimate |system )?"
        r"(?:user|owner|developer|creator|admin\w*|operator|supervisor|boss)(?: speaking|,? and | of this "
        r"(?:agent|assistant|ai))",
    ),
    Sign(
        reasons.POSE,
        ("the user", "the owner", "the human", "the operator"),
        r"\bthe (?:user|owner|human|operator) (?:has |have )?(?:already |explicitly |previously |pre-?)+"
        r"(?:approved|authori[sz]ed|consented to|confirmed|agreed to|given (?:consent|permission)) ?"
        r"(?:this|these|all|any|every|the following|to|for)\b|\bthe user wants you to (?:ignore|send"
        r"|forward|upload|keep|hide)\b"
        r"|\bthe user (?:has )?(?:agreed to|approved|allowed|accepted) (?:everything|anything)\b",
        r"\b(?:if|once|when|until|after|whether|unless|that|only)\b[^.]{0,20}\bthe user has\b",
    ),
    Sign(
        reasons.POSE,
        ("anthropic", "openai", "google", "microsoft", "security team", "it department"),
        r"\b(?:message|notice|instructions?|order|directive|update|request) (?:from|by) (?:the )?"
        r"(?:anthropic|openai|google|microsoft|"
        r"(?:it |ai )?(?:security|safety) (?:team|department)|it department)\b[^.!?]{0,60}(?:you (?:must"
        r"|are|should|need)|agents?|assistants?|comply|:)",
    ),
)
