"""Everything that is kept on disk."""
