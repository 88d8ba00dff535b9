"""Linear SEMs: the equations hold, the noise has its law, the covariance is the model's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from toposwap.core.errors import InputError
from toposwap.core.graph import topological_order
from toposwap.simulate import (
    NOISES,
    dag,
    edge_weights,
    linear_dataset,
    linear_sem,
    noise_law,
    population_covariance,
)

LAWS = {
    "gauss-EV": stats.norm(),
    "exponential": stats.expon(),
    "gumbel": stats.gumbel_r(),
    "uniform": stats.uniform(-1, 2),
}
CYCLE = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])


@st.composite
def models(draw):
    """A weighted DAG and a seed."""
    d, seed = draw(st.integers(1, 8)), draw(st.integers(0, 2**32))
    k = draw(st.floats(0, (d - 1) / 2))
    return edge_weights(dag(d, "ER", k, seed), random_state=seed), seed


def small_model(seed=0, d=6):
    return edge_weights(dag(d, "ER2", random_state=seed), random_state=seed)


# --- edge weights -------------------------------------------------------------------------------


def test_weights_are_uniform_on_both_intervals():
    graph = dag(80, "full", random_state=0)
    weights = edge_weights(graph, 0.5, 2.0, 0)
    np.testing.assert_array_equal(weights != 0, graph)
    drawn = weights[graph]
    assert stats.kstest(np.abs(drawn), stats.uniform(0.5, 1.5).cdf).pvalue > 1e-3
    # Signs: a fair coin, also among the large weights alone.
    for chosen in (drawn, drawn[np.abs(drawn) > 1.5]):
        assert abs(np.mean(chosen > 0) - 0.5) < 4 * 0.5 / np.sqrt(chosen.size)


def test_weights_of_one_size_and_down_to_zero():
    graph = dag(30, "full", random_state=0)
    assert set(edge_weights(graph, 1, 1, 0)[graph]) == {-1.0, 1.0}
    np.testing.assert_array_equal(edge_weights(graph, 0, 1, 0) != 0, graph)


@pytest.mark.parametrize(("low", "high"), [(2, 1), (-1, 1), (0, 0), (1, np.inf), (np.nan, 1)])
def test_edge_weights_refuses_intervals(low, high):
    with pytest.raises(InputError, match="use 0 <= low <= high"):
        edge_weights(np.zeros((2, 2)), low, high)


# --- samples ------------------------------------------------------------------------------------


@given(models(), st.sampled_from(list(NOISES)))
def test_samples_satisfy_the_equations_one_by_one(model, noise):
    """The same seed with W = 0 shows the noise; the recursion is then the definition."""
    W, seed = model
    X = linear_sem(W, 7, noise, random_state=seed)
    expected = linear_sem(np.zeros_like(W), 7, noise, random_state=seed)
    for j in topological_order(W != 0):
        for i in np.flatnonzero(W[:, j]):
            expected[:, j] += W[i, j] * expected[:, i]
    np.testing.assert_allclose(X, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("noise", LAWS)
def test_noise_has_its_law(noise):
    W = small_model()
    X = linear_sem(W, 4000, noise, random_state=0)
    Z = X - X @ W
    for j in range(W.shape[0]):
        assert stats.kstest(Z[:, j], LAWS[noise].cdf).pvalue > 1e-3
    correlation = np.corrcoef(Z, rowvar=False) - np.eye(W.shape[0])
    assert np.abs(correlation).max() < 4.5 / np.sqrt(4000)


def test_gauss_nv_draws_its_scale_between_one_and_two():
    d = 300
    sample = linear_dataset(d, 2000, "ER", 0, noise="gauss-NV", random_state=0)
    assert stats.kstest(sample.noise_scale, stats.uniform(1, 1).cdf).pvalue > 1e-3
    # A sample standard deviation has relative error 1 / sqrt(2 n).
    ratio = sample.X.std(axis=0) / sample.noise_scale
    assert np.abs(ratio - 1).max() < 4.5 / np.sqrt(2 * 2000)


@pytest.mark.parametrize("noise", NOISES)
def test_scale_multiplies_the_noise(noise):
    W, scale = np.zeros((3, 3)), np.array([0.0, 1.0, 10.0])
    unit = linear_sem(W, 50, noise, 1, random_state=0)
    np.testing.assert_array_equal(linear_sem(W, 50, noise, scale, 0), unit * scale)
    np.testing.assert_array_equal(linear_sem(W, 50, noise, 2, 0), unit * 2)


def test_exponential_growth_keeps_the_equations():
    """Fully connected, d = 50: values reach 1e8 and more, where I - W is badly conditioned."""
    W = edge_weights(dag(50, "full", random_state=0), random_state=0)
    X = linear_sem(W, 100, random_state=0)
    assert np.abs(X).max() > 1e8
    Z = linear_sem(np.zeros_like(W), 100, random_state=0)
    backward_error = np.abs(X - X @ W - Z) / (np.abs(X) + np.abs(X) @ np.abs(W) + np.abs(Z))
    assert backward_error.max() < 1e-13


def test_relabelling_the_nodes_relabels_the_covariance():
    W, scale = small_model(), np.arange(1.0, 7.0)
    label = np.random.default_rng(0).permutation(6)
    covariance = population_covariance(W, scale)
    relabelled = population_covariance(W[np.ix_(label, label)], scale[label])
    np.testing.assert_allclose(relabelled, covariance[np.ix_(label, label)], rtol=1e-12)


@pytest.mark.parametrize("noise", NOISES)
def test_seeds_are_honoured_bit_for_bit(noise):
    W = small_model()
    X = linear_sem(W, 20, noise, random_state=3)
    np.testing.assert_array_equal(X, linear_sem(W, 20, noise, random_state=3))
    np.testing.assert_array_equal(
        X, linear_sem(W, 20, noise, random_state=np.random.default_rng(3))
    )
    assert (linear_sem(W, 20, noise, random_state=4) != X).any()


def test_arguments_are_left_alone():
    graph = dag(6, "ER2", random_state=0)
    W, scale = edge_weights(graph, random_state=0), np.linspace(1, 2, 6)
    given = [graph, W, scale]
    copies = [array.copy() for array in given]
    for array in given:
        array.setflags(write=False)
    edge_weights(graph, random_state=1)
    linear_sem(W, 10, "gauss-NV", scale, 0)
    population_covariance(W, scale)
    for array, copy in zip(given, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_a_new_noise_is_one_decorated_function(monkeypatch):
    monkeypatch.setattr("toposwap.simulate.linear.NOISES", dict(NOISES))

    @noise_law("coin", scale=lambda _rng, d: np.full(d, 3.0))
    def coin(rng, shape):
        return rng.choice([-1.0, 1.0], shape)

    X = linear_sem(np.zeros((2, 2)), 40, "coin", random_state=0)
    assert set(X.ravel()) == {-3.0, 3.0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"W": CYCLE}, "W has the cycle .*0 -> 1.*: remove one"),
        ({"W": np.eye(2)}, "W has the cycle 0 -> 0"),
        ({"W": np.zeros((2, 3))}, r"W has shape \(2, 3\): pass a square"),
        ({"W": [[0, np.nan], [0, 0]]}, r"W\[0, 1\] is nan"),
        ({"n": 0}, "n is 0: give a whole number of at least 1"),
        ({"n": 1.5}, "n is 1.5"),
        ({"noise": "cauchy"}, "use one of gauss-EV, gauss-NV, exponential, gumbel, uniform"),
        ({"scale": [1, 2, 3]}, r"scale has shape \(3,\): give one number or 2"),
        ({"scale": -1}, "scale has a negative"),
        ({"scale": [1, np.inf]}, "scale has a negative or non-finite"),
        ({"W": np.diag([1e200, 1e200], k=1)}, "outgrow floating point: use smaller weights"),
    ],
)
def test_linear_sem_refuses(arguments, message):
    with pytest.raises(InputError, match=message):
        linear_sem(**{"W": np.zeros((2, 2)), "n": 5, **arguments})


# --- covariance ---------------------------------------------------------------------------------


@given(models())
def test_covariance_is_the_formula(model):
    W, seed = model
    v = np.random.default_rng(seed).uniform(0, 3, len(W))
    inverse = np.linalg.inv(np.eye(len(W)) - W)
    covariance = population_covariance(W, v)
    formula = inverse.T @ np.diag(v) @ inverse
    np.testing.assert_allclose(covariance, formula, rtol=1e-8, atol=1e-8 * np.abs(formula).max())
    np.testing.assert_array_equal(covariance, covariance.T)


@pytest.mark.parametrize("noise", LAWS)
def test_covariance_is_that_of_many_samples(noise):
    n, scale, W = 40_000, np.linspace(0.5, 2, 6), small_model(1)
    covariance = population_covariance(W, LAWS[noise].var() * scale**2)
    X = linear_sem(W, n, noise, scale, 0)
    products = X - X.mean(axis=0)
    products = products[:, :, None] * products[:, None, :]
    standard_error = products.std(axis=0) / np.sqrt(n)
    assert (np.abs(products.mean(axis=0) - covariance) < 5 * standard_error).all()


@pytest.mark.parametrize(
    ("W", "variance", "message"),
    [
        (CYCLE, 1, "W has the cycle"),
        (np.zeros((2, 2)), [1, -1], "noise_variance has a negative"),
        (np.zeros((2, 2)), [1, 1, 1], "noise_variance has shape"),
        (np.diag([1e200], k=1), 1, "outgrow floating point"),
    ],
)
def test_population_covariance_refuses(W, variance, message):
    with pytest.raises(InputError, match=message):
        population_covariance(W, variance)


# --- the whole sample ---------------------------------------------------------------------------


@pytest.mark.parametrize("hubs", ["causes", "effects"])
def test_dataset_is_its_three_steps_on_one_generator(hubs):
    sample = linear_dataset(
        12, 30, "SF", 1.5, hubs=hubs, weights=(1, 3), noise="gumbel", random_state=8
    )
    rng = np.random.default_rng(8)
    W = edge_weights(dag(12, "SF1.5", random_state=rng, hubs=hubs), 1, 3, rng)
    np.testing.assert_array_equal(sample.weights, W)
    np.testing.assert_array_equal(sample.X, linear_sem(W, 30, "gumbel", random_state=rng))
    np.testing.assert_array_equal(sample.noise_scale, np.ones(12))


def test_dataset_reports_the_scale_that_was_drawn():
    sample = linear_dataset(5, 30, noise="gauss-NV", random_state=0)
    again = linear_dataset(5, 30, noise="gauss-NV", random_state=0)
    np.testing.assert_array_equal(sample.noise_scale, again.noise_scale)
    with pytest.raises(AttributeError):
        sample.X = again.X
