"""The story that `recollect demo` plays and prints."""
