"""How surely a new statement is told apart from a known one, on pairs of our own."""
