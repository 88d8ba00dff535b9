"""Random edges that are ruled out, and demands that some variables stand before others."""

import numpy as np

from toposwap.core.admissible import Admissible
from toposwap.kernels.graphs.precedence import precedence_table
from toposwap.kernels.graphs.reachability import reachability

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


def random_admissible(rng, d, *, parents=True):
    """A few edges ruled out, if ``parents``, and a few precedences, transitively closed."""
    permitted = None
    if parents:
        permitted = rng.random((d, d)) < 0.75
        np.fill_diagonal(permitted, val=False)
    hidden = rng.permutation(d)
    edges = np.triu(rng.random((d, d)) < 0.2, 1)
    before = reachability(np.ascontiguousarray(edges[np.ix_(hidden, hidden)]))
    np.fill_diagonal(before, val=False)
    return Admissible(permitted, before)
