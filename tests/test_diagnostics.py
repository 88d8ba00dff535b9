"""Sortability against its definition, and what it tells about a fit."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.diagnostics import r2_sortability, sortability, varsortability


@given(st.integers(0, 1000), st.integers(2, 8))
def test_sortability_counts_connected_pairs(seed, d):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((d, d)) < 0.4, 1)[np.ix_(*[rng.permutation(d)] * 2)]
    criterion = rng.integers(0, 3, d).astype(float)
    graph = nx.from_numpy_array(W, create_using=nx.DiGraph)
    pairs = [(i, j) for i in range(d) for j in nx.descendants(graph, i)]
    found = sortability(criterion, W)
    if not pairs:
        assert np.isnan(found)
        return
    score = sum(
        (criterion[i] < criterion[j]) + 0.5 * (criterion[i] == criterion[j]) for i, j in pairs
    )
    assert found == pytest.approx(score / len(pairs))


def test_variances_rise_in_simulations_and_not_after_standardising():
    sample = ts.simulate.linear_dataset(30, 2000, "ER2", random_state=0)
    assert varsortability(sample.X, sample.weights) > 0.9
    standard = sample.X / sample.X.std(axis=0)
    rng = np.random.default_rng(0)
    assert 0.2 < varsortability(standard * rng.uniform(0.5, 2.0, 30), sample.weights) < 0.8


def test_r2_does_not_depend_on_units():
    sample = ts.simulate.linear_dataset(10, 500, "ER2", random_state=1)
    units = 10.0 ** np.random.default_rng(0).integers(-5, 6, 10)
    a, b = (r2_sortability(X, sample.weights) for X in (sample.X, sample.X * units))
    assert a == b
    X = sample.X - sample.X.mean(axis=0)
    r2 = []
    for j in range(10):
        rest = np.delete(X, j, axis=1)
        left = X[:, j] - rest @ np.linalg.lstsq(rest, X[:, j], rcond=None)[0]
        r2.append(1 - (left @ left) / (X[:, j] @ X[:, j]))
    assert a == pytest.approx(sortability(np.array(r2), sample.weights))


def test_what_does_not_fit_is_refused():
    X = np.random.default_rng(0).standard_normal((5, 8))
    with pytest.raises(InputError, match="5 rows are too few for 8 columns"):
        r2_sortability(X, np.zeros((8, 8)))
    with pytest.raises(InputError, match="W has 3 nodes, but the data have 8 columns"):
        varsortability(X, np.zeros((3, 3)))
