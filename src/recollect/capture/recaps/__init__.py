"""Recaps: the record a session leaves for the next one, and the lines read from the summaries of a host."""
