"""What may be written, and in which form. Everything that is kept comes through here first.

Private parts and our own blocks are left out, secrets redacted, and what a source may not claim is taken back. What
is shown later is looked at again in `showing`: an older version may have kept what this one would not.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from recollect.domain.errors import InvalidValue
from recollect.domain.event import Compacted, Event, Prompt, Reply, SessionEnded, ToolFailed, ToolSucceeded
from recollect.domain.injection import Session
from recollect.domain.memory import Anchor, Draft, Memory, ProjectId, Role, Source
from recollect.domain.outcome import Refused
from recollect.domain.session import MAX_LINES, MAX_TURN_CHARS, Recap, Turn
from recollect.domain.settings import Privacy
from recollect.privacy.exclude import IgnoredPaths, without_fences, without_private
from recollect.privacy.secret_names import Strength, telling
from recollect.privacy.secret_values import is_placeholder, is_reference
from recollect.privacy.secrets import redact, redact_name
from recollect.privacy.trust import kind_for, reads_as_instruction
from recollect.text.block import visible

MARK = "[redacted:"
_BEFORE, _AFTER = "\"'`([{<", ".,;:!?\"'`)]}>"  # around the name of a file in a sentence
AHEAD = timedelta(days=2)  # clocks differ, and so do time zones; what is dated later comes from a wrong one
OWN = "recollect:"  # begins the names that we give to what no message of a host carries
CERTAIN_CHARS = 6  # a shorter one may as well be part of a word elsewhere
GIVEN_CHARS, GIVEN_PARTS, GIVEN_DEPTH = 4000, 100, 6  # of what a tool was given
PRINTED_CHARS = 8000  # of what it printed
LOOKED_AT = 4  # times as much is looked at for secrets before it is cut
KEYS_CHARS = 400_000  # of a text with a private key, which is looked for before anything is cut
NAMING_CHARS = 2000  # a longer text is what was written into a file, not its name
COMMAND_CHARS = 20_000  # of a command, where it may name a file
NAME_CHARS = 200  # of a tool, and of what it calls a value
PASSWORD_CHARS = (4, 400)
NOWHERE = ProjectId("-")
_PRIVATE_KEY = "PRIVATE KEY"
_NO_PATH = re.compile(r"[\s\"'`<>|&;()=,:{}*?\[\]$!#^@]+")
_PRINTED_PATH = re.compile(r"^(?P<path>[^\s:]{1,300}):", re.MULTILINE)
# What is written into files or told to agents: a name in it is talk of a file, unless it stands alone.
_CONTENTS = frozenset(
    "content text new_string old_string newstring oldstring new_str old_str patch prompt description todos".split()
)
_NAMING, _HOLDING = ("name", "key", "header", "variable"), "value"  # as in [{"name": "PORT", "value": "80"}]
_HEADERS = frozenset("authorization proxy-authorization cookie set-cookie".split())
REDACTED_BEFORE_CHARS = 4000  # a longer text is not kept for a second look
IGNORED_BEFORE_CHARS = 200  # nor is a longer path


def admitted(draft: Draft, privacy: Privacy, *, from_file: bool = False) -> Draft | Refused:
    """The draft as it may be kept. `from_file`: whoever wrote it says who said it."""
    ignored = next((anchor.path for anchor in draft.anchors if may_not_be_read(anchor.path, privacy)), None)
    if ignored is not None:
        return Refused(f"It speaks of {visible(_clean(ignored))}, which is ignored ([privacy] ignored_paths).")
    secret = next((what for what, name in _names(draft) if name and _is_secret(name)), None)
    if secret is not None:
        return Refused(f"The {secret} looks like a secret; it cannot be kept. Give it another one.")
    known = _secrets_in(draft)
    text = _clean(draft.text, known)
    if not visible(text) and visible(draft.text):
        return Refused("Everything in it is marked as private, or was shown by Recollect itself.")
    if MARK in text and not _says_something(text):
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


def turn_of(session: Session, event: Prompt | Reply) -> Turn:
    """What an event is in the archive."""
    return Turn(
        session=session.id,
        message=event.message,
        project=session.project,
        role=Role.USER if isinstance(event, Prompt) else Role.ASSISTANT,
        text=event.text,
        at=event.at,
        origin=event.origin if isinstance(event, Prompt) else None,
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
        return any(may_not_be_read(name, privacy) for name in names if name) or _gives_orders(line)

    return recap.without(unwanted).retold(_clean)


def admitted_event(event: Event, privacy: Privacy) -> Event | None:
    """What happened, as it may be written down to be learnt from; None: nothing of it may. What is long is cut, after
    it was looked at: half a secret is not recognised as one."""
    if event.folder is not None and (_is_secret(event.folder) or _sound(event.folder) != event.folder):
        event = replace(event, folder=None)
    match event:
        case Prompt() | Reply():
            return replace(event, text=_clean(event.text)[:MAX_TURN_CHARS])
        case ToolSucceeded() | ToolFailed():
            return _admitted_call(event, privacy)
        case Compacted():
            return replace(event, summary=_clean(event.summary)[:MAX_TURN_CHARS])
        case SessionEnded():
            check_notes(event)
            told = Recap(session=event.session, project=NOWHERE, at=event.at, notes=event.notes, summary=event.summary)
            left = admitted_recap(told, privacy)
            return replace(event, notes=left.notes, summary=left.summary)
        case _:
            return None


def _admitted_call(event: ToolSucceeded | ToolFailed, privacy: Privacy) -> Event | None:
    def is_ignored(path: str) -> bool:
        # Some disks do not tell `.ENV` from `.env`.
        return may_not_be_read(path, privacy) or (not path.islower() and may_not_be_read(path.lower(), privacy))

    if any(is_ignored(word) for word in set(_words_in(event.input))):
        return None
    printed = event.error if isinstance(event, ToolFailed) else event.output
    kept = _both_ends(printed, PRINTED_CHARS)
    if any(is_ignored(path) for path in {found["path"] for found in _PRINTED_PATH.finditer(kept)}):
        return None  # as a search does: `.env:3:PORT=80`
    given, tool = _given(event.input), _name(event.tool)
    if isinstance(event, ToolFailed):
        return replace(event, tool=tool, input=given, error=kept)
    return replace(event, tool=tool, input=given, output=kept)


def _both_ends(text: str, chars: int) -> str:
    """What a tool printed tells most at its beginning and at its end."""
    if len(text) > LOOKED_AT * chars:
        if _PRIVATE_KEY in text:  # half of one is not recognised
            text = redacted(_sound(text[:KEYS_CHARS]))
        text = f"{text[: LOOKED_AT * chars // 2]}\n...\n{text[-LOOKED_AT * chars // 2 :]}"
    cleaned = _clean(text)
    return cleaned if len(cleaned) <= chars else f"{cleaned[: chars // 2]}\n...\n{cleaned[-chars // 2 :]}"


def _given(value: Any, name: str = "", depth: int = 0) -> Any:
    """What a tool was given: texts, and names of files and the like, which hide a secret otherwise. `name`: what it is
    called there, which may tell that it is one."""
    if isinstance(value, str):
        return _given_text(_sound(value), name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value if _named_secret(name, str(value)) is None else _named_secret(name, str(value))
    if depth >= GIVEN_DEPTH:
        return None
    if isinstance(value, dict):
        pair = next((value[word] for word in _NAMING if isinstance(value.get(word), str)), "")
        return {
            _name(str(key)): _given(one, pair if pair and key == _HOLDING else str(key), depth + 1)
            for key, one in list(value.items())[:GIVEN_PARTS]
        }
    if isinstance(value, list):
        parts = value[:GIVEN_PARTS]
        return [_given(one, _before(parts, at) or name, depth + 1) for at, one in enumerate(parts)]
    return value


def _given_text(text: str, name: str) -> str:
    secret = _named_secret(name, text)
    if secret is not None:
        return secret
    named = text if any(map(str.isspace, text[:NAMING_CHARS])) else redact_name(text[:NAMING_CHARS])
    return _both_ends(named, GIVEN_CHARS)


def _before(parts: list[Any], at: int) -> str:
    """What names a part of a list: `["Authorization", "..."]`, `["--password", "..."]`."""
    before = parts[at - 1] if at else None
    return before if isinstance(before, str) and (len(parts) == 2 or before.startswith("-")) else ""


def _named_secret(name: str, value: str) -> str | None:
    """The value without what its name tells to be a secret; None: nothing."""
    shortest, longest = PASSWORD_CHARS
    if not name or not shortest <= len(value) <= longest or MARK in value:
        return None
    plain = value.encode("latin-1", "replace")
    told = telling(name[-NAME_CHARS:].encode("latin-1", "replace"))
    if told.strength is Strength.PASSWORD or name.lower() in _HEADERS:
        if is_placeholder(plain) or is_reference(plain.split()[-1] if plain.split() else plain):
            return None
        return f"{MARK}{told.rule or 'header'}]"
    if told.strength is Strength.NOTHING:
        return None
    for beginning, end in ((f"\n{name[-NAME_CHARS:]}=", ""), (f'"{name[-NAME_CHARS:]}": "', '"')):
        redacted_so = redacted(f"{beginning}{value}{end}")
        if redacted_so.startswith(beginning) and redacted_so != f"{beginning}{value}{end}":
            return redacted_so[len(beginning) :].removesuffix(end)
    return None


def _name(name: str) -> str:
    return redact_name(_sound(name[:NAMING_CHARS]))[:NAME_CHARS]


def _sound(text: str) -> str:
    """Without halves of characters, which cannot be written, and without NUL."""
    if text.isascii():
        return text.replace("\x00", " ")
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")


def _words_in(value: Any, name: str = "", depth: int = 0) -> Iterator[str]:
    """What may be a path among what a tool was given: names of files, and what a command names."""
    if isinstance(value, str):
        if name.lower() not in _CONTENTS:
            words = _NO_PATH.split(value[:COMMAND_CHARS])
        else:
            words = value.split() if len(value) <= NAMING_CHARS else []
        yield from filter(None, (word.lstrip(_BEFORE).rstrip(_AFTER) for word in words))
    elif depth > GIVEN_DEPTH:  # nothing of it is kept
        return
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _words_in(str(key), depth=depth + 1)
            yield from _words_in(one, str(key), depth + 1)
    elif isinstance(value, list):
        for one in value:
            yield from _words_in(one, name, depth + 1)


def check_notes(event: SessionEnded) -> None:
    if len(event.notes) > MAX_LINES:
        raise InvalidValue(f"The session has {len(event.notes):,} notes; it takes {MAX_LINES}.")


def check_event(event: Event) -> None:
    """Its names are kept in the log."""
    for what in ("session", "message", "project", "host", "language", "agent", "parent", "call"):
        refuse_secret(what, getattr(event, what, None))
    for message in getattr(event, "copied", {}).values():
        refuse_secret("message", message)
    if str(getattr(event, "message", None) or "").startswith(OWN):
        raise InvalidValue(f"The id of a message does not begin with {OWN!r}: these are Recollect's own.")
    if isinstance(event, SessionEnded):
        check_notes(event)


def refuse_secret(what: str, name: str | None) -> None:
    if name and _is_secret(name):
        raise InvalidValue(f"The name of the {what} looks like a secret; it cannot be kept.")


def redacted(text: str) -> str:
    return _redacted_before(text) if len(text) <= REDACTED_BEFORE_CHARS else redact(text).text


@lru_cache(maxsize=768)
def _redacted_before(text: str) -> str:
    """In a session the same few are shown again and again."""
    return redact(text).text


def may_not_be_read(path: str, privacy: Privacy) -> bool:
    if len(path) > IGNORED_BEFORE_CHARS:
        return _of_globs(privacy.ignored_paths).matches(path)
    return _may_not_be_read_before(privacy.ignored_paths, path)


@lru_cache(maxsize=2048)
def _may_not_be_read_before(globs: tuple[str, ...], path: str) -> bool:
    """Every word that a session leaves is asked for as if it were a path, and again after each of its turns."""
    return _of_globs(globs).matches(path)


@lru_cache(maxsize=1024)
def _gives_orders(line: str) -> bool:
    """A session leaves the same lines again after each of its turns."""
    return reads_as_instruction(line) is not None


def is_ignored(memory: Memory, privacy: Privacy) -> bool:
    """Whether it speaks of a file that is ignored by now."""
    return any(may_not_be_read(anchor.path, privacy) for anchor in memory.anchors)


def _clean(text: str, known: Mapping[str, str] = MappingProxyType({})) -> str:
    cleaned = redacted(without_fences(without_private(_sound(text))))
    for secret, mark in known.items():
        cleaned = cleaned.replace(secret, mark)
    return cleaned


def _secrets_in(draft: Draft) -> dict[str, str]:
    """What is a secret in one part of it is one in every other, also where nothing tells so."""
    found: dict[str, str] = {}
    for part in (draft.text, draft.title or "", *draft.aliases, *draft.evidence):
        if redacted(part) != part:
            for secret in redact(part).found:
                found[part[secret.start : secret.end]] = f"{MARK}{secret.rule}]"
    return {secret: mark for secret, mark in found.items() if len(secret) >= CERTAIN_CHARS}


@lru_cache(maxsize=1024)
def _is_secret(name: str) -> bool:
    return redact_name(name) != name


@lru_cache(maxsize=64)
def _of_globs(globs: tuple[str, ...]) -> IgnoredPaths:
    return IgnoredPaths(globs)


def _says_something(text: str) -> bool:
    """More than marks of what was taken out."""
    said = text
    while MARK in said:
        before, _, after = said.partition(MARK)
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
