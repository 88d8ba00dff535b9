"""Least squares without some parents: deltas, moves and coefficients against solving each node."""

import numpy as np
import pytest
from examples import seeds

import toposwap as ts
from toposwap.core.admissible import Admissible
from toposwap.core.order import Order
from toposwap.orderfit.separable import SeparableFit
from toposwap.scores.least_squares.masked_fit import MaskedLeastSquaresFit


def bound_with(seed, ridge=0.0):
    """Least squares on columns of unlike sizes, a quarter of the edges ruled out."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(3, 10))
    X = ts.simulate.linear_dataset(d, 60, "ER1", random_state=seed).X
    bound = ts.scores.LeastSquares(ridge=ridge).bind(
        ts.Dataset.from_table(X * np.exp(rng.standard_normal(d)))
    )
    permitted = rng.random((d, d)) < 0.75
    np.fill_diagonal(permitted, val=False)
    bound.admissible = Admissible(permitted)
    return bound, rng


@pytest.mark.parametrize("ridge", [0.0, 0.3])
@pytest.mark.parametrize("seed", seeds(8))
def test_the_tables_tell_what_solving_each_node_does(seed, ridge):
    bound, rng = bound_with(seed, ridge)
    d = bound.data.d
    fit = MaskedLeastSquaresFit(bound, Order(rng.permutation(d)))
    for _ in range(4):
        slow = SeparableFit(bound, fit.order)
        assert fit.value == pytest.approx(slow.value, rel=1e-10)
        np.testing.assert_allclose(fit.parameters(), slow.parameters(), atol=1e-9)
        for v in range(d):
            deltas = [slow.delta(fit.order.insert(v, k)) for k in range(d)]
            np.testing.assert_allclose(
                fit.insertion_profile(v), deltas, rtol=1e-7, atol=1e-10 * abs(slow.value)
            )
        fit.insert(int(rng.integers(d)), int(rng.integers(d)))


def test_swaps_and_sweeps_end_where_nothing_helps():
    bound, rng = bound_with(3)
    d = bound.data.d
    fit = bound.fit(Order(rng.permutation(d)))
    assert isinstance(fit, MaskedLeastSquaresFit)
    pairs = fit.all_pairs()
    expected = [SeparableFit(bound, fit.order.swap(*p)).value - fit.value for p in pairs.tolist()]
    np.testing.assert_allclose(fit.swap_changes(pairs), expected, atol=1e-9)
    while fit.insertion_sweep(fit.order.variables):
        pass
    assert all(fit.insertion_profile(v).min() >= -1e-9 for v in range(d))
    fit.refresh()
    assert bound.evaluate(fit.parameters()).value == pytest.approx(fit.value, rel=1e-10)


def test_nodes_that_do_without_many_are_solved_by_themselves():
    X = ts.simulate.linear_dataset(12, 100, "ER2", random_state=0).X
    bound = ts.scores.LeastSquares().bind(ts.Dataset.from_table(X))
    permitted = ~np.eye(12, dtype=bool)
    permitted[:, 0] = False
    bound.admissible = Admissible(permitted)
    assert isinstance(bound.fit(Order(range(12))), SeparableFit)
