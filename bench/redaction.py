"""Cost of redaction: for a megabyte of each kind of text in a session, and for one line."""

import random
from base64 import b64encode
from pathlib import Path

from bench.corpus import prompts
from bench.measure import measure, row
from recollect.privacy.secrets import redact

MEGABYTE = 1_000_000
LINE_CHARS = 200
LINES = 1_000  # together: one line is too short to measure


def run(_: Path) -> None:
    parts = _parts(random.Random(1))
    mixed = _fill_megabyte("\n".join(part[:20_000] for part in parts.values()))
    row("1 MB of all of these", measure(range(5), lambda _: redact(mixed)), target_ms=100)
    for name, part in parts.items():
        megabyte = _fill_megabyte(part)
        row(f"1 MB of {name}", measure([megabyte] * 3, redact))
    name = "DB_PASS" + "WORD"  # split, because this file is part of the measured text
    with_secrets = mixed[: MEGABYTE // 2] + f"\n{name}=hunter2!x\n" + mixed[MEGABYTE // 2 :]
    row("1 MB of all of these, and a secret", measure(range(5), lambda _: redact(with_secrets)))
    lines = [mixed[start : start + LINE_CHARS] for start in range(0, LINES * LINE_CHARS, LINE_CHARS)]
    row(
        f"{LINES:,} texts of {LINE_CHARS} characters",
        measure(range(5), lambda _: [redact(line) for line in lines]),
        target_ms=60,
    )


def _fill_megabyte(text: str) -> str:
    return (text * (MEGABYTE // len(text) + 1))[:MEGABYTE]


def _parts(chance: random.Random) -> dict[str, str]:
    source = "\n".join(file.read_text("utf-8") for file in sorted(Path(__file__).parent.glob("*.py")))
    return {
        "prose": "\n".join(prompts(1_000)),
        "code": source,
        "minified code": "".join(source.split()),
        "logs": "\n".join(_log_line(chance) for _ in range(500)),
        "JSON with hashes": "\n".join(_json_line(chance) for _ in range(500)),
        "stack traces": "\n".join(_frame(chance) for _ in range(500)),
        "base64": b64encode(chance.randbytes(60_000)).decode(),
    }


def _log_line(chance: random.Random) -> str:
    about = "token=*** key=orders:7" if chance.random() < 0.1 else f"orders={chance.randrange(99)}"
    return (
        f"2026-02-01T10:{chance.randrange(60):02}:00Z INFO api request={chance.randbytes(8).hex()} {about}"
        f" path=/v1/orders/{chance.randrange(99999)} status=200 user={chance.randrange(999)} took=12ms"
    )


def _json_line(chance: random.Random) -> str:
    return (
        f'{{"name": "package-{chance.randrange(99)}", "version": "1.2.{chance.randrange(99)}", "key": "id-7", '
        f'"sha": "{chance.randbytes(20).hex()}", "integrity": "sha512-{b64encode(chance.randbytes(64)).decode()}"}}'
    )


def _frame(chance: random.Random) -> str:
    noun = "token" if chance.random() < 0.1 else chance.choice(("order", "invoice", "customer"))
    line = chance.randrange(900)
    return f'  File "/srv/app/shop/{noun}s.py", line {line}, in read_{noun}\n    {noun} = self.{noun}s.next(number)'
