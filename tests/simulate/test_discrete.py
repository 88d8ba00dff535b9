"""0/1 columns and counts: each column follows its law given its parents."""

import numpy as np
import pytest
from scipy.special import expit

from toposwap.core.errors import InputError
from toposwap.simulate import LAWS, discrete_dataset, discrete_sem

N = 200_000


def test_probabilities_given_the_parents_are_logistic():
    W = np.zeros((3, 3))
    W[0, 2], W[1, 2], W[0, 1] = 1.5, -0.7, 0.8
    X = discrete_sem(W, N, "logistic", 0)
    assert set(np.unique(X)) == {0.0, 1.0}
    assert X[:, 0].mean() == pytest.approx(0.5, abs=0.005)
    for a in (0, 1):
        for b in (0, 1):
            rows = (X[:, 0] == a) & (X[:, 1] == b)
            expected = expit(1.5 * a - 0.7 * b)
            assert X[rows, 2].mean() == pytest.approx(expected, abs=0.01)


def test_means_given_the_parents_are_exponential():
    W = np.array([[0.0, -0.5], [0.0, 0.0]])
    X = discrete_sem(W, N, "poisson", 0)
    assert X[:, 0].mean() == pytest.approx(1.0, abs=0.01)
    assert X[:, 0].var() == pytest.approx(1.0, abs=0.02)
    for count in (0, 1, 2):
        rows = X[:, 0] == count
        assert X[rows, 1].mean() == pytest.approx(np.exp(-0.5 * count), abs=0.02)


@pytest.mark.parametrize("law", list(LAWS))
def test_columns_come_in_any_order_and_seeds_repeat(law):
    sample = discrete_dataset(12, 50, "ER2", law=law, weights=(0.1, 0.2), random_state=4)
    again = discrete_dataset(12, 50, "ER2", law=law, weights=(0.1, 0.2), random_state=4)
    np.testing.assert_array_equal(sample.X, again.X)
    np.testing.assert_array_equal(sample.weights, again.weights)
    assert sample.X.shape == (50, 12)
    # Nodes are not numbered along the order.
    assert np.tril(sample.weights, -1).any()
    assert np.triu(sample.weights, 1).any()


def test_what_cannot_be_drawn_is_refused():
    chain = np.diag(np.full(5, 3.0), 1)
    with pytest.raises(InputError, match="explode"):
        discrete_sem(chain, 100, "poisson", 0)
    with pytest.raises(InputError, match="law is 'normal': use one of logistic, poisson"):
        discrete_sem(chain, 100, "normal", 0)
    with pytest.raises(InputError, match="cycle"):
        discrete_sem(np.ones((2, 2)) - np.eye(2), 10)
