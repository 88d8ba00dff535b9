"""Cells worked off: in processes on this machine or on a cluster."""
