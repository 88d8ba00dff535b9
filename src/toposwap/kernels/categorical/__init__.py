"""Scores on contingency tables: counting, caches, and the search through orders."""
