"""Learning from events, by rules. Pure: the same events give the same proposals."""
