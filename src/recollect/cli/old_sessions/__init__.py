"""The parts of `recollect capture`."""
