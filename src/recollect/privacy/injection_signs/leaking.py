"""Orders to send data or money away, to show the system prompt, to run encoded commands."""

from recollect.privacy.injection_signs import reasons
from recollect.privacy.injection_signs.sign import NEGATED, ORDER, Sign, any_of

_SECRET = (
    r"(?:environment(?:al)? variables?|env(?:ironment)? vars?|\.env\b|ssh keys?|private keys?"
    r"|signing keys?|api[ _-]?keys?|access[ _-]?(?:keys?|tokens?)|auth(?:entication)?[ _-]tokens?"
    r"|tokens|credentials?|passwords?|passphrases?|secrets|cookies|session (?:tokens?|cookies)"
    r"|passport|credit[ _-]card|bank[ _-]account|social security|iban|security codes?"
    r"|verification codes?|2fa codes?"
    r"|inbox|chat history|conversation(?: history)?|address book|wallet|seed phrase|personal (?:data"
    r"|information|details)|user (?:data|information|records)|keychain|id_rsa|\.ssh|\.aws)"
)
_PAPERS = (
    r"(?:e-?mails?|messages|files?|documents?|contacts|source code|code ?base|repository|database"
    r"|transactions?|\w+ history)"
)
_WHOSE = (
    r"(?:the (?:full |entire |complete |whole |raw )?(?:contents?|bod(?:y|ies)|text|list|values?|dump"
    r"|output) of|a (?:full |complete )?(?:copy|dump|list|summary) of|all|every|each|any|my|your|his"
    r"|her|their|the user'?s|user'?s|this user'?s|the (?:entire|whole|full|complete))"
)
_SEND_AWAY = r"(?:send|e-?mail|mail|forward|post|upload|share|transmit|exfiltrate|leak)"
_SEND = (
    r"(?:send|e-?mail|mail|forward|post|upload|share|transmit|exfiltrate|leak|submit|deliver|dump"
    r"|paste|concatenate)"
)
_THERE = (
    r"(?:https?://|hxxps?://|ftp://|[\w.+-]{1,40}@[\w-]{1,40}\.\w|attacker|pastebin|ngrok"
    r"|webhook\.site|requestbin|the (?:website|url|link)\b|(?:(?:a|an|the|our) )?(?:this|that|my"
    r"|following|external|remote|public|new|his|her) "
    r"(?:[\w']+ ){0,2}(?:url|website|web ?site|site|server|address|endpoint|link|e-?mail|account|host"
    r"|domain|ip|channel|number|gist|webhook|bucket|bot)\b|(?:\d{1,3}\.){3}\d{1,3})"
)
LEAKING = (
    Sign(
        reasons.LEAK,
        any_of("send|mail|forward|post|upload|share|transmit|exfiltrate|leak|submit|deliver|dump|paste|concatenate"),
        rf"{ORDER}(?:{_SEND} (?:me |us |back )?(?:out )?{_WHOSE} [^!?]{{0,60}}?(?:\b|"
        rf"(?=\.)){_SECRET}\b[^!?]{{0,80}}?\b(?:to|at|via|into|through|in the (?:url|query|request)"
        rf"|using) {_THERE}|{_SEND_AWAY} {_WHOSE} [^.!?]{{0,60}}?\b{_PAPERS}\b[^!?]{{0,80}}?\bto "
        rf"(?:[\w ]{{0,30}}e-?mail address|[\w.+-]{{1,40}}@[\w-]{{1,40}}\.\w))",
        NEGATED + r"|\b(?:public|we|they|clients?|workers?|cron|ci|pipeline|job|nightly|backups?|service|app"
        r"|coverage|sentry|codecov|artifact\w*|build|release|users|customers?|tests?|staging|log files?"
        r"|mailhog|mailpit|s3|gcs|registry|pypi|npm|docs?)\b",
    ),
    Sign(
        reasons.LEAK,
        any_of(
            "environment variables|env var|.env|ssh key|private key|chat history|conversation|system prompt|"
            "inbox|id_rsa|passport|credit card|security code|seed phrase|~/."
        ),
        rf"{ORDER}(?:send|e-?mail|forward|post|upload|share|transmit|exfiltrate|leak|submit|dump|paste"
        rf"|tell me|give me) (?:\w+ ){{0,2}}?(?:the |my |your |all |any ){{0,2}}(?:[\w']+ ){{0,3}}?"
        r"(?:environment variables|env vars?|\.env(?: file)?|ssh (?:private )?keys?|private keys?"
        r"|chat history|conversation(?: history)?|system prompt|inbox|id_rsa"
        r"|~/\.(?:aws|ssh|netrc|kube|gnupg)|passport number|credit card"
        rf"(?: number)?|security codes?|seed phrase)\b[^!?]{{0,100}}?\b(?:to|at|via|into|through) ?{_THERE}",
        NEGATED + r"|\b(?:public|we|they|clients?|ci|pipeline|job|vault|1password|bitwarden|github secrets|heroku"
        r"|vercel|fly|container|docker|stripe|tokeni[sz]\w*|deploy key\w*|form|frontend|backend"
        r"|checkout)\b",
    ),
    Sign(
        reasons.LEAK,
        ("curl", "wget", "nc ", "netcat", "invoke-webrequest", "http"),
        r"\b(?:curl|wget|http(?:ie)?|invoke-webrequest|iwr)\b[^;|\n]{0,200}?(?:-d|--data[\w-]*|-f|--form"
        r"|-t|--upload-file|--post-file|--post-data|-body)[ =]?[\"']?(?:[\w=]{0,30})?(?:@[\"']?"
        r"(?:[~\w./$-]{0,60})?(?:\.env|id_rsa|id_ed25519|\.ssh|\.aws|\.netrc|passwd|shadow|credentials"
        r"|secret|\.npmrc|\.pypirc|wallet)|[\"']?\$\(? ?(?:env|printenv|cat |<|base64))"
        r"|\bwget\b[^;|]{0,100}?--post-file[ =][\"']?(?:/etc/(?:passwd|shadow)"
        r"|[~\w./-]{0,60}(?:\.env|id_rsa|\.ssh|\.aws))",
    ),
    Sign(
        reasons.LEAK,
        ("| curl", "|curl", "| nc", "|nc", "| wget", "| base64", "|base64", "| xxd"),
        r"\b(?:printenv|env|set|cat [^|;]{0,80}?(?:\.env|id_rsa|id_ed25519|\.ssh|\.aws|passwd|shadow"
        r"|credentials|\.netrc|secret|history)[^|;]{0,40}) ?\|(?:[^|;]{0,60}\|)?[^|;]{0,20}?\b(?:curl|nc"
        r"|ncat|netcat|wget|telnet)\b",
    ),
    Sign(
        reasons.LEAK,
        ("~/.", "/etc/", "id_rsa", ".ssh", ".aws", "mcp.json", ".env", "secret", "private", "`env", "printenv"),
        r"\b(?:read|open|cat|load|get|encode|take)\b[^!?]{0,60}?(?:~/\.\w+|/etc/(?:passwd|shadow)|id_rsa"
        r"|id_ed25519|\.ssh/|\.aws/|mcp\.json|\.env\b|secrets?\.\w+|private keys?)[^!?]{0,60}?\b(?:and"
        r"|then) (?:\w+ )?(?:pass|send|include|put|add|append|provide|attach|post|paste|return"
        r"|embed)\b[^!?]{0,60}?\b(?:parameter|argument|sidenote|note|field|description|comment|issue|url"
        r"|message|reply|response|answer|gist)\b"
        r"|\b(?:append|add|include|attach|send|post|put|pass)\b[^.!?]{0,30}?\b(?:output|contents?"
        r"|values?) of [`'\"]?(?:env|printenv|\.env|~/\.\w+|/etc/\w+)\b[^!?]{0,60}?\b(?:to|in|with|as) "
        r"(?:every|each|all|your|the) "
        r"|\b(?:create|open|publish|make|post)\b[^.!?]{0,40}?\bpublic\b[^.!?]{0,40}?\b(?:contents? of|with"
        r"|containing)\b[^.!?]{0,30}?\bprivate (?:repos?\w*|keys?|data|files?|messages)\b",
        NEGATED,
    ),
    Sign(
        reasons.LEAK,
        ("![",),
        r"!\[[^\]]{0,100}\]\(https?://[^)\s]{0,300}[?&/=](?:\w{1,30}=)?(?:\{|\[|<|\$|%7b|\.\.\.)",
    ),
    Sign(
        reasons.LEAK,
        any_of("user information|user data|personal|user's|my password|passport|credit card|bank account"),
        r"(?:^|[.!?] )(?:please )?(?:get|collect|gather|find|extract|read|retrieve|fetch) (?:all |any "
        rf"|the |every ){{0,2}}(?:of )?(?:the )?(?:user(?:'s)?|my|personal|customer) (?:personal |private "
        rf"|account )?(?:information|data|details|passwords?|credentials|secrets)\b[^!?]{{0,160}}?\b(?:send"
        rf"|(?:e-?)?mail|post|upload|forward) (?:it|them|this|that|these)(?: \w+)? to (?:my|{_THERE})",
        r"\b(?:we|form|endpoint|service|gdpr|export)\b",
    ),
    Sign(
        reasons.LEAK,
        ("send", "mail", "post", "upload", "forward"),
        rf"\b(?:my|your|the user'?s|all|any|every|contents? of) (?:\w+ ){{0,2}}?{_SECRET}\b[^!?]{{0,160}}?{ORDER}"
        r"(?:send|(?:e-?)?mail|post|upload|forward) (?:it|them|this|that|these|everything|the results?)"
        rf"(?: \w+)? to {_THERE}",
        NEGATED + r"|\b(?:we|form|endpoint|service|gdpr|export|stripe|vault)\b",
    ),
    Sign(
        reasons.LEAK,
        ("e-mail", "email"),
        r"(?:^|[.!?:>] ?)(?:please )?(?:e-?mail|send|forward) (?:the |all |every )(?:\w+ ){0,3}?"
        r"(?:contents?|body|bodies|emails?|codes?|files?)\b[^.!?]{0,100}?\b(?:inbox|cloud|received|unread"
        r"|drive|sent emails?)\b[^.!?]{0,80}?\bto\b",
        NEGATED + r"|\b(?:we|mailhog|mailpit|queue|webhook|service|tests?|worker|handler)\b",
    ),
)


OTHERS = (
    Sign(
        reasons.MONEY,
        ("transfer", "wire", "send", "donate"),
        r"(?:^|[.!?:>] ?|\bplease |\binstead,? |\bmust |\bfirst,? )(?:send|transfer|wire|donate) "
        r"(?:as much money|all (?:of )?(?:my|the|your|their) (?:money|funds|balance)|(?:[$€£]|usd |eur "
        r"|btc )\d[\d,.]*|\d[\d,.]* ?(?:dollars|euros?|usd|eur|btc|bitcoins?|eth"
        r"|usdc))\b[^.!?]{0,100}?\bto\b",
        r"\b(?:never|not|don'?t|cannot|tests?|sandbox|fixture|scenario|when|user story)\b",
    ),
    Sign(
        reasons.PROMPT,
        ("prompt", "instructions"),
        r"\b(?:reveal|print|output|show|repeat|tell|leak|display|send|recite|disclose|dump|give|paste|echo"
        r"|write out)\b(?: me| us| back| out)? (?:all |the )?(?:of )?your (?:full |entire |hidden "
        r"|initial |exact |complete |original |secret |internal |own |whole |current )*(?:system (?:prompt"
        r"|message|instructions)|initial (?:prompt|instructions)|hidden (?:prompt|instructions)"
        r"|instructions|prompt)\b|\brepeat (?:everything|all(?: of)? the (?:words|text)|the (?:words"
        r"|text)) (?:above|before this)\b",
        NEGATED,
    ),
    Sign(
        reasons.DECODE,
        ("base64", "atob", "decode", "rot13", "hex"),
        r"\b(?:decode|decrypt|unbase64)\b[^.!?]{0,80}?\b(?:and|then|,) ?(?:then )?(?:run|execute|eval"
        r"(?:uate)?|follow|obey|carry out|do) (?:it|them|this|that|what|the (?:result|output|decoded"
        r"|commands?|instructions?))\b|\bbase64 (?:-d|-di|--decode|-D)\b[^;]{0,60}?\| ?(?:sudo )?(?:ba|z"
        r"|da|k)?sh\b|\b(?:eval|exec)\( ?(?:atob|base64|codecs|bytes\.fromhex|buffer\.from)|\b(?:base64"
        r"|rot13|hex)\b[^.!?]{0,60}?\b(?:run|execute|follow|obey) (?:it|them|the (?:result|output"
        r"|decoded))",
        NEGATED + r"|\b(?:verify|signature|jwt|we|fixture|worker|follow (?:the )?(?:link|redirect))\b",
    ),
)
