"""Seeds: what they fix and what they leave alone."""

import numpy as np
import pytest
from fits import assert_same_fit, table, without_seconds
from sklearn.base import clone

import toposwap as ts

RANDOM = {"search": "paper", "init": "random", "greedy": True, "s_small": 10, "s_large": 20}


@pytest.mark.parametrize("seed", [0, 1, 2**40])
def test_same_seed_same_result(seed):
    X = table()
    model = ts.Topo(**RANDOM, random_state=seed)
    first = clone(model).fit(X)
    assert_same_fit(model.fit(X), first)
    assert_same_fit(model.fit(X), first)
    assert_same_fit(ts.Topo(**RANDOM, random_state=np.random.default_rng(seed)).fit(X), first)
    assert_same_fit(ts.Topo(**RANDOM, random_state=np.int64(seed)).fit(X), first)


def test_seeds_differ_and_a_generator_moves_on():
    X = table()
    histories = [
        without_seconds(ts.Topo(**RANDOM, random_state=seed).fit(X).history_) for seed in (0, 1)
    ]
    assert histories[0] != histories[1]
    model = ts.Topo(**RANDOM, random_state=np.random.default_rng(0))
    histories = [without_seconds(model.fit(X).history_) for _ in range(2)]
    assert histories[0] != histories[1]


def test_global_randomness_is_neither_read_nor_written():
    X = table()
    first = ts.Topo(**RANDOM, random_state=0).fit(X)
    np.random.seed(123)  # noqa: NPY002 - the global state is what is tested
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    assert_same_fit(ts.Topo(**RANDOM, random_state=0).fit(X), first)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_without_a_seed_deterministic_searches_repeat_themselves():
    X = table()
    for search in ("auto", "paper", "insertion", "exact"):
        assert_same_fit(ts.Topo(search=search).fit(X), ts.Topo(search=search).fit(X))
