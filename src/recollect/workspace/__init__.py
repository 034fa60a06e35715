"""Facts about a project folder: git, marker file, language, anchored files."""
