r"""Newton's method for one node with given parents.

.. math:: \min_{\theta, c} \ell(y, \theta^\top Z, c) + \tfrac12 r \lVert \theta \rVert^2 .

Where parents tell values of a column apart perfectly, the likelihood has no finite maximum; the
small r keeps the coefficients finite and costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.linalg import lapack

from toposwap.kernels.blocks.newton_one import newton_one
from toposwap.kernels.blocks.predictors import linear_predictors, products

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.losses.levels import BlockLoss, Terms

    Floats = NDArray[np.float64]

MOST_STEPS = 200
_LARGEST_DAMPING = 1e8
_DECREASE = 1e-4
_ROUNDING = 1e-14


class Rows(NamedTuple):
    """What a node is fitted to: columns Z (p, n) of its parents, y (n,), and weights (n,)."""

    Z: Floats
    y: Any
    omega: Floats


class Solved(NamedTuple):
    """theta (p, q), the constants (e,), loss + r/2 |theta|^2, and its curvature there."""

    theta: Floats
    constants: Floats
    value: float
    curvature: Floats


def at(loss: BlockLoss, rows: Rows, theta: Floats, constants: Floats) -> Terms:
    """The loss and its derivatives at ``theta`` (p, q) and ``constants`` (e,)."""
    q = theta.shape[1]
    eta = np.empty((q, rows.omega.size))
    shift = constants if loss.intercepts else np.zeros(q)
    linear_predictors(rows.Z, np.arange(len(theta)), theta, shift, eta)
    return loss.terms(eta, constants, rows.y, rows.omega)


def solve(
    loss: BlockLoss,
    rows: Rows,
    theta: Floats,
    constants: Floats,
    r: float,
    tolerance: float,
) -> Solved:
    """Minimise from ``theta`` (p, q) and ``constants`` (e,).

    A step that does not go down is tried again with more of the identity added to the curvature.
    """
    if loss.formula is not None:
        return _of_one_predictor(loss.formula, rows, theta, constants, r, tolerance)
    p, q = theta.shape
    index, damping = np.arange(p), 0.0
    terms = at(loss, rows, theta, constants)
    value = terms.value + 0.5 * r * float(np.square(theta).sum())
    H = curvature(loss, terms, rows, index, r)
    for _ in range(MOST_STEPS):
        gradient = gradient_at(rows, terms, theta, r)
        if not (np.abs(gradient) > tolerance * terms.size).any():
            break
        here = np.concatenate([theta.T.ravel(), constants])
        moved = False
        while damping <= _LARGEST_DAMPING:
            step = _step(H, gradient, damping * terms.size)
            if step is not None:
                there = here + step
                new_theta = np.ascontiguousarray(there[: p * q].reshape(q, p).T)
                new_constants = there[p * q :]
                new = at(loss, rows, new_theta, new_constants)
                after = new.value + 0.5 * r * float(np.square(new_theta).sum())
                foretold = float(gradient @ step)
                if after <= value + _DECREASE * foretold + _ROUNDING * (abs(value) + terms.size):
                    moved = True
                    break
            damping = max(10.0 * damping, 1e-6)
        if not moved:
            break
        damping = 0.0 if damping <= 1e-6 else 0.1 * damping
        theta, constants, terms, value = new_theta, new_constants, new, after
        H = curvature(loss, terms, rows, index, r)
    return Solved(theta, constants, value, H)


def _of_one_predictor(
    formula: tuple[int, Floats],
    rows: Rows,
    theta: Floats,
    constants: Floats,
    r: float,
    tolerance: float,
) -> Solved:
    """The same, compiled."""
    w, H = theta[:, 0].copy(), np.empty((len(theta) + 1, len(theta) + 1))
    b, value = newton_one(
        rows.Z, rows.y, rows.omega, *formula, w, float(constants[0]), r, tolerance, MOST_STEPS, H
    )
    return Solved(w[:, None], np.array([b]), value, H)


def gradient_at(rows: Rows, terms: Terms, theta: Floats, r: float) -> Floats:
    """By theta, predictor by predictor, and by the constants."""
    slopes = np.empty(theta.shape)
    products(rows.Z, terms.slope, slopes)
    return np.concatenate([(slopes + r * theta).T.ravel(), terms.own])


def curvature(
    loss: BlockLoss, terms: Terms, rows: Rows, index: NDArray[np.int64], r: float
) -> Floats:
    """By theta, predictor by predictor, and by the constants; ``index`` (p,) are rows of Z."""
    H = loss.hessian(terms, rows.Z, index, rows.y)
    inner = index.size * len(terms.slope)
    H[np.arange(inner), np.arange(inner)] += r
    return H


def _step(H: Floats, gradient: Floats, damping: float) -> Floats | None:
    """-(H + damping I)^-1 gradient, None if that is not positive definite."""
    damped = H.copy()
    damped[np.diag_indices_from(damped)] += damping
    _, x, info = lapack.dposv(damped, -gradient)
    return None if info != 0 or not np.isfinite(x).all() else x
