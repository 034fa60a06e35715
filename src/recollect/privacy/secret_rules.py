"""The keys that show by their shape who gave them out. A table of our own, and the look-up in it. Pure.

Each row: the literal beginning, what follows it, the name of the rule. A row is compiled when its beginning is met for the
first time: a program that starts for one question must not pay for two hundred patterns. In the patterns, `A` stands for
a letter or digit, `H` for a hexadecimal digit, `U` for what base64 for URLs uses, `B` for plain base64.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from recollect.privacy.secret_values import is_filler

_CLASSES = {"A": "[A-Za-z0-9]", "H": "[0-9a-fA-F]", "U": "[A-Za-z0-9_\\-\x80-\xff]", "B": "[A-Za-z0-9+/]"}

_TABLE = """
AGE-SECRET-KEY-1 [A-Z0-9]{50,64} age-key
A3- [A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3} 1password-key
ops_eyJ B{100,}={0,2} 1password-token
pat A{14}\\.H{64} airtable-token
pat- (?:na|eu|ap)\\d-H{8}-H{4}-H{4}-H{4}-H{12} hubspot-token
pat. U{22}\\.H{24}\\.A{20} harness-token
sat. U{22}\\.H{24}\\.A{20} harness-token
LTAI A{12,26} alibaba-key
sk-ant- [a-z]{2,8}\\d\\d-U{80,}AA(?!U) anthropic-key
sk-proj- U{20,} openai-key
sk-svcacct- U{20,} openai-key
sk-service- U{20,} openai-key
sk-admin- U{20,} openai-key
sk-None- U{20,} openai-key
sk-or- (?:v\\d-)?H{32,} openrouter-key
sk-lf- H{8}-H{4}-H{4}-H{4}-H{12} langfuse-key
pk-lf- H{8}-H{4}-H{4}-H{4}-H{12} langfuse-key
sk-helicone- U{16,} helicone-key
sk- A{20}T3BlbkFJA{20} openai-key
sk- A{32,128} openai-key
sk_ (?:test|live|prod)_A{10,} stripe-key
sk_ [A-Za-z0-9!-~]{29}(?=['"]) freemius-key
sk_ H{48} elevenlabs-key
rk_ (?:test|live|prod)_A{10,} stripe-key
pk_ (?:test|live|prod)_A{16,} stripe-key
whsec_ B{24,}={0,2} webhook-secret
AKCp A{60,} artifactory-key
cmVmdGtu A{50,60} artifactory-token
ATATT3 [A-Za-z0-9_\\-=]{100,} atlassian-token
ATCTT3 [A-Za-z0-9_\\-=]{100,} atlassian-token
ATBB [A-Za-z0-9_\\-=]{24,} bitbucket-password
ATTA A{50,} trello-token
sc_ [a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.(?:acc)[_-][a-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,} authress-key
ext_ [a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.(?:acc)[_-][a-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,} authress-key
scauth_ [a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.(?:acc)[_-][a-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,} authress-key
authress_ [a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.(?:acc)[_-][a-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,} authress-key
AKIA [A-Z0-9]{16}(?!A) aws-key-id
ASIA [A-Z0-9]{16}(?!A) aws-key-id
ABIA [A-Z0-9]{16}(?!A) aws-key-id
ACCA [A-Z0-9]{16}(?!A) aws-key-id
A3T [A-Z0-9]{17}(?!A) aws-key-id
ABSK [A-Za-z0-9+/]{80,}={0,2} aws-bedrock-key
bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t B{0,}={0,2} aws-bedrock-key
amzn.mws. H{8}-H{4}-H{4}-H{4}-H{12} amazon-token
amzn1.oa2-cs. (?:v1\\.)?H{60,} amazon-secret
AVNS_ A{19,} aiven-password
4b1d A{38}(?!A) clickhouse-key
CLOJARS_ A{60} clojars-token
v1.0- H{24}-H{100,} cloudflare-key
CFPAT- U{43} contentful-token
CCIPAT_ A{22}_H{40} circleci-token
CCIPRJ_ A{22}_H{40} circleci-token
bkua_ H{40} buildkite-token
dapi H{32}(?:-\\d)?(?!A) databricks-token
dnkey- [A-Za-z0-9=_\\-]{26}-[A-Za-z0-9=_\\-]{52} defined-networking-key
dop_v1_ H{64} digitalocean-token
doo_v1_ H{64} digitalocean-token
dor_v1_ H{64} digitalocean-token
dckr_pat_ U{20,} docker-token
dckr_oat_ U{20,} docker-token
dp. (?:pt|st|ct|scim|audit|sa|said)\\.(?:[a-z0-9_\\-]{2,35}\\.)?A{40,44} doppler-token
sl. [A-Za-z0-9\\-=_]{60,} dropbox-token
duffel_ (?:test|live)_[A-Za-z0-9_\\-=]{43} duffel-token
dt0 [a-z]\\d\\d\\.[A-Z0-9]{24}\\.[A-Z0-9]{64} dynatrace-token
EZAK A{54} easypost-key
EZTK A{54} easypost-key
endr+ [A-Za-z0-9-]{16,} endorlabs-key
EAA [MC][A-Za-z0-9]{80,} facebook-token
EAAA U{56,64}(?!A) square-token
FLWSECK [-_A-Za-z0-9]{12,} flutterwave-key
FLWPUBK [-_A-Za-z0-9]{32,} flutterwave-key
fo1_ U{43} flyio-token
fm1a_ B{100,}={0,3} flyio-token
fm1r_ B{100,}={0,3} flyio-token
fm2_ B{100,}={0,3} flyio-token
FlyV1\\x20 U{20,} flyio-token
fio-u- [A-Za-z0-9\\-_=]{64} frameio-token
figd_ U{38,} figma-token
AIza U{35}(?!A) google-key
ya29. U{20,} google-token
GOCSPX- U{28} google-secret
1//0 U{40,} google-token
ghp_ A{36,} github-token
gho_ A{36,} github-token
ghu_ A{36,} github-token
ghs_ A{36,} github-token
ghr_ A{36,} github-token
github_pat_ [A-Za-z0-9_]{22,} github-token
glpat- [A-Za-z0-9_\\-.\x80-\xff]{20,} gitlab-token
gldt- [A-Za-z0-9_\\-.]{20,} gitlab-token
glrt- [A-Za-z0-9_\\-.]{20,} gitlab-token
glrtr- [A-Za-z0-9_\\-.]{20,} gitlab-token
glptt- H{40} gitlab-token
glft- [A-Za-z0-9_\\-.]{20,} gitlab-token
glsoat- U{20,} gitlab-token
glagent- U{50,} gitlab-token
glcbt- [A-Za-z0-9_\\-.]{20,} gitlab-token
glimt- U{25} gitlab-token
gloas- U{64} gitlab-token
glffct- U{20,} gitlab-token
glwt- U{20,} gitlab-token
GR1348941 U{20} gitlab-token
glc_ B{32,}={0,3} grafana-token
glsa_ A{32}_H{8} grafana-token
eyJrIjoi A{60,}={0,3} grafana-key
gsk_ A{40,} groq-key
xai- A{70,} xai-key
HRKU- U{30,} heroku-key
hf_ A{34}(?!A) huggingface-token
api_org_ A{34}(?!A) huggingface-token
hvs. U{24,} vault-token
hvb. U{24,} vault-token
hvr. U{24,} vault-token
s. (?=[A-Za-z]{0,20}\\d)[A-Za-z0-9]{24}(?!A) vault-token
ico- A{32} infracost-key
s-s4t2 (?:ud|af)-H{64} intra42-secret
eyJ U{14,}\\.(?:eyJ|ey)U{10,}(?:\\.[A-Za-z0-9_\\-/+]*={0,2})? jwt
ey U{17,}\\.eyU{17,}\\.(?:[A-Za-z0-9_\\-/+]{10,}={0,2})? jwt
ZXlK (?:aGJHY|cmFXU|a[A-Za-z0-9]{4}|[A-Za-z0-9]{5})B{50,}={0,2} jwt
sdk- H{8}-H{4}-H{4}-H{4}-H{12} launchdarkly-key
api- H{8}-H{4}-H{4}-H{4}-H{12} launchdarkly-key
mob- H{8}-H{4}-H{4}-H{4}-H{12} launchdarkly-key
lin_api_ A{40} linear-key
lin_oauth_ H{64} linear-token
lsv2_ (?:pt|sk)_H{32}_H{10} langsmith-key
lip_ A{20} lichess-token
live_ (?:pub_)?H{31,35}(?!A) lob-key
test_ (?:pub_)?H{31,35}(?!A) lob-key
live_ [A-Za-z0-9\\-_=]{40}(?!U) gocardless-token
key- H{32}(?!A) mailgun-key
pubkey- H{32}(?!A) mailgun-key
mlsn. A{60,} mailersend-key
mdb_sa_sk_ U{40} mongodb-secret
pk. eyJU{50,}\\.U{20,} mapbox-token
pk. [a-zA-Z0-9]{60}\\.[a-zA-Z0-9]{22} mapbox-token
sk. eyJU{50,}\\.U{20,} mapbox-token
tk. eyJU{50,}\\.U{20,} mapbox-token
nfp_ A{36,} netlify-token
nfc_ A{36,} netlify-token
napi_ A{50,} neon-key
NRAK- A{27} newrelic-key
NRJS- H{19} newrelic-key
NRII- [A-Za-z0-9-]{32} newrelic-key
NRRA- H{42} newrelic-key
NRIQ- U{32} newrelic-key
nvapi- U{60,} nvidia-key
npm_ A{36} npm-token
oy2 [a-z0-9]{43} nuget-key
ntn_ A{40,} notion-token
secret_ A{43}(?!A) notion-token
API- [A-Z0-9]{24,32}(?!A) octopus-key
pplx- A{40,} perplexity-key
access- (?:sandbox|development|production)-H{8}-H{4}-H{4}-H{4}-H{12} plaid-token
pscale_tkn_ [A-Za-z0-9=_.\\-\x80-\xff]{32,64} planetscale-token
pscale_oauth_ [A-Za-z0-9=_.\\-\x80-\xff]{32,64} planetscale-token
pscale_pw_ [A-Za-z0-9=_.\\-\x80-\xff]{32,64} planetscale-password
phx_ A{40,} posthog-key
phs_ A{40,} posthog-key
PMAK- H{24}-H{34} postman-key
PMAT- [A-Z0-9]{26} postman-token
pnu_ A{36} prefect-token
pnb_ A{36} prefect-token
pul- H{40} pulumi-token
pypi-AgE U{50,} pypi-token
pcsk_ U{40,} pinecone-key
p8e- A{32}(?!A) adobe-secret
pa- U{43}(?!A) voyage-key
r8_ U{37} replicate-token
rdme_ [a-z0-9]{70} readme-token
re_ A{8}_A{24} resend-key
rubygems_ H{48} rubygems-token
rpa_ A{40,} runpod-key
rnd_ A{28,} render-key
tk-us- U{48} scalingo-token
sbp_ H{40} supabase-token
sb_secret_ U{30,} supabase-key
SG. U{16,}\\.U{16,} sendgrid-key
xkeysib- H{64}-A{16} sendinblue-key
xsmtpsib- H{64}-A{16} sendinblue-key
sntrys_ eyJ[A-Za-z0-9+/=_\\-]{50,} sentry-token
sntryu_ H{64} sentry-token
sm_ (?:aat|pat|sat)_A{16,} settlemint-token
shippo_ (?:live|test)_H{40} shippo-token
shpat_ H{32} shopify-token
shpca_ H{32} shopify-token
shppa_ H{32} shopify-token
shpss_ H{32} shopify-token
shprt_ H{32} shopify-token
xoxb- (?:\\d-)?(?:\\d{8,}-[0-9A-Za-z-]{0,200}[0-9A-Za-z](?![0-9A-Za-z#*-])|(?=[A-Za-z-]{0,40}\\d)[0-9A-Za-z-]{10,}[0-9A-Za-z]{8,}(?![0-9A-Za-z#*-])) slack-token
xoxp- (?:\\d-)?(?:\\d{8,}-[0-9A-Za-z-]{0,200}[0-9A-Za-z](?![0-9A-Za-z#*-])|(?=[A-Za-z-]{0,40}\\d)[0-9A-Za-z-]{10,}[0-9A-Za-z]{8,}(?![0-9A-Za-z#*-])) slack-token
xoxe- [0-9A-Za-z-]{10,} slack-token
xoxe. xox[bp]-\\d-A{100,} slack-token
xoxa- (?:\\d-)?(?:\\d{8,}-[0-9A-Za-z-]{0,200}[0-9A-Za-z](?![0-9A-Za-z#*-])|(?=[A-Za-z-]{0,40}\\d)[0-9A-Za-z-]{10,}[0-9A-Za-z]{8,}(?![0-9A-Za-z#*-])) slack-token
xoxr- (?:\\d-)?(?:\\d{8,}-[0-9A-Za-z-]{0,200}[0-9A-Za-z](?![0-9A-Za-z#*-])|(?=[A-Za-z-]{0,40}\\d)[0-9A-Za-z-]{10,}[0-9A-Za-z]{8,}(?![0-9A-Za-z#*-])) slack-token
xoxs- (?:\\d-)?(?:\\d{8,}-[0-9A-Za-z-]{0,200}[0-9A-Za-z](?![0-9A-Za-z#*-])|(?=[A-Za-z-]{0,40}\\d)[0-9A-Za-z-]{10,}[0-9A-Za-z]{8,}(?![0-9A-Za-z#*-])) slack-token
xoxo- (?:\\d-)?(?:\\d{8,}-[0-9A-Za-z-]{0,200}[0-9A-Za-z](?![0-9A-Za-z#*-])|(?=[A-Za-z-]{0,40}\\d)[0-9A-Za-z-]{10,}[0-9A-Za-z]{8,}(?![0-9A-Za-z#*-])) slack-token
xoxc- [0-9A-Za-z-]{10,} slack-token
xoxd- [0-9A-Za-z%-]{10,} slack-token
xapp- \\d-[A-Z0-9]+-\\d+-[a-zA-Z0-9]{8,} slack-token
xwfp- [0-9A-Za-z-]{10,} slack-token
squ_ A{40} sonar-token
sqp_ A{40} sonar-token
sqa_ A{40} sonar-token
sgp_ (?:(?:H{16}|local)_)?H{40} sourcegraph-token
slk_ H{64} sourcegraph-token
sgd_ H{64} sourcegraph-token
sq0atp- U{22} square-token
sq0csp- U{43} square-secret
sq0idp- U{22} square-id
tskey- [a-z]{3,8}-A{10,}(?:-A{20,})? tailscale-key
tgp_v1_ U{40,} together-key
tvly- U{30,} tavily-key
tfp_ [A-Za-z0-9\\-_.=]{40,} typeform-token
SK H{32}(?!A) twilio-key
AC H{32}(?!A) twilio-id
AAAAAAAAAAAAAAAAAAAAA [A-Za-z0-9%]{60,} twitter-token
t1. [A-Z0-9a-z_\\-]{20,}={0,2}\\.[A-Z0-9a-z_\\-]{86}={0,2} yandex-token
AQVN U{35,38}(?!U) yandex-key
YC U{38}(?!U) yandex-secret
y0_ U{50,} yandex-token
waka_ H{8}-H{4}-H{4}-H{4}-H{12} wakatime-key
jina_ A{50,} jina-key
fc- H{32}(?!A) firecrawl-key
e2b_ H{40} e2b-key
fw_ A{24}(?!A) fireworks-key
csk- A{40,} cerebras-key
hcaik_ A{50,} honeycomb-key
BBFF- A{30} ubidots-token
ddp_ A{36} datadog-key
mcp_ U{40,} mcp-token
tok_ (?:live|test)_A{20,} token
key_ (?:live|test)_A{20,} api-key
rzp_ (?:live|test)_A{14} razorpay-key
nra_ A{40} newrelic-key
sha256~ U{43} openshift-token
V2. [A-Z0-9]{40,} github-token
oauth: [a-z0-9]{30}(?!A) twitch-token
"""


def _rows() -> dict[bytes, list[tuple[bytes, str, str]]]:
    """By the first two bytes: what a run of characters is looked up by."""
    found: dict[bytes, list[tuple[bytes, str, str]]] = {}
    for line in _TABLE.strip().splitlines():
        start, pattern, rule = line.split(" ")
        literal = start.replace("\\x20", " ").encode()
        found.setdefault(literal[:2], []).append((literal, pattern, rule))
    return found


_ROWS = _rows()


@lru_cache(maxsize=512)
def _pattern(pattern: str) -> "re.Pattern[bytes]":
    """Single capitals are classes where no letter stands beside them."""
    whole = re.sub(r"(?<![A-Za-z0-9\\])([AHUB])(?=[{)+*]|$)", lambda match: _CLASSES[match.group(1)], pattern)
    whole = re.sub(r"(?<=T3BlbkFJ)A", _CLASSES["A"], whole)
    return re.compile(whole.encode("latin-1"))


def key_at(text: bytes, start: int) -> tuple[int, str] | None:
    """The end and the rule of the vendor's key that begins here."""
    rows = _ROWS.get(text[start : start + 2])
    if rows is None:
        return None
    inside_base64 = start > 0 and text[start - 1] in b"+/"
    for literal, pattern, rule in rows:
        if text.startswith(literal, start) and not (inside_base64 and literal.isalnum()):
            match = _pattern(pattern).match(text, start + len(literal))
            if match is not None and not is_filler(text[start + 4 : match.end()]):
                return match.end(), rule
    return None


def beginnings() -> Iterator[tuple[str, str, str]]:
    """The table as it stands, for those who want to build keys from it."""
    for rows in _ROWS.values():
        for literal, pattern, rule in rows:
            yield literal.decode(), _pattern(pattern).pattern.decode("latin-1"), rule
