"""Simulated rows in which variables are set from outside."""

import numpy as np
import pytest

import toposwap as ts
from toposwap.core.errors import InputError

W = np.zeros((3, 3))
W[0, 1], W[1, 2] = 2.0, 1.0
ROWS = [None] * 2000 + [1] * 2000 + [["x0", "x2"]] * 2000


def slopes(X, rows):
    """Of x1 on x0, and of x2 on x1."""
    C = np.cov(X[rows].T)
    return C[0, 1] / C[0, 0], C[1, 2] / C[1, 1]


def test_perfect_interventions_cut_and_shifts_do_not():
    plain, alone, ends = slice(0, 2000), slice(2000, 4000), slice(4000, 6000)
    X = ts.simulate.linear_sem(W, 6000, random_state=0, interventions=ROWS, shift=3.0)
    np.testing.assert_allclose(slopes(X, plain), [2, 1], atol=0.1)
    np.testing.assert_allclose(slopes(X, alone), [0, 1], atol=0.1)
    np.testing.assert_allclose(slopes(X, ends), [2, 0], atol=0.1)
    np.testing.assert_allclose(X[alone].mean(axis=0), [0, 3, 3], atol=0.15)
    same = ts.simulate.linear_sem(W, 6000, random_state=0)
    np.testing.assert_array_equal(X[plain], same[plain])
    Y = ts.simulate.linear_sem(
        W, 6000, random_state=0, interventions=ROWS, intervention_kind="shift", shift=3.0
    )
    np.testing.assert_allclose(slopes(Y, ends), [2, 1], atol=0.1)
    np.testing.assert_allclose(Y[ends].mean(axis=0) - same[ends].mean(axis=0), [3, 6, 9])


@pytest.mark.parametrize("law", ["logistic", "poisson"])
def test_discrete_columns(law):
    weights = W / 4
    X = ts.simulate.discrete_sem(weights, 6000, law, 0, interventions=ROWS)
    untouched = np.corrcoef(X[4000:, 0], X[4000:, 1])[0, 1]
    assert abs(np.corrcoef(X[2000:4000, 0], X[2000:4000, 1])[0, 1]) < 0.06 < untouched


def test_nonlinear_functions():
    done = {"interventions": ROWS[:300] + ROWS[2000:2300], "shift": 1.0}
    sample = ts.simulate.nonlinear_sem(W, 600, "mlp", random_state=0, **done)
    assert not sample.signal[300:, 1].any()
    assert sample.signal[:300, 1].any()


def test_targets_one_at_a_time():
    rows = ts.simulate.intervention_targets(6, 2, 3, 4, random_state=0)
    assert rows[:4] == [None] * 4
    assert len(rows) == 10
    assert len(set(rows[4:])) == 2
    with pytest.raises(InputError, match="at most all 6"):
        ts.simulate.intervention_targets(6, 7)
    with pytest.raises(InputError, match="10 entries for 11 rows"):
        ts.simulate.linear_dataset(6, 11, interventions=rows)
