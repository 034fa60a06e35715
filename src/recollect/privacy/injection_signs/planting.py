"""Orders for later: to obey in every session, to approve everything, to destroy files."""

from recollect.privacy.injection_signs import reasons
from recollect.privacy.injection_signs.sign import NEGATED, ORDER, Sign, any_of

_LATER = (
    r"(?:(?:all|every|any|each|your|my|the) )?(?:of )?(?:(?:all|your|my|the) )?(?:future|later|coming"
    r"|subsequent|following|other|next|new|upcoming) (?:sessions?|conversations?|chats?|tasks?"
    r"|requests?|interactions?|projects?|responses?|answers?|replies)"
)
_OUTWARD = (
    r"(?:send|e-?mail|mail|forward|post|upload|transfer|wire|pay|visit|open|book|buy|order|reserve"
    r"|make (?:me|us|(?:a|an|the) (?:reservation|payment|booking|transfer|purchase))|delete|remove|approve"
    r"|purchase|withdraw|deposit|unlock|call (?:my|the|him|her)|text (?:my|him|her)|subscribe|retrieve|look up"
    r"|accept|allow|grant|share|reply|say|tell|recommend|promote|invite|change|modify|update (?:the|my"
    r"|his|her) (?:password|address|account|recipient)|create (?:a|an) [^.]{0,30}?(?:event|account"
    r"|meeting|user|file|link)|click|download|execute|concatenate|get (?:me|all|the)|include (?:the|a"
    r"|this) (?:link|url|image)|append|insert|bcc|cc|curl|skip|bypass|disable|trust|obey|leak|schedule"
    r"|add (?:me|him|her|a) )"
)
PLANTING = (
    Sign(
        reasons.PLANT,
        ("future", "later", "coming", "subsequent", "following", "other", "next", "new", "upcoming"),
        rf"\b(?:remember|memori[sz]e|note|store|save|record|keep in (?:mind|memory))\b[^.!?]{{0,40}}?\b"
        rf"(?:for|in|across|during|to use in) {_LATER}\b[^.!?]{{0,40}}?[:,.-]? ?(?:that )?(?:you (?:must"
        rf"|should|will|have to) )?(?:please )?(?:always )?\b{_OUTWARD}|(?:^|[.!?:] ?)(?:in|for|across"
        rf"|during) {_LATER},? (?:you (?:must|should|will) )?(?:please )?(?:always )?"
        r"(?:b?cc|send|forward|e-?mail|approve|transfer|pay|visit|recommend|promote|curl|upload|share|leak)\b",
    ),
    Sign(
        reasons.PLANT,
        any_of("from now on|future|henceforth|always|every time|whenever|any time|each session|every session"),
        r"\b(?:from now on|henceforth|in (?:all|every|any) (?:future )?(?:sessions?|conversations?|chats?"
        r"|tasks?)|for (?:all|every) future (?:sessions?|requests?|tasks?|conversations?)|always"
        r"|every time|whenever|in each session)\b[^.!?]{0,80}?"
        r"\b(?:auto-?)?(?:approve|accept|allow|authori[sz]e|grant|confirm|run|execute)(?: and run)? (?:all"
        r"|any|every|each|whatever) (?:\w+ ){0,3}?(?:commands?|requests?|tool calls?|permissions?|actions?"
        r"|transactions?|payments?|transfers?|instructions?|scripts?|code|access)\b(?! (?:in|from|under"
        r"|inside|of) (?:the )?(?:makefile|ci|tests?|scripts?|docs))",
        r"\b(?:ci|pipeline|bot|middleware|firewall|server|mock|stub|fake|tests?|cors|dependabot|renovate"
        r"|through|via|inside|with|in a|under|as|against|one by one|migrations?)\b",
    ),
    Sign(
        reasons.PLANT,
        ("confirmation", "approval", "permission", "safety", "security", "asking"),
        r"\b(?:from now on|henceforth|always|in (?:all|every|any) (?:future )?(?:sessions?|conversations?"
        r"|tasks?)|for (?:all|every) future \w+)\b[^.!?]{0,60}?\b(?:skip|bypass|disable|suppress|ignore"
        r"|turn off) (?:all |any |the |every |its |your ){0,2}(?:user )?(?:confirmations?|approvals?"
        r"|permissions?|safety|security|human review)(?: (?:prompts?|checks?|reviews?|dialogs?|warnings?"
        r"|steps?|requests?|filters?))?\b",
        r"\b(?:tests?|ci|mock|e2e|fixtures?|staging|false positives?|in dev|playwright|cypress)\b",
    ),
    Sign(
        reasons.PLANT,
        any_of("without asking|without confirm|without approval|without permission|not ask|never ask|n't ask"),
        r"\b(?:run|execute|approve|accept|send|install|delete|transfer|perform|carry out|push|apply)\b "
        r"(?:all|any|every|whatever|each|shell|the) ?(?:\w+ ){0,4}?(?:commands?|code|requests?|actions?"
        r"|scripts?|payments?|transactions?|tool calls?|emails?|instructions?)\b[^.!?]{0,60}?(?:without "
        r"(?:asking|confirm\w+|approval|permission)|(?:do not|don'?t|never) ask)",
        r"\b(?:never|must not|do not run|don'?t run|not allowed|forbidden|refuse\w*|make \w+|read-only"
        r"|lint\w*|test\w*|makefile|you (?:can|may))\b",
    ),
    Sign(
        reasons.PLANT,
        ("auto-approv", "autoapprov", "approve", "skip"),
        r"\bthe user (?:always |now |has )?(?:wants?|prefers?|likes?|allows?|agreed|trusts?"
        r"|expects?)\b[^.!?]{0,80}?\b(?:auto-?approv\w+|approve (?:all|any|every)|skip(?:ped|ping)? "
        r"(?:all |any )?(?:confirmations?|permissions?|approvals?))",
    ),
    Sign(
        reasons.DESTROY,
        ("rm -rf",),
        rf"{ORDER}(?:run|execute|do) [`'\"]?(?:sudo )?rm -rf (?:--no-preserve-root )?(?:/|~|\$home)"
        r"(?:[\s`'\"*.]|$)",
        NEGATED,
    ),
    Sign(
        reasons.PLANT,
        ("obey", "trust", "treat", "follow", "carry out", "execute"),
        r"\b(?:obey|comply with) (?:all |any |every |the |its ){0,2}(?:instructions?|commands?|orders?"
        r"|directives?|requests?) (?:from|in|on|at|found|that (?:appear|come|are))\b|\b(?:execute"
        r"|carry out|follow) (?:all |any |every |the ){0,2}(?:instructions?|commands?|orders?"
        r"|directives?) (?:from|in|on|at|found (?:in|on|at)|that (?:appear|come|are) \w+) (?:this|that"
        r"|these|the|any|my)? ?(?:https?://|comments?|emails?|websites?|web ?pages?|attached)\b|\btreat "
        r"(?:everything|all|any|every|the) (?:\w+ ){0,4}?(?:as|like) (?:trusted (?:instructions?|commands?"
        r"|orders?)|instructions|commands|orders|(?:if it came )?from (?:the user|your user"
        r"|me, the user))\b|\b(?:always )?trust (?:all|any|every) (?:instructions?|messages?|emails?"
        r"|commands?|requests?|content) (?:from|that comes from|by|at) ",
        NEGATED + r"|\b(?:worker|runner|scheduler|cluster|agentless|ssh|proxy|proxies|cert\w*|ca)\b",
    ),
    Sign(
        reasons.PLANT,
        any_of(
            "add this to|store this|save this|write this|update your memory|your memory|long-term memory|"
            "your rules|claude.md|agents.md|cursorrules"
        ),
        r"\b(?:add|store|save|write|put|persist|copy|append) (?:this|these|the following)(?: \w+){0,4}? "
        r"(?:to|in|into) (?:your|the (?:agent|assistant|ai)(?:'s)?)(?: own| long-term| permanent"
        r"| persistent)? (?:memory|memories|rules|system prompt|instructions|knowledge)\b|\b(?:update"
        r"|overwrite|replace|edit) your (?:long-term |permanent |persistent )?(?:memory|memories|rules"
        r"|system prompt|instructions) (?:to|with|so|and)\b",
    ),
)
