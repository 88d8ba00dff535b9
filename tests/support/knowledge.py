"""Random facts about edges and orders."""

import numpy as np

from toposwap.core.admissible import Admissible
from toposwap.kernels.graphs.reachability import reachability


def random_precedence(rng, d, share=0.2):
    """Who must stand before whom, (d, d), transitively closed and without a cycle."""
    hidden = rng.permutation(d)
    edges = np.triu(rng.random((d, d)) < share, 1)
    before = reachability(np.ascontiguousarray(edges[np.ix_(hidden, hidden)]))
    np.fill_diagonal(before, val=False)
    return before


def random_admissible(rng, d, *, parents=True):
    """A few edges ruled out, a few precedences."""
    permitted = None
    if parents:
        permitted = rng.random((d, d)) < 0.75
        np.fill_diagonal(permitted, val=False)
    return Admissible(permitted, random_precedence(rng, d))
