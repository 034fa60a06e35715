"""Memories, searches and settings as JSON, options and text files."""
