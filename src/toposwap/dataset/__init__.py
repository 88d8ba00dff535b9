"""Validated, immutable data: what every score is bound to."""

from toposwap.dataset.dataset import Dataset

__all__ = ["Dataset"]
