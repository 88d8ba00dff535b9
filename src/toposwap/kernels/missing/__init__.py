"""Expectations of what is missing in the rows of a table."""
