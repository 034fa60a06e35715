"""Learning from sessions, in the background or from transcripts."""
