"""Losses of columns of several values: derivatives, chances, and what is best without parents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap.losses import LEVEL_LOSSES
from toposwap.losses.multinomial import contrasts

ALL = pytest.mark.parametrize("loss", LEVEL_LOSSES.values(), ids=list(LEVEL_LOSSES))


def problem(loss, seed, levels=4, n=25, p=2):
    """Columns, values, weights, and a function from all parameters to the terms."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((p, n))
    y = np.concatenate([np.arange(levels), rng.integers(0, levels, n - levels)])
    omega = rng.random(n) + 0.1
    omega /= omega.sum()
    q = loss.predictors(levels)

    def terms(flat):
        theta, constants = flat[: p * q].reshape(q, p), flat[p * q :]
        eta = theta @ Z + (constants[:, None] if loss.intercepts else 0.0)
        return loss.terms(np.ascontiguousarray(eta), constants, y, omega)

    start = np.concatenate([0.7 * rng.standard_normal(p * q), loss.start(y, omega)])
    return Z, y, omega, terms, start


def gradient(Z, terms):
    return np.concatenate([(terms.slope @ Z.T).ravel(), terms.own])


@ALL
@given(seed=st.integers(0, 1000), levels=st.integers(3, 6))
def test_derivatives_are_those_of_the_value(loss, seed, levels):
    Z, y, _, terms, at = problem(loss, seed, levels)
    steps = 1e-5 * np.eye(at.size)
    numeric = [(terms(at + e).value - terms(at - e).value) / 2e-5 for e in steps]
    np.testing.assert_allclose(gradient(Z, terms(at)), numeric, atol=1e-8)
    second = [(gradient(Z, terms(at + e)) - gradient(Z, terms(at - e))) / 2e-5 for e in steps]
    H = loss.hessian(terms(at), Z, np.arange(len(Z)), y)
    np.testing.assert_allclose(H, second, atol=1e-8)
    assert np.linalg.eigvalsh(H)[0] >= -1e-12


@ALL
def test_chances_are_the_loss_and_add_up(loss):
    Z, y, omega, terms, at = problem(loss, 3)
    q = loss.predictors(4)
    theta, constants = at[: 2 * q].reshape(q, 2), at[2 * q :]
    eta = theta @ Z + (constants[:, None] if loss.intercepts else 0.0)
    chances = loss.chances(eta, constants)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    value = -float(omega @ np.log(chances[np.arange(y.size), y]))
    assert terms(at).value == pytest.approx(value, rel=1e-12)


@ALL
def test_the_start_is_best_without_parents(loss):
    _, _, _, terms, at = problem(loss, 5)
    at[: -loss.start(np.arange(4), np.full(4, 0.25)).size] = 0.0
    assert np.abs(terms(at).own).max() < 1e-12


def test_contrasts_are_orthonormal_and_favour_nobody():
    C = contrasts(5)
    np.testing.assert_allclose(C.T @ C, np.eye(4), atol=1e-15)
    np.testing.assert_allclose(C.sum(axis=0), 0.0, atol=1e-15)
