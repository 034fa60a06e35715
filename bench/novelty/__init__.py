"""Measures how reliably a new statement is compared with a known one, on pairs of our own."""
