"""The SQLite store: all SQL on Recollect's own database."""
