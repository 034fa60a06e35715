"""Compare two statements: the same, an update, a contradiction, or unrelated. Pure."""
