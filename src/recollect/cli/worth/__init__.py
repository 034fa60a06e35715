"""The report of `recollect worth`."""
