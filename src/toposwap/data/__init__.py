"""A small table to try things on: 500 days in a greenhouse, 12 columns.

The table is simulated, not measured. Each row is an independent draw of x_j = c_j + sum_i W_ij x_i
+ z_j with z_j standard normal (``toposwap.simulate.linear_sem(W, 500, random_state=20)``, then a
plausible level added to each column), rounded to four decimals; all noise variances are equal, so
least squares is the right score. W is in ``sample_truth.csv``, an edge a line, and the columns are
not in causal order.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def sample_table() -> Path:
    """Path of the table, a .csv file with a header and 500 rows of 12 columns."""
    return _here("sample.csv")


def sample_truth() -> Path:
    """Where the edges are that the table was drawn from."""
    return _here("sample_truth.csv")


def _here(name: str) -> Path:
    return Path(str(files(__name__) / name))


__all__ = ["sample_table", "sample_truth"]
