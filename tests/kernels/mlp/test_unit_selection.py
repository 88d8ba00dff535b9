"""Units chosen for what a network leaves over."""

import numpy as np
import pytest
from scipy.special import expit

from toposwap.kernels.mlp.network import RELU, SIGMOID, TANH
from toposwap.kernels.mlp.unit_selection import explanatory_units
from toposwap.losses import LOSSES, ColumnLoss, LeastSquaresLoss
from toposwap.scores.mlp.loss import NodeLoss

EVERY = [loss for loss in (make() for make in LOSSES.values()) if isinstance(loss, ColumnLoss)]
SQUARES = NodeLoss(LeastSquaresLoss()).formula
ACTIVATE = {SIGMOID: expit, TANH: np.tanh, RELU: lambda z: np.maximum(z, 0.0)}


def drawn(seed, h, p=10, k=4, n=200):
    rng = np.random.default_rng(seed)
    shapes = ((h, k), (h,), (p, k), (k, n), (n,))
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def by_least_squares(residual, units, count):
    """Whose column, beside those chosen before, leaves the smallest sum of squares."""
    chosen = []
    for _ in range(count):
        left = {}
        for a in range(len(units)):
            if a not in chosen:
                S = np.column_stack([np.ones(residual.size), *units[[*chosen, a]]])
                left[a] = np.linalg.lstsq(S, residual)[1][0]
        chosen.append(min(left, key=left.get))
    return chosen


@pytest.mark.parametrize("activation", ACTIVATE)
@pytest.mark.parametrize("loss", EVERY, ids=repr)
@pytest.mark.parametrize("h", [0, 3])
def test_the_same_as_least_squares_on_each_candidate(activation, loss, h):
    for seed in range(5):
        first, output, candidates, X, y = drawn(seed, h)
        y = (y > 0).astype(np.float32) if loss.discrete else y
        f = 0.3 + output @ ACTIVATE[activation](first @ X)
        residual = NodeLoss(loss).terms(y, f)[1]
        expected = by_least_squares(residual, ACTIVATE[activation](candidates @ X), 3)
        found = explanatory_units(
            first, output, 0.3, candidates, X, y, 3, NodeLoss(loss).formula, activation
        )
        assert list(found) == expected


def test_no_unit_twice():
    first, output, candidates, X, y = drawn(0, 2)
    twins = np.vstack([candidates[:2], candidates[:2]])
    found = explanatory_units(first, output, 0.0, twins, X, y, 4, SQUARES, SIGMOID)
    assert sorted(a % 2 for a in found) == [0, 1]


def test_constant_units_are_never_chosen():
    first, output, candidates, X, y = drawn(0, 2)
    found = explanatory_units(first, output, 0.0, 0 * candidates, X, y, 4, SQUARES, SIGMOID)
    assert found.size == 0
