"""Conversions at the border, against the real packages."""

import random

import numpy as np
import pytest

import toposwap as ts
from toposwap.baselines import BOSS, FLOP, GES, PC, Dagma, DirectLiNGAM
from toposwap.baselines.peers.border import Peer, from_class

#: Two causes of one effect, which has two effects of its own: every direction is determined.
W = np.zeros((5, 5))
W[0, 2] = W[1, 2] = W[2, 3] = 1.0
W[2, 4] = -1.0


def sample(noise="gauss-EV", n=2000):
    return ts.simulate.linear_sem(W, n, noise=noise, random_state=0)


@pytest.mark.parametrize("learner", [PC, GES, BOSS, FLOP])
def test_classes_come_back_the_right_way_round(learner):
    pytest.importorskip({"causal-learn": "causallearn"}.get(learner.package, learner.package))
    model = learner(random_state=0).fit(sample())
    np.testing.assert_array_equal(model.cpdag_, W != 0.0)
    np.testing.assert_allclose(model.weights_, W, atol=0.1)
    np.testing.assert_array_equal(model.adjacency_matrix_, model.weights_)


@pytest.mark.parametrize("learner", [PC, GES, BOSS, FLOP])
def test_undirected_edges_stay_in_the_class(learner):
    pytest.importorskip({"causal-learn": "causallearn"}.get(learner.package, learner.package))
    chain = np.diag([1.0, 1.0], 1)
    model = learner(random_state=0).fit(ts.simulate.linear_sem(chain, 2000, random_state=0))
    np.testing.assert_array_equal(model.cpdag_, (chain + chain.T) != 0.0)
    assert np.count_nonzero(model.weights_) == 2
    assert ts.metrics.shd(chain, model.cpdag_) == 0


def test_weights_come_back_the_right_way_round():
    pytest.importorskip("dagma")
    np.testing.assert_allclose(Dagma().fit(sample()).adjacency_matrix_, W, atol=0.1)


def test_lingam_comes_back_the_right_way_round():
    pytest.importorskip("lingam")
    model = DirectLiNGAM(random_state=0).fit(sample("exponential"))
    np.testing.assert_allclose(model.adjacency_matrix_, W, atol=0.1)


def test_seeds_are_set_for_them_and_put_back(capsys):
    random.seed(5)
    state = random.getstate()
    draws = []
    for _ in range(2):
        with FLOP().running(np.random.default_rng(0)):
            print("noise")
            draws.append((random.random(), np.random.rand()))  # noqa: NPY002
    assert draws[0] == draws[1]
    assert random.getstate() == state
    assert capsys.readouterr().out == ""


def test_what_they_raise_is_told_in_a_sentence():
    with (
        pytest.raises(ts.InputError, match=r"flop .* RuntimeError: no\\x1b way; begin elsewhere"),
        FLOP().running(np.random.default_rng(0)),
    ):
        raise RuntimeError("no\x1b way\nsecond line")


def test_what_is_no_class_still_becomes_a_dag():
    cycle = np.zeros((4, 4), dtype=bool)
    cycle[[0, 1, 2, 2, 3], [1, 2, 0, 3, 2]] = True
    data = ts.Dataset.from_table(np.random.default_rng(0).standard_normal((30, 4)))
    found = from_class(data, cycle)
    assert "1 of its arrows" in found.choices[-1]
    np.testing.assert_array_equal(found.cpdag, cycle)
    skeleton = found.weights != 0.0
    np.testing.assert_array_equal(skeleton | skeleton.T, cycle | cycle.T)


def test_peers_say_what_they_need():
    for learner in (PC, GES, BOSS, FLOP, Dagma, DirectLiNGAM):
        assert issubclass(learner, Peer)
        assert learner.package
