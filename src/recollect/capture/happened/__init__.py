"""Memories from what happened: errors and their fixes, commands, commits, choices, refusals, open tasks."""
