"""Compiled inner loops: plain functions on arrays, each with a slow twin in the tests."""
