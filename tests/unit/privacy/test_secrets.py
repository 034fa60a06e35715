import random
from base64 import b64encode

import pytest

from recollect.privacy.secrets import SecretSpan, redact, redact_identifier
from tests.unit.privacy.keys import VENDOR_KEYS, hexadecimal, lower, private_key, some, uuid, vendor_key

CHANCE = random.Random(4)
RANDOM = some(CHANCE, 40)
HASH = hexadecimal(CHANCE, 40)
UUID = uuid(CHANCE)
BASIC = b64encode(b"admin:hunter2").decode()
AWS = some(CHANCE, 39) + "/"
PRIVATE_KEY = private_key(CHANCE)


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (f"OPENAI_API_KEY=sk-proj-{RANDOM}", "OPENAI_API_KEY=[redacted:openai-key]"),
        (f"push with ghp_{RANDOM}.", "push with [redacted:github-token]."),
        ("postgres://app:Tr0ub4dor@db/prod", "postgres://app:[redacted:password]@db/prod"),
        ("redis://:sup3rs3cret@cache:6379/0", "redis://:[redacted:password]@cache:6379/0"),
        ("mongodb+srv://me:p%40ss-w0rd@c0.example.net/t", "mongodb+srv://me:[redacted:password]@c0.example.net/t"),
        ("amqp://shop:gu3st!@mq:5672//", "amqp://shop:[redacted:password]@mq:5672//"),
        ("smtp://me%40x.org:hunter22@mail:587", "smtp://me%40x.org:[redacted:password]@mail:587"),
        ("jdbc:mysql://h/db?user=app&password=hunter2x", "jdbc:mysql://h/db?user=app&password=[redacted:password]"),
        ("jdbc:oracle:thin:scott/tiger99@h:1521/x", "jdbc:oracle:thin:scott/[redacted:password]@h:1521/x"),
        ("Server=db;User Id=sa;Password=P@ssw0rd!;", "Server=db;User Id=sa;Password=[redacted:password];"),
        ("root:s3cr3t@tcp(127.0.0.1:3306)/db", "root:[redacted:password]@tcp(127.0.0.1:3306)/db"),
        (f"https://{RANDOM}@git.example.org/x.git", "https://[redacted:token]@git.example.org/x.git"),
        (f"Authorization: Bearer {RANDOM}", "Authorization: Bearer [redacted:bearer-token]"),
        (f"authorization: Basic {BASIC}", "authorization: Basic [redacted:basic-auth]"),
        (f"X-Api-Key: {HASH}", "X-Api-Key: [redacted:api-key]"),
        (f"Cookie: theme=dark; session={RANDOM}", "Cookie: theme=dark; session=[redacted:cookie]"),
        (f"a key:\n{PRIVATE_KEY}\nEnd.", "a key:\n[redacted:private-key]\nEnd."),
        (f"https://hooks.slack.com/services/T0{RANDOM}", "https://hooks.slack.com/services/[redacted:slack-webhook]"),
    ],
)
def test_what_the_text_means_stays_and_the_secret_goes(text: str, redacted: str) -> None:
    assert redact(text).text == redacted


@pytest.mark.parametrize(
    "written",
    [
        "password = '{}'", 'password: "{}"', '{{"password": "{}"}}', "'password' => '{}',", 'password := "{}"',
        "PASSWORD={}", "export DB_PASSWORD={}", "password: {}", "spring.datasource.password={}", "pwd={}", "pw: {}",
        'val password: String = "{}"', 'const password: string = "{}";', 'var password string = "{}"',
        'let password: &str = "{}";', 'password: str = "{}"', '$password = "{}";', 'password ||= "{}"',
        'set("password", "{}")', 'setPassword("{}")', "<password>{}</password>", "--password {}", "--password={}",
        '<add key="ClearTextPassword" value="{}" />', "- name: DB_PASSWORD\n  value: {}",
        '{{\\"password\\":\\"{}\\"}}',
        "curl -u admin:{} https://x.org", "sshpass -p {} ssh x", "mysql -u root -p{} shop", "redis-cli -h x -a {}",
        "machine x login me password {}", "CREATE USER me IDENTIFIED BY '{}'", "**Password:** {}",
        "--pass {}", "requirepass {}", "pass: {}", "user=me pass={}", "password ......... {}", "passw0rd: {}",
        "password: |\n  {}\nuser: me", "password: >-\n    {}", "passwords:\n  - {}", '"passwords": ["{}"]',
        'auth=("me", "{}")', 'new NetworkCredential("me", "{}")', 'smtp.login("me@x.org", "{}")',
        "DriverManager.getConnection(url, \"me\", \"{}\")", "new PDO('mysql:host=h', 'me', '{}')",
        "name,password,mail\nme,{},me@x.org", "| host | password |\n|---|---|\n| h | {} |",
        "HOST    USER   PASSWORD\nh.x.org  me    {}", "<td>Password</td><td>{}</td>",
        "INSERT INTO users (name, password) VALUES ('me', '{}')", "<password><![CDATA[{}]]></password>",
        "db.x.org:5432:shop:me:{}", "echo 'me:{}' | sudo chpasswd", "htpasswd -b .htpasswd me {}", "unzip -P {} x.zip",
        "smbclient //h/s -U me%{}", "ldapsearch -x -w {} -b dc=x", "7z a -p{} x.7z", "echo {} | sudo -S ls",
        "net use Z: \\\\h\\s {} /user:me", 'ConvertTo-SecureString "{}" -AsPlainText', "ALTER USER me PASSWORD '{}'",
        "Log in as admin with password {}", "the credentials are me@x.org / {}", "use {} as the password",
        "password for the demo account: {}", "Das Passwort für die Datenbank lautet {}", "le mot de passe est {}",
        "la contraseña es {}", "Пароль от базы: {}", "密码是{}。", "パスワードは {} です", "ｐａｓｓｗｏｒｄ： {}",
        "pass\u200bword: {}", "p\u0430ssw\u043erd={}", "the password is “{}”", "postgres://me:{}@db.x.org/shop",
        "<tr><th>Host</th><th>Password</th></tr><tr><td>h</td><td>{}</td></tr>",
        "<td>Password</td><td><code>{}</code></td>",
        "<Password><Value>{}</Value></Password>", "│ host │ password │\n├──────┼────┤\n│ h │ {} │",
        "user me on >{} ~jobs:*",
        "smtp://me@x.org:{}@mail.x.org:587/", "jdbc:sqlserver://h;user=me;password={{{}}};encrypt=true",
        "𝐩𝐚𝐬𝐬𝐰𝐨𝐫𝐝: {}", "ⓟⓐⓢⓢⓦⓞⓡⓓ: {}", "p̲a̲s̲s̲w̲o̲r̲d̲: {}", "password ꞉ {}", "Lozinka: {}", "EXEC sp_addlogin 'me', '{}'",
        "CREATE USER me IDENTIFIED WITH caching_sha2_password BY '{}'", 'Credentials::new("me", "{}")',
        'variable "db_password" {{\n  type = string\n  default = "{}"\n}}', "password: !!str {}",
        "| password | {} |", "the staging password is {}", "password for the test user is {}", "`password`: `{}`",
    ],
)  # fmt: skip
@pytest.mark.parametrize("password", ["hunter2!x", "Tr0ub4dor"])
def test_a_password_is_found_however_it_is_written(written: str, password: str) -> None:
    text = written.format(password)
    assert redact(text).text == written.format("[redacted:password]")


@pytest.mark.parametrize(
    "written",
    [
        "HEROKU_API_KEY={}", 'datadog.initialize(api_key="{}")', "trello => '{}'", "okta\t:=\n\"{}\"", "meraki ?= {}",
        '"clientSecret": "{}"', "client_secret={}&scope=read", "https://x.org/cb#access_token={}",
        "secret_key_base: {}",
        "my api key is {}", "--token {}", 'JWT_SECRET="{}"', "//registry.example.org/:_authToken={}", "creds =>` {}`",
    ],
)  # fmt: skip
@pytest.mark.parametrize("value", [lower(CHANCE, 32), RANDOM, HASH, UUID])
def test_a_generated_value_is_found_beside_a_name_that_tells(written: str, value: str) -> None:
    assert value not in redact(written.format(value)).text


@pytest.mark.parametrize(
    ("text", "secret", "rule"),
    [
        ("--password {}", "qPVdHXr&Qh2F", "password"),
        ("postgres://app:{}@db.x.org:5432/x", "pa/ss#w0@rd", "password"),
        ("SECRET_KEY = '{}'", "django-insecure-8s(k#2v$q!z_x9@w)e%r^t&y*u=i-o", "secret"),
        ("| service | api key |\n|---|---|\n| maps | {} |", RANDOM, "api-key"),
        ("password_hash = '{}'", f"$2b$12${RANDOM}{RANDOM[:13]}", "password-hash"),
        ("me:{}:19000:0:99999:7:::", f"$6$salt${RANDOM}{RANDOM}", "password-hash"),
        ("const SECRET = Buffer.from('{}', 'base64')", RANDOM, "secret"),
        ("echo {} | base64 -d > db_password", b64encode(b"hunter2!x").decode(), "password"),
        ("GitHub recovery codes:\n{}", "2e25b-55d2e", "recovery-code"),
        ("2FA seed: {}", "bngc al76 q6t3 tbzx 7qou wlbf", "secret"),
        ('passphrase = "{}"', "correct horse battery staple", "password"),
        ("the passphrase for the backup: {}.", "ribbon walnut timber anchor lantern", "password"),
        ("JWT_SECRET={}", "ribbon-timber-maple64", "secret"),
        ("the manual entry key is {}", "hym6 l3vf z5zf kkib j5j6 wjib agi3 mnbq", "api-key"),
        ("ADMIN_PIN={}", "006245", "secret"),
        ("password (hex): {}", b"hunter2!x".hex(), "password"),
        ("kubectl get secret db -o jsonpath='{{.data.password}}'\n{}", b64encode(b"hunter2!x").decode(), "password"),
        ("use acme_live_{} for the importer", RANDOM, ""),
        ("the other one is {} I think", RANDOM, "token"),
        ("https://chat.x.org/hooks/{}", RANDOM, "webhook"),
        ("https://x.org/bot/v2/hook/{}", UUID, "webhook"),
        ("https://discord.com/api/webhooks/{}", f"742145786434615446/{RANDOM}{RANDOM}", "discord-webhook"),
        ("https://mainnet.x.io/v3/{}", HASH[:32], "token"),
        ("recovery phrase -> {}", " ".join(["acid", "actor", "adapt"] * 4), "recovery-phrase"),
    ],
)
def test_a_secret_is_found_in_the_frames_that_people_use(text: str, secret: str, rule: str) -> None:
    if not rule:  # what is before it belongs to it
        assert secret not in redact(text.format(secret)).text
    else:
        assert redact(text.format(secret)).text == text.format(f"[redacted:{rule}]")


def test_all_codes_of_a_list_go_also_those_without_a_digit() -> None:
    text = "Save your backup codes! For me@x.org\n1. nxvd-fbzm   2. 061p-w9py\n3. 5181 9093   4. 7865 7975"
    left = redact(text).text
    assert left.count("[redacted:recovery-code]") == 4
    assert left.startswith("Save your backup codes! For me@x.org\n1. [")


def test_what_belongs_to_a_name_in_the_lines_below_goes() -> None:
    first, second = RANDOM, some(CHANCE, 32)
    for text in (f"api_keys:\n  - {first}\n  - {second}", f"secrets:\n  stripe: {first}\n  sentry: {second}\nport: 80"):
        left = redact(text).text
        assert first not in left
        assert second not in left


@pytest.mark.parametrize("line", ["\n", "\\n", "\r\n"])
@pytest.mark.parametrize("kind", ["", "RSA ", "OPENSSH ", "EC ", "ENCRYPTED "])
def test_a_private_key_goes_whole_or_cut_off(kind: str, line: str) -> None:
    key = private_key(CHANCE, kind, line)
    assert redact(f'"key": "{key}"').text == '"key": "[redacted:private-key]"'
    cut = key[: len(key) * 2 // 3]
    assert redact(f"{cut}\n\nand then it ends").text == "[redacted:private-key]\n\nand then it ends"


def test_other_keys_in_armour_go_too() -> None:
    lines = "\n".join(some(CHANCE, 64) for _ in range(3))
    pgp = f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{lines}\n-----END PGP PRIVATE KEY BLOCK-----"
    assert redact(pgp).text == "[redacted:private-key]"
    putty = f"PuTTY-User-Key-File-3: ssh-ed25519\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 3\n{lines}\n"
    assert redact(putty).found[0].rule == "private-key"
    assert not set(lines.split()) & set(redact(putty).text.split())


def test_the_data_of_a_kubernetes_secret_goes_whatever_its_name() -> None:
    value = b64encode(b"blue fish under water").decode()
    manifest = f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop\ndata:\n  colour: {value}\n"
    assert redact(manifest).text == manifest.replace(value, "[redacted:kubernetes-secret]")


@pytest.mark.parametrize(
    "text",
    """the password must have 12 characters|We rotate the token every 30 days.|token bucket with 100 requests/s
key: value|the password is required|The token is JWT-based|password is hashed with sha256
the key is base64-encoded|secret santa 2024|api_key=$API_KEY|token: ${{ secrets.GITHUB_TOKEN }}
password = os.environ["DB_PASSWORD"]|const token = process.env.TOKEN|apiKey: config.get("apiKey")
password: str|def login(user: str, password: str) -> None:|token = get_token(user)
secret = settings.SECRET_KEY|API_KEY=<your-key>|password: changeme|API_TOKEN=your_token_here|password=****
token=REDACTED|cache_key = "user:123:profile"|primary_key=True|max_tokens=4096|password_min_length = 12
tokenizer: "cl100k_base"|keyboard: qwerty|password=None|"token": true|"password": "Enter your password"
<input type="password" name="password">|partitionKey: "tenant-42"|S3 key: uploads/2024/01/abc123.png
key = "user_settings_v2"|auth: none|api_version: 2024-02-15|postgres://user:password@localhost/db
postgres://${DB_USER}:${DB_PASS}@host/db|http://localhost:8080/path@v1|Authorization: Bearer <token>
Authorization: Bearer $TOKEN|Bearer authentication is used here|curl -u user:$PASS x.org
password = input("Password: ")|secretName: my-app-secret|key_path = "/etc/ssl/private/key1.pem"
token_type="bearer"|PASSWORD_FILE=/run/secrets/db_password|assert password1 == password2
total tokens: 1,523,000|passed: 12, failed: 3|hotkey = ctrl+alt+f12|apiVersion: apps/v1
sorted(x, key=operator.itemgetter(1))|credentials: "include"|pass: 98%
The password was changed on 2024-05-01.|password: see entry #42|the API token is 40 characters long
key: PropTypes.string|const {token} = await res.json()|password=[redacted:password]
AWS says AKIAIOSFODNN7EXAMPLE|token = "test"|(a, "key", "b")|if "-----BEGIN PRIVATE KEY-----" in text:
password: {{ .Values.db.password }}|restored key: node-modules-linux-x64-v20|pin: 3.11.4|mkdir -p ~/e2eSpike2
error code: 1045|Recovery codes are shown once after you enable 2FA; store them offline.|using AES-256-GCM to encrypt
A seed phrase is a list of 12 or 24 words that restores a wallet.|the pre-pass is one extra rune scan of it
{"author":{"id":"MDQ6VXNlcjMxOTkyMTI=","login":"me"}}|https://github.com/x/webhooks/commit/3f2a1b4
git clone https://github.com/user/repo.git|passphrase: (empty)|x@y.org:22
'PKPushCredentials', 'PKPushPayload'|secretKeyRef: {name: db-credentials, key: password}""".replace("\n", "|").split(
        "|"
    ),
)
def test_developers_talk_about_tokens_and_keys_all_day(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        f"commit {HASH}", f"sha256:{hexadecimal(CHANCE, 64)}",
        f'"integrity": "sha512-{RANDOM}{RANDOM}=="', f"id: {UUID}",
        f"data:image/png;base64,{RANDOM}{RANDOM}", f"ssh-rsa AAAAB3NzaC1yc2E{RANDOM}{RANDOM} me@host", f"etag: {HASH}",
        f"-----BEGIN CERTIFICATE-----\nMIID{RANDOM}\n-----END CERTIFICATE-----", f'public_key = "{RANDOM}"',
        f"-----BEGIN PUBLIC KEY-----\n{RANDOM}\n-----END PUBLIC KEY-----", f"publicKeyToken={HASH[:16]}",
        f"github: {HASH}", f"uses: actions/checkout@{HASH}", f'"resolved": "https://r.example.org/a.tgz#{HASH}"',
    ],
)  # fmt: skip
def test_chance_alone_is_no_secret(text: str) -> None:
    assert redact(text).found == ()


def test_places_are_those_of_the_text_as_it_was_given() -> None:
    text = f"Grüße 漢字 🎉 password=hunter2x and ghp_{RANDOM} 漢"
    first, second = redact(text).found
    assert first == SecretSpan(rule="password", start=text.index("hunter2x"), end=text.index(" and"))
    assert text[second.start : second.end] == f"ghp_{RANDOM}"


def test_a_text_without_secrets_comes_back_as_it_is() -> None:
    for text in ("", "ok", "Deploy with Helm.", "\ud800 lone", "漢" * 50):
        assert redact(text).text == text


@pytest.mark.parametrize(
    ("beginning", "rest"),
    [
        ("gh" + "p_", "abcdefghijklmnopqrstuvwxyz0123456789"),
        ("sk-pro" + "j-", "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL"),
        ("sk-an" + "t-api03-", "abcdefghijklmnopqrstuvwxyz0123456789"),
        ("AK" + "IA", "ABCDEFGHIJKLMNOP"),
        ("xox" + "b-", "1234567890-abcdefghijklmnopqrstuvwx"),
        ("sk_li" + "ve_", "abcdefghijklmnopqrstuvwx"),
        ("DB_PASS" + "WORD=", "supersecret"),
        ("DB_PASS" + "WORD=", "secret123"),
        ("api_k" + "ey=", "1234567890abcdef"),
        ("export API_K" + 'EY="', "sk-test-1234567890abcdef"),
        ("pass" + "wd: ", "Tr0ub4dor&3"),
    ],
)
def test_a_key_that_somebody_made_up_is_treated_as_a_real_one(beginning: str, rest: str) -> None:
    assert rest not in redact(f"{beginning}{rest}").text


@pytest.mark.parametrize(("beginning", "pattern", "rule"), [row for row in VENDOR_KEYS if "/" not in row[1]])
def test_in_a_path_every_key_is_a_name_by_itself(beginning: str, pattern: str, rule: str) -> None:
    key = vendor_key(random.Random(f"{beginning}{rule}"), beginning, pattern)
    safe = redact_identifier(f"/srv/{key}/shop.git")
    assert key not in safe
    assert (safe.startswith("/srv/"), safe.endswith("/shop.git")) == (True, True)
    assert redact_identifier(safe) == safe


TALK = """
The password must have at least 12 characters, e.g. one digit and one sign.
Rotate the API key every 90 days (see SEC-1234).
password reset link expires after 15min
The access token is valid for 3600s; the refresh token for 14d.
auth: oauth2
key: Ctrl+Shift+P
cache key: user:42:profile:v3
The JWT is signed with RS256 and has kid=2024-05-key1.
connect("wss://stream.example.com:9443/ws", { retries: 5 })
client = Client("https://api.example.com/v2", timeout=30)
token = tokenizer.encode("hello world", add_special_tokens=False)
password: z.string().min(8).max(72)
TOKEN_EXPIRY=15m
Use SHA-256 as the hash for the key.
the login page is at /auth/v2/login.html
ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: NO)
AuthenticationError: token abc expired at 2025-01-02T03:04:05Z
aws secretsmanager get-secret-value --secret-id prod/db/v2
vault kv get -field=password secret/app2
docker login -u bob --password-stdin registry.example.com
mysql -u root -p shop2024
pass --clip email/work2
PASS tests/unit/test_auth2.py (3.2s)
Pass `stream=False` to disable it.
random seed is 42424242
name,password_min,password_max
api key: see the wiki page ABC-123
The recovery codes page shows error 500 after 2024-11-02 deploy.
secret phrase detection uses the words list from bip39
auth=('user', 'pass')
requests.get(url, auth=(USER, PASSWORD))
Buffer.from(process.env.SECRET, 'base64')
"""


@pytest.mark.parametrize("text", TALK.strip().splitlines())
def test_what_is_said_beside_a_name_that_tells_is_mostly_no_secret(text: str) -> None:
    assert redact(text).text == text
