"""Deletes a session: its row, log, turns, waiting events and recap, and the lines that other sessions were shown about
it. Memories stay. Works on a copy of the database too, also with an older schema."""

import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence

from recollect.domain.memory import MemoryId, ProjectId, SessionId
from recollect.domain.session import REFERENCE_CHARS, Recap, session_reference
from recollect.store.sqlite import delete_quotes, inbox, index, storage_counts, vectors
from recollect.store.sqlite.rows import is_sound, recap_of
from recollect.text.block import is_quote, plain, quote_parts
from recollect.text.passages import without_marks

SESSION_TABLES = ("turn", "injection", "inbox", "recap")
TRACE_MARK = "\t"  # one before a session's id, two before a project's: no memory id begins with it

_BETWEEN = re.compile(r"[;:] ")  # separates the parts of a line about a session
_ASKED, _FILES = "asked: ", "files: "
_DAY = re.compile(r"^- (?:\d+-\d\d-\d\d )?")
_EDGE = " \t-.,;:!?\"'`()…"


def delete_session(connection: sqlite3.Connection, session: SessionId, gone: Collection[SessionId] = ()) -> None:
    """`gone`: sessions that are deleted with it, whose blocks need no clean-up."""
    if session.startswith(TRACE_MARK):
        storage_counts.erase_names(connection, ProjectId(session.removeprefix(TRACE_MARK)))
        return
    tables = delete_quotes.table_names(connection)
    texts = _texts_of(connection, session, tables)
    recaps = [recap for recap in map(recap_of, _rows(connection, "recap", session, tables)) if recap is not None]
    others = _sessions_of_its_project(connection, session, tables).difference(gone, (session,))
    for row in _rows(connection, "turn", session, tables):
        index.drop_turn(connection, row["n"])
        if "turn_vector" in tables:
            vectors.drop(connection, "turn", row["n"])
        connection.execute("DELETE FROM turn WHERE n = ?", (row["n"],))
    for table in tables & {"injection", "inbox", "recap"}:
        connection.execute(f"DELETE FROM {table} WHERE session = ?", (session,))
    if "session" in tables:
        connection.execute("DELETE FROM session WHERE id = ?", (session,))
    if "injection" in tables and others and (texts or recaps):
        delete_quotes.erase_from_blocks(connection, (), _mentions_session(session, texts, recaps), among=others)


def delete_traces(connection: sqlite3.Connection, traces: Collection[str], also: Collection[str] = ()) -> None:
    """Delete the traced memories, sessions and projects; `also`: the texts of the memories."""
    memories, sessions = separate_traces(traces)
    for session in sorted(sessions, key=lambda name: name.startswith(TRACE_MARK)):
        delete_session(connection, session, sessions)  # projects last: deleting a turn counts a change of its project
    delete_quotes.delete_memories(connection, memories, also)


def opt_out_names(connection: sqlite3.Connection, session: SessionId) -> frozenset[str]:
    """Return the empty name, which covers all messages, if the session must not be captured. Nothing else records
    that its user opted out, or that it had no user, so its id stays."""
    row = connection.execute("SELECT 1 FROM session WHERE id = ? AND captures = 0", (session,)).fetchone()
    return frozenset() if row is None else frozenset({""})


def is_known(connection: sqlite3.Connection, session: SessionId) -> bool:
    """Check whether the database has anything of the session besides memories."""
    in_tables = " UNION ALL ".join(f"SELECT 1 FROM {table} WHERE session = :id" for table in SESSION_TABLES)
    found = connection.execute(f"SELECT 1 FROM session WHERE id = :id UNION ALL {in_tables} LIMIT 1", {"id": session})
    return found.fetchone() is not None


def session_trace(session: SessionId) -> str:
    return f"{TRACE_MARK}{session}"


def project_trace(project: ProjectId) -> str:
    """A copy may still have its names."""
    return f"{TRACE_MARK}{TRACE_MARK}{project}"


def separate_traces(traces: Collection[str]) -> tuple[list[MemoryId], list[SessionId]]:
    """Return the memories and the sessions; a project counts as a session whose id begins with the mark."""
    memories, sessions = [], []
    for trace in traces:
        if trace.startswith(TRACE_MARK) and trace != TRACE_MARK:
            sessions.append(SessionId(trace.removeprefix(TRACE_MARK)))
        else:
            memories.append(MemoryId(trace))
    return memories, sessions


def _rows(
    connection: sqlite3.Connection, table: str, session: SessionId, tables: Collection[str]
) -> Sequence[sqlite3.Row]:
    if table not in tables:
        return ()
    return connection.execute(f"SELECT * FROM {table} WHERE session = ?", (session,)).fetchall()


def _texts_of(connection: sqlite3.Connection, session: SessionId, tables: Collection[str]) -> list[str]:
    """Return the words of its user and its agent."""
    texts = [row["text"] for row in _rows(connection, "turn", session, tables)]
    for row in _rows(connection, "inbox", session, tables):
        if is_sound(row, inbox.INBOX_HASHED):
            texts += inbox.texts_of(row)
    return texts


def _sessions_of_its_project(
    connection: sqlite3.Connection, session: SessionId, tables: Collection[str]
) -> frozenset[SessionId]:
    """Only these were ever shown lines about it: a similar line in another project is that project's own."""
    if "session" not in tables:
        return frozenset()
    known = connection.execute("SELECT project FROM session WHERE id = ?", (session,)).fetchone()
    known = known or next(iter(_rows(connection, "turn", session, tables)), None)
    known = known or next(iter(_rows(connection, "recap", session, tables)), None)
    project = None if known is None else known["project"]
    rows = connection.execute("SELECT id FROM session WHERE project IS ?", (project,)).fetchall()
    return frozenset(SessionId(row["id"]) for row in rows)


def _mentions_session(session: SessionId, texts: Collection[str], recaps: Collection[Recap]) -> Callable[[str], bool]:
    """Return a check whether a line of a block quotes the session or comes from its recap."""
    # Earlier versions named it by the first characters of its id.
    endings = tuple(f", {plain(name)})" for name in (session_reference(session), session[:REFERENCE_CHARS]))
    known: list[str] = []
    for text in texts:
        known += map(_normalise, dict.fromkeys((text, without_marks(text))))
    topics = [_normalise(recap.summary.asked) for recap in recaps]
    recap_lines: list[str] = []
    files: list[str] = []
    for recap in recaps:
        recap_lines += [line for line in recap.lines if line not in recap.summary.files]
        files += recap.summary.files
    any_line, any_file = _any_of(recap_lines), _any_of(files)

    def is_part(words: str, of: Collection[str]) -> bool:
        part = _normalise(words).strip(_EDGE)
        return len(part) >= delete_quotes.MIN_QUOTE_CHARS and any(part in text for text in of)

    def is_mention(line: str) -> bool:
        if is_quote(line):
            return line.endswith(endings) and any(is_part(part, known) for part in quote_parts(line))
        said = _normalise(_DAY.sub("", line))
        if said.startswith(_FILES):  # the only line about that session
            return bool(any_file.search(said))
        # Earlier versions shortened what the user asked; today it is quoted whole.
        topic = _BETWEEN.split(said.removeprefix(_ASKED), maxsplit=1)[0]
        return bool(any_line.search(said)) or (not topic.startswith('"') and is_part(topic, topics))

    return is_mention


def _any_of(lines: Iterable[str]) -> re.Pattern[str]:
    """Match one of these as a complete part of a line about a session."""
    parts = {_normalise(line).strip(_EDGE) for line in lines}
    alternatives = "|".join(re.escape(part) for part in sorted(parts) if len(part) >= delete_quotes.MIN_QUOTE_CHARS)
    edge = re.escape(_EDGE)
    if not alternatives:
        return re.compile(r"(?!)")  # never matches
    return re.compile(rf"(?:^|[;:,] )[{edge}]*(?:{alternatives})[{edge}]*(?:$|(?<=[;:,] ))")


def _normalise(text: str) -> str:
    return " ".join(plain(text).casefold().split())
