"""Finds and reads the session files of other agents on this machine."""
