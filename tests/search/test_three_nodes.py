"""The three-node example of the paper's appendix, on the population.

X1 = z1, X2 = a X1 + z2, X3 = b X2 + z3 with unit noise and a^2 > b^2. Nodes count from zero here.
"""

from itertools import permutations

import numpy as np
import pytest

import toposwap as ts
from toposwap.core.order import Order
from toposwap.scores import LeastSquares
from toposwap.search import SEARCHES, PaperSearch, run

A, B = 1.0, -0.55
TRUE = np.array([[0.0, A, 0.0], [0.0, 0.0, B], [0.0, 0.0, 0.0]])


def closed_forms(a, b):
    """Scores of all orders as the paper's table has them (E ||X - XW||^2, twice ours)."""
    var_2, var_3 = 1 + a**2, 1 + b**2 + (a * b) ** 2
    return {
        (0, 1, 2): 3,
        (0, 2, 1): 2 + b**2 + 1 / (1 + b**2),
        (1, 0, 2): 2 + a**2 + 1 / var_2,
        (2, 0, 1): var_3 + 1 / (1 + b**2) + (1 + b**2) / var_3,
        (1, 2, 0): 2 + a**2 + 1 / var_2,
        (2, 1, 0): 1 / var_2 + var_2 / var_3 + var_3,
    }


def population(a=A, b=B):
    W = np.zeros((3, 3))
    W[0, 1], W[1, 2] = a, b
    return ts.Dataset.from_covariance(ts.simulate.population_covariance(W), n=1000)


@pytest.mark.parametrize(("a", "b"), [(A, B), (1.3, 0.2), (-2.0, 1.5)])
def test_scores_of_all_orders_are_the_closed_forms(a, b):
    bound = LeastSquares().bind(population(a, b))
    for order, value in closed_forms(a, b).items():
        assert 2 * bound.fit(Order(order)).value == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("start", list(permutations(range(3))))
@pytest.mark.parametrize(
    "search", [*(name for name in SEARCHES if name != "none"), "best swap only"]
)
def test_every_start_ends_at_the_true_order(start, search):
    searcher = PaperSearch(several=False) if search == "best swap only" else SEARCHES[search]()
    if search == "none":
        start = (0, 1, 2)
    fit = LeastSquares().bind(population()).fit(Order(start))
    run(searcher, fit, ["1", "2", "3"], rng=np.random.default_rng(0))
    assert fit.order == Order([0, 1, 2])
    np.testing.assert_allclose(fit.point().weights, TRUE, atol=1e-14)
    assert 2 * fit.value == pytest.approx(3)


def test_each_wrong_order_has_a_better_neighbour():
    """The paper's corollary: some swap lowers the score, or keeps the lowest."""
    bound = LeastSquares().bind(population())
    for start in permutations(range(3)):
        fit = bound.fit(Order(start))
        lowest = fit.swap_changes(fit.all_pairs()).min()
        assert lowest < 0 if start != (0, 1, 2) else lowest > 0


def test_kkts_ends_at_a_local_minimum_with_all_edges_reversed():
    reversed_ = np.array(
        [
            [0.0, 0.0, 0.0],
            [A / (A**2 + 1), 0.0, 0.0],
            [0.0, (A**2 * B + B) / ((A * B) ** 2 + B**2 + 1), 0.0],
        ]
    )
    certificate = ts.check_kkt(reversed_, population(), score="least-squares")
    assert certificate.satisfied
    assert certificate.kind == "local minimum"
    bound = LeastSquares().bind(population())
    assert bound.evaluate(reversed_).value > 1.5
    assert ts.metrics.shd(TRUE, reversed_) == 2


def test_notears_ends_at_no_kkt_point():
    notears = np.array([[0.0, 0.0, 0.0], [0.16, 0.0, -1.55], [-0.22, 0.0, 0.0]])
    certificate = ts.check_kkt(notears, population(), score="least-squares")
    assert not certificate.satisfied
    assert "not a local minimum" in repr(certificate)
    # The paper names the entries of the gradient that should vanish and do not.
    for i, j in ((1, 0), (1, 2), (2, 0)):
        assert certificate.matrix[i, j] > 1e-3
    unpruned = notears + 1e-5 * np.array([[0, 14.9, -0.07], [0, 0, 0], [0, -1.59, 0]])
    assert not ts.check_kkt(unpruned, population(), score="least-squares").satisfied
    assert ts.acyclicity.Exponential().value(unpruned) > 0


def test_refining_either_gives_the_truth():
    X = ts.simulate.linear_sem(TRUE, 100_000, random_state=0)
    for W in (TRUE.T, [[0, 0, 0], [0.16, 0, -1.55], [-0.22, 0, 0]]):
        model = ts.refine(W, X, score="least-squares")
        assert model.causal_order_ == [0, 1, 2]
        np.testing.assert_allclose(model.weights_, TRUE, atol=0.02)
