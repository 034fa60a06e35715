"""Keys that nobody ever had: built from the rule table by chance, so that no text in this repository looks like a real
one.
"""

import random
import re
from re import _constants as op
from re import _parser
from string import ascii_letters, ascii_lowercase, digits
from typing import Any

from recollect.privacy import secret_shapes

HEX = "0123456789abcdef"
VENDOR_KEYS = sorted(
    {
        (beginning.decode(), secret_shapes._pattern(pattern).pattern.decode(), rule)
        for rows in secret_shapes._ROWS.values()
        for beginning, pattern, rule in rows
    }
)


def some(chance: random.Random, length: int, alphabet: str = ascii_letters + digits) -> str:
    """Of every sort one, so that a short key is not a word by chance."""
    made = [chance.choice(alphabet) for _ in range(length)]
    made[1::4] = [chance.choice([sign for sign in alphabet if sign.isdigit()]) for _ in made[1::4]]
    return "".join(made)


def hexadecimal(chance: random.Random, length: int) -> str:
    return some(chance, length, HEX)


def lower(chance: random.Random, length: int) -> str:
    return some(chance, length, ascii_lowercase + digits)


def uuid(chance: random.Random) -> str:
    return "-".join(hexadecimal(chance, length) for length in (8, 4, 4, 4, 12))


def vendor_key(chance: random.Random, beginning: str, pattern: str) -> str:
    return beginning + _made(chance, _parser.parse(pattern))


def private_key(chance: random.Random, kind: str = "RSA ", line: str = "\n") -> str:
    body = line.join(some(chance, 64) for _ in range(6))
    return f"-----BEGIN {kind}PRIVATE KEY-----{line}{body}{line}-----END {kind}PRIVATE KEY-----"


def _made(chance: random.Random, parts: Any) -> str:
    return "".join(_part(chance, *part) for part in parts)


def _part(chance: random.Random, kind: Any, value: Any) -> str:
    if kind is op.LITERAL:
        return chr(value)
    if kind is op.IN:
        return chr(chance.choice([code for item in value for code in _codes(*item)]))
    if kind is op.MAX_REPEAT:
        least, most, item = value
        return "".join(_made(chance, item) for _ in range(chance.randint(least, min(most, least + 4))))
    if kind is op.SUBPATTERN:
        return _made(chance, value[3])
    if kind is op.BRANCH:
        return _made(chance, chance.choice(value[1]))
    assert kind in (op.ASSERT, op.ASSERT_NOT), f"the table has a pattern that cannot be built: {kind}"
    return ""


def _codes(kind: Any, value: Any) -> list[int]:
    if kind is op.LITERAL:
        return [value]
    if kind is op.CATEGORY:
        return list(b"0123456789")
    return [code for code in range(value[0], value[1] + 1) if code < 128]


def matches(pattern: str, tail: str) -> bool:
    return re.match(pattern, tail) is not None
