"""Output for people: styles, tables, progress, reasons in words."""
