import random
from string import ascii_letters, digits

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.privacy.secrets import Redaction, redact
from tests.unit.effort import LIMIT, growth
from tests.unit.privacy.keys import VENDOR_KEYS, matches, private_key, some, uuid, vendor_key

PIECES = (
    "password", "token", "api_key", "secret", "=", ": ", '"', "'", "`", " ", "\n", "\\n", "://", "@", "user:",
    "-----BEGIN ",
    "PRIVATE KEY-----", "-----END ", "Bearer ", "Authorization: ", "eyJ", ".", "ghp_", "sk-", "heroku", "=>",
    ", ", "(", "<",
    ">", "[redacted:", "[redacted:token]", "]", "hunter2!x", "a1B2c3D4e5F6g7H8", "0123456789abcdef0123", "curl -u a:",
    "cookie: sid=", "kind: Secret\ndata:\n  a: ", "is ", "漢", "é", "--password ", "$X", "{", "}", "-", "_",
    "/", "\x01",
)  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=30).map("".join)
SYNTAXES = (
    "{}", "see {} there", "export TOKEN={}", "token: {}", "config.token = '{}'",
    '{{"api_token": "{}"}}', "<key>{}</key>",
    'curl -H "Authorization: Bearer {}" https://x.org', "log {}\nnext", "a\\n{}\\nb", "`{}`", "({})", "https://x.org/?key={}",
)  # fmt: skip


def rebuilt(text: str, redacted: Redaction) -> str:
    parts, done = [], 0
    for secret in redacted.found:
        assert done <= secret.start < secret.end <= len(text)
        parts += [text[done : secret.start], f"[redacted:{secret.rule}]"]
        done = secret.end
    return "".join([*parts, text[done:]])


@given(TEXTS)
@settings(max_examples=400)
def test_nothing_but_what_was_found_changes(text: str) -> None:
    assert rebuilt(text, redact(text)) == redact(text).text


@given(TEXTS)
@settings(max_examples=400)
def test_what_is_redacted_stays_as_it_is(text: str) -> None:
    once = redact(text).text
    assert redact(once) == Redaction(text=once, found=())


def test_what_is_redacted_stays_as_it_is_in_a_long_text_too() -> None:
    chance = random.Random(3)
    filling = " ".join(chance.choice(PIECES).strip() or "word" for _ in range(4_000))
    text = "".join(f"{filling[:9_000]} {written.format(some(chance, 40))} " for written in SYNTAXES)
    once = redact(text)
    assert rebuilt(text, once) == once.text
    assert redact(once.text).found == ()


SHORTEST = 16  # of a vendor's keys; a pattern with a "+" also makes `xapp-5-Z0-6-X`


@pytest.mark.parametrize(("beginning", "pattern", "rule"), VENDOR_KEYS)
def test_a_key_of_every_vendor_is_found_in_every_syntax(beginning: str, pattern: str, rule: str) -> None:
    chance = random.Random(f"{beginning}{rule}")
    for written in SYNTAXES:
        key = vendor_key(chance, beginning, pattern)
        while not matches(pattern, key[len(beginning) :]):
            key = vendor_key(chance, beginning, pattern)
        assert key not in redact(written.format(key)).text, written


@given(
    before=TEXTS.map(lambda text: text + "\n"),
    after=TEXTS.map(lambda text: "\n" + text),
    row=st.sampled_from(VENDOR_KEYS),
    seed=st.integers(0, 10**6),
    written=st.sampled_from(SYNTAXES),
)
@settings(max_examples=300)
@example(
    before="[redacted:\n",
    after="\n[redacted:token]",
    row=("A3T", "[A-Z0-9]{17}(?![A-Za-z0-9])", "aws-key-id"),
    seed=0,
    written="{}",
)
def test_no_text_around_it_saves_a_key(
    before: str, after: str, row: tuple[str, str, str], seed: int, written: str
) -> None:
    key = vendor_key(random.Random(seed), row[0], row[1])
    if matches(row[1], key[len(row[0]) :]) and len(key) >= SHORTEST:
        assert key not in redact(before + written.format(key) + after).text


@pytest.mark.parametrize(("beginning", "rest"), [("ops_eyJ", 100), ("ZXlKaGJHY", 60), ("whsec_", 40), ("glc_", 60)])
def test_signs_of_base64_inside_a_key_do_not_save_it(beginning: str, rest: int) -> None:
    chance = random.Random(rest)
    key = beginning + "/".join(some(chance, 5) for _ in range(rest // 5))  # no run is long enough to be noticed alone
    assert key not in redact(f"\n{key}\n").text


@given(
    st.integers(0, 10**6), st.sampled_from(["API_KEY", "client_secret", "authToken", "MEILISEARCH_KEY", "okta.token"])
)
def test_a_generated_value_never_survives_beside_its_name(seed: int, name: str) -> None:
    chance = random.Random(seed)
    for value in (some(chance, 32), uuid(chance), some(chance, 40, ascii_letters + digits + "/+")):
        for written in (f"{name}={value}", f'{name} = "{value}"', f'"{name}": "{value}"', f"{name}: {value}"):
            assert value not in redact(written).text


@given(st.integers(0, 10**6), TEXTS, TEXTS)
def test_no_text_around_it_saves_a_private_key(seed: int, before: str, after: str) -> None:
    key = private_key(random.Random(seed))
    left = redact(f"{before}\n{key}\n{after}").text
    assert not any(line in left for line in key.splitlines()[1:-1])


REPEATED = (
    "a", "=", '"', "'", "\\", "-", "_", " ", "\n", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----\n", "key-----",
    "password=",
    'password="', "key:", "a=b=", "A://", "http://a:b@", "eyJa.", "eyJaaaaaaaaaaaaaaaaa.eyJ", "ghp_", "xoxb-12345678-",
    "password is ", "password for a ", "curl -u a:b ", "mysql -", "cookie: a=", "bearer ", "authorization: ",
    "pass", "api_key",
    "kind: secret\ndata:\n a: ", "[redacted:", "password=[redacted:token]", "heroku = ", "aaaaaaaaaaaaaa/", "é", "漢",
    "PuTTY-User-Key-File-2: a\nPrivate-Lines: 3\n", "name: password\n", "<password>", ".atlasv1.", "@tcp(",
    "a1b2c3d4e5f6g7 ", "a,password\n", "user\tpassword\n", "password: |\n a\n", "auth=('a', ", "unzip -P a ", "$6$aa$",
    ":*:", "recovery codes: ", "mnemonic abc ", "as the password ", "пароль ", "\u200b", "p\u0430ss ", "http://a:b#@",
    "insert (password) values (", "password1 ", "<th>password</th><tr>", "https://x.org/hooks/a/",
    "backup codes: a1b2c3 ",
    "tokens: [", "secrets:\n  a: b\n", "𝐩", "login ", "seed words ",
)  # fmt: skip


@pytest.mark.parametrize("piece", REPEATED)
def test_twice_the_text_takes_about_twice_the_work(piece: str) -> None:
    assert growth(redact, piece) < LIMIT


def test_a_long_name_before_an_address_is_read_once() -> None:
    assert redact("A" * 200_000 + "://").found == ()
