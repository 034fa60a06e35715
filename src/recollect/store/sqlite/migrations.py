"""The schema, step by step. A migration has a name, runs in one transaction and is never edited once released."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass

from recollect.store.sqlite import index
from recollect.store.sqlite.rows import INJECTION_HASHED, MEMORY_HASHED, row_hash


@dataclass(frozen=True, slots=True)
class Migration:
    name: str
    statements: tuple[str, ...]
    then: Callable[[sqlite3.Connection], None] | None = None  # what SQL alone cannot do, in the same transaction


def _hash_and_index(connection: sqlite3.Connection) -> None:
    for row in connection.execute("SELECT * FROM memory").fetchall():
        connection.execute("UPDATE memory SET hash = ? WHERE n = ?", (row_hash(row, MEMORY_HASHED), row["n"]))
    for row in connection.execute("SELECT * FROM injection").fetchall():
        connection.execute(
            "UPDATE injection SET hash = ? WHERE session = ? AND message = ? AND context = ?",
            (row_hash(row, INJECTION_HASHED), row["session"], row["message"], row["context"]),
        )
    index.rebuild(connection)


_COUNT_CHANGE = (
    "INSERT INTO turn_change VALUES (coalesce({}.project, ''), 1) ON CONFLICT DO UPDATE SET times = times + 1;"
)

MIGRATIONS = (
    Migration(
        "memories",
        (
            """
            CREATE TABLE memory (
                n INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                text TEXT NOT NULL,
                kind TEXT NOT NULL,
                scope TEXT NOT NULL,
                title TEXT,
                aliases TEXT NOT NULL,      -- JSON list
                sensitivity TEXT NOT NULL,
                importance REAL NOT NULL,
                confidence REAL NOT NULL,
                created_ms INTEGER NOT NULL,
                valid_from_ms INTEGER NOT NULL,
                valid_to_ms INTEGER,
                superseded_by TEXT,         -- may name a memory that comes later
                seen INTEGER NOT NULL,
                role TEXT NOT NULL,
                host TEXT,
                session TEXT,
                message TEXT,
                content_key TEXT NOT NULL   -- equal for the same words in the same kind and scope
            ) STRICT
            """,
            "CREATE INDEX memory_by_content ON memory (content_key)",
            "CREATE INDEX memory_by_scope ON memory (scope, kind, valid_from_ms)",
            "CREATE INDEX memory_public ON memory (kind, valid_from_ms) WHERE sensitivity = 'public'",
            # The words are prepared by us (stems, identifier parts, bigrams) and come separated by blanks, so the
            # tokenizer only has to keep names whole. The scope column carries one token per scope that may see it.
            r"""
            CREATE VIRTUAL TABLE memory_words USING fts5 (
                scope, words, tokenize = "unicode61 remove_diacritics 0 tokenchars '_./\:@#+-'"
            )
            """,
        ),
    ),
    Migration(
        "sessions and injections",
        (
            """
            CREATE TABLE session (
                id TEXT PRIMARY KEY,
                host TEXT NOT NULL,
                project TEXT,
                language TEXT,
                started_ms INTEGER NOT NULL,
                context INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE injection (
                session TEXT NOT NULL,
                message TEXT NOT NULL,      -- '' = the stable block of the context
                context INTEGER NOT NULL,
                placement TEXT NOT NULL,
                block TEXT NOT NULL,        -- '' = silence
                tokens INTEGER NOT NULL,
                ids TEXT NOT NULL,          -- JSON list
                considered INTEGER NOT NULL,
                at_ms INTEGER NOT NULL,
                took_ms REAL NOT NULL,
                confirmed INTEGER NOT NULL, -- 0 = offered, and perhaps never sent
                PRIMARY KEY (session, message, context)
            ) STRICT, WITHOUT ROWID
            """,
        ),
    ),
    Migration(
        "evidence, use, reach and a hash for each row",
        (
            "ALTER TABLE memory ADD COLUMN agent TEXT",
            "ALTER TABLE memory ADD COLUMN evidence TEXT NOT NULL DEFAULT '[]'",  # JSON list of sentences
            "ALTER TABLE memory ADD COLUMN anchors TEXT NOT NULL DEFAULT '[]'",  # JSON list of [path, hash]
            "ALTER TABLE memory ADD COLUMN shown INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE memory ADD COLUMN used INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE memory ADD COLUMN last_shown_ms INTEGER",
            "ALTER TABLE memory ADD COLUMN last_used_ms INTEGER",
            "ALTER TABLE memory ADD COLUMN forgotten_ms INTEGER",
            "ALTER TABLE memory ADD COLUMN reach TEXT",  # how other projects can see it; NULL: not at all
            "ALTER TABLE memory ADD COLUMN hash TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE injection ADD COLUMN hash TEXT NOT NULL DEFAULT ''",
            """
            UPDATE memory SET reach = CASE
                WHEN sensitivity = 'public' THEN 'public'
                WHEN kind = 'preference' AND sensitivity = 'project' THEN 'preference'
            END WHERE scope GLOB 'project:*'
            """,
            "DROP INDEX memory_by_scope",
            "DROP INDEX memory_public",
            # In the order of `newest`: its first ten are the first ten of the index, of any size.
            """
            CREATE INDEX memory_live ON memory (scope, kind, valid_from_ms DESC, id)
            WHERE valid_to_ms IS NULL AND superseded_by IS NULL AND forgotten_ms IS NULL
            """,
            """
            CREATE INDEX memory_reach ON memory (reach, kind, valid_from_ms DESC, id)
            WHERE reach IS NOT NULL AND valid_to_ms IS NULL AND superseded_by IS NULL AND forgotten_ms IS NULL
            """,
            "CREATE INDEX memory_scope ON memory (scope)",
            "CREATE INDEX memory_superseded ON memory (superseded_by) WHERE superseded_by IS NOT NULL",
            "CREATE INDEX memory_forgotten ON memory (forgotten_ms) WHERE forgotten_ms IS NOT NULL",
            """
            CREATE TABLE turn (
                n INTEGER PRIMARY KEY,
                session TEXT NOT NULL,
                message TEXT NOT NULL,
                project TEXT,
                role TEXT NOT NULL,
                text TEXT NOT NULL,
                at_ms INTEGER NOT NULL,
                hash TEXT NOT NULL,
                UNIQUE (session, message)
            ) STRICT
            """,
            "CREATE INDEX turn_by_time ON turn (at_ms)",
            "CREATE INDEX turn_by_project ON turn (project, at_ms)",
            r"""
            CREATE VIRTUAL TABLE turn_words USING fts5 (
                scope, words, tokenize = "unicode61 remove_diacritics 0 tokenchars '_./\:@#+-'"
            )
            """,
        ),
        _hash_and_index,
    ),
    Migration(
        "deeds and projects",
        (
            """
            CREATE TABLE deed (
                n INTEGER PRIMARY KEY,
                kind TEXT NOT NULL,
                at_ms INTEGER NOT NULL,
                by TEXT NOT NULL,
                undone_by INTEGER REFERENCES deed (n),
                detail TEXT NOT NULL        -- JSON object; never the text of a memory
            ) STRICT
            """,
            """
            CREATE TABLE change (
                n INTEGER PRIMARY KEY,
                deed INTEGER NOT NULL REFERENCES deed (n),
                memory TEXT NOT NULL,
                before TEXT                 -- JSON object of the row; NULL: it did not exist
            ) STRICT
            """,
            "CREATE INDEX change_by_deed ON change (deed)",
            "CREATE INDEX change_by_memory ON change (memory)",
            """
            CREATE TABLE project_alias (
                alias TEXT NOT NULL,
                project TEXT NOT NULL,
                noted_ms INTEGER NOT NULL,
                PRIMARY KEY (alias, project)
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX project_alias_by_project ON project_alias (project)",
            "CREATE INDEX session_by_project ON session (project)",
            # Ids of memories that are gone but may have left traces in the file, its log or a backup.
            "CREATE TABLE trace (memory TEXT PRIMARY KEY) STRICT, WITHOUT ROWID",
        ),
    ),
    Migration(
        "words by place, and vectors",
        (
            "DROP TABLE memory_words",
            "DROP TABLE turn_words",
            # Words come prepared by us, each behind its place; see `index`. Only ASCII ends a word here: what counts as
            # a letter elsewhere changes from one SQLite to the next.
            r"""
            CREATE VIRTUAL TABLE memory_words USING fts5 (
                words, detail = none, tokenize = "ascii tokenchars '_./\:@#+-'"
            )
            """,
            r"""
            CREATE VIRTUAL TABLE turn_words USING fts5 (
                words, detail = none, tokenize = "ascii tokenchars '_./\:@#+-'"
            )
            """,
            "CREATE INDEX turn_by_session ON turn (session, at_ms)",  # finds the turn before
            # How often turns of a project were changed or deleted: a process with the archive in memory reads it again.
            "CREATE TABLE turn_change (project TEXT PRIMARY KEY, times INTEGER NOT NULL) STRICT, WITHOUT ROWID",
            f"CREATE TRIGGER turn_deleted AFTER DELETE ON turn BEGIN {_COUNT_CHANGE.format('old')} END",
            f"CREATE TRIGGER turn_left AFTER UPDATE ON turn BEGIN {_COUNT_CHANGE.format('old')} END",
            f"CREATE TRIGGER turn_entered AFTER UPDATE ON turn BEGIN {_COUNT_CHANGE.format('new')} END",
            # A number is never used twice, so that a process with vectors in memory knows which are new.
            """
            CREATE TABLE memory_vector (
                rev INTEGER PRIMARY KEY AUTOINCREMENT,
                n INTEGER NOT NULL UNIQUE REFERENCES memory (n) ON DELETE CASCADE,
                place TEXT NOT NULL,
                reach TEXT,                 -- the place from which other projects see it
                vector BLOB NOT NULL,       -- float16
                crc INTEGER NOT NULL
            ) STRICT
            """,
            "CREATE INDEX memory_vector_by_place ON memory_vector (place, rev)",
            "CREATE INDEX memory_vector_by_reach ON memory_vector (reach, rev) WHERE reach IS NOT NULL",
            """
            CREATE TABLE turn_vector (
                rev INTEGER PRIMARY KEY AUTOINCREMENT,
                n INTEGER NOT NULL UNIQUE REFERENCES turn (n) ON DELETE CASCADE,
                place TEXT NOT NULL,
                context BLOB NOT NULL,      -- float16
                passages BLOB NOT NULL,     -- float16, one after the other
                crc INTEGER NOT NULL
            ) STRICT
            """,
            "CREATE INDEX turn_vector_by_place ON turn_vector (place, rev)",
            # The queue for vectors: only the numbers of memories and turns, whose rows have the texts.
            """
            CREATE TABLE unembedded (
                what TEXT NOT NULL,         -- memory or turn
                n INTEGER NOT NULL,
                PRIMARY KEY (what, n)
            ) STRICT, WITHOUT ROWID
            """,
            "INSERT INTO unembedded SELECT 'memory', n FROM memory WHERE forgotten_ms IS NULL",
            "INSERT INTO unembedded SELECT 'turn', n FROM turn",
            "CREATE TABLE embedding (model TEXT NOT NULL) STRICT",  # at most one row: the model of all vectors
        ),
        index.rebuild,
    ),
    Migration(
        "mentions, flags and conflicts",
        (
            "ALTER TABLE memory ADD COLUMN mentions TEXT NOT NULL DEFAULT '[]'",  # JSON list of lists
            "ALTER TABLE memory ADD COLUMN flag TEXT",
            "ALTER TABLE memory ADD COLUMN conflicts TEXT NOT NULL DEFAULT '[]'",  # JSON list of ids
            """
            CREATE INDEX memory_to_review ON memory (created_ms DESC, n DESC)
            WHERE (flag IS NOT NULL OR conflicts <> '[]')
                AND valid_to_ms IS NULL AND superseded_by IS NULL AND forgotten_ms IS NULL
            """,
        ),
    ),
    Migration(
        "moments: why, for which tool, and what sessions leave behind",
        (
            "ALTER TABLE memory ADD COLUMN unused INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE memory ADD COLUMN feedback INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE session ADD COLUMN parent TEXT",
            "ALTER TABLE session ADD COLUMN recalls INTEGER NOT NULL DEFAULT 1",
            "ALTER TABLE session ADD COLUMN captures INTEGER NOT NULL DEFAULT 1",
            "ALTER TABLE session ADD COLUMN ended_ms INTEGER",
            "ALTER TABLE injection RENAME TO injection_before",
            """
            CREATE TABLE injection (
                session TEXT NOT NULL,
                message TEXT NOT NULL,      -- '' = the stable block of the context
                context INTEGER NOT NULL,
                call TEXT NOT NULL DEFAULT '',         -- of the tool whose part has it; '' = the message itself has
                point TEXT NOT NULL DEFAULT 'prompt',
                placement TEXT NOT NULL,
                block TEXT NOT NULL,        -- '' = silence
                tokens INTEGER NOT NULL,
                budget INTEGER NOT NULL DEFAULT 0,
                ids TEXT NOT NULL,          -- JSON list
                corrected TEXT NOT NULL DEFAULT '[]',  -- JSON list
                considered INTEGER NOT NULL,
                quiet TEXT,
                reasons TEXT NOT NULL DEFAULT '[]',    -- JSON list; see `reasons`
                at_ms INTEGER NOT NULL,
                took_ms REAL NOT NULL,
                confirmed INTEGER NOT NULL, -- 0 = offered, and perhaps never sent
                hash TEXT NOT NULL DEFAULT '',
                PRIMARY KEY (session, message, context, call)
            ) STRICT, WITHOUT ROWID
            """,
            """
            INSERT INTO injection (
                session, message, context, point, placement, block, tokens, ids, considered, at_ms, took_ms, confirmed,
                hash
            ) SELECT session, message, context, CASE message WHEN '' THEN 'start' ELSE 'prompt' END, placement, block,
                tokens, ids, considered, at_ms, took_ms, confirmed, hash FROM injection_before
            """,
            "DROP TABLE injection_before",
            "CREATE INDEX injection_by_time ON injection (at_ms)",
            """
            CREATE TABLE recap (
                session TEXT PRIMARY KEY,
                project TEXT NOT NULL,
                at_ms INTEGER NOT NULL,
                notes TEXT NOT NULL,        -- JSON list of [code, text]
                summary TEXT NOT NULL,      -- JSON object
                hash TEXT NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX recap_by_project ON recap (project, at_ms)",
        ),
    ),
    Migration(
        "learning: candidates, who really spoke, and an inbox of what happened",
        (
            "ALTER TABLE memory ADD COLUMN tier TEXT NOT NULL DEFAULT 'confirmed'",
            "ALTER TABLE memory ADD COLUMN durability REAL NOT NULL DEFAULT 1.0",
            "ALTER TABLE turn ADD COLUMN origin TEXT NOT NULL DEFAULT ''",  # '' = the usual one of its role
            "CREATE INDEX memory_by_session ON memory (session) WHERE session IS NOT NULL",
            """
            CREATE INDEX memory_candidate ON memory (durability DESC, created_ms DESC)
            WHERE tier = 'candidate' AND valid_to_ms IS NULL AND superseded_by IS NULL AND forgotten_ms IS NULL
            """,
            """
            CREATE TABLE inbox (
                n INTEGER PRIMARY KEY AUTOINCREMENT,
                session TEXT NOT NULL,
                name TEXT,                  -- of the message or call; NULL = it has none
                event TEXT NOT NULL,        -- JSON object, redacted
                at_ms INTEGER NOT NULL,
                tries INTEGER NOT NULL DEFAULT 0,
                done INTEGER NOT NULL DEFAULT 0,  -- 1 = learnt from; it stays until its session is closed
                hash TEXT NOT NULL,
                UNIQUE (session, name)
            ) STRICT
            """,
            "CREATE INDEX inbox_waiting ON inbox (n) WHERE done = 0",
            "CREATE INDEX inbox_by_session ON inbox (session, n)",
        ),
    ),
    Migration(
        "tokens that a model was asked for, by day",
        ("CREATE TABLE token_day (day TEXT PRIMARY KEY, tokens INTEGER NOT NULL) STRICT, WITHOUT ROWID",),
    ),
    Migration(
        "how far old sessions were read",
        (
            """
            CREATE TABLE transcript (
                source TEXT PRIMARY KEY,    -- a hash of where it lies
                state TEXT NOT NULL,        -- of the file: its size and when it was changed
                events INTEGER NOT NULL,
                digest TEXT NOT NULL,
                finished INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
            # Finds the change of one session among many at once.
            """
            CREATE INDEX deed_by_session
            ON deed (kind, iif(json_valid(detail), json_extract(detail, '$.session'), ''))
            """,
        ),
    ),
    Migration(
        "forks: which sessions are copies, and what they were not sent themselves",
        (
            "ALTER TABLE session ADD COLUMN forked INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE injection ADD COLUMN copied INTEGER NOT NULL DEFAULT 0",
            # A copy has the times of its original, including how long it took.
            """
            UPDATE injection SET copied = 1 WHERE EXISTS (
                SELECT 1 FROM session JOIN injection AS first ON first.session = session.parent
                WHERE session.id = injection.session AND first.at_ms = injection.at_ms
                AND first.took_ms = injection.took_ms AND first.block = injection.block AND first.block <> ''
            )
            """,
            "UPDATE session SET forked = 1 WHERE id IN (SELECT session FROM injection WHERE copied = 1)",
        ),
    ),
    Migration(
        "chores: work that an upgrade leaves for the background, and how far it is",
        ("CREATE TABLE chore (name TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID",),
    ),
    Migration(
        "the rules by which a memory was captured",
        ("ALTER TABLE memory ADD COLUMN rules INTEGER",),  # NULL: not captured, or by the first rules
    ),
    Migration(
        "how often the host's model was asked about a session",
        ("ALTER TABLE session ADD COLUMN asked INTEGER NOT NULL DEFAULT 0",),
    ),
)
