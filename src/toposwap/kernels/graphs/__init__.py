"""Directed graphs: walks, and the pairs that may get an edge."""
