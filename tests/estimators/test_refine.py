"""`refine`: never worse than what it was given."""

import numpy as np
import pandas as pd
import pytest
from fits import (
    NAMES,
    D,
    assert_same_fit,
    dropped_literally,
    is_dag,
    random_dag,
    sample,
    score_of,
    solved,
    table,
)
from hypothesis import given
from hypothesis import strategies as st

import toposwap as ts
from toposwap.core.errors import ToposwapWarning


@given(st.integers(0, 2**32), st.sampled_from(["none", "auto", "paper", "insertion"]))
def test_refine_never_makes_a_dag_worse(seed, search):
    rng = np.random.default_rng(seed)
    X = table(seed % 5, n=60)
    W = random_dag(rng)
    before = W.copy()
    model = ts.refine(W, X, score="least-squares", search=search)
    assert isinstance(model, ts.Topo)
    assert model.score_ <= score_of(W, X) * (1 + 1e-12)
    np.testing.assert_array_equal(W, before)


@given(st.integers(0, 2**32))
def test_refine_never_makes_an_optimum_worse(seed):
    """The hardest case: the best weights for an order, with nothing to spare for rounding."""
    X = table(seed % 5, n=60)
    W, score = solved(X, np.random.default_rng(seed).permutation(D))
    assert ts.refine(W, X, score="least-squares").score_ <= score * (1 + 1e-12)


@given(st.integers(0, 2**32))
def test_refine_of_a_cyclic_matrix(seed):
    rng = np.random.default_rng(seed)
    X = table(seed % 5, n=60)
    W = rng.uniform(-1, 1, (D, D))
    rest, count = dropped_literally(W)
    with pytest.warns(ToposwapWarning, match=f"its {count} weakest edges were dropped"):
        model = ts.refine(W, X, score="least-squares")
    assert model.score_ <= score_of(rest, X) * (1 + 1e-12)
    assert is_dag(model.weights_)


def test_refine_of_the_truth_does_at_least_as_well():
    data = sample()
    X = data.X
    model = ts.refine(data.weights, X, score="least-squares", prune=0.1, search="paper")
    assert model.score_ <= score_of(data.weights, X)
    assert (model.prune, model.search) == (0.1, "paper")


def test_refine_with_frames_and_datasets():
    X = pd.DataFrame(table(), columns=NAMES)
    W = pd.DataFrame(sample().weights, index=NAMES, columns=NAMES)
    plain = ts.refine(W.to_numpy(), X, score="least-squares")
    shuffled = W.loc[sorted(NAMES), sorted(NAMES)]
    assert_same_fit(ts.refine(shuffled, X, score="least-squares"), plain)
    assert plain.feature_names_in_.tolist() == NAMES
    np.testing.assert_array_equal(ts.refine(shuffled, X, score="least-squares").init, W.to_numpy())
    assert_same_fit(ts.refine(shuffled, ts.Dataset.from_table(X), score="least-squares"), plain)
    raw = ts.refine(W, X, score="least-squares", center=False)
    assert (
        raw.score_
        == ts.refine(W, ts.Dataset.from_table(X, center=False), score="least-squares").score_
    )
    assert raw.score_ > plain.score_
