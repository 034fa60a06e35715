"""The SQLite store: the only SQL on our own data."""
