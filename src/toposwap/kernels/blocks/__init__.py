"""Edges with blocks of parameters: categories, ratings, and numbers beside them."""
