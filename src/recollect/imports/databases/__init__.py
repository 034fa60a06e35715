"""Readers of other programs' databases. Read-only."""
