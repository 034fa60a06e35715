"""Redacts secrets. Pure: same text, same answer. Keeps names, users and hosts, so the text stays readable.

A secret is recognised by its shape (`secret_shapes`, `secret_runs`), by its place (`secret_blocks`, `secret_addresses`,
`secret_headers`) or by the name beside it (`secret_assignments`). A text without secrets is returned unchanged.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from recollect.privacy.secret_addresses import ADDRESS_SIGNS, find_in_addresses
from recollect.privacy.secret_assignments import find_assigned
from recollect.privacy.secret_blocks import (
    CODE_WORDS,
    KEY_SIGNS,
    MANIFEST_WORDS,
    find_in_manifests,
    find_private_keys,
    find_recovery_codes,
)
from recollect.privacy.secret_commands import COMMAND_WORDS, find_in_commands
from recollect.privacy.secret_headers import HEADER_WORDS, find_in_headers
from recollect.privacy.secret_names import NAME_WORDS, as_names
from recollect.privacy.secret_password_files import PASSWORD_SIGNS, find_stored_passwords
from recollect.privacy.secret_reading import Found, as_bytes, has_invisible, without_invisible
from recollect.privacy.secret_runs import GENERATED, LONG_RUN, RUN_BYTES, find_keys_in_runs
from recollect.privacy.secret_shapes import SCATTERED_SIGNS
from recollect.text.lazy_pattern import LazyPattern

Search = Callable[[bytes, bytes], Iterator[Found]]

_MARK_PREFIX = "[redacted:"
_MARK_PATTERN = re.compile(r"\[redacted:[a-z0-9.\-]{1,50}\]")  # only names of rules: no secret hides in one
_MIN_TEXT_CHARS = 6
_MAX_PASSES = 8
_RESCAN_CHARS = 4_000  # a redaction changes nothing farther away than this
_UNTRUSTED_EDGE_CHARS = 1_000  # near a cut a value may look like a secret only because it is cut


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretSpan:
    rule: str  # the kind of secret: `openai-key`, `password`
    start: int  # in the original text
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Redaction:
    text: str
    found: tuple[SecretSpan, ...]  # by place, without overlaps


def redact(text: str) -> Redaction:
    """Search again after each redaction until nothing is found: a secret may be hidden behind another."""
    redacted = text
    found: list[SecretSpan] = []
    for number in range(_MAX_PASSES):
        more = _rescan_around_marks(redacted, found) if number else _find_secrets(redacted)
        if not more:
            break
        found = _add_found(found, more)
        redacted = _replace(text, found)
    return Redaction(text=redacted, found=tuple(found))


def redact_identifier(name: str) -> str:
    """Redact a path, a remote or an id. Each part between slashes is a name here, so it is also judged alone."""
    whole = redact(name).text
    if "/" not in whole:
        return whole
    return "/".join(redact(part).text for part in whole.split("/"))


def _find_secrets(text: str) -> list[SecretSpan]:
    """Search once, on one byte per character: that is faster, and places stay the same."""
    if len(text) < _MIN_TEXT_CHARS:
        return []
    if not text.isascii() and has_invisible(text):
        visible, places = without_invisible(text)
        found = _find_secrets(visible)
        return [SecretSpan(rule=s.rule, start=places[s.start], end=places[s.end - 1] + 1) for s in found]
    if _MARK_PREFIX in text:
        text = _MARK_PATTERN.sub(_blank, text)
    plain = text.encode("ascii") if text.isascii() else as_bytes(text)
    low = plain.lower()
    names = as_names(plain)
    words = set(names.split())
    wanted = frozenset[Search]().union(*map(_searches_triggered_by, words))
    by_shape: list[Found] = []
    by_randomness: list[Found] = []
    if LONG_RUN in plain.translate(RUN_BYTES) or any(map(plain.__contains__, SCATTERED_SIGNS)):
        for run in find_keys_in_runs(plain):
            (by_randomness if run[2] == GENERATED else by_shape).append(run)
    # The order is the rank: where two overlap, the first gives the rule. Most texts need none of the searches.
    ranked: list[Found] = []
    if any(map(low.__contains__, KEY_SIGNS)):
        ranked += find_private_keys(plain, low)
    ranked += by_shape
    if any(map(low.__contains__, ADDRESS_SIGNS)):
        ranked += find_in_addresses(plain, low)
    if any(map(low.__contains__, PASSWORD_SIGNS)):
        ranked += find_stored_passwords(plain, low)
    for _, search in _WORD_TRIGGERS:
        if search in wanted:
            ranked += search(plain, low)
    if find_assigned in wanted:
        ranked += find_assigned(plain, names, words)
    ranked += by_randomness
    return _merge(plain, ranked) if ranked else []


# Searches that need a word with such a part.
_WORD_TRIGGERS: tuple[tuple[LazyPattern[bytes], Search], ...] = (
    (HEADER_WORDS, find_in_headers),
    (COMMAND_WORDS, find_in_commands),
    (CODE_WORDS, find_recovery_codes),
    (MANIFEST_WORDS, find_in_manifests),
)


@lru_cache(maxsize=1 << 16)  # most words of a text were in another text
def _searches_triggered_by(word: bytes) -> frozenset[Callable[..., Iterator[Found]]]:
    low = word.lower()
    found: set[Callable[..., Iterator[Found]]] = set()
    for part, search in _WORD_TRIGGERS:
        if part.search(low) is not None:
            found.add(search)
    if NAME_WORDS.search(low) is not None:
        found.add(find_assigned)
    return frozenset(found)


def _rescan_around_marks(text: str, found: list[SecretSpan]) -> list[SecretSpan]:
    """Search a redacted text again, near its marks only: nothing else can have changed."""
    if len(text) <= _RESCAN_CHARS:
        return _find_secrets(text)
    shift = 0
    parts: list[tuple[int, int]] = []
    for secret in found:
        start = secret.start - shift
        end = start + len(_mark_for(secret))
        shift = secret.end - end
        if parts and start - _RESCAN_CHARS <= parts[-1][1]:
            parts[-1] = (parts[-1][0], end + _RESCAN_CHARS)
        else:
            parts.append((max(0, start - _RESCAN_CHARS), end + _RESCAN_CHARS))
    more = []
    for start, end in parts:
        first = start + _UNTRUSTED_EDGE_CHARS if start else 0
        last = end - _UNTRUSTED_EDGE_CHARS if end < len(text) else len(text)
        for secret in _find_secrets(text[start:end]):
            moved = SecretSpan(rule=secret.rule, start=secret.start + start, end=secret.end + start)
            if first <= moved.start and moved.end <= last:
                more.append(moved)
    return more


def _blank(mark: re.Match[str]) -> str:
    """Blank a mark of an earlier redaction: it is no secret, and its words are no names of secrets."""
    return "\x01" * len(mark[0])


def _merge(plain: bytes, found: Iterable[Found]) -> list[SecretSpan]:
    """Join overlapping secrets; the one of the highest rank gives the rule."""
    ranked = sorted((start, end, rank, rule) for rank, (start, end, rule) in enumerate(found))
    merged: list[tuple[int, int, int, str]] = []
    for start, end, rank, rule in ranked:
        if start >= end or b"\x01" in plain[start:end]:
            continue
        if merged and start < merged[-1][1]:
            first, last, known, name = merged[-1]
            merged[-1] = (first, max(last, end), *min((known, name), (rank, rule)))
        else:
            merged.append((start, end, rank, rule))
    return [SecretSpan(rule=rule, start=start, end=end) for start, end, _, rule in merged]


def _replace(text: str, found: list[SecretSpan]) -> str:
    parts, done = [], 0
    for secret in found:
        parts += [text[done : secret.start], _mark_for(secret)]
        done = secret.end
    return "".join([*parts, text[done:]])


def _mark_for(secret: SecretSpan) -> str:
    return f"{_MARK_PREFIX}{secret.rule}]"


def _add_found(found: list[SecretSpan], more: list[SecretSpan]) -> list[SecretSpan]:
    """Add secrets whose places are in the redacted text, moved to their places in the original text."""
    shifts = list(accumulate((s.end - s.start - len(_mark_for(s)) for s in found), initial=0))
    starts = [s.start - shift for s, shift in zip(found, shifts, strict=False)]
    known, back = 0, list(found)
    for secret in more:
        while known < len(starts) and starts[known] < secret.start:
            known += 1
        shift = shifts[known]
        back.append(SecretSpan(rule=secret.rule, start=secret.start + shift, end=secret.end + shift))
    return sorted(back, key=lambda secret: secret.start)
