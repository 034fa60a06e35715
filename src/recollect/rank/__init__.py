"""Relevance, scores, budgets, and the value of a shown line. Pure."""
