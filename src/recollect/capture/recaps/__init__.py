"""Recaps: the record a session leaves for the next one, and memories from the summaries of a host."""
