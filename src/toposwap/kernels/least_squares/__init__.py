"""Least squares: the triangular factor under moves of the order."""
