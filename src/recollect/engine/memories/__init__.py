"""Use cases on memories: remember, recall, edit, forget, undo, review, projects."""
