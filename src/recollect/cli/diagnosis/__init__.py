"""The checks of `recollect doctor`."""
