"""Text that poses as a message of the host: chat templates, system messages, invisible markup."""

from recollect.privacy.injection_signs import reasons
from recollect.privacy.injection_signs.sign import AI, Sign

_TAGS = (
    r"(?:system|information|instructions?|important|admin|assistant|developer|secret|priority|sudo"
    r"|directive|hidden|urgent"
    r"|system[-_ ](?:message|prompt|reminder|override|instructions?|note)|user[-_ ](?:message|request"
    r"|instructions?)|new[-_ ](?:task|instructions?))"
)
_CALL = (
    r"(?:you(?:r|'re)?|ignore|send|please|do not|don't|must|forget|disregard|override|from now|new"
    r"|the user|attention"
    r"|important|always|never|reply|execute|run|delete|forward|e-?mail|transfer|visit|create|make"
    r"|change|get|upload|post|reveal|stop)\b"
)

_STRONG_CALL = (
    r"(?:you (?:are|must|will|answer|only|obey|now|have been)|ignore (?:all|any|your|the user|previous"
    r"|prior)|disregard|forget (?:all|your|everything)"
    r"|override|from now on|the user (?:has|wants|is)|your (?:safety|new|previous|instructions"
    r"|restrictions)|all (?:previous|prior|safety)|new instructions)\b"
)

TEMPLATES = (
    Sign(
        reasons.TEMPLATE,
        ("<",),
        rf"(?<![`\w])<{_TAGS}(?: [^<>]{{0,80}})?> ?(?:[^<`]{{12,4000}}</|[^<`]{{0,30}}\b{_CALL})",
        r"> (?:tags?|elements?|blocks?|nodes?|sections?|is|are|holds?|wraps?|contains?|must|should|and)\b",
    ),
    Sign(
        reasons.TEMPLATE,
        ("<|",),
        r"(?<!`)<\|(?:im_start|start|system|user|assistant|developer|start_header_id|begin_of_text"
        r"|begin.of.sentence|message|channel)\|?>?"
        r" ?(?:system|user|assistant|developer|<\||you\b|[a-z]+ [a-z]+ [a-z]+)",
        r"> ?(?:is|tokens?|markers?|and|as|in|of|to|for|at)\b",
    ),
    Sign(
        reasons.TEMPLATE,
        ("<|",),
        r"<\|(?:im_end|end|eot_id|eot|endoftext|end_of_text|end.of.sentence)\|> ?(?:<\||system\b|user\b"
        r"|assistant\b|human\b)",
    ),
    Sign(
        reasons.TEMPLATE,
        ("<start_of_turn>", "<end_of_turn>", "<<sys>>", "[inst]", "[/inst]"),
        r"(?<!`)(?:<start_of_turn> ?(?:user|model|system)|<end_of_turn> ?<|<<sys>> ?\w+ \w+|\[/?inst\] ?"
        r"(?:<<|\w+ \w+))",
        r"\b(?:tokens?|tags?|markers?|template)\b",
    ),
    Sign(
        reasons.TEMPLATE,
        ("system", "admin", "developer", "assistant", "instruction", "human"),
        r"(?:^|[.!?>\]#*-] ?)(?:[#*\[({=-]{1,6} ?(?:system|admin\w*|developer|root)(?: (?:message|prompt"
        r"|note|notice|override|alert|instructions?|update|command|directive|mode))?"
        rf" ?[\])}}*=-]{{0,6}} ?: ?[\])}}*=-]{{0,6}} ?{_CALL}|(?:system|developer|admin\w*)(?: (?:message"
        rf"|note|notice|override|alert|update|command|directive))? ?: ?{_STRONG_CALL})",
    ),
    Sign(
        reasons.TEMPLATE,
        ("system", "admin"),
        rf"[\[({{*=#-] ?(?:system|admin\w*)(?: (?:message|prompt|note|notice|override|alert|instructions?"
        rf"|update|command|directive))? ?[\])}}*=#-]{{1,6}} ?{_CALL}",
    ),
    Sign(
        reasons.TEMPLATE,
        ("system override", "admin override", "system directive", "priority override"),
        r"\b(?:system|admin|priority) (?:override|directive)\b ?(?:[:!\])-]|engaged|activated|in effect)",
    ),
    Sign(
        reasons.TEMPLATE,
        ("end of", "end system", "begin system", "end_of", "start of"),
        r"[\[(<{=*#-]{1,6} ?(?:end|begin|start)(?:ning)?(?: of)?(?: the)? (?:system|user|original|previous"
        r"|untrusted|tool|real|actual)(?:'s)? (?:prompt|instructions?|message|input|output|context|query"
        r"|request)",
    ),
)


COMMENTS = (
    Sign(
        reasons.COMMENT,
        ("<!--",),
        rf"<!--(?=[^>]{{0,300}}?\b(?:{AI}s?|assistants?|agents?)\b)(?=[^>]{{0,300}}?\b(?:must|should"
        r"|please|ignore|send|run|execute|add|include|insert|do not|don't|never|always|approve|forward"
        rf"|upload|reply|say)\b)|<!--[^>]{{0,200}}?\b(?:ignore (?:all|any|previous|the (?:above|user"
        r"|reviewer))|do not tell|don't tell|you must (?:obey|send|approve|run)|send (?:all|your"
        r"|the user))\b",
        r"\b(?:if you (?:edit|change|add)|do not edit|don't edit|generated)\b",
    ),
    Sign(
        reasons.COMMENT,
        ("display", "font-size", "visibility", "opacity", "color"),
        r"(?:display ?: ?none|font-size ?: ?[01](?:px|pt)?\b|visibility ?: ?hidden|opacity ?: ?0\b(?!\.)"
        r"|colou?r ?: ?(?:white|#fff\w*|transparent))[^<>]{0,80}> ?[^<]{0,200}?\b(?:ignore|you must"
        r"|instructions|assistant|system prompt|send (?:all|the))\b",
    ),
)
