"""Recollect: the memory of a coding agent."""

__version__ = "0.1.0"
