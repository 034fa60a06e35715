"""The `recollect` command: parse, call an operation, print."""
