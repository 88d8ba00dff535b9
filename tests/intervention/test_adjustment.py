"""Adjustment sets against d-separation by networkx and against regressions in large samples."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toposwap as ts
from toposwap.intervention import Adjustment
from toposwap.intervention.adjustment import separated
from toposwap.intervention.linear import adjusted_effect

NAMES = tuple("abcdef")


def random_dag(seed, d=6):
    rng = np.random.default_rng(seed)
    dag = np.triu(rng.random((d, d)) < 0.45, 1)
    order = rng.permutation(d)
    return dag[np.ix_(order, order)], rng


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_separation_is_that_of_networkx(seed):
    dag, rng = random_dag(seed)
    graph = nx.from_numpy_array(dag.astype(int), create_using=nx.DiGraph)
    x, y, *rest = (int(v) for v in rng.permutation(6))
    chosen = rest[: rng.integers(0, 4)]
    assert separated(dag, x, y, chosen) == nx.is_d_separator(graph, {x}, {y}, set(chosen))


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_a_set_is_valid_if_and_only_if_its_regression_tells_the_effect(seed):
    """With the population's covariance and generic weights, for all sets there are."""
    dag, rng = random_dag(seed)
    weights = dag * rng.uniform(0.5, 1.5, dag.shape)
    inverse = np.linalg.inv(np.eye(6) - weights)
    covariance = inverse.T @ np.diag(rng.uniform(0.5, 2.0, 6)) @ inverse
    data = ts.Dataset.from_covariance(covariance, 1000, names=NAMES)
    x, y = (int(v) for v in rng.permutation(6)[:2])
    told = Adjustment(NAMES, x, y, dag)
    if not told.leads:
        assert "no directed path" in told.in_words()
        return
    others = [v for v in range(6) if v not in (x, y)]
    errors = {}
    for size in range(5):
        for chosen in combinations(others, size):
            names = [NAMES[v] for v in chosen]
            found = adjusted_effect(data, x, y, chosen)
            assert told.is_valid(names) == (abs(found.value - inverse[x, y]) < 1e-9)
            if told.is_valid(names):
                errors[chosen] = found.standard_error
    assert told.is_valid(told.optimal)
    assert told.is_valid(told.minimal)
    assert told.is_valid(told.parents)
    best = tuple(sorted(NAMES.index(name) for name in told.optimal))
    # Up to the degrees of freedom, which favour smaller sets by a part in a thousand.
    assert errors[best] <= min(errors.values()) * 1.003


def test_words():
    dag = np.zeros((4, 4), dtype=bool)
    for i, j in ((0, 1), (0, 2), (1, 3), (3, 2)):
        dag[i, j] = True
    told = Adjustment(("age", "dose", "cure", "level"), 1, 2, dag)
    assert told.in_words() == (
        "regress cure on dose and age; never adjust for level, which dose acts on"
    )
    assert not told.is_valid(["level"])
    assert told.is_valid(["age"])
    assert "in_words" not in repr(told)
    with pytest.raises(ValueError, match="not in tuple"):
        told.is_valid(["nobody"])
