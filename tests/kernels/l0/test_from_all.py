"""Parents that help only together are found from all candidates, not one by one."""

import numpy as np
import pytest

import toposwap as ts
from toposwap.core.order import Order


def masked_pair(n=500):
    """A column on two that nearly cancel in it: neither alone tells anything about it."""
    rng = np.random.default_rng(0)
    a = rng.standard_normal(n)
    b = a + 0.05 * rng.standard_normal(n)
    y = 5.0 * (a - b) + 0.1 * rng.standard_normal(n)
    # What is left of a single correlation by chance is taken out.
    y -= a * (a @ y) / (a @ a)
    return np.column_stack([a, b, y])


@pytest.mark.parametrize("name", ["bic", "equal-variance-l0"])
def test_two_parents_that_help_only_together(name):
    X = masked_pair()
    known = {"tiers": [["x0", "x1"], ["x2"]]}
    model = ts.Topo(name, search="none", init=[0, 1, 2], knowledge=known).fit(X)
    assert (model.adjacency_matrix_[:2, 2] != 0.0).all()
    assert model.history_[-1].score >= model.score_


def test_a_second_look_never_raises_the_score():
    for seed in range(5):
        X = ts.simulate.linear_dataset(8, 80, "ER2", random_state=seed).X
        for name in ("bic", "equal-variance-l0"):
            bound = ts.scores.SCORES[name]().bind(ts.Dataset.from_table(X))
            fit = bound.fit(Order(np.random.default_rng(seed).permutation(8)))
            before = fit.value
            fit.refresh()
            assert fit.value <= before + 1e-12
            assert bound.evaluate(fit.parameters()).value == pytest.approx(fit.value, rel=1e-9)
