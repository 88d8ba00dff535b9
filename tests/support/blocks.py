"""Parameters of any score: a weight matrix (d, d), or blocks (d, m, d).

Blocks of categories are a matrix too, of columns of causes by predictors of effects; of numbers
alone it is (d, d).
"""

import numpy as np

from toposwap.scores.blocks.bound import BoundBlocks


def plain(bound):
    """Whether the parameters are a matrix of an entry for each edge."""
    return not bound.score.edge_blocks or isinstance(bound, BoundBlocks)


def random_parameters(bound, rng):
    """All edges present, none of them small."""
    d = bound.data.d
    shape = (d, d) if plain(bound) else (d, bound.size, d)
    theta = rng.uniform(0.2, 1.0, shape) * rng.choice([-1, 1], shape)
    return theta * edges_of(bound, ~np.eye(d, dtype=bool))


def edges_of(bound, allowed):
    """The mask ``allowed`` (d, d) in the shape of the parameters."""
    if plain(bound):
        return allowed
    return allowed[:, None, :] & bound.design.present[:, :, None]


def block(parameters, i, j):
    """The places of the parameters of the edge i -> j."""
    if parameters.ndim == 2:
        return [(i, j)]
    return [(i, r, j) for r in range(parameters.shape[1])]


def solution(fit):
    """The parameters of a fit as one array."""
    return fit.point().weights if plain(fit.bound) else fit.parameters()
