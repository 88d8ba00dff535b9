"""The factor pair against factorising from scratch."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from precedences import obeys, random_precedence

from toposwap.kernels.least_squares import factor_pair, worn_pair


def pair_from_scratch(X, order):
    """The copy: R and R^{-T} by NumPy, laid out as the kernel keeps them."""
    d = X.shape[1]
    R = np.linalg.qr(X[:, order], mode="r")
    R *= np.sign(np.diag(R))[:, None]
    V = np.linalg.inv(R).T
    pair = np.empty((d, d))
    pair[:, order] = np.triu(R, 1) + np.tril(V, -1)
    position = np.empty(d, dtype=np.int64)
    position[order] = np.arange(d)
    return pair, np.diag(R).copy(), np.array(order, dtype=np.int64), position


def residual_variances(X, order):
    """var(x_v | predecessors) by regression, each variable on its own; (d,) by variable."""
    out = np.empty(len(order))
    for k, v in enumerate(order):
        before = X[:, order[:k]]
        fit = before @ np.linalg.lstsq(before, X[:, v], rcond=None)[0] if k else 0.0
        out[v] = np.sum((X[:, v] - fit) ** 2)
    return out


def off_diagonal(pair, order):
    """The entries that mean something: the places of the diagonal are free."""
    pair = pair.copy()
    pair[np.arange(len(order)), order] = 0.0
    return pair


@st.composite
def problems(draw, largest=9):
    d = draw(st.integers(2, largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    X = rng.standard_normal((d + 5, d)) @ rng.standard_normal((d, d))
    return X, rng.permutation(d), rng.uniform(0.1, 3.0, d), rng


@given(problems())
def test_insert_equals_factorising_in_the_new_order(problem):
    X, order, _, rng = problem
    d = len(order)
    state = pair_from_scratch(X, order)
    variable, target = rng.integers(d, size=2)
    factor_pair.insert(*state, variable, target)
    expected = list(order)
    expected.remove(variable)
    expected.insert(target, variable)
    fresh = pair_from_scratch(X, np.array(expected))
    np.testing.assert_array_equal(state[2], fresh[2])
    np.testing.assert_array_equal(state[3], fresh[3])
    np.testing.assert_allclose(state[1], fresh[1], rtol=1e-8)
    np.testing.assert_allclose(
        off_diagonal(state[0], expected), off_diagonal(fresh[0], expected), rtol=1e-6, atol=1e-6
    )


@given(problems())
def test_insertion_profile_equals_regressing_in_every_order(problem):
    X, order, cost, rng = problem
    d = len(order)
    before = random_precedence(rng, order)
    state = pair_from_scratch(X, order)
    now = cost @ residual_variances(X, order)
    for v in range(d):
        profile = np.empty(d)
        best = factor_pair.insertion_profile(*state, cost, before, v, profile)
        assert best == profile.argmin()
        rest = [w for w in order if w != v]
        for k in range(d):
            moved = [*rest[:k], v, *rest[k:]]
            if not obeys(moved, before):
                assert profile[k] == np.inf
                continue
            then = cost @ residual_variances(X, moved)
            assert profile[k] == pytest.approx(then - now, rel=1e-7, abs=1e-9 * now)


@given(problems())
def test_best_changes_are_the_least_of_the_profiles(problem):
    X, order, cost, rng = problem
    state = pair_from_scratch(X, order)
    before = random_precedence(rng, order)
    least, profile = factor_pair.best_changes(*state, cost, before), np.empty(len(order))
    for v in order:
        factor_pair.insertion_profile(*state, cost, before, v, profile)
        assert least[v] == pytest.approx(profile.min(), rel=1e-9, abs=1e-13 * sum_of(state, cost))
        assert least[v] <= 0.0


def sum_of(state, cost):
    return float(state[1] ** 2 @ cost[state[2]])


@given(problems())
def test_products_tell_whether_a_pair_is_one(problem):
    X, order, _, rng = problem
    d, x = len(order), rng.standard_normal(len(order))
    state = pair_from_scratch(X, order)
    along, back, around = worn_pair.products(*state, x)
    assert np.linalg.norm(along) == pytest.approx(np.linalg.norm(X @ x))
    scale = np.linalg.norm(X, axis=0) * np.linalg.norm(along)
    assert (np.abs(back - X.T @ (X @ x)) <= 1e-12 * scale).all()
    condition = np.linalg.cond(X)
    np.testing.assert_allclose(around, x[order], atol=1e-13 * condition * d * np.abs(x).max())


@given(problems())
def test_a_sweep_moves_each_variable_to_its_best_place(problem):
    X, order, cost, rng = problem
    d = len(order)
    visits = rng.permutation(d)
    swept, stepped = pair_from_scratch(X, order), pair_from_scratch(X, order)
    before = random_precedence(rng, order)
    moved = factor_pair.insertion_sweep(*swept, cost, before, visits, 1e-9)
    assert obeys(swept[2], before)
    count = 0
    for v in visits:
        profile = np.empty(d)
        factor_pair.insertion_profile(*stepped, cost, before, v, profile)
        if profile.min() < -1e-9:
            factor_pair.insert(*stepped, v, profile.argmin())
            count += 1
    assert moved == count
    np.testing.assert_array_equal(swept[2], stepped[2])


@given(problems())
def test_solution_is_the_regression_and_its_gradient(problem):
    X, order, _, rng = problem
    d = len(order)
    state = pair_from_scratch(X, order)
    scale = 2.0 ** rng.integers(-3, 4, d)
    weights, gradient = factor_pair.solution(*state, scale, np.ones(d), 0.0)
    # The kernel was given X with the scale taken out of its columns.
    data = X * scale
    W = np.zeros((d, d))
    for k, v in enumerate(order):
        if k:
            W[order[:k], v] = np.linalg.lstsq(data[:, order[:k]], data[:, v], rcond=None)[0]
    slope = np.abs(data.T @ (data - data @ W))
    after = state[3][:, None] > state[3]
    np.testing.assert_allclose(weights.T, W, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(gradient.T[after], slope[after], rtol=1e-6, atol=1e-8)
    assert not gradient.T[~after].any()


def test_a_contribution_below_rounding_is_exactly_zero():
    X = np.linalg.qr(np.random.default_rng(0).standard_normal((20, 3)))[0]
    X[:, 2] += X[:, 0] + 1e-14 * X[:, 1]
    state = pair_from_scratch(X, np.arange(3))
    weights, _ = factor_pair.solution(*state, np.ones(3), np.linalg.norm(X, axis=0), 1e-13)
    assert weights[2, 1] == 0.0
    assert weights[2, 0] == pytest.approx(1.0)
