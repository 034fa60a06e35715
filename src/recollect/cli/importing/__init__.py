"""The parts of `recollect import`."""
