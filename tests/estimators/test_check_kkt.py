"""`check_kkt`: what it certifies, and what it does not."""

import numpy as np
import pandas as pd
import pytest
from fits import NAMES, D, is_dag, table
from hypothesis import given
from hypothesis import strategies as st

import toposwap as ts
from toposwap.scores import LeastSquares
from toposwap.search import SEARCHES


@pytest.mark.parametrize("search", SEARCHES)
def test_weights_of_a_fit_are_certified_from_outside(search):
    X = table()
    model = ts.Topo("least-squares", search=search).fit(X)
    certificate = ts.check_kkt(model.weights_, X, score="least-squares")
    assert certificate.satisfied
    assert certificate.max_residual == model.certificate_.max_residual
    np.testing.assert_array_equal(certificate.matrix, model.certificate_.matrix)


@given(st.integers(0, 2**32), st.sampled_from([1e-5, 1e-3, 1.0, 100.0]))
def test_a_perturbed_weight_is_noticed(seed, size):
    rng = np.random.default_rng(seed)
    X = table(seed % 5)
    W = ts.Topo("least-squares").fit(X).weights_.copy()
    i, j = rng.permutation(np.argwhere(W))[0]
    # In units of what one standard deviation of the cause means to the effect.
    W[i, j] += size * X[:, j].std() / X[:, i].std()
    certificate = ts.check_kkt(W, X, score="least-squares")
    assert not certificate.satisfied
    assert ts.check_kkt(W, X, score="least-squares", tolerance=certificate.max_residual).satisfied
    assert not ts.check_kkt(
        W, X, score="least-squares", tolerance=0.99 * certificate.max_residual
    ).satisfied


def test_a_pruned_or_shuffled_solution_is_not_certified():
    X = table()
    model = ts.Topo("least-squares").fit(X)
    assert not ts.check_kkt(model.adjacency_matrix_, X, score="least-squares").satisfied
    with pytest.warns(ts.ToposwapWarning, match="far better transposed"):
        assert not ts.check_kkt(model.weights_.T, X, score="least-squares").satisfied
    assert not ts.check_kkt(np.zeros((D, D)), X, score="least-squares").satisfied
    assert not ts.check_kkt(model.weights_, table(1), score="least-squares").satisfied


@given(st.integers(0, 2**32))
def test_a_cycle_is_not_certified(seed):
    rng = np.random.default_rng(seed)
    X = table(seed % 5)
    W = ts.Topo("least-squares").fit(X).weights_.copy()
    j, i = rng.permutation(np.argwhere(W))[0]
    W[i, j] = rng.choice([-1, 1]) * X[:, j].std() / X[:, i].std()
    assert not is_dag(W)
    assert not ts.check_kkt(W, X, score="least-squares").satisfied
    loop = ts.Topo("least-squares").fit(X).weights_.copy()
    loop[i, i] = 0.5
    assert not ts.check_kkt(loop, X, score="least-squares").satisfied


def test_check_kkt_by_name_and_by_data():
    frame = pd.DataFrame(table(), columns=NAMES)
    model = ts.Topo("least-squares").fit(frame)
    W = pd.DataFrame(model.weights_, index=NAMES, columns=NAMES)
    shuffled = W.loc[sorted(NAMES), sorted(NAMES)]
    assert ts.check_kkt(shuffled, frame, score="least-squares").satisfied
    assert not ts.check_kkt(shuffled.to_numpy(), frame, score="least-squares").satisfied
    assert ts.check_kkt(W, ts.Dataset.from_table(frame), score="least-squares").satisfied
    assert not ts.check_kkt(W, frame, score="least-squares", center=False).satisfied
    ridge = LeastSquares(ridge=0.5)
    assert not ts.check_kkt(W, frame, score=ridge).satisfied
    assert ts.check_kkt(ts.Topo(score=ridge).fit(frame).weights_, frame, score=ridge).satisfied
