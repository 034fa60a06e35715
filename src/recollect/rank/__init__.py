"""Relevance, scores, budgets, and whether shown lines were worth their tokens. Pure."""
