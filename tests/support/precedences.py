"""Random demands that some variables stand before others, and whether an order meets them."""

import numpy as np

from toposwap.kernels.graphs.precedence import precedence_table

#: No demand.
FREE = precedence_table(None)


def random_precedence(rng, order, share=0.25):
    """A table (d, d) that ``order`` obeys, or none at all (in a third of the cases)."""
    d = len(order)
    if rng.random() < 1 / 3:
        return FREE
    before = np.zeros((d, d), dtype=bool)
    before[np.ix_(order, order)] = np.triu(rng.random((d, d)) < share, 1)
    return before


def obeys(order, before):
    """Whether no u stands behind a v with before[u, v]."""
    place = {v: k for k, v in enumerate(order)}
    return all(place[u] < place[v] for u, v in np.argwhere(before))
