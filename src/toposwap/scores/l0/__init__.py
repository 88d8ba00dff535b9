"""Gaussian losses with an L0 penalty."""
