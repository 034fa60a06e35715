"""Read the injection log: explain what the model of a session was shown, and why. Only the moments write it."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Protocol

from recollect.api.why import Explained, Why
from recollect.domain.errors import InvalidValue
from recollect.domain.injection import LogEntry, Moment, MomentUsage
from recollect.domain.memory import Memory, MemoryId, ProjectId, SessionId, check_name
from recollect.domain.session import Recap, Session, session_reference
from recollect.engine.admission import OWN_PREFIX, redact_text
from recollect.engine.context import Context
from recollect.engine.memories.folder_project import project_here
from recollect.engine.memories.lookup import MAX_IDS_IN_ERROR, MIN_PREFIX_CHARS
from recollect.engine.ports import KeepsMemories
from recollect.engine.redaction import redact_injection, redact_memory
from recollect.engine.session_ports import KeepsRecaps, SessionLog

IDS_IN_ERROR = 5


class LogStore(SessionLog, KeepsRecaps, KeepsMemories, Protocol): ...


class InjectionLog:
    def __init__(self, store: LogStore) -> None:
        self._store = store

    def entries(self, session: SessionId) -> list[LogEntry]:
        return [replace(sent, injection=redact_injection(sent.injection)) for sent in self._store.log_of(session)]

    def last_session(self, project: ProjectId | None = None) -> Session | None:
        return self._store.last_session(project)

    def sessions(self, prefix: str, *, limit: int) -> list[Session]:
        return self._store.sessions_with_prefix(prefix, limit=limit)

    def find(self, id_or_prefix: str) -> Session | None:
        """Find a session by its id, by a prefix that only one has, or by its reference in a block."""
        check_name(id_or_prefix, "session")
        exact = self._store.session(SessionId(id_or_prefix))
        if exact is not None or len(id_or_prefix) < MIN_PREFIX_CHARS:
            return exact
        found = self.sessions(id_or_prefix, limit=MAX_IDS_IN_ERROR + 1)
        if len(found) > 1:
            several = ", ".join(session.id for session in found[:MAX_IDS_IN_ERROR])
            more = ", ..." if len(found) > MAX_IDS_IN_ERROR else ""
            raise InvalidValue(f"Several sessions begin with {id_or_prefix!r}: {several}{more}. Give more of the id.")
        if found:
            return found[0]
        named = self.find_by_reference(id_or_prefix)
        return None if named is None else self._store.session(named)

    def find_by_reference(self, name: str) -> SessionId | None:
        matches = [session for session in self._store.session_ids() if session_reference(session) == name.lower()]
        return matches[0] if len(matches) == 1 else None

    def recap(self, session: SessionId) -> Recap | None:
        recap = self._store.recap(session)
        return None if recap is None else recap.rewrite_lines(redact_text)

    def usage(self, session: SessionId | None = None) -> list[MomentUsage]:
        return self._store.usage(session)

    def memories(self, ids: Collection[MemoryId]) -> dict[MemoryId, Memory]:
        """Return these memories as they are now, without deleted and forgotten ones."""
        known = self._store.find_readable(ids)
        return {memory.id: redact_memory(memory) for memory in known if memory.forgotten_at is None}


def why(ctx: Context, asked: Why) -> Explained:
    reader = InjectionLog(ctx.store)
    session, turn = _find_session(ctx, reader, asked)
    log = reader.entries(session.id)
    if not log:
        raise InvalidValue(
            f"Nothing is logged for session {session.id!r}: it had no moment yet, or the settings switch them off."
        )
    usage = reader.usage(session.id)
    if asked.every:
        return Explained(session=session, log=log, chosen=None, usage=usage, known={})
    chosen = pick_moment(log, turn)
    position = next(number for number, one in enumerate(log) if one is chosen)
    ids = [*chosen.injection.ids, *(choice.id for choice in chosen.injection.choices)]
    known = reader.memories(list(dict.fromkeys(ids)))
    return Explained(session=session, log=log, chosen=position, usage=usage, known=known)


def _find_session(ctx: Context, log: InjectionLog, asked: Why) -> tuple[Session, str | None]:
    """Return the session and the turn. A single word that names no session is the turn."""
    found = log.find(asked.session) if asked.session is not None else None
    if found is not None:
        return found, asked.turn
    last = _last_session(ctx, log)
    if asked.session is None:
        return last, asked.turn
    if asked.turn is None and _has_turn(log, last, asked.session):
        return last, asked.session
    raise InvalidValue(
        f"No session begins with {asked.session!r}. The last one is {last.id}; `recollect why` explains it."
    )


def _last_session(ctx: Context, log: InjectionLog) -> Session:
    found = None
    if ctx.folder is not None:
        found = log.last_session(project_here(ctx))
    found = found or log.last_session()
    if found is None:
        raise InvalidValue(
            "There is no session yet. Connect a host (`recollect install opencode`), or try a prompt: "
            """`recollect inject '{"type": "prompt", "text": "How do we deploy with Helm?"}'`."""
        )
    return found


def _has_turn(log: InjectionLog, session: Session, turn: str) -> bool:
    try:
        pick_moment(log.entries(session.id), turn)
    except InvalidValue as error:
        if turn in list(Moment) or (turn.isascii() and (turn.isdigit() or turn.isalpha())):
            raise error from None  # it looks like a turn: the error lists the turns
        return False
    return True


def pick_moment(log: Sequence[LogEntry], turn: str | None) -> LogEntry:
    if turn is None:
        return log[-1]
    by_id = _find_by_id(log, turn)
    if len(by_id) > 1:
        several = ", ".join(f"{one.message} {one.call}".strip() for one in by_id[:IDS_IN_ERROR])
        raise InvalidValue(f"Several moments begin with {turn!r}: {several}. Give more of the id.")
    found = by_id[0] if by_id else _find_by_position(log, turn)
    if found is None:
        why = ""
        if turn in list(Moment):  # the host decides when it asks, and Recollect sees only what it asks
            why = "its host did not ask for it, or gave up before the answer; "
        session, moments = log[0].session, _list_moments(log)
        raise InvalidValue(f"There is no turn {turn!r} in session {session!r}: {why}it has {moments}.")
    return found


def _find_by_id(log: Sequence[LogEntry], turn: str) -> list[LogEntry]:
    exact = [sent for sent in log if turn in (sent.message, sent.call, f"{sent.message} {sent.call}")]
    if exact or turn.isdigit() or turn in list(Moment):
        prompts = [sent for sent in exact if not sent.call]  # the message itself, before the tools that failed on it
        found = prompts or exact
        is_one = len({(sent.message, sent.call) for sent in found}) == 1
        return found[-1:] if is_one else found
    return [sent for sent in log if (sent.message or "").startswith(turn) or sent.call.startswith(turn)]


def _find_by_position(log: Sequence[LogEntry], turn: str) -> LogEntry | None:
    """A number counts prompts; the name of a moment means its last one."""
    if turn.isascii() and turn.isdigit():
        prompts = [sent for sent in log if sent.point is Moment.PROMPT]
        return prompts[int(turn) - 1] if 1 <= int(turn) <= len(prompts) else None
    return next((sent for sent in reversed(log) if sent.point == turn), None)


def _list_moments(log: Sequence[LogEntry]) -> str:
    """`start, tool_error, prompts 1 to 2 (messages m1, m2)`"""
    points = {sent.point for sent in log} - {Moment.PROMPT}
    parts: list[str] = [point for point in Moment if point in points]
    prompts = sum(sent.point is Moment.PROMPT for sent in log)
    if prompts:
        parts.append("prompt 1" if prompts == 1 else f"prompts 1 to {prompts}")
    messages = list(
        dict.fromkeys(sent.message for sent in log if sent.message and not sent.message.startswith(OWN_PREFIX))
    )
    if not messages:
        return ", ".join(parts)
    more = ", ..." if len(messages) > IDS_IN_ERROR else ""
    return f"{', '.join(parts)} (messages {', '.join(messages[:IDS_IN_ERROR])}{more})"
