"""The moments of a session: an event in, an injection out."""
