"""The optional language model that reads sessions too. Off by default."""
