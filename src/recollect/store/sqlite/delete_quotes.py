"""Deletes memories with everything that quotes them: their history, turns of the archive, lines of blocks."""

import json
import re
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from typing import Any

from recollect.domain.memory import WORDS, MemoryId, SessionId
from recollect.store.sqlite import inbox, index, reasons, recaps, vectors
from recollect.store.sqlite.database import assignments
from recollect.store.sqlite.rows import (
    INJECTION_HASHED,
    MEMORY_HASHED,
    TURN_HASHED,
    WRONG_FORM,
    is_sound,
    parse_mention,
    recap_of,
    row_hash,
)
from recollect.text.block import plain, quote_parts, remove_entries
from recollect.text.passages import without_marks

FORGOTTEN = "[forgotten]"
MIN_QUOTE_CHARS = 12  # a shorter part of a sentence may come from any text
# The label before and between the parts of a line about a session: `- asked: "..."; ended, in the agent's words: "..."`.
_LABEL = re.compile(r"^- [\w ,']{1,40}(?: \(\d+-\d\d-\d\d\))?: ")
_BETWEEN = re.compile(r"\"?; (?:[\w ,']{1,40}: \")?")
_EDGE = " \t\r\n.,;:!?\"'`()…"  # characters that may surround a quoted sentence

Message = tuple[str, str]  # the session, and the message's name in it


def delete_memories(connection: sqlite3.Connection, memories: Collection[MemoryId], also: Collection[str]) -> list[str]:
    """Delete the memories, and erase the texts `also`. Return the texts of the memories."""
    tables = table_names(connection)
    texts: list[str] = []
    whole_turns: list[str] = []
    messages: set[Message] = set()  # that contained an erased text
    deleted = []
    for memory_id in memories:
        deleted += _delete_rows(connection, memory_id)
    for row in deleted:
        _drop_references(connection, row)
        own_texts = list(dict.fromkeys((*_texts_of(row), *_earlier_texts(connection, row["id"], tables))))
        texts += own_texts
        messages |= _sources_of(row)
        if "turn" in tables:
            whole_turns += _erase_from_archive(connection, own_texts, row, messages)
    if "turn" in tables:
        for text in also:
            messages.update(_erase_from_turns(connection, text).values())
    if "change" in tables:
        connection.executemany("DELETE FROM change WHERE memory = ?", [(memory_id,) for memory_id in memories])
    if "injection" in tables:
        erase_from_blocks(connection, memories, _quotes_any((*texts, *also, *whole_turns)))
    if "recap" in tables:
        _erase_from_recaps(connection, (*texts, *also))
    if "inbox" in tables:
        _erase_from_inbox(connection, (*texts, *also), deleted, messages)
    return texts


def block_condition(row: Mapping[str, Any]) -> str:
    """Return the condition for one row of the injection log, also in a copy from before tools had blocks."""
    key = "session = :session AND message = :message AND context = :context"
    return f"{key} AND call = :call" if "call" in row else key


def table_names(connection: sqlite3.Connection) -> frozenset[str]:
    """A copy of the database may be older than some tables."""
    rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    return frozenset(row["name"] for row in rows)


def _delete_rows(connection: sqlite3.Connection, memory_id: MemoryId) -> list[sqlite3.Row]:
    rows = connection.execute("SELECT * FROM memory WHERE id = ?", (memory_id,)).fetchall()
    for row in rows:
        index.drop_memory(connection, row["n"])
        if "memory_vector" in table_names(connection):
            vectors.drop(connection, "memory", row["n"])
        connection.execute("DELETE FROM memory WHERE n = ?", (row["n"],))
    return rows


def _drop_references(connection: sqlite3.Connection, deleted: sqlite3.Row) -> None:
    """Remove its id from other memories. One that it had replaced stays ended: it ended when this one began."""
    for row in connection.execute("SELECT * FROM memory WHERE superseded_by = ?", (deleted["id"],)).fetchall():
        ended_ms = row["valid_to_ms"]
        if ended_ms is None:
            ended_ms = max(row["valid_from_ms"], deleted["valid_from_ms"])
        _rewrite_memory(connection, row, superseded_by=None, valid_to_ms=ended_ms)
    if "conflicts" in deleted.keys():  # noqa: SIM118  # a row of SQLite has no `in`
        for row in connection.execute("SELECT * FROM memory WHERE conflicts <> '[]'").fetchall():
            conflicts = _list_in(row, "conflicts")
            if deleted["id"] in conflicts:
                others = [other for other in conflicts if other != deleted["id"]]
                _rewrite_memory(connection, row, conflicts=json.dumps(others, ensure_ascii=False))


def _rewrite_memory(connection: sqlite3.Connection, row: sqlite3.Row, **values: object) -> None:
    if "hash" in row.keys() and row["hash"]:  # noqa: SIM118
        if not is_sound(row, MEMORY_HASHED):
            return  # a new hash would make a damaged row look sound
        values["hash"] = row_hash({**dict(row), **values}, MEMORY_HASHED)
    connection.execute(f"UPDATE memory SET {assignments(values)} WHERE n = :n", {**values, "n": row["n"]})


def _texts_of(row: sqlite3.Row) -> list[str]:
    return [text.encode("utf-8", "ignore").decode() for text in _quotable(dict(row))]


def _quotable(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts that may be quoted elsewhere. Title and aliases are words that find it, not what was said."""
    for one in WORDS:
        if one.name in ("title", "aliases"):
            continue
        with suppress(ValueError, TypeError):  # damaged: erase what can be read
            stored = row.get(one.name)
            yield from filter(None, json.loads(stored or "[]") if one.is_list else [stored])


def _earlier_texts(connection: sqlite3.Connection, memory_id: str, tables: Collection[str]) -> Iterator[str]:
    """Yield the texts that the memory had before it was edited."""
    if "change" not in tables:
        return
    changes = connection.execute("SELECT before FROM change WHERE memory = ? AND before IS NOT NULL", (memory_id,))
    for change in changes.fetchall():
        with suppress(ValueError, AttributeError):  # damaged: erase what can be read
            yield from _quotable(json.loads(change["before"]))


def _list_in(row: sqlite3.Row, column: str) -> list[Any]:
    try:
        return list(json.loads(row[column]))
    except (IndexError, ValueError, TypeError):  # an older table, or damaged
        return []


def _sources_of(row: sqlite3.Row) -> set[Message]:
    """Return the messages in which the user said it, the first time and later."""
    sources = {(row["session"], row["message"])}
    for stored in _list_in(row, "mentions"):
        with suppress(*WRONG_FORM):  # damaged: erase what can be read
            mention = parse_mention(stored)
            sources.add((mention.session, mention.message))
    return {(session, message) for session, message in sources if message}


def _erase_from_archive(
    connection: sqlite3.Connection, texts: Collection[str], memory: sqlite3.Row, messages: set[Message]
) -> list[str]:
    """Erase the sentences wherever they occur word for word. A source that words it differently is erased as a whole;
    return the texts of these. Adds the messages that had it to `messages`."""
    erased: set[int] = set()
    for text in texts:
        turns = _erase_from_turns(connection, text)
        erased.update(turns)
        messages.update(turns.values())
    whole_turns: list[str] = []
    for source in _sources_of(memory):
        turn = connection.execute("SELECT * FROM turn WHERE session = ? AND message = ?", source).fetchone()
        if turn is not None and turn["n"] not in erased:
            whole_turns.append(turn["text"])
            rewrite_turn(connection, turn, FORGOTTEN)
    return whole_turns


def _erase_from_turns(connection: sqlite3.Connection, text: str) -> dict[int, Message]:
    """Return the turns that had the text, by number."""
    sentence = _sentence_pattern(text)
    changed: dict[int, Message] = {}
    for turn in _turns_that_may_have(connection, text):
        rest, times = sentence.subn(FORGOTTEN, turn["text"])
        if times:
            changed[turn["n"]] = (turn["session"], turn["message"])
            rewrite_turn(connection, turn, rest)
    return changed


def _sentence_pattern(text: str) -> re.Pattern[str]:
    """Match it in any spacing and case, but not inside a longer word. Chinese has no spaces between words."""
    words = (text.strip(_EDGE) or text.strip()).split()
    sentence = r"\s+".join(map(re.escape, words))
    return re.compile(rf"(?<![A-Za-z0-9_])(?:{sentence})(?![A-Za-z0-9_])", re.IGNORECASE)


def _turns_that_may_have(connection: sqlite3.Connection, text: str) -> list[sqlite3.Row]:
    # A copy from before vectors indexes other words.
    if "turn_vector" not in table_names(connection) or not index.query_for_text(text, None):
        return connection.execute("SELECT * FROM turn").fetchall()
    turns = []
    for row in connection.execute("SELECT DISTINCT project FROM turn").fetchall():
        turns += connection.execute(
            "SELECT * FROM turn WHERE n IN (SELECT rowid FROM turn_words WHERE turn_words MATCH ?)",
            (index.query_for_text(text, row["project"]),),
        ).fetchall()
    return turns


def rewrite_turn(connection: sqlite3.Connection, turn: sqlite3.Row, text: str) -> None:
    """Replace its text, in the index too, and queue it for a new vector."""
    storable = text.encode("utf-8", "replace").decode()
    new_hash = turn["hash"]
    if is_sound(turn, TURN_HASHED):  # a new hash would make a damaged turn look sound
        new_hash = row_hash({**dict(turn), "text": storable}, TURN_HASHED)
    connection.execute("UPDATE turn SET text = ?, hash = ? WHERE n = ?", (storable, new_hash, turn["n"]))
    index.drop_turn(connection, turn["n"])
    index.add_turn(connection, turn["n"], turn["project"], storable, turn["at_ms"])
    if "turn_vector" in table_names(connection):
        _drop_vectors(connection, turn)


def _drop_vectors(connection: sqlite3.Connection, turn: sqlite3.Row) -> None:
    """Of the turn, and of the next one: its vector was made together with this turn's text."""
    vectors.enqueue_again(connection, "turn", turn["n"])
    following = connection.execute(
        "SELECT n FROM turn WHERE session = :session AND (at_ms, n) > (:at_ms, :n) ORDER BY at_ms, n LIMIT 1",
        dict(turn),
    ).fetchone()
    if following is not None:
        vectors.enqueue_again(connection, "turn", following["n"])


def erase_from_blocks(
    connection: sqlite3.Connection,
    memories: Collection[MemoryId],
    is_quote: Callable[[str], bool],
    *,
    among: Collection[SessionId] | None = None,
) -> None:
    """Erase the lines of the memories, and lines that quote them, from logged blocks; `among`: only in blocks of these
    sessions. A host that asks for such a block again gets it without the lines."""
    shown_ids = {plain(memory_id) for memory_id in memories}
    rows = connection.execute("SELECT * FROM injection")
    with_block = [dict(row) for row in rows if row["block"] and (among is None or row["session"] in among)]
    for row in with_block:
        rest = remove_entries(row["block"], shown_ids, is_quote)
        if rest != row["block"]:
            _rewrite_block(connection, row, rest, memories)
    if memories:
        _erase_from_reasons(connection, memories)


def _rewrite_block(
    connection: sqlite3.Connection, row: dict[str, Any], block: str, erased: Collection[MemoryId]
) -> None:
    if "hash" in row and not is_sound(row, INJECTION_HASHED):
        connection.execute(f"DELETE FROM injection WHERE {block_condition(row)}", row)  # damaged: it is never shown
        return
    row["block"] = block
    row["ids"] = _without_ids(row["ids"], erased)
    changes = "ids = :ids, block = :block"
    if "hash" in row:
        changes += ", hash = :hash"
    if "corrected" in row:
        changes += ", corrected = :corrected"
        row["corrected"] = _without_ids(row["corrected"], erased)
    row["hash"] = row_hash(row, INJECTION_HASHED)
    connection.execute(f"UPDATE injection SET {changes} WHERE {block_condition(row)}", row)


def _without_ids(stored: str, erased: Collection[MemoryId]) -> str:
    return json.dumps([memory_id for memory_id in json.loads(stored) if memory_id not in erased])


def _erase_from_reasons(connection: sqlite3.Connection, memories: Collection[MemoryId]) -> None:
    ids = [json.dumps(memory_id, ensure_ascii=False) for memory_id in memories]
    for row in map(dict, connection.execute("SELECT * FROM injection").fetchall()):
        stored = row.get("reasons", "")
        if any(memory_id in stored for memory_id in ids):
            row["reasons"] = reasons.without(stored, memories)
            connection.execute(f"UPDATE injection SET reasons = :reasons WHERE {block_condition(row)}", row)


def _erase_from_recaps(connection: sqlite3.Connection, texts: Collection[str]) -> None:
    """Erase whole lines: half a note is useless."""
    is_quote = _quotes_any(texts)
    for row in connection.execute("SELECT * FROM recap").fetchall():
        recap = recap_of(row)
        if recap is None:  # damaged: it is never shown
            connection.execute("DELETE FROM recap WHERE session = ?", (row["session"],))
            continue
        rest = recap.without_lines(is_quote)
        if rest != recap:
            recaps.rewrite(connection, rest)


def _erase_from_inbox(
    connection: sqlite3.Connection,
    texts: Collection[str],
    deleted: Collection[sqlite3.Row],
    messages: Collection[Message],
) -> None:
    """Erase it from waiting events, which would bring it back; the message that said it is deleted as a whole. None of
    the messages that had it (`messages`, and those found here) is read again, from whatever source."""
    sentences = [_sentence_pattern(text) for text in texts]
    sources: set[Message] = set()
    for row in deleted:
        sources |= _sources_of(row)

    def erase(text: str) -> str:
        for sentence in sentences:
            text = sentence.sub(FORGOTTEN, text)
        return text

    had_it = set(messages)
    for row in connection.execute("SELECT * FROM inbox").fetchall():
        message = inbox.message_of(row)
        if row["done"] == inbox.ERASED_STATE:
            continue
        if message in sources or not is_sound(row, inbox.INBOX_HASHED):
            connection.execute("DELETE FROM inbox WHERE n = ?", (row["n"],))
        elif any(erase(text) != text for text in inbox.texts_of(row)):
            inbox.rewrite_event(connection, row, erase)
            had_it.add(message)
    for session, name in had_it:
        if session and name:
            inbox.note_erased(connection, session, [name])


def _quotes_any(texts: Collection[str]) -> Callable[[str], bool]:
    """Return a check whether a line contains one of the texts, or a part of one."""
    # A block quotes a turn without the marks of Markdown.
    forms = list(dict.fromkeys([*texts, *map(without_marks, texts)]))
    sentences = [_sentence_pattern(text) for text in forms if text.strip()]
    normalised = [" ".join(text.casefold().split()) for text in forms]

    def is_part(words: str) -> bool:
        part = " ".join(words.casefold().split()).strip(_EDGE)
        return len(part) >= MIN_QUOTE_CHARS and any(part in text for text in normalised)

    def is_quote(line: str) -> bool:
        parts = quote_parts(line)
        if not parts:
            unlabelled = _LABEL.sub("", line)
            parts = [unlabelled]
            if unlabelled != line:
                parts += _BETWEEN.split(unlabelled)
        return any(map(is_part, parts)) or any(sentence.search(line) for sentence in sentences)

    return is_quote
