"""Nonlinear structural equation models: x_j = f_j(x_pa(j)) + z_j, with independent noise z.

A mechanism is one function that draws f_j at random and returns its values at the n samples of
the parents. To add one, decorate it with :func:`mechanism`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import lapack
from scipy.special import expit

from toposwap.core.errors import InputError
from toposwap.core.graph import acyclic_order, square_matrix
from toposwap.simulate.graphs import RandomState, checked_count, dag
from toposwap.simulate.interventions import given_interventions
from toposwap.simulate.linear import NOISES

if TYPE_CHECKING:
    from collections.abc import Callable

Floats: TypeAlias = NDArray[np.float64]
Draw: TypeAlias = "Callable[[Floats, np.random.Generator], Floats]"

MECHANISMS: dict[str, Draw] = {}
"""The mechanisms :func:`nonlinear_sem` knows: name -> ``draw(parents (n, k), rng) -> (n,)``."""

HIDDEN = 100


def mechanism(name: str) -> Callable[[Draw], Draw]:
    """Make the decorated ``draw(parents, rng)`` known to :func:`nonlinear_sem` as `name`."""

    def register(draw: Draw) -> Draw:
        MECHANISMS[name] = draw
        return draw

    return register


@mechanism("mlp")
def _mlp(parents: Floats, rng: np.random.Generator) -> Floats:
    """F = v . sigmoid(A x) with 100 hidden units, all weights uniform on +-[0.5, 2]."""
    first = _signed(rng, (parents.shape[1], HIDDEN))
    return np.asarray(expit(parents @ first) @ _signed(rng, (HIDDEN,)))


@mechanism("mim")
def _multiple_index(parents: Floats, rng: np.random.Generator) -> Floats:
    """tanh(a . x) + cos(b . x) + sin(c . x), all weights uniform on +-[0.5, 2]."""
    a, b, c = (parents @ _signed(rng, (parents.shape[1],)) for _ in range(3))
    return np.tanh(a) + np.cos(b) + np.sin(c)


@mechanism("gp")
def _gaussian_process(parents: Floats, rng: np.random.Generator) -> Floats:
    """A Gaussian process of all parents: covariance exp(-|x - y|^2 / 2)."""
    norms = np.einsum("ij,ij->i", parents, parents)
    squared = norms[:, None] + norms - 2.0 * parents @ parents.T
    covariance = np.exp(-0.5 * np.maximum(squared, 0.0))
    # Smooth functions live in few dimensions: pivoting stops at the numerical rank, where an
    # ordinary factorisation would break down.
    factor, pivots, rank, _ = lapack.dpstrf(covariance, lower=1)
    values = np.empty(len(parents))
    values[pivots - 1] = np.tril(factor)[:, :rank] @ rng.standard_normal(rank)
    return values


@mechanism("gp-add")
def _additive_gaussian_process(parents: Floats, rng: np.random.Generator) -> Floats:
    """The sum of one Gaussian process for each parent."""
    columns = (_gaussian_process(column[:, None], rng) for column in parents.T)
    return np.asarray(sum(columns, start=np.zeros(len(parents))))


@dataclass(frozen=True, eq=False)
class NonlinearSample:
    """x_j = f_j(x_pa(j)) + z_j: the data with what they were made of.

    Attributes
    ----------
    X
        Samples, shape (n, d).
    adjacency
        Shape (d, d), bool: ``adjacency[i, j]`` is the edge i -> j.
    signal
        f_j(x_pa(j)) at each sample, shape (n, d); zero where there are no parents.
    """

    X: Floats
    adjacency: NDArray[np.bool_]
    signal: Floats


def nonlinear_sem(
    adjacency: ArrayLike,
    n: int,
    mechanism: str = "mlp",
    noise: str = "gauss-EV",
    random_state: RandomState = None,
    *,
    interventions: Any = None,
    intervention_kind: str = "perfect",
    shift: float = 2.0,
) -> NonlinearSample:
    """x_j = f_j(x_pa(j)) + z_j in each of n independent rows, with functions drawn at random.

    Parameters
    ----------
    adjacency
        A DAG, shape (d, d): nonzero at [i, j] is the edge i -> j.
    n
        The number of samples.
    mechanism
        ``"mlp"`` (one hidden layer of 100 sigmoids, weights on +-[0.5, 2]), ``"mim"`` (multiple
        index model: tanh, cos and sin of linear functions), ``"gp"`` (Gaussian process of all
        parents together) or ``"gp-add"`` (a sum of one for each parent).
    noise
        That of :func:`~toposwap.simulate.linear.linear_sem`.
    random_state
        None, a seed, or the generator to draw from.
    interventions, intervention_kind, shift
        Which variables are set from outside in each row, and to what, as in :func:`linear_sem`.
    """
    edges = square_matrix(adjacency, "adjacency") != 0
    done = interventions, intervention_kind, shift
    return _sample(edges, n, mechanism, noise, np.random.default_rng(random_state), done)


def nonlinear_dataset(
    d: int,
    n: int,
    kind: str = "ER",
    k: float | None = None,
    *,
    hubs: Literal["causes", "effects"] = "effects",
    mechanism: str = "mlp",
    noise: str = "gauss-EV",
    random_state: RandomState = None,
    interventions: Any = None,
    intervention_kind: str = "perfect",
    shift: float = 2.0,
) -> NonlinearSample:
    """Draw a graph, its functions and n rows of x_j = f_j(x_pa(j)) + z_j, from one generator.

    `kind`, `k` and `hubs` are those of :func:`dag`, the rest is that of :func:`nonlinear_sem`.
    """
    rng = np.random.default_rng(random_state)
    done = interventions, intervention_kind, shift
    return _sample(dag(d, kind, k, rng, hubs=hubs), n, mechanism, noise, rng, done)


def _sample(
    edges: NDArray[np.bool_],
    n: int,
    mechanism: str,
    noise: str,
    rng: np.random.Generator,
    done: tuple[Any, str, float] = (None, "perfect", 0.0),
) -> NonlinearSample:
    n, d = checked_count(n, "n"), len(edges)
    for name, given, known in (("mechanism", mechanism, MECHANISMS), ("noise", noise, NOISES)):
        if given not in known:
            raise InputError(f"{name} is {given!r}: use one of {', '.join(known)}")
    order = acyclic_order(edges, "adjacency")
    law = NOISES[noise]
    X = law.standard(rng, (n, d)) * law.scale(rng, d)
    signal = np.zeros((n, d))
    given, kind, shift = done
    targets = given_interventions(given, kind, d, n).targets
    X += shift * targets
    for j in order:
        if edges[:, j].any():
            signal[:, j] = MECHANISMS[mechanism](X[:, edges[:, j]], rng)
            if kind == "perfect":
                signal[targets[:, j], j] = 0.0
            X[:, j] += signal[:, j]
    return NonlinearSample(X, edges, signal)


def _signed(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Uniform on [-2, -0.5] and [0.5, 2]."""
    return rng.uniform(0.5, 2.0, shape) * rng.choice([-1.0, 1.0], shape)
