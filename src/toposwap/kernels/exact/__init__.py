"""Proofs over sets of variables: lists of parent sets, and layers of sets within bounds."""
