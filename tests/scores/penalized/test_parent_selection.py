"""Parents chosen one by one: the end, also with a solver that is given up before its own."""

import numpy as np

from toposwap.losses import HuberLoss
from toposwap.scores.penalized.gaussian_nodes import Solution
from toposwap.scores.penalized.parent_selection import select_parents


def test_no_set_of_parents_is_gone_back_to():
    """Every fit ends a little lower than the last, so that any change seems to pay."""
    fits = []

    def fit(parents, _near):
        fits.append(parents.copy())
        scaled = np.where(parents, 1.0, 0.0)
        loss = 1e15 - 1e3 * len(fits)
        return Solution(scaled, 0.0, loss, scaled, np.ones(3) - scaled, np.ones(3), np.zeros(3))

    def curvature(_solution, index):
        return np.eye(3)[index], np.ones(3)

    allowed = np.array([False, True, True])
    solution, _ = select_parents(
        allowed, ~allowed, 0.01, fit, curvature, node=0, loss=HuberLoss(), unit=1.0
    )
    assert len(fits) <= 4
    assert solution.loss == 1e15 - 1e3 * len(fits)
