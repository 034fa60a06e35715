"""Databases of claude-mem, as its versions made them; with rows of our own."""

import sqlite3
from contextlib import closing
from pathlib import Path

TABLES = """
CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, content_session_id TEXT, memory_session_id TEXT, project TEXT);
CREATE TABLE observations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT,
  type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT,
  files_modified TEXT, prompt_number INTEGER, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE session_summaries (
  id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, request TEXT,
  investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT, files_edited TEXT, notes TEXT,
  prompt_number INTEGER, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, content_session_id TEXT, prompt_number INTEGER, prompt_text TEXT);
INSERT INTO observations (memory_session_id, project, type, title, narrative, facts, files_modified, created_at,
  created_at_epoch) VALUES
  ('s-1', 'shop', 'bugfix', 'Refunds were counted twice', 'A retry booked them again.', '["Retries stop after three"]',
   '["src/refunds.py"]', '2026-01-02T03:04:05Z', 1767323045000),
  ('s-1', 'shop', 'decision', 'Queues are per tenant', 'One tenant cannot starve another.', '[]', '[]',
   '2026-01-03T03:04:05Z', 1767409445000);
INSERT INTO session_summaries (memory_session_id, project, request, learned, completed, created_at, created_at_epoch)
  VALUES ('s-1', 'shop', 'Mend refunds', 'Retries are not idempotent.', 'Added a key.', '2026-01-04', 1767495845000);
INSERT INTO user_prompts (prompt_number, prompt_text) VALUES (1, 'Please mend the refunds');
"""
FIRST_TABLES = """
CREATE TABLE observations (
  id INTEGER PRIMARY KEY, sdk_session_id TEXT, project TEXT, text TEXT, type TEXT,
  created_at TEXT, created_at_epoch INTEGER);
INSERT INTO observations (sdk_session_id, project, text, type, created_at_epoch)
  VALUES ('s-0', 'shop', 'Orders are never deleted', 'discovery', 1760000000000);
"""


def made(file: Path, script: str = TABLES, *, wal: bool = False) -> Path:
    with closing(sqlite3.connect(file)) as connection:
        if wal:
            connection.execute("PRAGMA journal_mode = wal")
        connection.executescript(script)
    return file
