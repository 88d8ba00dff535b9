"""Nonlinear SEMs: the equations hold and the functions have the law they are said to have."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from toposwap.core.errors import InputError
from toposwap.core.graph import topological_order
from toposwap.simulate import MECHANISMS, dag, nonlinear_dataset, nonlinear_sem

EVERY = pytest.mark.parametrize("mechanism", list(MECHANISMS))


@EVERY
def test_signal_depends_on_the_parents_alone_and_the_rest_is_noise(mechanism):
    sample = nonlinear_dataset(8, 300, "ER2", mechanism=mechanism, random_state=1)
    assert sample.X.shape == sample.signal.shape == (300, 8)
    assert topological_order(sample.adjacency) is not None
    noise = sample.X - sample.signal
    np.testing.assert_allclose(noise.std(axis=0), 1.0, atol=0.25)
    assert np.abs(np.corrcoef(noise.T) - np.eye(8)).max() < 0.25
    has_parents = sample.adjacency.any(axis=0)
    assert not sample.signal[:, ~has_parents].any()
    assert (sample.signal[:, has_parents].std(axis=0) > 0.05).all()


@EVERY
def test_a_seed_gives_the_same_sample_and_labels_are_shuffled(mechanism):
    first, second, other = (
        nonlinear_dataset(6, 20, "ER2", mechanism=mechanism, random_state=seed)
        for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first.X, second.X)
    np.testing.assert_array_equal(first.adjacency, second.adjacency)
    assert not np.array_equal(first.X, other.X)
    orders = {
        tuple(topological_order(nonlinear_dataset(5, 2, "full", random_state=s).adjacency))
        for s in range(20)
    }
    assert len(orders) > 10


def test_a_network_is_bounded_by_its_output_weights():
    rng = np.random.default_rng(0)
    for _ in range(20):
        values = MECHANISMS["mlp"](rng.standard_normal((50, 3)), np.random.default_rng(5))
        assert np.abs(values).max() <= 200.0
    # The same draws by hand.
    x = rng.standard_normal((4, 3))
    draw = np.random.default_rng(9)
    A = draw.uniform(0.5, 2.0, (3, 100)) * draw.choice([-1.0, 1.0], (3, 100))
    v = draw.uniform(0.5, 2.0, 100) * draw.choice([-1.0, 1.0], 100)
    by_hand = [sum(v[h] * expit(row @ A[:, h]) for h in range(100)) for row in x]
    np.testing.assert_allclose(MECHANISMS["mlp"](x, np.random.default_rng(9)), by_hand)


@pytest.mark.parametrize(("mechanism", "parents"), [("gp", 2), ("gp-add", 2), ("gp", 1)])
def test_processes_have_their_covariance(mechanism, parents):
    """The second moments over many draws are the kernel, at near and at far points."""
    x = np.array([0.0, 0.3, 1.0, 5.0])[:, None] * np.ones(parents)
    rng = np.random.default_rng(0)
    draws = np.array([MECHANISMS[mechanism](x, rng) for _ in range(4000)])
    squared = (x[:, None] - x) ** 2
    kernel = np.exp(-0.5 * squared.sum(axis=2))
    if mechanism == "gp-add":
        kernel = np.exp(-0.5 * squared).sum(axis=2)
    np.testing.assert_allclose(draws.T @ draws / len(draws), kernel, atol=0.15)


def test_a_process_is_smooth_where_its_covariance_is_singular():
    x = np.sort(np.random.default_rng(0).standard_normal(500))
    values = MECHANISMS["gp"](x[:, None], np.random.default_rng(1))
    steps = np.abs(np.diff(values)) / np.maximum(np.diff(x), 1e-6)
    assert steps.max() < 10.0


def test_refusals():
    graph = dag(3, "ER1", random_state=0)
    with pytest.raises(InputError, match="mechanism is 'nope': use one of mlp"):
        nonlinear_sem(graph, 10, "nope")
    with pytest.raises(InputError, match="noise is 'nope'"):
        nonlinear_sem(graph, 10, noise="nope")
    with pytest.raises(InputError, match="n is 0"):
        nonlinear_sem(graph, 0)
    with pytest.raises(InputError, match="cycle"):
        nonlinear_sem([[0, 1], [1, 0]], 10)
