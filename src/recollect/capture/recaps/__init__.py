"""What a session leaves for the next one, and what is read from the summaries of a host."""
