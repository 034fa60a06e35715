"""The embedding model: build it, check it, run it."""
