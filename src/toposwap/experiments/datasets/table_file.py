"""A table in a file, with the true graph in another where it is known.

There is nothing to draw, so a seed stands for an order of the columns: 0 leaves them as they are,
every other seed permutes them. What a learner owes to the order in which columns happen to stand
shows as a spread over the seeds.
"""

from __future__ import annotations

import numpy as np

from toposwap.experiments.datasets import Sample
from toposwap.io import read_table, read_weights


def draw(seed: int, *, path: str, truth: str | None = None, sep: str | None = None) -> Sample:
    """The columns of ``path`` (.csv, .tsv, .parquet) in the order of ``seed``.

    ``truth`` is a file with a matrix or a list of edges, see :func:`toposwap.io.read_weights`;
    ``sep`` is that of :func:`toposwap.io.read_table`.
    """
    table = read_table(path, sep=sep)
    names = [str(name) for name in table.columns]
    d = len(names)
    order = np.random.default_rng(seed).permutation(d) if seed else np.arange(d)
    X = table.to_numpy(dtype=np.float64)[:, order]
    if truth is None:
        return Sample(X)
    weights = read_weights(truth, names).to_numpy(dtype=np.float64)
    return Sample(X, weights[np.ix_(order, order)])
