"""Cells shown: tables, figures, files."""
