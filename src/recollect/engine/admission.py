"""What may be written, and in which form. Everything that is kept comes through here first.

Private parts and our own blocks are left out, secrets redacted, and what a source may not claim is taken back. What
is shown later is looked at again in `showing`: an older version may have kept what this one would not.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from functools import lru_cache
from types import MappingProxyType

from recollect.domain.errors import InvalidValue
from recollect.domain.event import Event
from recollect.domain.memory import Anchor, Draft, Memory, Role, Source
from recollect.domain.outcome import Refused
from recollect.domain.session import MAX_TURN_CHARS, Recap, Turn
from recollect.domain.settings import Privacy
from recollect.privacy.exclude import IgnoredPaths, without_fences, without_private
from recollect.privacy.secrets import redact, redact_name
from recollect.privacy.trust import kind_for, reads_as_instruction
from recollect.text.block import visible

_MARK = "[redacted:"
_BEFORE, _AFTER = "\"'`([{<", ".,;:!?\"'`)]}>"  # around the name of a file in a sentence
AHEAD = timedelta(days=2)  # clocks differ, and so do time zones; what is dated later comes from a wrong one
OWN = "recollect:"  # begins the names that we give to what no message of a host carries
CERTAIN_CHARS = 6  # a shorter one may as well be part of a word elsewhere
REDACTED_BEFORE_CHARS = 4000  # a longer text is not kept for a second look


def admitted(draft: Draft, privacy: Privacy, *, from_file: bool = False) -> Draft | Refused:
    """The draft as it may be kept. `from_file`: whoever wrote it says who said it."""
    ignored = next((anchor.path for anchor in draft.anchors if _ignored(privacy).matches(anchor.path)), None)
    if ignored is not None:
        return Refused(f"It speaks of {visible(_clean(ignored))}, which is ignored ([privacy] ignored_paths).")
    secret = next((what for what, name in _names(draft) if name and _is_secret(name)), None)
    if secret is not None:
        return Refused(f"The {secret} looks like a secret; it cannot be kept. Give it another one.")
    known = _secrets_in(draft)
    text = _clean(draft.text, known)
    if not visible(text) and visible(draft.text):
        return Refused("Everything in it is marked as private, or was shown by Recollect itself.")
    if _MARK in text and not _says_something(text):
        return Refused("There is nothing in it but a secret.")
    try:
        kept = _kept(draft, text, known)
    except InvalidValue as error:  # a mark may be longer than the secret was, or nothing is left of a path
        return Refused(f"Without its secrets and private parts it cannot be kept. {error}")
    return replace(kept, flag=draft.flag or _flag(kept, from_file))


def _kept(draft: Draft, text: str, known: Mapping[str, str]) -> Draft:
    def clean(part: str) -> str:
        return _clean(part, known)

    return replace(
        draft,
        text=text,
        title=None if draft.title is None else clean(draft.title) or None,
        aliases=tuple(filter(None, map(clean, draft.aliases))),
        evidence=tuple(sentence for sentence in map(clean, draft.evidence) if sentence.strip()),
        anchors=tuple(Anchor(redact_name(clean(anchor.path)), anchor.hash) for anchor in draft.anchors),
        kind=kind_for(draft.kind, draft.source.role, is_own_save=True),
    )


def admitted_turn(turn: Turn) -> Turn | None:
    """None: nothing of it may be kept."""
    for what, name in (("session", turn.session), ("message", turn.message), ("project", turn.project)):
        refuse_secret(what, name)
    text = _clean(turn.text)
    return replace(turn, text=text[:MAX_TURN_CHARS]) if visible(text) else None  # a mark may be longer than a secret


def admitted_recap(recap: Recap, privacy: Privacy) -> Recap:
    """What a session leaves, without what may not be kept. A host wrote it, so no line of it gives orders."""

    def unwanted(line: str) -> bool:
        names = (word.lstrip(_BEFORE).rstrip(_AFTER) for word in line.split())
        return any(_ignored(privacy).matches(name) for name in names if name) or reads_as_instruction(line) is not None

    return recap.without(unwanted).retold(_clean)


def check_event(event: Event) -> None:
    """Its names are kept in the log."""
    for what in ("session", "message", "project", "host", "language", "agent", "parent", "call"):
        refuse_secret(what, getattr(event, what, None))
    for message in getattr(event, "copied", {}).values():
        refuse_secret("message", message)
    if str(getattr(event, "message", None) or "").startswith(OWN):
        raise InvalidValue(f"The id of a message does not begin with {OWN!r}: these are Recollect's own.")


def refuse_secret(what: str, name: str | None) -> None:
    if name and _is_secret(name):
        raise InvalidValue(f"The name of the {what} looks like a secret; it cannot be kept.")


def redacted(text: str) -> str:
    return _redacted_before(text) if len(text) <= REDACTED_BEFORE_CHARS else redact(text).text


@lru_cache(maxsize=4096)
def _redacted_before(text: str) -> str:
    """In a session the same few are shown again and again."""
    return redact(text).text


def is_ignored(memory: Memory, privacy: Privacy) -> bool:
    """Whether it speaks of a file that is ignored by now."""
    return any(_ignored(privacy).matches(anchor.path) for anchor in memory.anchors)


def _clean(text: str, known: Mapping[str, str] = MappingProxyType({})) -> str:
    cleaned = redacted(without_fences(without_private(text)))
    for secret, mark in known.items():
        cleaned = cleaned.replace(secret, mark)
    return cleaned


def _secrets_in(draft: Draft) -> dict[str, str]:
    """What is a secret in one part of it is one in every other, also where nothing tells so."""
    found: dict[str, str] = {}
    for part in (draft.text, draft.title or "", *draft.aliases, *draft.evidence):
        if redacted(part) != part:
            for secret in redact(part).found:
                found[part[secret.start : secret.end]] = f"{_MARK}{secret.rule}]"
    return {secret: mark for secret, mark in found.items() if len(secret) >= CERTAIN_CHARS}


@lru_cache(maxsize=4096)
def _is_secret(name: str) -> bool:
    return redact_name(name) != name


@lru_cache(maxsize=64)
def _of_globs(globs: tuple[str, ...]) -> IgnoredPaths:
    return IgnoredPaths(globs)


def _ignored(privacy: Privacy) -> IgnoredPaths:
    return _of_globs(privacy.ignored_paths)


def _says_something(text: str) -> bool:
    """More than marks of what was taken out."""
    said = text
    while _MARK in said:
        before, _, after = said.partition(_MARK)
        said = before + after.partition("]")[2]
    return any(map(str.isalnum, said))


def _names(draft: Draft) -> list[tuple[str, str | None]]:
    sources: list[Source] = [draft.source, *(mention.source for mention in draft.mentions)]
    return [
        ("id", draft.id),
        ("scope", draft.scope.name),
        ("id in superseded_by", draft.superseded_by),
        ("flag", draft.flag),
        *(("id in conflicts", known) for known in draft.conflicts),
        *(("hash of a file", anchor.hash) for anchor in draft.anchors),
        *((what, name) for source in sources for what, name in _named(source)),
    ]


def _named(source: Source) -> list[tuple[str, str | None]]:
    return [
        ("host", source.host),
        ("session", source.session),
        ("message", source.message),
        ("agent", source.agent),
    ]


def _flag(draft: Draft, from_file: bool) -> str | None:
    """What its user says needs no flag: only they give orders to their agent."""
    if draft.source.role is Role.USER and not from_file:
        return None
    return reads_as_instruction("\n".join(filter(None, (draft.title, draft.text, *draft.evidence))))
