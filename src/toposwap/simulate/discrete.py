r"""Structural equation models of 0/1 columns and of counts, each column drawn given its parents.

.. math:: x_j \mid x_{\mathrm{pa}(j)} \sim \mathrm{Bernoulli}\bigl(\sigma(w_j^\top x)\bigr)
          \qquad\text{or}\qquad
          x_j \mid x_{\mathrm{pa}(j)} \sim \mathrm{Poisson}\bigl(\exp(w_j^\top x)\bigr).

To add a law, decorate one function with :func:`discrete_law`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from toposwap.core.errors import InputError
from toposwap.core.graph import acyclic_order, square_matrix
from toposwap.simulate.graphs import RandomState, checked_count, dag
from toposwap.simulate.interventions import given_interventions
from toposwap.simulate.linear import edge_weights

if TYPE_CHECKING:
    from collections.abc import Callable

Floats: TypeAlias = NDArray[np.float64]
DrawColumn: TypeAlias = "Callable[[np.random.Generator, Floats], Floats]"

LAWS: dict[str, DrawColumn] = {}
"""The laws :func:`discrete_sem` knows: name -> ``draw(rng, predictor (n,)) -> (n,)``."""

#: A mean count above this is no longer a count but an explosion along a path.
_LARGEST_MEAN = 1e6


def discrete_law(name: str) -> Callable[[DrawColumn], DrawColumn]:
    """Make the decorated ``draw(rng, predictor)`` known to :func:`discrete_sem` as `name`."""

    def register(draw: DrawColumn) -> DrawColumn:
        LAWS[name] = draw
        return draw

    return register


@discrete_law("logistic")
def _logistic(rng: np.random.Generator, predictor: Floats) -> Floats:
    """1 with probability exp(f) / (1 + exp(f)), else 0."""
    return np.asarray(rng.random(predictor.shape) < expit(predictor), dtype=np.float64)


@discrete_law("poisson")
def _poisson(rng: np.random.Generator, predictor: Floats) -> Floats:
    """A count with mean exp(f)."""
    if predictor.max(initial=0.0) > np.log(_LARGEST_MEAN):
        raise InputError("the counts explode along the paths of W: use smaller or negative weights")
    return rng.poisson(np.exp(predictor)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class DiscreteSample:
    """The data with the model they were drawn from.

    Attributes
    ----------
    X
        Samples, shape (n, d).
    weights
        W, shape (d, d): ``weights[i, j] != 0`` is the edge i -> j.
    """

    X: Floats
    weights: Floats


def discrete_sem(
    W: ArrayLike,
    n: int,
    law: str = "logistic",
    random_state: RandomState = None,
    *,
    interventions: Any = None,
    intervention_kind: str = "perfect",
    shift: float = 0.0,
) -> Floats:
    """N independent rows, each column drawn from its `law` given X W, causes first; (n, d).

    Parameters
    ----------
    W
        Weighted adjacency matrix of a DAG, shape (d, d).
    n
        The number of samples.
    law
        ``"logistic"`` (0/1 columns, as in the paper) or ``"poisson"`` (counts).
    random_state
        None, a seed, or the generator to draw from.
    interventions
        Which variables are set from outside in each row, as in :func:`linear_sem`.
    intervention_kind, shift
        "perfect": the predictor of what is set is `shift`, whatever its parents are. "shift":
        `shift` is added to it.
    """
    weights, n = square_matrix(W, "W"), checked_count(n, "n")
    if law not in LAWS:
        raise InputError(f"law is {law!r}: use one of {', '.join(LAWS)}")
    rng = np.random.default_rng(random_state)
    X = np.zeros((n, len(weights)))
    targets = given_interventions(interventions, intervention_kind, len(weights), n).targets
    for j in acyclic_order(weights != 0, "W"):
        predictor = X @ weights[:, j]
        if intervention_kind == "perfect":
            predictor[targets[:, j]] = 0.0
        X[:, j] = LAWS[law](rng, predictor + shift * targets[:, j])
    return X


def discrete_dataset(
    d: int,
    n: int,
    kind: str = "ER",
    k: float | None = None,
    *,
    law: str = "logistic",
    hubs: Literal["causes", "effects"] = "effects",
    weights: tuple[float, float] = (0.5, 2.0),
    random_state: RandomState = None,
    interventions: Any = None,
    intervention_kind: str = "perfect",
    shift: float = 0.0,
) -> DiscreteSample:
    """Draw a graph, its weights and n rows on d nodes, all from one generator.

    `kind`, `k` and `hubs` are those of :func:`dag`, `weights` is (low, high) of
    :func:`edge_weights`, the rest is that of :func:`discrete_sem`.
    """
    rng = np.random.default_rng(random_state)
    low, high = weights
    W = edge_weights(dag(d, kind, k, rng, hubs=hubs), low, high, rng)
    X = discrete_sem(
        W,
        n,
        law,
        rng,
        interventions=interventions,
        intervention_kind=intervention_kind,
        shift=shift,
    )
    return DiscreteSample(X, W)
