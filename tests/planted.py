"""Texts with a secret inside that nobody ever had, and the search for it in bytes."""

import random
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.unit.privacy.keys import VENDOR_KEYS, lower, matches, private_key, some, uuid, vendor_key


@dataclass(frozen=True)
class Planted:
    kind: str
    text: str
    pieces: tuple[str, ...]  # what must be found nowhere
    name: str  # the same in a form that somebody could use for a name


def vendor_secret(row: tuple[str, str, str], seed: int = 0) -> Planted:
    beginning, pattern, rule = row
    chance = random.Random(f"{beginning}{rule}{seed}")
    key = vendor_key(chance, beginning, pattern)
    while not matches(pattern, key[len(beginning) :]):
        key = vendor_key(chance, beginning, pattern)
    return Planted(rule, f"The deployment reads {key} there.", (key,), key)


def of_every_vendor() -> list[Planted]:
    return [vendor_secret(row) for row in VENDOR_KEYS]


def of_every_sort(seed: int = 0) -> list[Planted]:
    """One for each way in which a secret is recognised: shape, place, name beside it."""
    chance = random.Random(seed)
    value, token, password = some(chance, 32), some(chance, 40), f"{lower(chance, 14)}!X"
    identity, key = uuid(chance), private_key(chance)
    address, lines = f"postgres://app:{password}@db.example.org/shop", key.splitlines()
    return [
        vendor_secret(VENDOR_KEYS[seed % len(VENDOR_KEYS)], seed),
        Planted("assignment", f"In the settings stands API_KEY={value} since then.", (value,), f"API_KEY={value}"),
        Planted(
            "field",
            f'The answer was {{"client_secret": "{identity}"}} again.',
            (identity,),
            f"client_secret={identity}",
        ),
        Planted("address", f"It listens at {address} now.", (password,), address),
        Planted(
            "header",
            f'Try curl -H "Authorization: Bearer {token}" https://example.org',
            (token,),
            f"Authorization: Bearer {token}",
        ),
        Planted("private key", f"The key is\n{key}\nas agreed.", tuple(lines[1:-1]), " ".join(lines)),
    ]


def of_several_lines(seed: int = 0) -> list[Planted]:
    """Secrets that are told by their lines: what folds or quotes these must not hide them."""
    chance = random.Random(f"lines {seed}")
    keys = [private_key(chance, kind) for kind in ("RSA ", "OPENSSH ")]
    base64 = [some(chance, 64) for _ in range(4)]
    password = f"{some(chance, 9)}!{lower(chance, 9)}7"
    head = "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: me\nPublic-Lines: 1\nAAAAB3NzaC1yc2EAAAA"
    putty = "\n".join([head, f"Private-Lines: {len(base64)}", *base64, f"Private-MAC: {'0' * 64}"])
    quoted = "\n".join(f"> {line}" for line in keys[1].splitlines())
    yaml = f"db:\n  user: app\n  password: |-\n    {password}\n  port: 5432"
    return [
        Planted("PEM", f"We decided to use this key:\n{keys[0]}\nas agreed.", tuple(keys[0].splitlines()[1:-1]), "a"),
        Planted("quoted PEM", f"He wrote:\n\n{quoted}\n\nas agreed.", tuple(keys[1].splitlines()[1:-1]), "b"),
        Planted("PuTTY", f"It failed with this key:\n{putty}\n\nas agreed.", tuple(base64), "c"),
        Planted("YAML", f"The settings are:\n{yaml}\n", (password,), "d"),
    ]


def found_in(data: bytes, planted: Iterable[Planted]) -> set[str]:
    """Kinds of secrets that stand in these bytes, as they are or as an index would have them."""
    small = data.lower()
    return {secret.kind for secret in planted for piece in secret.pieces if piece.lower().encode() in small}


def found_below(folder: Path, planted: Collection[Planted], *, but: Collection[Path] = ()) -> set[tuple[str, str]]:
    """In which files, and which kinds."""
    files = [file for file in folder.rglob("*") if file.is_file() and not any(file.is_relative_to(own) for own in but)]
    return {(file.name, kind) for file in files for kind in found_in(file.read_bytes(), planted)}
