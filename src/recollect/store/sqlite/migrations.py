"""The schema, step by step. A migration has a name, runs in one transaction and is never edited once released."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Migration:
    name: str
    statements: tuple[str, ...]


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
)
