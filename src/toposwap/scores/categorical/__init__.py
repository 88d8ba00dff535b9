"""Scores of tables of categories, on contingency tables."""

from toposwap.scores.categorical.score import BDeu, CategoricalBIC

__all__ = ["BDeu", "CategoricalBIC"]
