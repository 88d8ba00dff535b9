"""Additive models: the triangular factor with blocks of columns, and functions of one variable."""
