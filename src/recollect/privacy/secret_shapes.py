"""Keys whose shape shows the vendor: our own table, and the look-up in it. Pure.

Each row: how the key begins (or several beginnings), the pattern of the rest, the name of the rule. A row is compiled
when its beginning is first found: a program that starts for one question must not pay for two hundred patterns. In the
patterns `A` is a letter or digit, `H` a hexadecimal digit, `U` URL-safe base64, `B` plain base64, `E` is `U` with `=`.
The rows of one beginning are tried from top to bottom.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from recollect.privacy.secret_reading import Found
from recollect.privacy.secret_values import is_filler
from recollect.text.lazy_pattern import LazyPattern

# Bytes above 127: a key that went through a wrong encoding is still one.
_CLASSES = {
    "A": r"[A-Za-z0-9]",
    "H": r"[0-9a-fA-F]",
    "U": r"[A-Za-z0-9_\-\x80-\xff]",
    "B": r"[A-Za-z0-9+/]",
    "E": r"[A-Za-z0-9_\-=]",
}
SCATTERED_SIGNS = tuple(
    b"fm1 fm2_ glc_ whsec_ pscale_ tfp_ xkeysib- sntrys_ ops_eyJ ZXlK ABSK xoxd- 1//0 endr+".split()
)
_WITHIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-")
_ESCAPES = (b"\\n", b"\\r", b"\\t")
_SKIPPED_BYTES = 4  # of the beginning: it is fixed, so it says nothing about randomness
_UUID = "H{8}-H{4}-H{4}-H{4}-H{12}"
_CLASS = re.compile(r"(?<![A-Za-z0-9\\])([AHUBE])(?=[{)+*]|$)|(?<=T3BlbkFJ)(A)")

_TABLE = r"""
A3- [A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3} 1password-key
ops_eyJ B{100,}={0,2} 1password-token
p8e- A{32}(?!A) adobe-secret
AGE-SECRET-KEY-1 [A-Z0-9]{50,64} age-key
pat A{14}\.H{64} airtable-token
AVNS_ A{19,} aiven-password
LTAI A{12,26} alibaba-key
amzn1.oa2-cs. (?:v1\.)?H{60,} amazon-secret
amzn.mws. UUID amazon-token
sk-ant- U{24,} anthropic-key
key_ (?:live|test)_A{20,} api-key
AKCp A{60,} artifactory-key
cmVmdGtu A{50,60} artifactory-token
ATATT3,ATCTT3 E{100,} atlassian-token
sc_,ext_,scauth_,authress_ [a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,} authress-key
ABSK [A-Za-z0-9+/]{80,}={0,2} aws-bedrock-key
bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t B{0,}={0,2} aws-bedrock-key
AKIA,ASIA,ABIA,ACCA [A-Z0-9]{16}(?!A) aws-key-id
A3T [A-Z0-9]{17}(?!A) aws-key-id
ATBB E{24,} bitbucket-password
bkua_ H{40} buildkite-token
csk- A{40,} cerebras-key
CCIPAT_,CCIPRJ_ A{22}_H{40} circleci-token
4b1d A{38}(?!A) clickhouse-key
CLOJARS_ A{60} clojars-token
v1.0- H{24}-H{100,} cloudflare-key
CFPAT- U{43} contentful-token
dapi H{32}(?:-\d)?(?!A) databricks-token
ddp_ A{36} datadog-key
dnkey- E{26}-E{52} defined-networking-key
dop_v1_,doo_v1_,dor_v1_ H{64} digitalocean-token
dckr_pat_,dckr_oat_ U{20,} docker-token
dp. (?:pt|st|ct|scim|audit|sa|said)\.(?:[a-z0-9_\-]{2,35}\.)?A{40,44} doppler-token
sl. E{60,} dropbox-token
duffel_ (?:test|live)_E{43} duffel-token
dt0 [a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64} dynatrace-token
e2b_ H{40} e2b-key
EZAK,EZTK A{54} easypost-key
sk_ H{48} elevenlabs-key
endr+ [A-Za-z0-9-]{16,} endorlabs-key
EAA [MC][A-Za-z0-9]{80,} facebook-token
figd_ U{38,} figma-token
fc- H{32}(?!A) firecrawl-key
fw_ A{24}(?!A) fireworks-key
FLWSECK [-_A-Za-z0-9]{12,} flutterwave-key
FLWPUBK [-_A-Za-z0-9]{32,} flutterwave-key
fo1_ U{43} flyio-token
fm1a_,fm1r_,fm2_ B{100,}={0,3} flyio-token
fio-u- E{64} frameio-token
ghp_,gho_,ghu_,ghs_,ghr_ A{36,} github-token
github_pat_ U{22,} github-token
V2. [A-Z0-9]{40,} github-token
glpat- U{20,}(?:\.[a-z0-9]{2,9}){0,2} gitlab-token
gldt-,glrt-,glrtr-,glft-,glcbt- U{20,}(?:\.[a-z0-9]{2,9}){0,2} gitlab-token
glptt- H{40} gitlab-token
glsoat-,glffct-,glwt- U{20,} gitlab-token
glagent- U{50,} gitlab-token
glimt- U{25} gitlab-token
gloas- U{64} gitlab-token
GR1348941 U{20} gitlab-token
live_ E{40}(?!U) gocardless-token
AIza U{35}(?!A) google-key
GOCSPX- U{28} google-secret
ya29. U{20,} google-token
1//0 U{40,} google-token
eyJrIjoi A{60,}={0,3} grafana-key
glc_ B{32,}={0,3} grafana-token
glsa_ A{32}_H{8} grafana-token
gsk_ A{40,} groq-key
pat.,sat. U{22}\.H{24}\.A{20} harness-token
sk-helicone- U{16,} helicone-key
HRKU- U{30,} heroku-key
hcaik_ A{50,} honeycomb-key
pat- (?:na|eu|ap)\d-UUID hubspot-token
hf_,api_org_ A{34}(?!A) huggingface-token
ico- A{32} infracost-key
s-s4t2 (?:ud|af)-H{64} intra42-secret
jina_ A{50,} jina-key
eyJ U{14,}\.(?:eyJ|ey)U{10,}(?:\.[A-Za-z0-9_\-/+]*={0,2})? jwt
ey A{17,}\.(?:ey)[A-Za-z0-9/\\_-]{17,}\.(?:[A-Za-z0-9/\\_-]{10,}={0,2})? jwt
ZXlK (?:aGJHY|cmFXU|a[A-Za-z0-9]{4}|[A-Za-z0-9]{5})B{50,}={0,2} jwt
sk-lf-,pk-lf- UUID langfuse-key
lsv2_ (?:pt|sk)_H{32}_H{10} langsmith-key
sdk-,api-,mob- UUID launchdarkly-key
lip_ A{20} lichess-token
lin_api_ A{40} linear-key
lin_oauth_ H{64} linear-token
live_,test_ (?:pub_)?H{31,35}(?!A) lob-key
mlsn. A{60,} mailersend-key
key-,pubkey- H{32}(?!A) mailgun-key
pk.,sk.,tk. (?:eyJ)U{50,}\.U{20,} mapbox-token
pk. [a-zA-Z0-9]{60}\.[a-zA-Z0-9]{22} mapbox-token
mcp_ U{40,} mcp-token
mdb_sa_sk_ U{40} mongodb-secret
napi_ A{50,} neon-key
nfp_,nfc_ A{36,} netlify-token
NRAK- A{27} newrelic-key
NRJS- H{19} newrelic-key
NRII- [A-Za-z0-9-]{32} newrelic-key
NRRA- H{42} newrelic-key
NRIQ- U{32} newrelic-key
nra_ A{40} newrelic-key
nsec1 [a-z0-9]{50,} nostr-key
ntn_ A{40,} notion-token
secret_ A{43}(?!A) notion-token
npm_ A{36} npm-token
oy2 [a-z0-9]{43} nuget-key
nvapi- U{60,} nvidia-key
API- [A-Z0-9]{24,32}(?!A) octopus-key
sk-proj-,sk-svcacct-,sk-service-,sk-admin-,sk-None- U{20,} openai-key
sk- A{20}T3BlbkFJA{20} openai-key
sk- A{32,128} openai-key
sk-or- (?:v\d-)?H{32,} openrouter-key
sha256~ U{43} openshift-token
pplx- A{40,} perplexity-key
pcsk_ U{40,} pinecone-key
access- (?:sandbox|development|production)-UUID plaid-token
pscale_pw_ [A-Za-z0-9=_.\-\x80-\xff]{32,64} planetscale-password
pscale_tkn_,pscale_oauth_ [A-Za-z0-9=_.\-\x80-\xff]{32,64} planetscale-token
phx_,phs_ A{40,} posthog-key
PMAK- H{24}-H{34} postman-key
PMAT- [A-Z0-9]{26} postman-token
pnu_,pnb_ A{36} prefect-token
pul- H{40} pulumi-token
pypi-AgE U{50,} pypi-token
rzp_ (?:live|test)_A{14} razorpay-key
rdme_ [a-z0-9]{70} readme-token
rnd_ A{28,} render-key
r8_ U{37} replicate-token
re_ A{8}_A{24} resend-key
rubygems_ H{48} rubygems-token
rpa_ A{40,} runpod-key
tk-us- U{48} scalingo-token
SG. [A-Za-z0-9=_\-.]{40,} sendgrid-key
xkeysib-,xsmtpsib- H{64}-A{16} sendinblue-key
sntrys_ eyJ[A-Za-z0-9+/=_\-]{50,} sentry-token
sntryu_ H{64} sentry-token
sm_ (?:aat|pat|sat)_A{16,} settlemint-token
shippo_ (?:live|test)_H{40} shippo-token
shpat_,shpca_,shppa_,shpss_,shprt_ H{32} shopify-token
xoxb-,xoxp-,xoxa-,xoxr-,xoxs-,xoxo- (?:\d-)?\d{8,}-[0-9A-Za-z-]{0,200}[0-9A-Za-z](?![0-9A-Za-z#*-]) slack-token
xoxb-,xoxp-,xoxa-,xoxr-,xoxs-,xoxo- (?=[A-Za-z-]{0,40}\d)[0-9A-Za-z-]{10,}A{8,}(?![0-9A-Za-z#*-]) slack-token
xoxe-,xoxc-,xwfp- [0-9A-Za-z-]{10,} slack-token
xoxe. xox[bp]-\d-A{100,} slack-token
xoxd- [0-9A-Za-z%-]{40,} slack-token
xapp- \d-[A-Z0-9]+-\d+-[a-zA-Z0-9]+ slack-token
squ_,sqp_,sqa_ A{40} sonar-token
sgp_ (?:(?:H{16}|local)_)?H{40} sourcegraph-token
slk_,sgd_ H{64} sourcegraph-token
sq0idp- U{22} square-id
sq0csp- U{43} square-secret
EAAA U{22,64}(?!U) square-token
sq0atp- U{22,60} square-token
sk_,rk_ (?:test|live|prod)_A{10,} stripe-key
pk_ (?:test|live|prod)_A{16,} stripe-key
sb_secret_ U{30,} supabase-key
sbp_ H{40} supabase-token
tskey- [a-z]{3,8}-A{10,}(?:-A{20,})? tailscale-key
tvly- U{30,} tavily-key
tgp_v1_ U{40,} together-key
tok_ (?:live|test)_A{20,} token
ATTA A{50,} trello-token
AC H{32}(?!A) twilio-id
SK H{32}(?!A) twilio-key
oauth: [a-z0-9]{30}(?!A) twitch-token
AAAAAAAAAAAAAAAAAAAAA [A-Za-z0-9%]{60,} twitter-token
tfp_ [A-Za-z0-9\-_.=]{40,} typeform-token
BBFF- A{30} ubidots-token
hvs.,hvb.,hvr. U{24,} vault-token
s. (?=[A-Za-z]{0,20}\d)[A-Za-z0-9]{24}(?!A) vault-token
pa- U{43}(?!A) voyage-key
waka_ UUID wakatime-key
whsec_ B{24,}={0,2} webhook-secret
xai- A{70,} xai-key
AQVN U{35,38}(?!U) yandex-key
YC U{38}(?!U) yandex-secret
t1. [A-Z0-9a-z_\-]{20,}={0,2}\.[A-Z0-9a-z_\-]{86}={0,2} yandex-token
xprv,yprv,zprv,tprv A{90,} wallet-key
y0_ U{50,} yandex-token
"""

Row = tuple[bytes, str, str]  # the beginning, the pattern of the rest, the rule


def _rows() -> dict[bytes, list[Row]]:
    found: dict[bytes, list[Row]] = {}
    for line in _TABLE.strip().splitlines():
        starts, pattern, rule = line.split(" ")
        for start in starts.split(","):
            found.setdefault(start[:2].encode(), []).append((start.encode(), pattern, rule))
    return found


_ROWS = _rows()
HEADS = frozenset(_ROWS)
# Beginnings that end in a sign or have one soon after: the part after the sign is found first.
_SIGNED_SOON = (b"dt0", b"sc_", b"ext_", b"scauth_", b"authress_")
SIGNED = LazyPattern(
    b"|".join(
        re.escape(row[0])
        for rows in _ROWS.values()
        for row in rows
        if row[0] in _SIGNED_SOON or re.search(rb"[^\w-]", row[0])
    )
)


@lru_cache(maxsize=512)
def _pattern(pattern: str) -> "re.Pattern[bytes]":
    spelled = _CLASS.sub(lambda match: _CLASSES[match.group(1) or match.group(2)], pattern.replace("UUID", _UUID))
    return re.compile(spelled.encode())


def key_at(text: bytes, start: int) -> tuple[int, str] | None:
    """Return the end and the rule of the key that begins here."""
    rows = _ROWS.get(text[start : start + 2])
    if rows is None:
        return None
    inside_base64 = start > 0 and text[start - 1] in b"+/"
    for beginning, pattern, rule in rows:
        if text.startswith(beginning, start) and not (inside_base64 and beginning.isalnum()):
            match = _pattern(pattern).match(text, start + len(beginning))
            if match is not None and not is_filler(text[start + _SKIPPED_BYTES : match.end()]):
                return match.end(), rule
    return None


def may_start_key(text: bytes, at: int) -> bool:
    """Return False inside a word or base64; True after a line break or tab that is written as an escape."""
    return at == 0 or text[at - 1] not in _WITHIN or text[max(0, at - 2) : at] in _ESCAPES


def find_scattered_keys(text: bytes) -> Iterator[Found]:
    """Find keys whose signs may cut them into runs that are too short for `secret_runs`."""
    for beginning in SCATTERED_SIGNS:
        place = text.find(beginning)
        while place >= 0:
            hit = key_at(text, place) if may_start_key(text, place) else None
            if hit is not None:
                yield place, *hit
            place = text.find(beginning, place + len(beginning))
