"""Where `Topo` starts from."""

import warnings

import numpy as np
import pandas as pd
import pytest
from fits import NAMES, D, dropped_literally, random_dag, sample, table
from hypothesis import given
from hypothesis import strategies as st

import toposwap as ts
from toposwap.core.errors import ToposwapWarning
from toposwap.core.weights import without_weakest


def start_of(init, X, **parameters):
    return (
        ts.Topo(**{"score": "least-squares", "init": init, "search": "none", **parameters})
        .fit(X)
        .causal_order_
    )


def test_the_first_is_always_the_smallest_conditional_variance():
    X = table()
    Z, order = X - X.mean(axis=0), []
    while len(order) < D:
        left = {}
        for v in set(range(D)) - set(order):
            coefficients = np.linalg.lstsq(Z[:, order], Z[:, v], rcond=None)[0]
            left[v] = np.var(Z[:, v] - Z[:, order] @ coefficients)
        order.append(min(left, key=left.get))
    assert start_of("auto", X) == start_of("variance", X) == order


def test_random_starts():
    X = table()
    orders = {tuple(start_of("random", X, random_state=seed)) for seed in range(20)}
    assert len(orders) >= 19
    firsts = [start_of("random", X, random_state=seed)[0] for seed in range(200)]
    assert set(firsts) == set(range(D))


@pytest.mark.parametrize(
    "kind", ["list", "tuple", "array", "unsigned", "Order", "names", "Index", "array of names"]
)
def test_an_order_in_any_form(kind):
    order = [4, 2, 6, 0, 1, 5, 3]
    names = [NAMES[v] for v in order]
    forms = {
        "list": order,
        "tuple": tuple(order),
        "array": np.array(order),
        "unsigned": np.array(order, dtype=np.uint8),
        "Order": ts.Order(order),
        "names": names,
        "Index": pd.Index(names),
        "array of names": np.array(names),
    }
    assert start_of(forms[kind], pd.DataFrame(table(), columns=NAMES)) == order


@given(st.integers(0, 2**32))
def test_a_weight_matrix_gives_an_order_of_its_graph(seed):
    rng = np.random.default_rng(seed)
    X = table()
    W = random_dag(rng)
    order = start_of(W, X)
    position = np.argsort(order)
    causes, effects = np.nonzero(W)
    assert (position[causes] < position[effects]).all()


def test_an_empty_weight_matrix_leaves_the_choice_to_the_data():
    X = table()
    assert start_of(np.zeros((D, D)), X) == start_of("auto", X)


def test_weights_are_matched_by_name():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(table(), columns=NAMES)
    W = random_dag(rng, density=0.9)
    expected = start_of(W, X)
    framed = pd.DataFrame(W, index=NAMES, columns=NAMES)
    shuffled = framed.loc[rng.permutation(NAMES), rng.permutation(NAMES)]
    assert start_of(shuffled, X) == expected
    columns_only = pd.DataFrame(W, columns=NAMES)
    assert start_of(columns_only, X) == expected
    assert start_of(pd.DataFrame(W), X) == expected
    assert start_of(pd.DataFrame(W).loc[rng.permutation(D)], X) == expected
    assert start_of(W.tolist(), X) == expected
    assert start_of(pd.DataFrame(W), X.to_numpy()) == expected


@given(st.integers(0, 2**32), st.integers(2, 8), st.floats(0.05, 1.0), st.booleans(), st.booleans())
def test_cycles_are_broken_at_the_weakest_edges(seed, d, density, ties, loops):
    rng = np.random.default_rng(seed)
    W = rng.uniform(-2, 2, (d, d)) * (rng.random((d, d)) < density)
    W = np.round(W) if ties else W
    if not loops:
        np.fill_diagonal(W, 0.0)
    before = W.copy()
    rest, count = without_weakest(W)
    expected, expected_count = dropped_literally(W)
    np.testing.assert_array_equal(rest, expected)
    assert count == expected_count
    np.testing.assert_array_equal(W, before)


@pytest.mark.parametrize("weak", [1, 3])
def test_dropped_edges_are_said(weak):
    X = table()
    W = np.triu(np.full((D, D), 1.0), 1)
    for k in range(weak):
        W[D - 1 - k, k] = 0.1 * (k + 1)
    noun = "edge was" if weak == 1 else "edges were"
    with pytest.warns(ToposwapWarning, match=f"has cycles: its {weak} weakest {noun} dropped"):
        model = ts.Topo("least-squares", init=W, search="none").fit(X)
    assert model.causal_order_ == list(range(D))
    assert len(model.remarks_) == 1
    assert f"its {weak} weakest" in model.remarks_[0]
    assert W[D - 1, 0] == 0.1


def test_a_dag_is_taken_without_a_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ts.Topo("least-squares", init=sample().weights).fit(table()).remarks_ == ()
