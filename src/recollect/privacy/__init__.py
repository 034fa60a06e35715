"""Secrets, ignored files, isolation of projects, and trust in a source. Pure."""
