"""Linear structural equation models: X = X W + Z, with row-wise samples and independent noise Z.

In a topological order of its nodes a DAG's W is strictly upper triangular, so I - W is triangular
with ones on the diagonal: sampling and the covariance are triangular solves there, and no inverse
is ever formed. To add a noise, decorate one function with :func:`noise_law`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular

from toposwap.core.errors import InputError
from toposwap.core.graph import acyclic_order, square_matrix
from toposwap.simulate.graphs import RandomState, checked_count, dag
from toposwap.simulate.interventions import given_interventions

if TYPE_CHECKING:
    from collections.abc import Callable

Floats: TypeAlias = NDArray[np.float64]
DrawNoise: TypeAlias = "Callable[[np.random.Generator, tuple[int, int]], Floats]"
DrawScale: TypeAlias = "Callable[[np.random.Generator, int], Floats]"


@dataclass(frozen=True)
class Noise:
    """z_j = scale_j * standard_j: how both factors are drawn when the caller gives no scale."""

    standard: DrawNoise
    scale: DrawScale


NOISES: dict[str, Noise] = {}
"""The noises :func:`linear_sem` knows by name."""


def _unit_scale(_rng: np.random.Generator, d: int) -> Floats:
    """scale_j = 1 for all j, (d,): equal noise variances."""
    return np.ones(d)


def _unequal_scale(rng: np.random.Generator, d: int) -> Floats:
    """scale_j ~ Unif[1, 2], (d,): noise variances between 1 and 4."""
    return rng.uniform(1, 2, d)


def noise_law(name: str, scale: DrawScale = _unit_scale) -> Callable[[DrawNoise], DrawNoise]:
    """Make the decorated ``standard(rng, (n, d)) -> (n, d)`` known to :func:`linear_sem`.

    Parameters
    ----------
    name
        What the caller writes in ``noise=``.
    scale
        ``scale(rng, d) -> (d,)``, asked when the caller gives no scale.
    """

    def register(standard: DrawNoise) -> DrawNoise:
        NOISES[name] = Noise(standard, scale)
        return standard

    return register


@noise_law("gauss-NV", scale=_unequal_scale)
@noise_law("gauss-EV")
def _gauss(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """N(0, 1), (n, d): mean 0, variance 1."""
    return rng.standard_normal(shape)


@noise_law("exponential")
def _exponential(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Exp(1): mean 1, variance 1."""
    return rng.standard_exponential(shape)


@noise_law("gumbel")
def _gumbel(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Gumbel(0, 1): mean 0.577..., variance π²/6."""
    return rng.gumbel(0, 1, shape)


@noise_law("uniform")
def _uniform(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Unif[-1, 1]: mean 0, variance 1/3."""
    return rng.uniform(-1, 1, shape)


@dataclass(frozen=True, eq=False)
class LinearSample:
    """X = X W + Z: the data with the model they were drawn from.

    Attributes
    ----------
    X
        Samples, shape (n, d).
    weights
        W, shape (d, d): ``weights[i, j] != 0`` is the edge i -> j.
    noise_scale
        The factor of each node's standard noise, shape (d,).
    """

    X: Floats
    weights: Floats
    noise_scale: Floats


def edge_weights(
    adjacency: ArrayLike, low: float = 0.5, high: float = 2.0, random_state: RandomState = None
) -> Floats:
    """W_ij ~ Unif([-high, -low] ∪ [low, high]) where ``adjacency[i, j] != 0``, else 0; (d, d)."""
    edges = square_matrix(adjacency, "adjacency") != 0
    if not 0 <= low <= high < np.inf or high == 0:
        raise InputError(f"low = {low} and high = {high}: use 0 <= low <= high with high > 0")
    rng = np.random.default_rng(random_state)
    n_edges = np.count_nonzero(edges)
    # Counted down from `high`: random() is below 1, so no weight is 0 even if low is.
    size = high - (high - low) * rng.random(n_edges)
    weights = np.zeros(edges.shape)
    weights[edges] = np.where(rng.random(n_edges) < 0.5, -size, size)
    return weights


def linear_sem(
    W: ArrayLike,
    n: int,
    noise: str = "gauss-EV",
    scale: ArrayLike | None = None,
    random_state: RandomState = None,
    *,
    interventions: Any = None,
    intervention_kind: str = "perfect",
    shift: float = 2.0,
) -> Floats:
    """X = Z (I - W)^{-1}, so that X_j = Σ_i W_ij X_i + z_j in each of n independent rows; (n, d).

    Parameters
    ----------
    W
        Weighted adjacency matrix of a DAG, shape (d, d).
    n
        The number of samples.
    noise
        ``"gauss-EV"`` (standard normal), ``"gauss-NV"`` (normal with σ_j ~ Unif[1, 2]),
        ``"exponential"`` (Exp(1), not centred), ``"gumbel"`` (Gumbel(0, 1)) or ``"uniform"``
        (Unif[-1, 1]).
    scale
        A number or (d,) numbers that multiply the noise; for ``"gauss-NV"`` they take the place of
        the random σ_j.
    random_state
        None, a seed, or the generator to draw from. The noise is the same for every W.
    interventions
        Which variables are set from outside in each row, (n,): None, a position (or "x3"), or a
        list of these, as ``Topo().fit`` takes them. See :func:`intervention_targets`.
    intervention_kind, shift
        "perfect": what is set is `shift` plus its noise, whatever its parents are. "shift": `shift`
        is added to what it would be.

    Returns
    -------
    (n, d) array
        One sample a row.
    """
    weights, rng = square_matrix(W, "W"), np.random.default_rng(random_state)
    done = interventions, intervention_kind, shift
    return _sample(weights, n, noise, scale, rng, done).X


def linear_dataset(
    d: int,
    n: int,
    kind: str = "ER",
    k: float | None = None,
    *,
    hubs: Literal["causes", "effects"] = "effects",
    weights: tuple[float, float] = (0.5, 2.0),
    noise: str = "gauss-EV",
    random_state: RandomState = None,
    interventions: Any = None,
    intervention_kind: str = "perfect",
    shift: float = 2.0,
) -> LinearSample:
    """Draw a graph, its weights and n rows of X = X W + Z on d nodes, all from one generator.

    `kind`, `k` and `hubs` are those of :func:`dag`, `weights` is (low, high) of
    :func:`edge_weights`, the rest is that of :func:`linear_sem`.
    """
    rng = np.random.default_rng(random_state)
    low, high = weights
    W = edge_weights(dag(d, kind, k, rng, hubs=hubs), low, high, rng)
    return _sample(W, n, noise, None, rng, (interventions, intervention_kind, shift))


def population_covariance(W: ArrayLike, noise_variance: ArrayLike = 1.0) -> Floats:
    """Σ = (I - W)^{-T} diag(v) (I - W)^{-1}, the covariance of a row of X = X W + Z; (d, d).

    Parameters
    ----------
    W
        Weighted adjacency matrix of a DAG, shape (d, d).
    noise_variance
        v: a number or (d,) numbers.

    Returns
    -------
    (d, d) array
        Symmetric and, as a product of a matrix with its transpose, positive semi-definite.
    """
    weights = square_matrix(W, "W")
    variance = _one_per_node(noise_variance, len(weights), "noise_variance")
    # The rows of diag(sqrt(v)) are "samples" whose second moments are those of the noise.
    root = _solve(weights, np.diag(np.sqrt(variance)))
    with np.errstate(over="ignore", invalid="ignore"):
        return _finite(root.T @ root)


def _sample(
    weights: Floats,
    n: int,
    noise: str,
    scale: ArrayLike | None,
    rng: np.random.Generator,
    done: tuple[Any, str, float] = (None, "perfect", 0.0),
) -> LinearSample:
    """:func:`linear_sem` with everything the sample was made of."""
    n, d = checked_count(n, "n"), len(weights)
    if noise not in NOISES:
        raise InputError(f"noise is {noise!r}: use one of {', '.join(NOISES)}")
    law = NOISES[noise]
    factor = law.scale(rng, d) if scale is None else _one_per_node(scale, d, "scale")
    Z = law.standard(rng, (n, d)) * factor
    given, kind, shift = done
    told = given_interventions(given, kind, d, n)
    Z += shift * told.targets
    if kind == "shift" or not told.targets.any():
        return LinearSample(_solve(weights, Z), weights, factor)
    X = np.empty_like(Z)
    sets, where = told.environments()
    for k, one in enumerate(sets):
        rows = where == k
        X[rows] = _solve(np.where(one, 0.0, weights), Z[rows])
    return LinearSample(X, weights, factor)


def _solve(weights: Floats, Z: Floats) -> Floats:
    """Solve X (I - W) = Z for X, by one triangular solve in a topological order; (n, d)."""
    order = acyclic_order(weights != 0, "W")
    in_order = np.eye(len(order)) - weights[np.ix_(order, order)]
    X = np.empty_like(Z)
    X[:, order] = solve_triangular(
        in_order, Z[:, order].T, trans="T", unit_diagonal=True, check_finite=False
    ).T
    return _finite(X)


def _finite(values: Floats) -> Floats:
    """Refuse values that a double cannot hold: on long dense paths they grow exponentially."""
    if not np.isfinite(values).all():
        raise InputError("the variables outgrow floating point: use smaller weights in W")
    return values


def _one_per_node(values: ArrayLike, d: int, name: str) -> Floats:
    """Return (d,) non-negative numbers from one number or (d,) numbers."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape not in ((), (d,)):
        raise InputError(f"{name} has shape {array.shape}: give one number or {d}, one per node")
    if not (np.isfinite(array) & (array >= 0)).all():
        raise InputError(f"{name} has a negative or non-finite entry: give numbers of 0 or more")
    return np.broadcast_to(array, d).copy()
