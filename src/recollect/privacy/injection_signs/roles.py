"""New roles for the agent, and texts that address any agent that reads them."""

from recollect.privacy.injection_signs import reasons
from recollect.privacy.injection_signs.sign import AI, NEGATED, Sign, any_of

ROLES = (
    Sign(
        reasons.ROLE,
        ("you are now", "you're now", "you will now", "you are no longer", "you are going to"),
        r"\b(?:you are|you're|you will) (?:now|no longer|going to)(?: be| act as| play)?,? (?:(?:an?|the"
        r"|my|in|called|named|known as|bound|restricted|limited|subject|free|operating|acting|dan)\b)"
        r"(?! (?:member|part|owner|admin of|folder|directory|branch|shell|venv|repo\w*|project|team|main"
        r"|root of|position|place|loop|queue|sync|step)\b)"
        r"(?: \w+){0,4}? ?(?:assistant|ai|agent|bot|model|hacker|admin\w*|mode|gpt|dan|persona|character"
        r"|terminal|shell|by|from|to|of|unrestricted|evil|expert|helper|tool|pirate)\b",
        r"\b(?:message|toast|banner|says|shows|dialog|status|prompt is)\b",
    ),
    Sign(
        reasons.ROLE,
        ("from now on", "henceforth", "starting now", "from this "),
        r"\b(?:from now on|henceforth|starting now|from this (?:point|moment)(?: on\w*| forward)?),? (?:"
        r"(?:respond|answer|reply|speak) only (?:in the persona|as|like|to)|you (?:are|will be|shall be"
        r"|act|will act|will answer|will respond|obey|must obey|only obey|serve|work for)|your (?:name"
        r"|role|task|goal|job|purpose) is|pretend|act as|answer only to)\b",
    ),
    Sign(
        reasons.ROLE,
        any_of(
            "your new|your real|your true|your actual|your only|your primary|your updated|new system prompt|"
            "new instructions"
        ),
        r"\byour (?:new|real|true|actual|only|primary|updated|hidden|secret) (?:task|goal|purpose"
        r"|instructions?|objective|mission|job|role|identity|orders|directives?|system prompt)s? (?:is|are"
        r"|:)|\bnew system prompt ?(?::|is|=)|\b(?:here are|follow these|these are) (?:your |the )?new "
        r"(?:instructions|orders|directives)",
    ),
    Sign(
        reasons.ROLE,
        any_of("do anything now|jailbreak|dan mode|no restrictions|no rules|no ethical|unrestricted|developer mode"),
        r"\bdo anything now\b|\b(?:enter|enable|activate|switch to|in) (?:jailbreak|dan|god"
        r"|unrestricted) mode\b|\byou (?:have|now have|are under|follow) no (?:restrictions|rules|ethical"
        r"|content policy|limits|guidelines)|\bact as an? (?:unrestricted|unfiltered|uncensored)\b"
        r"|\bdeveloper mode (?:is )?(?:enabled|activated|on)[.,;:!]? (?:you|ignore|all|your)",
    ),
    Sign(
        reasons.ROLE,
        ("pretend", "imagine you", "roleplay", "role-play"),
        r"\b(?:pretend|imagine|act as if|roleplay as if) (?:that )?(?:you are|you're|to be|you have"
        r"|you had) (?:an? |the |no )?(?:\w+ )?(?:ai|assistant|hacker|evil|unrestricted|root|restrictions"
        r"|rules|guidelines|guardrails|administrator)\b",
    ),
)


ADDRESSING = (
    Sign(
        reasons.ADDRESS,
        any_of("as an ai|as a language|as an llm|as a large|as the ai|as an assistant|as a coding|as a helpful"),
        r"\bas (?:an?|the) (?:\w+ )?(?:ai|llm|language model|assistant)(?: \w+)?,? you (?:must|should|are "
        r"(?:required|obliged|instructed|to)|have to|need to|will|shall|may not|cannot)\b",
    ),
    Sign(
        reasons.ADDRESS,
        ("if you are", "if you're", "if an ai", "if a language", "if an llm"),
        rf"\bif (?:you are|you're) (?:an?|the) (?:\w+ )?{AI}\b(?: \w+){{0,6}}?,? ?(?:you|please|ignore|do"
        r"|send|include|say|then|stop|reply|respond|add|must|run|and)\b|\bif (?:you are|you're) an? "
        rf"(?:\w+ )?{AI}(?: \w+)? (?:processing|reading|parsing|reviewing|summari[sz]ing|handling) (?:this"
        rf"|these)\b|\bif an? {AI} (?:reads?|is reading|sees?|processes)\b",
    ),
    Sign(
        reasons.ADDRESS,
        ("attention", "dear", "hey", "hello", "calling", "note to", "note for", "message to", "message for"),
        r"\b(?:attention|dear|hello|calling|(?:hidden |secret )note for|note to|message (?:to|for)|hey),?"
        rf" (?:all |any |every |the |to )?(?:{AI}s?|(?:ai |llm |coding |automated )(?:agents?|assistants?|models?|bots?"
        rf"|systems?|reviewers?)|assistants?|agents?)\b[^.!?]{{0,60}}?[:,!.-] ?[^.!?]{{0,40}}?\b(?:you"
        r"|ignore|must|please|do|send|stop|include|run|execute|your|approve|always)\b",
    ),
    Sign(
        reasons.ADDRESS,
        any_of(
            "reading this|read this|reads this|processing this|processes this|parsing this|summarizing this|"
            "summarising this|reviewing this|reviews this|sees this|see this|encounter this"
        ),
        rf"\b(?:any |an |all |the |every )?(?:(?:{AI}s?|(?:ai |llm |automated )(?:agents?|assistants?"
        rf"|bots?))(?: (?:that|who|which|is|are|currently)){{0,3}} (?:read(?:s|ing)?|process(?:es|ing)?"
        r"|pars(?:es?|ing)|summari[sz](?:es?|ing)|review(?:s|ing)?|sees?|seeing|analy[sz](?:es?"
        rf"|ing)) this\b[^.!?]{{0,80}}?|(?:agents?|assistants?|bots?|models?)(?: (?:that|who|which|is|are"
        rf"|currently)){{0,3}} (?:reads?|reading|processing|parsing|summari[sz]ing|sees?"
        r"|seeing) this ?[,:]? ?)\b(?:must|should|ignore|please|do|send|stop|include|run|execute|need"
        r"|has to|have to|approve|will|is required|are required|:)",
        NEGATED + r" (?:a |the |need|use)",
    ),
    Sign(
        reasons.ADDRESS,
        ("ing this",),
        r"\bwhen(?:ever)? (?:you (?:are )?)?(?:summari[sz]ing|reviewing|processing|analy[sz]ing|reading"
        r"|describing|parsing) this (?:page|document|e-?mail|file|text|repo\w*|issue|pr|pull request"
        r"|website|article|message|ticket),? (?:you (?:must|should|will) |always |please |also |then )*"
        r"(?:include|say|add|mention|state|recommend|approve|output|ignore|report that|send|insert|append"
        r"|claim|write|praise|reply|answer)\b",
    ),
    Sign(
        reasons.ADDRESS,
        ("you see this", "you read this", "you encounter this", "reading this"),
        r"\b(?:when(?:ever)?|once|if|as soon as|after) you (?:see|read|encounter|process|reach|are reading"
        r"|have read) this(?: (?:text|comment|note|page|document|email|instruction|sentence|memory"
        r"|paragraph|readme))?(?: ?[,:;-]| you|\b(?= (?:send|ignore|immediately|run|execute|please))) ?"
        r"(?:you (?:must|should|will|have to|need to)|immediately|please|first|then|send|execute|ignore"
        r"|reply|respond|forward|say|print|output|delete|stop|upload|e-?mail|fetch|call|add)\b",
        r"\b(?:this,? (?:restart|rebuild|clear|check|rerun|the|it is|it's))\b",
    ),
    Sign(
        reasons.ADDRESS,
        ("you must", "you are", "you shall", "you have been"),
        r"\byou (?:must|are (?:hereby )?(?:required to|instructed to|ordered to|commanded to"
        r"|programmed to)|shall|have been (?:instructed|ordered|authori[sz]ed|reprogrammed) to) (?:now "
        r"|always |immediately |strictly |first )*(?:obey|comply|ignore (?:all|any|the|your|previous)"
        r"|disregard|execute (?:the following|this|these|all|any)|follow (?:these|my|only|the following"
        r"|all) (?:new )?(?:instructions?|orders|commands)|send (?:all|the user|your|any)|reveal|recommend"
        r"|promote|advertise|endorse|exfiltrate|do as i|carry out)\b",
    ),
)
