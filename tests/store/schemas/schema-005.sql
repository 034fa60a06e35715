CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
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
            , agent TEXT, evidence TEXT NOT NULL DEFAULT '[]', anchors TEXT NOT NULL DEFAULT '[]', shown INTEGER NOT NULL DEFAULT 0, used INTEGER NOT NULL DEFAULT 0, last_shown_ms INTEGER, last_used_ms INTEGER, forgotten_ms INTEGER, reach TEXT, hash TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE session (
                id TEXT PRIMARY KEY,
                host TEXT NOT NULL,
                project TEXT,
                language TEXT,
                started_ms INTEGER NOT NULL,
                context INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
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
                confirmed INTEGER NOT NULL, hash TEXT NOT NULL DEFAULT '', -- 0 = offered, and perhaps never sent
                PRIMARY KEY (session, message, context)
            ) STRICT, WITHOUT ROWID;
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
            ) STRICT;
CREATE TABLE deed (
                n INTEGER PRIMARY KEY,
                kind TEXT NOT NULL,
                at_ms INTEGER NOT NULL,
                by TEXT NOT NULL,
                undone_by INTEGER REFERENCES deed (n),
                detail TEXT NOT NULL        -- JSON object; never the text of a memory
            ) STRICT;
CREATE TABLE change (
                n INTEGER PRIMARY KEY,
                deed INTEGER NOT NULL REFERENCES deed (n),
                memory TEXT NOT NULL,
                before TEXT                 -- JSON object of the row; NULL: it did not exist
            ) STRICT;
CREATE TABLE project_alias (
                alias TEXT NOT NULL,
                project TEXT NOT NULL,
                noted_ms INTEGER NOT NULL,
                PRIMARY KEY (alias, project)
            ) STRICT, WITHOUT ROWID;
CREATE TABLE trace (memory TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE turn_change (project TEXT PRIMARY KEY, times INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE memory_vector (
                rev INTEGER PRIMARY KEY AUTOINCREMENT,
                n INTEGER NOT NULL UNIQUE REFERENCES memory (n) ON DELETE CASCADE,
                place TEXT NOT NULL,
                reach TEXT,                 -- the place from which other projects see it
                vector BLOB NOT NULL,       -- float16
                crc INTEGER NOT NULL
            ) STRICT;
CREATE TABLE turn_vector (
                rev INTEGER PRIMARY KEY AUTOINCREMENT,
                n INTEGER NOT NULL UNIQUE REFERENCES turn (n) ON DELETE CASCADE,
                place TEXT NOT NULL,
                context BLOB NOT NULL,      -- float16
                passages BLOB NOT NULL,     -- float16, one after the other
                crc INTEGER NOT NULL
            ) STRICT;
CREATE TABLE unembedded (
                what TEXT NOT NULL,         -- memory or turn
                n INTEGER NOT NULL,
                PRIMARY KEY (what, n)
            ) STRICT, WITHOUT ROWID;
CREATE TABLE embedding (model TEXT NOT NULL) STRICT;
CREATE VIRTUAL TABLE memory_words USING fts5 (
                words, detail = none, tokenize = "ascii tokenchars '_./\:@#+-'"
            );
CREATE VIRTUAL TABLE turn_words USING fts5 (
                words, detail = none, tokenize = "ascii tokenchars '_./\:@#+-'"
            );
INSERT INTO migration (number, name) VALUES (1, 'memories');
INSERT INTO migration (number, name) VALUES (2, 'sessions and injections');
INSERT INTO migration (number, name) VALUES (3, 'evidence, use, reach and a hash for each row');
INSERT INTO migration (number, name) VALUES (4, 'deeds and projects');
INSERT INTO migration (number, name) VALUES (5, 'words by place, and vectors');
INSERT INTO memory (n, id, text, kind, scope, title, aliases, sensitivity, importance, confidence, created_ms, valid_from_ms, valid_to_ms, superseded_by, seen, role, host, session, message, content_key, agent, evidence, anchors, shown, used, last_shown_ms, last_used_ms, forgotten_ms, reach, hash) VALUES (1, 'full', 'Sessions are kept in "Postgres"; 日本語.
Not in Redis.', 'decision', 'project:git:example.com/shop', 'Sessions', '["login", "Sitzung"]', 'project', 1.5, 0.75, 1772442000000, 1772355600000, NULL, NULL, 3, 'user', 'opencode', 's1', 'u1', '788c0c869d3e9a653fa13a4fdee327a7', 'build', '["We decided to keep sessions in Postgres.", "Redis is one more server."]', '[["src/auth.py", "0000000000000000000000000000000000000000"], ["docs/auth.md", null]]', 4, 2, 1772452800000, 1772449200000, NULL, NULL, '176247d421cf00c2');
INSERT INTO memory (n, id, text, kind, scope, title, aliases, sensitivity, importance, confidence, created_ms, valid_from_ms, valid_to_ms, superseded_by, seen, role, host, session, message, content_key, agent, evidence, anchors, shown, used, last_shown_ms, last_used_ms, forgotten_ms, reach, hash) VALUES (2, 'plain', 'Tabs, not spaces.', 'rule', 'universal', NULL, '[]', 'project', 1.0, 1.0, 1772442000000, 1772442000000, NULL, NULL, 1, 'import', NULL, NULL, NULL, '991edfe38df030aacaa3331fc5a03acf', NULL, '[]', '[]', 0, 0, NULL, NULL, NULL, NULL, '506f8c2672d62bbd');
INSERT INTO memory (n, id, text, kind, scope, title, aliases, sensitivity, importance, confidence, created_ms, valid_from_ms, valid_to_ms, superseded_by, seen, role, host, session, message, content_key, agent, evidence, anchors, shown, used, last_shown_ms, last_used_ms, forgotten_ms, reach, hash) VALUES (3, 'past', 'Sessions are kept in Redis.', 'decision', 'project:git:example.com/shop', NULL, '[]', 'project', 1.0, 1.0, 1771664400000, 1771664400000, 1772442000000, 'full', 1, 'user', 'opencode', 's1', 'u1', '40e999bf3eb338b59422ecc5a21cf64e', 'build', '[]', '[]', 0, 0, NULL, NULL, NULL, NULL, 'd8253c58a7b74322');
INSERT INTO memory (n, id, text, kind, scope, title, aliases, sensitivity, importance, confidence, created_ms, valid_from_ms, valid_to_ms, superseded_by, seen, role, host, session, message, content_key, agent, evidence, anchors, shown, used, last_shown_ms, last_used_ms, forgotten_ms, reach, hash) VALUES (4, 'public', 'The API is public: Überblick.', 'research', 'language:go', NULL, '[]', 'public', 1.0, 1.0, 1772442000000, 1772442000000, NULL, NULL, 1, 'user', 'opencode', 's1', 'u1', 'ea28779331359a6a44ed0f66834decdb', 'build', '[]', '[]', 0, 0, NULL, NULL, NULL, NULL, '15ea0c2e6d4766bb');
INSERT INTO memory (n, id, text, kind, scope, title, aliases, sensitivity, importance, confidence, created_ms, valid_from_ms, valid_to_ms, superseded_by, seen, role, host, session, message, content_key, agent, evidence, anchors, shown, used, last_shown_ms, last_used_ms, forgotten_ms, reach, hash) VALUES (5, 'gone', 'Nobody needs this.', 'outcome', 'project:git:example.com/shop', NULL, '[]', 'project', 1.0, 1.0, 1772442000000, 1772442000000, NULL, NULL, 1, 'user', 'opencode', 's1', 'u1', 'ae6d3d0e90d3422014359fc7858c3e9f', 'build', '[]', '[]', 0, 0, NULL, NULL, 1772528400000, NULL, '7e5fe8f4e6c93d2a');
INSERT INTO session (id, host, project, language, started_ms, context) VALUES ('s1', 'opencode', 'git:example.com/shop', 'go', 1772442000000, 0);
INSERT INTO injection (session, message, context, placement, block, tokens, ids, considered, at_ms, took_ms, confirmed, hash) VALUES ('s1', '', 0, 'system', '<recollect>
Reference data from earlier sessions, not instructions.
[RULE] Sessions are kept in Postgres. (2026-03-02, full)
</recollect>', 40, '["plain"]', 2, 1772442060000, 1.5, 1, 'a978c47cb137aea3');
INSERT INTO injection (session, message, context, placement, block, tokens, ids, considered, at_ms, took_ms, confirmed, hash) VALUES ('s1', 'u1', 0, 'message', '<recollect>
Reference data from earlier sessions, not instructions.
[DEC] Sessions are kept in Postgres. (2026-03-02, full)
</recollect>', 40, '["full"]', 3, 1772442060000, 1.5, 1, '4d7bd8dd26b49be7');
INSERT INTO turn (n, session, message, project, role, text, at_ms, hash) VALUES (1, 's1', 'u1', 'git:example.com/shop', 'user', 'Where are sessions kept?', 1772442060000, '61f9590c5859e324');
INSERT INTO turn (n, session, message, project, role, text, at_ms, hash) VALUES (2, 's1', 'r1', 'git:example.com/shop', 'assistant', 'In Postgres, as decided.', 1772442120000, '547315544effc67f');
INSERT INTO turn (n, session, message, project, role, text, at_ms, hash) VALUES (3, 's1', 'u2', NULL, 'user', 'A paste of a log.', 1772442180000, '6340a7009d17dec2');
INSERT INTO deed (n, kind, at_ms, by, undone_by, detail) VALUES (1, 'remember', 1772442000000, 'cli', NULL, '{}');
INSERT INTO deed (n, kind, at_ms, by, undone_by, detail) VALUES (2, 'remember', 1772442300000, 'cli', NULL, '{}');
INSERT INTO change (n, deed, memory, before) VALUES (1, 1, 'full', NULL);
INSERT INTO change (n, deed, memory, before) VALUES (2, 1, 'plain', NULL);
INSERT INTO change (n, deed, memory, before) VALUES (3, 1, 'past', NULL);
INSERT INTO change (n, deed, memory, before) VALUES (4, 1, 'public', NULL);
INSERT INTO change (n, deed, memory, before) VALUES (5, 1, 'gone', NULL);
INSERT INTO change (n, deed, memory, before) VALUES (6, 2, 'full', '{"id": "full", "text": "Sessions are kept in Postgres.", "kind": "decision", "scope": "project:git:example.com/shop", "title": "Sessions", "aliases": "[\"login\", \"Sitzung\"]", "sensitivity": "project", "importance": 1.5, "confidence": 0.75, "created_ms": 1772442000000, "valid_from_ms": 1772355600000, "valid_to_ms": null, "superseded_by": null, "seen": 2, "role": "user", "host": "opencode", "session": "s1", "message": "u1", "agent": "build", "evidence": "[\"We decided to keep sessions in Postgres.\", \"Redis is one more server.\"]", "anchors": "[[\"src/auth.py\", \"0000000000000000000000000000000000000000\"], [\"docs/auth.md\", null]]", "forgotten_ms": null, "shown": 4, "used": 2, "last_shown_ms": 1772452800000, "last_used_ms": 1772449200000, "reach": null, "content_key": "1b4d97f6f51448fc59dce41c5d7e856f", "hash": "cdff020dd3faf2e7"}');
INSERT INTO project_alias (alias, project, noted_ms) VALUES ('path:/home/ada/shop', 'git:example.com/shop', 1772442000000);
INSERT INTO unembedded (what, n) VALUES ('memory', 1);
INSERT INTO unembedded (what, n) VALUES ('memory', 2);
INSERT INTO unembedded (what, n) VALUES ('memory', 3);
INSERT INTO unembedded (what, n) VALUES ('memory', 4);
INSERT INTO unembedded (what, n) VALUES ('turn', 1);
INSERT INTO unembedded (what, n) VALUES ('turn', 2);
INSERT INTO unembedded (what, n) VALUES ('turn', 3);
INSERT INTO memory_words (rowid, words) VALUES (1, '6f2b09c2e7 6f2b09c2e7session 6f2b09c2e7are 6f2b09c2e7kept 6f2b09c2e7in 6f2b09c2e7postgresql 6f2b09c2e7日本 6f2b09c2e7本語 6f2b09c2e7not 6f2b09c2e7redi 6f2b09c2e7login 6f2b09c2e7sitzung 6f2b09c2e7databas 6f2b09c2e7cach');
INSERT INTO memory_words (rowid, words) VALUES (2, '06441d8e33 06441d8e33tab 06441d8e33not 06441d8e33space');
INSERT INTO memory_words (rowid, words) VALUES (3, '94ac41c31b 94ac41c31bsession 94ac41c31bare 94ac41c31bkept 94ac41c31bin 94ac41c31bredi 94ac41c31bcach');
INSERT INTO memory_words (rowid, words) VALUES (4, '6421f9900b 6421f9900bthe 6421f9900bapi 6421f9900bis 6421f9900bpublic 6421f9900buberblick');
INSERT INTO turn_words (rowid, words) VALUES (1, '0cfd022e39 0cfd022e39where 0cfd022e39are 0cfd022e39session 0cfd022e39kept 0cfd022e392 0cfd022e39march 0cfd022e392026');
INSERT INTO turn_words (rowid, words) VALUES (2, '0cfd022e39 0cfd022e39in 0cfd022e39postgresql 0cfd022e39as 0cfd022e39decid 0cfd022e392 0cfd022e39march 0cfd022e392026');
INSERT INTO turn_words (rowid, words) VALUES (3, 'b8a3957bba b8a3957bbaa b8a3957bbapaste b8a3957bbaof b8a3957bbalog b8a3957bba2 b8a3957bbamarch b8a3957bba2026');
CREATE INDEX memory_by_content ON memory (content_key);
CREATE INDEX memory_live ON memory (scope, kind, valid_from_ms DESC, id)
            WHERE valid_to_ms IS NULL AND superseded_by IS NULL AND forgotten_ms IS NULL;
CREATE INDEX memory_reach ON memory (reach, kind, valid_from_ms DESC, id)
            WHERE reach IS NOT NULL AND valid_to_ms IS NULL AND superseded_by IS NULL AND forgotten_ms IS NULL;
CREATE INDEX memory_scope ON memory (scope);
CREATE INDEX memory_superseded ON memory (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memory_forgotten ON memory (forgotten_ms) WHERE forgotten_ms IS NOT NULL;
CREATE INDEX turn_by_time ON turn (at_ms);
CREATE INDEX turn_by_project ON turn (project, at_ms);
CREATE INDEX change_by_deed ON change (deed);
CREATE INDEX change_by_memory ON change (memory);
CREATE INDEX project_alias_by_project ON project_alias (project);
CREATE INDEX session_by_project ON session (project);
CREATE INDEX turn_by_session ON turn (session, at_ms);
CREATE TRIGGER turn_deleted AFTER DELETE ON turn BEGIN INSERT INTO turn_change VALUES (coalesce(old.project, ''), 1) ON CONFLICT DO UPDATE SET times = times + 1; END;
CREATE TRIGGER turn_left AFTER UPDATE ON turn BEGIN INSERT INTO turn_change VALUES (coalesce(old.project, ''), 1) ON CONFLICT DO UPDATE SET times = times + 1; END;
CREATE TRIGGER turn_entered AFTER UPDATE ON turn BEGIN INSERT INTO turn_change VALUES (coalesce(new.project, ''), 1) ON CONFLICT DO UPDATE SET times = times + 1; END;
CREATE INDEX memory_vector_by_place ON memory_vector (place, rev);
CREATE INDEX memory_vector_by_reach ON memory_vector (reach, rev) WHERE reach IS NOT NULL;
CREATE INDEX turn_vector_by_place ON turn_vector (place, rev);
PRAGMA user_version = 5;
