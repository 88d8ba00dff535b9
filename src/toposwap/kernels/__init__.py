"""Compiled inner loops: plain functions on arrays, each with a slow copy in the tests."""
