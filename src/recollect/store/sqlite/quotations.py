"""Deleting memories with everything that quotes them: their history, turns of the archive, lines of blocks."""

import json
import re
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from typing import Any

from recollect.domain.memory import MemoryId, SessionId
from recollect.store.sqlite import inbox, index, reasons, recaps, vectors
from recollect.store.sqlite.rows import (
    INJECTION_HASH_COLUMNS,
    MEMORY_HASH_COLUMNS,
    TURN_HASH_COLUMNS,
    is_sound,
    row_hash,
)
from recollect.store.sqlite.session_rows import recap_of
from recollect.text.block import parts_quoted, plain, without
from recollect.text.passages import without_marks

FORGOTTEN = "[forgotten]"
MIN_QUOTE_CHARS = 12  # a shorter part of a sentence may be anybody's
# Before and between what is told of a session, in a block: `- asked: "..."; ended, in the agent's words: "..."`.
_CODE = re.compile(r"^- [\w ,']{1,40}(?: \(\d+-\d\d-\d\d\))?: ")
_BETWEEN = re.compile(r"\"?; (?:[\w ,']{1,40}: \")?")
_EDGE = " \t\r\n.,;:!?\"'`()…"  # marks that may stand around a quoted sentence


def delete_memories(
    connection: sqlite3.Connection, memories: Collection[MemoryId], also: Collection[str] = ()
) -> list[str]:
    """Cuts `also` out of the archive too. Answers with what the memories said."""
    tables = table_names(connection)
    said: list[str] = []
    whole: list[str] = []  # messages
    places: set[tuple[str, str]] = set()  # the messages that had it
    gone = [row for memory_id in memories for row in _take_out(connection, memory_id)]
    for row in gone:
        _take_back_its_name(connection, row)
        texts = list(dict.fromkeys((*_texts_of(row), *_earlier_texts(connection, row["id"], tables))))
        said += texts
        places |= _sources_of(row)
        if "turn" in tables:
            whole += _cut_from_archive(connection, texts, row, places)
    if "turn" in tables:
        for text in also:
            places.update((turn["session"], turn["message"]) for turn in _cut_from_turns(connection, text))
    if "change" in tables:
        connection.executemany("DELETE FROM change WHERE memory = ?", [(memory_id,) for memory_id in memories])
    if "injection" in tables:
        erase_from_blocks(connection, memories, _quoting((*said, *also, *whole)))
    if "recap" in tables:
        _cut_from_recaps(connection, (*said, *also))
    if "inbox" in tables:
        _cut_from_inbox(connection, (*said, *also), gone, places)
    return said


def block_condition(row: Mapping[str, Any]) -> str:
    """The condition for one row of the injection log, also of a copy from before tools had blocks."""
    key = "session = :session AND message = :message AND context = :context"
    return f"{key} AND call = :call" if "call" in row else key


def table_names(connection: sqlite3.Connection) -> frozenset[str]:
    """A copy of the database may be older than some tables."""
    rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    return frozenset(row["name"] for row in rows)


def _take_out(connection: sqlite3.Connection, memory_id: MemoryId) -> list[sqlite3.Row]:
    rows = connection.execute("SELECT * FROM memory WHERE id = ?", (memory_id,)).fetchall()
    for row in rows:
        index.drop_memory(connection, row["n"])
        if "memory_vector" in table_names(connection):
            vectors.drop(connection, "memory", row["n"])
        connection.execute("DELETE FROM memory WHERE n = ?", (row["n"],))
    return rows


def _take_back_its_name(connection: sqlite3.Connection, gone: sqlite3.Row) -> None:
    """Nothing names it any more. What it had replaced does not hold again: it ended when this one began."""
    for row in connection.execute("SELECT * FROM memory WHERE superseded_by = ?", (gone["id"],)).fetchall():
        ended = max(row["valid_from_ms"], gone["valid_from_ms"]) if row["valid_to_ms"] is None else row["valid_to_ms"]
        _rewrite_memory(connection, row, superseded_by=None, valid_to_ms=ended)
    if "conflicts" in gone.keys():  # noqa: SIM118  # a row of SQLite has no `in`
        for row in connection.execute("SELECT * FROM memory WHERE conflicts <> '[]'").fetchall():
            known = _list_in(row, "conflicts")
            if gone["id"] in known:
                others = [other for other in known if other != gone["id"]]
                _rewrite_memory(connection, row, conflicts=json.dumps(others, ensure_ascii=False))


def _rewrite_memory(connection: sqlite3.Connection, row: sqlite3.Row, **values: object) -> None:
    if "hash" in row.keys() and row["hash"]:  # noqa: SIM118
        if not is_sound(row, MEMORY_HASH_COLUMNS):
            return  # a damaged one does not become sound by this
        values["hash"] = row_hash({**dict(row), **values}, MEMORY_HASH_COLUMNS)
    named = ", ".join(f"{name} = :{name}" for name in values)
    connection.execute(f"UPDATE memory SET {named} WHERE n = :n", {**values, "n": row["n"]})


def _texts_of(row: sqlite3.Row) -> list[str]:
    """The text and the evidence."""
    return [text.encode("utf-8", "ignore").decode() for text in (row["text"], *_list_in(row, "evidence"))]


def _earlier_texts(connection: sqlite3.Connection, memory_id: str, tables: Collection[str]) -> Iterator[str]:
    """What it said before somebody edited it."""
    if "change" not in tables:
        return
    changes = connection.execute("SELECT before FROM change WHERE memory = ? AND before IS NOT NULL", (memory_id,))
    for change in changes.fetchall():
        with suppress(ValueError, TypeError, KeyError):  # damaged: what can be read
            before = json.loads(change["before"])
            evidence = before.get("evidence") or "[]"
            yield from filter(None, (before["text"], *json.loads(evidence)))


def _list_in(row: sqlite3.Row, column: str) -> list[Any]:
    try:
        return list(json.loads(row[column]))
    except (IndexError, ValueError, TypeError):  # an older table, or damaged: what can be read
        return []


def _sources_of(row: sqlite3.Row) -> set[tuple[str, str]]:
    """The messages in which it was said, and said again."""
    again = [(place[3], place[4]) for place in _list_in(row, "mentions") if isinstance(place, list) and len(place) > 4]
    return {(session, message) for session, message in [(row["session"], row["message"]), *again] if message}


def _cut_from_archive(
    connection: sqlite3.Connection, texts: Collection[str], memory: sqlite3.Row, places: set[tuple[str, str]]
) -> list[str]:
    """The sentences wherever they stand word for word; where the source says it otherwise, the whole message, with
    which it answers. Adds the messages that had it to `places`."""
    whole: list[str] = []
    turns = [turn for text in texts for turn in _cut_from_turns(connection, text)]
    cut = {turn["n"] for turn in turns}
    places |= {(turn["session"], turn["message"]) for turn in turns}
    for place in _sources_of(memory):
        source = connection.execute("SELECT * FROM turn WHERE session = ? AND message = ?", place).fetchone()
        if source is not None and source["n"] not in cut:
            whole.append(source["text"])
            rewrite_turn(connection, source, FORGOTTEN)
    return whole


def _cut_from_turns(connection: sqlite3.Connection, text: str) -> list[sqlite3.Row]:
    """Answers with the turns that had it."""
    sentence = _as_pattern(text)
    found = []
    for turn in _turns_with(connection, text):
        without_it, times = sentence.subn(FORGOTTEN, turn["text"])
        if times:
            found.append(turn)
            rewrite_turn(connection, turn, without_it)
    return found


def _as_pattern(text: str) -> re.Pattern[str]:
    """However it is spaced and capitalised, but not inside of a longer word. Chinese has no blanks between words."""
    words = (text.strip(_EDGE) or text.strip()).split()
    sentence = r"\s+".join(map(re.escape, words))
    return re.compile(rf"(?<![A-Za-z0-9_])(?:{sentence})(?![A-Za-z0-9_])", re.IGNORECASE)


def _turns_with(connection: sqlite3.Connection, text: str) -> list[sqlite3.Row]:
    """Those that may have it."""
    if "turn_vector" not in table_names(connection) or not index.query_for_text(
        text, None
    ):  # older: its index has other words
        return connection.execute("SELECT * FROM turn").fetchall()
    projects = connection.execute("SELECT DISTINCT project FROM turn").fetchall()
    return [
        turn
        for row in projects
        for turn in connection.execute(
            "SELECT * FROM turn WHERE n IN (SELECT rowid FROM turn_words WHERE turn_words MATCH ?)",
            (index.query_for_text(text, row["project"]),),
        ).fetchall()
    ]


def rewrite_turn(connection: sqlite3.Connection, turn: sqlite3.Row, text: str) -> None:
    """Another text in its place, in the index too; what it means is asked anew."""
    storable = text.encode("utf-8", "replace").decode()
    # A damaged turn does not become sound by this.
    sound = is_sound(turn, TURN_HASH_COLUMNS)
    changed = row_hash({**dict(turn), "text": storable}, TURN_HASH_COLUMNS) if sound else turn["hash"]
    connection.execute("UPDATE turn SET text = ?, hash = ? WHERE n = ?", (storable, changed, turn["n"]))
    index.drop_turn(connection, turn["n"])
    index.add_turn(connection, turn["n"], turn["project"], storable, turn["at_ms"])
    if "turn_vector" in table_names(connection):
        _forget_meaning(connection, turn)


def _forget_meaning(connection: sqlite3.Connection, turn: sqlite3.Row) -> None:
    """Of the turn, and of the one after it: it was understood together with this one."""
    after = connection.execute(
        "SELECT n FROM turn WHERE session = :session AND (at_ms, n) > (:at_ms, :n) ORDER BY at_ms, n LIMIT 1",
        dict(turn),
    ).fetchone()
    for n in (turn["n"], *([] if after is None else [after["n"]])):
        vectors.enqueue_again(connection, "turn", n)


def erase_from_blocks(
    connection: sqlite3.Connection,
    memories: Collection[MemoryId],
    quotes: Callable[[str], bool],
    *,
    among: Collection[SessionId] | None = None,
) -> None:
    """The lines of memories in what was sent, and what quotes them; `among`: only in blocks of these sessions. A host
    that asks for such a block again gets it without the lines."""
    shown_as = {plain(memory_id) for memory_id in memories}

    def left_of(block: str) -> str:
        return without(block, shown_as, quotes)

    rows = connection.execute("SELECT * FROM injection")
    sent = [row for row in rows if row["block"] and (among is None or row["session"] in among)]
    for row in [dict(row) for row in sent if left_of(row["block"]) != row["block"]]:
        if "hash" in row and not is_sound(row, INJECTION_HASH_COLUMNS):
            connection.execute(
                f"DELETE FROM injection WHERE {block_condition(row)}", row
            )  # damaged: nobody gets it anyhow
            continue
        ids = [shown for shown in json.loads(row["ids"]) if shown not in memories]
        row |= {"block": left_of(row["block"]), "ids": json.dumps(ids)}
        if "corrected" in row:
            row["corrected"] = json.dumps([told for told in json.loads(row["corrected"]) if told not in memories])
        later = "".join(f", {name} = :{name}" for name in ("hash", "corrected") if name in row)
        connection.execute(
            f"UPDATE injection SET ids = :ids, block = :block{later} WHERE {block_condition(row)}",
            {**row, "hash": row_hash(row, INJECTION_HASH_COLUMNS)},
        )
    if memories:
        _cut_from_reasons(connection, memories)


def _cut_from_reasons(connection: sqlite3.Connection, memories: Collection[MemoryId]) -> None:
    named = [json.dumps(memory_id, ensure_ascii=False) for memory_id in memories]
    rows = [
        row
        for row in map(dict, connection.execute("SELECT * FROM injection"))
        if any(name in row.get("reasons", "") for name in named)
    ]
    for row in rows:
        kept = reasons.without(row["reasons"], memories)
        connection.execute(
            f"UPDATE injection SET reasons = :reasons WHERE {block_condition(row)}", {**row, "reasons": kept}
        )


def _cut_from_recaps(connection: sqlite3.Connection, texts: Collection[str]) -> None:
    """Whole lines: half a note is none."""
    quotes = _quoting(texts)
    for row in map(dict, connection.execute("SELECT * FROM recap").fetchall()):
        recap = recap_of(row)
        if recap is None:
            connection.execute("DELETE FROM recap WHERE session = :session", row)  # damaged: nobody gets it anyhow
            continue
        kept = recap.without(quotes)
        if kept != recap:
            recaps.rewrite(connection, kept)


def _cut_from_inbox(
    connection: sqlite3.Connection,
    texts: Collection[str],
    gone: Collection[sqlite3.Row],
    places: Collection[tuple[str, str]],
) -> None:
    """What waits to be learnt from would bring it back; the message in which it was said goes as a whole. None of the
    messages that had it (`places`, and those found here) is read again, whoever tells of it."""
    sentences = [_as_pattern(text) for text in texts]
    sources = {place for row in gone for place in _sources_of(row)}

    def tell(said: str) -> str:
        for sentence in sentences:
            said = sentence.sub(FORGOTTEN, said)
        return said

    for row in connection.execute("SELECT * FROM inbox").fetchall():
        message = inbox.message_of(row)
        if row["done"] == inbox.ERASED_STATE:
            continue
        if message in sources or not is_sound(row, inbox.INBOX_HASH_COLUMNS):
            connection.execute("DELETE FROM inbox WHERE n = ?", (row["n"],))
        elif any(tell(said) != said for said in inbox.texts_of(row)):
            inbox.rewrite_event(connection, row, tell)
            places = {*places, message}
    for session, message_name in places:
        if session and message_name:
            inbox.note_erased(connection, session, [message_name])


def _quoting(texts: Collection[str]) -> Callable[[str], bool]:
    """Whether a line has one of the texts, or says a part of one."""
    # What is quoted of a turn stands in a block without the marks of Markdown.
    told = list(dict.fromkeys([*texts, *(without_marks(text) for text in texts)]))
    sentences = [_as_pattern(text) for text in told if text.strip()]
    said = [" ".join(text.casefold().split()) for text in told]

    def is_part(words: str) -> bool:
        part = " ".join(words.casefold().split()).strip(_EDGE)
        return len(part) >= MIN_QUOTE_CHARS and any(part in text for text in said)

    def quotes(line: str) -> bool:
        told = _CODE.sub("", line)
        parts = parts_quoted(line) or [told, *(_BETWEEN.split(told) if told != line else ())]
        return any(map(is_part, parts)) or any(sentence.search(line) for sentence in sentences)

    return quotes
