"""Admission: what may be stored, and in which form. Everything that is stored passes here first. Private parts and our
own blocks are removed, secrets redacted, and claims that a source may not make are corrected. `redaction` checks again
before anything is shown: an older version may have stored what this one would not."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import lru_cache
from itertools import islice
from types import MappingProxyType
from typing import Any

from recollect.domain.codec import field_types
from recollect.domain.errors import InvalidValue
from recollect.domain.event import Compacted, Event, Prompt, Reply, SessionEnded, ToolFailed, ToolSucceeded
from recollect.domain.memory import (
    NAMES,
    SOURCE_NAMES,
    WORDS,
    Anchor,
    Draft,
    Memory,
    ProjectId,
    Role,
    all_texts,
    parts_of,
    text_fields,
)
from recollect.domain.outcome import Omissions, Refused
from recollect.domain.session import MAX_LINES, MAX_TURN_CHARS, Recap, Session, Turn
from recollect.domain.settings import Privacy
from recollect.privacy.exclude import IgnoredPaths, without_fences, without_private
from recollect.privacy.secret_names import Strength, classify_name
from recollect.privacy.secret_values import is_placeholder, is_reference
from recollect.privacy.secrets import redact, redact_identifier
from recollect.privacy.trust import kind_for, reads_as_instruction
from recollect.text.block import visible

REDACTION_MARK = "[redacted:"
MAX_CLOCK_AHEAD = timedelta(days=2)  # clocks and time zones differ; a later date comes from a wrong clock
OWN_PREFIX = "recollect:"  # prefix of our own message ids, for blocks that no message of a host carries
MIN_CERTAIN_CHARS = 6  # a shorter secret may be part of an ordinary word elsewhere
INPUT_CHARS, INPUT_PARTS, INPUT_DEPTH = 4000, 100, 6  # kept of a tool's input
OUTPUT_CHARS = 8000  # kept of a tool's output
SCAN_FACTOR = 4  # a text is scanned for secrets up to this many times its limit, then cut
PRIVATE_KEY_CHARS = 400_000  # scanned of a text with a private key, before anything is cut
MAX_PATH_CHARS = 2000  # a longer text is the content of a file, not its name
COMMAND_CHARS = 20_000  # of a command, searched for file names
NAME_CHARS = 200  # of a tool's name, and of a key in its input
PASSWORD_CHARS = (4, 400)
NO_PROJECT = ProjectId("-")
CACHED_TEXT_CHARS = 4000  # the result for a longer text is not cached
CACHED_PATH_CHARS = 200  # nor for a longer path
_OPENING, _CLOSING = "\"'`([{<", ".,;:!?\"'`)]}>"  # around a file name in a sentence
_NO_PATH = re.compile(r"[\s\"'`<>|&;()=,:{}*?\[\]$!#^@]+")
_PRINTED_PATH = re.compile(r"^(?P<path>[^\s:]{1,300}):", re.MULTILINE)
# Texts for files or for other agents: a path inside a sentence is only mentioned there, not read.
_CONTENTS = frozenset(
    "content text new_string old_string newstring oldstring new_str old_str patch prompt description todos".split()
)
_NAME_KEYS, _VALUE_KEY = ("name", "key", "header", "variable"), "value"  # as in [{"name": "PORT", "value": "80"}]
_NAME_FIELDS = [one for one in field_types(Draft) if one.name in NAMES]
_ANCHOR_NAMES = [name for name in text_fields(Anchor) if name != "path"]
_HEADERS = frozenset("authorization proxy-authorization cookie set-cookie".split())


def admit_draft(draft: Draft, privacy: Privacy, *, from_file: bool = False) -> Draft | Refused:
    """Return the draft as it may be stored. `from_file`: its role is only a claim of the file's author."""
    for anchor in draft.anchors:
        if is_ignored_path(anchor.path, privacy):
            return Refused(f"It is about {visible(_clean(anchor.path))}, which is ignored ([privacy] ignored_paths).")
    for what, name in _draft_names(draft):
        if name and _is_secret(name):
            return Refused(f"The {what} looks like a secret, so it cannot be stored. Use another one.")
    known = _secrets_in(draft)
    text = _clean(draft.text, known)
    if not visible(text) and visible(draft.text):
        return Refused("Everything in it is marked as private, or was shown by Recollect itself.")
    if REDACTION_MARK in text and not _has_words(text):
        return Refused("There is nothing in it but a secret.")
    try:
        cleaned = _clean_draft(draft, text, known)
    except InvalidValue as error:  # a mark may be longer than the secret was, or nothing is left of a path
        return Refused(f"Without its secrets and private parts it cannot be stored. {error}")
    return replace(cleaned, flag=draft.flag or _flag(cleaned, from_file))


def find_omissions(*texts: str) -> Omissions:
    """Return what admission leaves out of these texts."""
    public = tuple(map(without_private, texts))
    rules: dict[str, None] = {}
    for text in public:
        if redact_text(text) != text:  # the answer is in the cache: admission asked for the same text
            rules |= dict.fromkeys(secret.rule for secret in redact(text).found)
    has_blocks = any(without_fences(text) != text for text in public)
    return Omissions(secrets=tuple(rules), private=public != texts, blocks=has_blocks)


def _clean_draft(draft: Draft, text: str, known: Mapping[str, str]) -> Draft:
    def clean(part: str) -> str:
        return _clean(part, known)

    cleaned: dict[str, Any] = {}
    for one in WORDS:
        texts = tuple(dict.fromkeys(filter(str.strip, map(clean, parts_of(draft, one)))))
        cleaned[one.name] = texts if one.is_list else next(iter(texts), one.default)
    return replace(
        draft,
        **(cleaned | {"text": text}),
        anchors=tuple(dict.fromkeys(replace(one, path=redact_identifier(clean(one.path))) for one in draft.anchors)),
        mentions=tuple(dict.fromkeys(draft.mentions)),
        kind=kind_for(draft.kind, draft.source.role, is_own_save=True),
    )


def turn_from_event(session: Session, event: Prompt | Reply) -> Turn:
    return Turn(
        session=session.id,
        message=event.message,
        project=session.project,
        role=Role.USER if isinstance(event, Prompt) else Role.ASSISTANT,
        text=event.text,
        at=event.at,
        origin=event.origin if isinstance(event, Prompt) else None,
    )


def admit_turn(turn: Turn) -> Turn | None:
    for what, name in (("session", turn.session), ("message", turn.message), ("project", turn.project)):
        refuse_secret(what, name)
    text = _clean(turn.text)
    if not visible(text):
        return None
    return replace(turn, text=text[:MAX_TURN_CHARS])  # a mark may be longer than a secret


def admit_recap(recap: Recap, privacy: Privacy) -> Recap:
    """Return the recap as it may be stored, without lines that read as orders: a host wrote it, not the user."""

    def is_unwanted(line: str) -> bool:
        for word in line.split():
            name = word.lstrip(_OPENING).rstrip(_CLOSING)
            if name and is_ignored_path(name, privacy):
                return True
        return _gives_orders(line)

    return recap.without_lines(is_unwanted).rewrite_lines(_clean)


def admit_event(event: Event, privacy: Privacy) -> Event | None:
    """Return the event as it may be stored, or None. Texts are scanned before they are cut: half a secret hides."""
    if event.folder is not None and (_is_secret(event.folder) or _sound(event.folder) != event.folder):
        event = replace(event, folder=None)
    match event:
        case Prompt() | Reply():
            return replace(event, text=_clean(event.text)[:MAX_TURN_CHARS])
        case ToolSucceeded() | ToolFailed():
            return _admit_call(event, privacy)
        case Compacted():
            return replace(event, summary=_clean(event.summary)[:MAX_TURN_CHARS])
        case SessionEnded():
            _check_notes(event)
            given = Recap(
                session=event.session, project=NO_PROJECT, at=event.at, notes=event.notes, summary=event.summary
            )
            recap = admit_recap(given, privacy)
            return replace(event, notes=recap.notes, summary=recap.summary)
        case _:
            return None


def _admit_call(event: ToolSucceeded | ToolFailed, privacy: Privacy) -> Event | None:
    if _has_ignored(set(_possible_paths(event.input)), privacy):
        return None
    output = _both_ends(event.error if isinstance(event, ToolFailed) else event.output, OUTPUT_CHARS)
    if _has_ignored({found["path"] for found in _PRINTED_PATH.finditer(output)}, privacy):
        return None  # a search prints such lines: `.env:3:PORT=80`
    tool, given = _clean_name(event.tool), _clean_input(event.input)
    if isinstance(event, ToolFailed):
        return replace(event, tool=tool, input=given, error=output)
    return replace(event, tool=tool, input=given, output=output)


def _has_ignored(paths: set[str], privacy: Privacy) -> bool:
    for path in paths:
        if is_ignored_path(path, privacy):
            return True
        if not path.islower() and is_ignored_path(path.lower(), privacy):  # some disks do not tell `.ENV` from `.env`
            return True
    return False


def _both_ends(text: str, chars: int) -> str:
    """Clean a text and cut out its middle: beginning and end of an output matter most."""
    if len(text) > SCAN_FACTOR * chars:
        if "PRIVATE KEY" in text:  # half of one is not recognised
            text = redact_text(_sound(text[:PRIVATE_KEY_CHARS]))
        text = _cut_middle(text, SCAN_FACTOR * chars)
    cleaned = _clean(text)
    return cleaned if len(cleaned) <= chars else _cut_middle(cleaned, chars)


def _cut_middle(text: str, chars: int) -> str:
    return f"{text[: chars // 2]}\n...\n{text[-chars // 2 :]}"


def _clean_input(value: Any, name: str = "", depth: int = 0) -> Any:
    """Return a tool's input without secrets. `name`: the key of the value, which may show that it is a secret."""
    if isinstance(value, str):
        return _clean_input_text(_sound(value), name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        secret = _redact_named_value(name, str(value))
        return value if secret is None else secret
    if depth >= INPUT_DEPTH:
        return None
    if isinstance(value, dict):
        return _clean_input_dict(value, depth)
    if isinstance(value, list):
        parts = value[:INPUT_PARTS]
        return [_clean_input(part, _name_before(parts, at) or name, depth + 1) for at, part in enumerate(parts)]
    return value


def _clean_input_dict(values: dict[Any, Any], depth: int) -> dict[str, Any]:
    name_of_value = next((values[key] for key in _NAME_KEYS if isinstance(values.get(key), str)), "")
    cleaned = {}
    for key, value in islice(values.items(), INPUT_PARTS):
        name = str(key)
        if key == _VALUE_KEY and name_of_value:
            name = name_of_value
        cleaned[_clean_name(str(key))] = _clean_input(value, name, depth + 1)
    return cleaned


def _clean_input_text(text: str, name: str) -> str:
    secret = _redact_named_value(name, text)
    if secret is not None:
        return secret
    beginning = text[:MAX_PATH_CHARS]
    if not any(map(str.isspace, beginning)):  # a path or the like, where secrets look different
        text = redact_identifier(beginning)
    return _both_ends(text, INPUT_CHARS)


def _name_before(parts: list[Any], at: int) -> str:
    """Return the part that names the next one: `["Authorization", "..."]`, `["--password", "..."]`."""
    before = parts[at - 1] if at else None
    if isinstance(before, str) and (len(parts) == 2 or before.startswith("-")):
        return before
    return ""


def _redact_named_value(name: str, value: str) -> str | None:
    """Redact a value whose name marks it as a secret; None: it is not one."""
    shortest, longest = PASSWORD_CHARS
    if not name or not shortest <= len(value) <= longest or REDACTION_MARK in value:
        return None
    label = name[-NAME_CHARS:]
    meaning = classify_name(label.encode("latin-1", "replace"))
    if meaning.strength is Strength.PASSWORD or name.lower() in _HEADERS:
        plain = value.encode("latin-1", "replace")
        words = plain.split() or [plain]
        if is_placeholder(plain) or is_reference(words[-1]):
            return None
        return f"{REDACTION_MARK}{meaning.rule or 'header'}]"
    if meaning.strength is Strength.NOTHING:
        return None
    for before, after in ((f"\n{label}=", ""), (f'"{label}": "', '"')):
        line = f"{before}{value}{after}"
        cleaned = redact_text(line)
        if cleaned != line and cleaned.startswith(before):
            return cleaned[len(before) :].removesuffix(after)
    return None


def _clean_name(name: str) -> str:
    return _redact_name(_sound(name[:MAX_PATH_CHARS]))[:NAME_CHARS]


@lru_cache(maxsize=512)
def _redact_name(name: str) -> str:
    """Events repeat the same few names: of a session, a tool, an argument."""
    return redact_identifier(name)


def _sound(text: str) -> str:
    """Replace NUL and lone surrogates, which cannot be stored."""
    if text.isascii():
        return text.replace("\x00", " ")
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")


def _possible_paths(value: Any, name: str = "", depth: int = 0) -> Iterator[str]:
    """Yield the words of a tool's input that may be paths: file names, and words of a command."""
    if isinstance(value, str):
        if name.lower() not in _CONTENTS:
            words = _NO_PATH.split(value[:COMMAND_CHARS])
        else:
            words = value.split() if len(value) <= MAX_PATH_CHARS else []
        yield from filter(None, (word.lstrip(_OPENING).rstrip(_CLOSING) for word in words))
    elif depth > INPUT_DEPTH:  # not stored
        return
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _possible_paths(str(key), depth=depth + 1)
            yield from _possible_paths(part, str(key), depth + 1)
    elif isinstance(value, list):
        for part in value:
            yield from _possible_paths(part, name, depth + 1)


def _check_notes(event: SessionEnded) -> None:
    if len(event.notes) > MAX_LINES:
        raise InvalidValue(f"The session has {len(event.notes):,} notes; it takes at most {MAX_LINES}.")


def check_event(event: Event) -> None:
    """Refuse an event with a secret as a name: names are kept in the log."""
    for what in ("session", "message", "project", "host", "language", "agent", "parent", "call"):
        refuse_secret(what, getattr(event, what, None))
    for message in getattr(event, "copied", {}).values():
        refuse_secret("message", message)
    if str(getattr(event, "message", None) or "").startswith(OWN_PREFIX):
        raise InvalidValue(f"A message id must not begin with {OWN_PREFIX!r}: such ids are Recollect's own.")
    if isinstance(event, SessionEnded):
        _check_notes(event)


def refuse_secret(what: str, name: str | None) -> None:
    if name and _is_secret(name):
        raise InvalidValue(f"The name of the {what} looks like a secret, so it cannot be stored.")


def redact_text(text: str) -> str:
    return _redact_cached(text) if len(text) <= CACHED_TEXT_CHARS else redact(text).text


@lru_cache(maxsize=768)
def _redact_cached(text: str) -> str:
    """A session shows the same few texts again and again."""
    return redact(text).text


def is_ignored_path(path: str, privacy: Privacy) -> bool:
    if len(path) > CACHED_PATH_CHARS:
        return _compile_globs(privacy.ignored_paths).matches(path)
    return _is_ignored_cached(privacy.ignored_paths, path)


@lru_cache(maxsize=2048)
def _is_ignored_cached(globs: tuple[str, ...], path: str) -> bool:
    """Every word of a recap is tested as if it were a path, again after each turn."""
    return _compile_globs(globs).matches(path)


@lru_cache(maxsize=1024)
def _gives_orders(line: str) -> bool:
    """A recap has the same lines again after each turn."""
    return reads_as_instruction(line) is not None


def is_about_ignored_file(memory: Memory, privacy: Privacy) -> bool:
    return any(is_ignored_path(anchor.path, privacy) for anchor in memory.anchors)


def _clean(text: str, known: Mapping[str, str] = MappingProxyType({})) -> str:
    cleaned = redact_text(without_fences(without_private(_sound(text))))
    for secret, mark in known.items():
        cleaned = cleaned.replace(secret, mark)
    return cleaned


def _secrets_in(draft: Draft) -> dict[str, str]:
    """Find the secrets of a draft: one that is recognised in one part is removed from every other part too."""
    found: dict[str, str] = {}
    for part in all_texts(draft):
        if redact_text(part) == part:
            continue
        for place in redact(part).found:
            secret = part[place.start : place.end]
            if len(secret) >= MIN_CERTAIN_CHARS:
                found[secret] = f"{REDACTION_MARK}{place.rule}]"
    return found


@lru_cache(maxsize=1024)
def _is_secret(name: str) -> bool:
    return _redact_name(name) != name


@lru_cache(maxsize=64)
def _compile_globs(globs: tuple[str, ...]) -> IgnoredPaths:
    return IgnoredPaths(globs)


def _has_words(text: str) -> bool:
    """Return True if there is more than redaction marks."""
    while REDACTION_MARK in text:
        before, _, after = text.partition(REDACTION_MARK)
        text = before + after.partition("]")[2]
    return any(map(str.isalnum, text))


def _draft_names(draft: Draft) -> list[tuple[str, str | None]]:
    names = [(NAMES[one.name], name) for one in _NAME_FIELDS for name in parts_of(draft, one)]
    names.append(("scope", draft.scope.name))
    for anchor in draft.anchors:
        names += [(f"{field} of a file", getattr(anchor, field)) for field in _ANCHOR_NAMES]
    for source in (draft.source, *draft.mentions):
        names += [(field, getattr(source, field)) for field in SOURCE_NAMES]
    return names


def _flag(draft: Draft, from_file: bool) -> str | None:
    """Flag a draft that reads as an order, unless the user said it: only they give orders to their agent."""
    if draft.source.role is Role.USER and not from_file:
        return None
    return reads_as_instruction("\n".join(all_texts(draft)))
