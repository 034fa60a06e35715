"""Connects a host and disconnects it again."""
