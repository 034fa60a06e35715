"""Deleting a session: its row, its log, its turns, what waits of it and what it left, and the lines in which other
sessions were told of it. Memories are not touched. Works on a copy of the database too, also of an older schema."""

import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence

from recollect.domain.memory import MemoryId, ProjectId, SessionId
from recollect.domain.session import REFERENCE_CHARS, Recap, reference
from recollect.store.sqlite import holdings, inbox, index, quotations, vectors
from recollect.store.sqlite.inbox import INBOX_HASH_COLUMNS
from recollect.store.sqlite.rows import is_sound
from recollect.store.sqlite.session_rows import recap_of
from recollect.text.block import is_quote, parts_quoted, plain
from recollect.text.passages import without_marks

SESSION_TABLES = ("turn", "injection", "inbox", "recap")
TRACE_MARK = "\t"  # begins the trace of one, before its id: no memory is called so

_BETWEEN = re.compile(r"[;:] ")  # what a line about a session is made of
_ASKED, _FILES = "asked: ", "files: "
_NEVER = r"(?!)"
_DAY = re.compile(r"^- (?:\d+-\d\d-\d\d )?")
_EDGE = " \t-.,;:!?\"'`()…"


def delete_session(connection: sqlite3.Connection, session: SessionId, gone: Collection[SessionId] = ()) -> None:
    """`gone`: other sessions that go with it: what they were told of it need not be cut out."""
    if session.startswith(TRACE_MARK):
        holdings.erase_names(connection, ProjectId(session.removeprefix(TRACE_MARK)))
        return
    tables = quotations.table_names(connection)
    said = _said_in(connection, session, tables)
    left = _left_by(connection, session, tables)
    others = _told_of_it(connection, session, tables).difference(gone, (session,))
    for row in _rows(connection, "turn", session, tables):
        index.drop_turn(connection, row["n"])
        if "turn_vector" in tables:
            vectors.drop(connection, "turn", row["n"])
        connection.execute("DELETE FROM turn WHERE n = ?", (row["n"],))
    for table in tables & {"injection", "inbox", "recap"}:
        connection.execute(f"DELETE FROM {table} WHERE session = ?", (session,))
    if "session" in tables:
        connection.execute("DELETE FROM session WHERE id = ?", (session,))
    if "injection" in tables and others and (said or left):
        quotations.erase_from_blocks(connection, (), _telling_of(session, said, left), among=others)


def delete_traces(connection: sqlite3.Connection, traces: Collection[str], also: Collection[str] = ()) -> None:
    """The memories and sessions of which something may be left; `also`: what the memories said."""
    memories, sessions = split_traces(traces)
    for session in sorted(sessions, key=lambda name: name.startswith(TRACE_MARK)):  # names last: a deleted turn counts
        delete_session(connection, session, sessions)
    quotations.delete_memories(connection, memories, also=also)


def opt_out_names(connection: sqlite3.Connection, session: SessionId) -> frozenset[str]:
    """The name for all messages, of a session from which nothing may be learnt: as nothing else tells that its user
    wanted so, or that there was none, its id stays."""
    row = connection.execute("SELECT 1 FROM session WHERE id = ? AND captures = 0", (session,)).fetchone()
    return frozenset() if row is None else frozenset({""})


def is_known(connection: sqlite3.Connection, session: SessionId) -> bool:
    """Whether anything of it is kept beside memories."""
    kept = " UNION ALL ".join(f"SELECT 1 FROM {table} WHERE session = :id" for table in SESSION_TABLES)
    found = connection.execute(f"SELECT 1 FROM session WHERE id = :id UNION ALL {kept} LIMIT 1", {"id": session})
    return found.fetchone() is not None


def session_trace(session: SessionId) -> str:
    return f"{TRACE_MARK}{session}"


def project_trace(project: ProjectId) -> str:
    """Its names may be left in a copy. No session is called so either."""
    return f"{TRACE_MARK}{TRACE_MARK}{project}"


def split_traces(traces: Collection[str]) -> tuple[list[MemoryId], list[SessionId]]:
    """The memories and the sessions of which something may be left."""
    sessions = [trace for trace in traces if trace.startswith(TRACE_MARK) and trace != TRACE_MARK]
    memories = [MemoryId(trace) for trace in traces if trace not in sessions]
    return memories, [SessionId(trace.removeprefix(TRACE_MARK)) for trace in sessions]


def _rows(
    connection: sqlite3.Connection, table: str, session: SessionId, tables: Collection[str]
) -> Sequence[sqlite3.Row]:
    if table not in tables:
        return ()
    return connection.execute(f"SELECT * FROM {table} WHERE session = ?", (session,)).fetchall()


def _said_in(connection: sqlite3.Connection, session: SessionId, tables: Collection[str]) -> list[str]:
    """By its user and its agent."""
    said = [row["text"] for row in _rows(connection, "turn", session, tables)]
    for row in _rows(connection, "inbox", session, tables):
        said += inbox.texts_of(row) if is_sound(row, INBOX_HASH_COLUMNS) else []
    return said


def _left_by(connection: sqlite3.Connection, session: SessionId, tables: Collection[str]) -> list[Recap]:
    """What was noted of it."""
    found = map(recap_of, _rows(connection, "recap", session, tables))
    return [recap for recap in found if recap is not None]


def _told_of_it(connection: sqlite3.Connection, session: SessionId, tables: Collection[str]) -> frozenset[SessionId]:
    """Only sessions of its project were ever told of it: what reads alike in others is their own."""
    if "session" not in tables:
        return frozenset()
    known = connection.execute("SELECT project FROM session WHERE id = ?", (session,)).fetchone()
    kept = [row for table in ("turn", "recap") for row in _rows(connection, table, session, tables)[:1]]
    of = next((row["project"] for row in (known, *kept) if row is not None), None)
    alike = connection.execute("SELECT id FROM session WHERE project IS ?", (of,)).fetchall()
    return frozenset(SessionId(row["id"]) for row in alike)


def _telling_of(session: SessionId, said: Collection[str], left: Collection[Recap]) -> Callable[[str], bool]:
    """Whether a line of a block quotes it, or says what it left."""
    # Earlier versions named it by the first characters of its id.
    named = tuple(f", {plain(name)})" for name in (reference(session), session[:REFERENCE_CHARS]))
    known = [_as_read(told) for text in said for told in dict.fromkeys((text, without_marks(text)))]
    asked = [_as_read(recap.summary.asked) for recap in left]
    whole = _any_of(line for recap in left for line in recap.lines if line not in recap.summary.files)
    files = _any_of(file for recap in left for file in recap.summary.files)

    def is_said(words: str, texts: Collection[str]) -> bool:
        part = _as_read(words).strip(_EDGE)
        return len(part) >= quotations.MIN_QUOTE_CHARS and any(part in text for text in texts)

    def tells(line: str) -> bool:
        if is_quote(line):
            return line.endswith(named) and any(is_said(part, known) for part in parts_quoted(line))
        told = _as_read(_DAY.sub("", line))
        if told.startswith(_FILES):  # of a session of which nothing else is told
            return bool(files.search(told))
        # Earlier versions told what it was asked in short; what is quoted is whole.
        topic = _BETWEEN.split(told.removeprefix(_ASKED), maxsplit=1)[0]
        return bool(whole.search(told)) or (not topic.startswith('"') and is_said(topic, asked))

    return tells


def _any_of(lines: Iterable[str]) -> re.Pattern[str]:
    """One of these, whole, as a part of what is told of a session."""
    parts = {_as_read(line).strip(_EDGE) for line in lines}
    told = "|".join(re.escape(part) for part in sorted(parts) if len(part) >= quotations.MIN_QUOTE_CHARS)
    edge = re.escape(_EDGE)
    return re.compile(rf"(?:^|[;:,] )[{edge}]*(?:{told})[{edge}]*(?:$|(?<=[;:,] ))" if told else _NEVER)


def _as_read(text: str) -> str:
    return " ".join(plain(text).casefold().split())
