"""Measures how well relevance finds what a good colleague would mention now: `python -m bench.relevance`."""
