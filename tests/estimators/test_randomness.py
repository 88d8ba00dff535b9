"""Seeds: what they fix and what they leave alone."""

import numpy as np
import pytest
from fits import assert_same_fit, table, without_seconds
from sklearn.base import clone

import toposwap as ts
from toposwap.baselines.base import Baseline, Found
from toposwap.baselines.start import resolve_start

RANDOM = {
    "score": "least-squares",
    "search": "paper",
    "init": "random",
    "greedy": True,
    "s_small": 10,
    "s_large": 20,
}


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


#: Everything that is drawn, one way at a time.
DRAWN = {
    "the start": {"init": "random", "search": "none"},
    "swaps": {"search": "paper", "greedy": True, "s_small": 10, "s_large": 20},
    "restarts": {"score": "bic", "n_restarts": 3, "init": "random"},
}


@pytest.mark.parametrize("what", DRAWN)
def test_the_seed_is_fixed_unless_told_otherwise(what):
    """As on the command line: the same call gives the same answer."""
    X = table(d=8)
    first = ts.Topo(**DRAWN[what]).fit(X)
    assert_same_fit(ts.Topo(**DRAWN[what]).fit(X), first)
    assert_same_fit(ts.Topo(**DRAWN[what], random_state=0).fit(X), first)


def test_none_draws_afresh():
    X = table(d=8)
    orders = {
        tuple(
            ts.Topo("least-squares", init="random", search="none", random_state=None)
            .fit(X)
            .causal_order_
        )
        for _ in range(5)
    }
    assert len(orders) > 1


class Drawn(Baseline):
    """A learner that draws its weights."""

    name = "drawn"

    def __init__(self, score="auto", prune="auto", center=True, random_state=0):
        self.score, self.prune = score, prune
        self.center, self.random_state = center, random_state

    def find(self, data, rng):
        return Found(np.triu(rng.standard_normal((data.d, data.d)), k=1))


def test_a_learner_by_class_follows_the_seed_and_an_object_its_own():
    data = ts.Dataset.from_table(table())

    def weights(init, seed):
        return resolve_start(init, data, np.random.default_rng(seed))

    assert not np.array_equal(weights(Drawn, 0), weights(Drawn, 1))
    np.testing.assert_array_equal(weights(Drawn, 1), weights(Drawn, 1))
    own = Drawn(random_state=5)
    np.testing.assert_array_equal(weights(own, 0), weights(own, 1))
    np.testing.assert_array_equal(weights(Drawn, 5), weights(own, 0))
    assert own.random_state == 5


def test_without_a_seed_deterministic_searches_repeat_themselves():
    X = table()

    def unseeded(search):
        return ts.Topo("least-squares", search, random_state=None)

    for search in ("auto", "paper", "insertion", "exact"):
        assert_same_fit(unseeded(search).fit(X), unseeded(search).fit(X))
