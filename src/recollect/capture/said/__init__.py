"""Memories from what the user and the agent say."""
