r"""Effects over many graphs, so that doubt about the graph is in their intervals.

A resample gives the weights W of a DAG, and with it the effects :math:`T = (I - W)^{-1}`. Where its
score leaves directions open, the other members of its class have other weights for the same
covariance matrix

.. math:: \Sigma = (I - W)^{-\top} D (I - W)^{-1},

with D the residual variances of the table under W; each set of parents that the cause can have
counts by the number of members that have it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.graph import acyclic_order
from toposwap.intervention.ida import count_members, parent_sets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset


class WeightedDag(NamedTuple):
    """What one resample found: weights (d, d) of a DAG, and which edges (d, d) are open."""

    weights: NDArray[np.float64]
    open: NDArray[np.bool_]


def weighted_dags(resamples: Iterable[Any], d: int) -> Iterator[WeightedDag]:
    """Weight matrices, or objects with ``edges`` (k, 2), ``weights`` (k,) and ``open`` (k,)."""
    for found in resamples:
        if hasattr(found, "edges") and hasattr(found, "open"):
            if getattr(found, "failed", ""):
                continue
            weights, open_ = np.zeros((d, d)), np.zeros((d, d), dtype=bool)
            cause, effect = np.asarray(found.edges).reshape(-1, 2).T
            weights[cause, effect] = found.weights
            open_[cause, effect] = found.open
            yield WeightedDag(weights, open_)
        else:
            matrix = np.array(found, dtype=np.float64)
            if matrix.shape != (d, d):
                raise InputError(f"a resample has shape {matrix.shape}, not ({d}, {d})")
            yield WeightedDag(matrix, np.zeros((d, d), dtype=bool))


def all_effects(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """T = (I - W)^-1 of a DAG, (d, d), zero exactly where no path leads."""
    order = acyclic_order(weights != 0.0, "a resample")
    effects = np.eye(len(weights))
    for j in order:
        effects[:, j] += effects @ weights[:, j]
    return effects


class Distribution(NamedTuple):
    """Possible values (m,) of an effect over resamples, and what each counts (m,)."""

    values: NDArray[np.float64]
    counts: NDArray[np.float64]

    def quantiles(self, shares: Sequence[float]) -> NDArray[np.float64]:
        """The smallest values with at least ``shares`` of the weight at or below them."""
        order = np.argsort(self.values, kind="stable")
        reached = np.cumsum(self.counts[order])
        at = np.searchsorted(reached, np.asarray(shares) * reached[-1] * (1.0 - 1e-12))
        return self.values[order][at]

    @property
    def nonzero(self) -> float:
        """The share with an effect at all."""
        return float(self.counts[self.values != 0.0].sum() / self.counts.sum())


def distributions(
    dags: Iterable[WeightedDag], pairs: Sequence[tuple[int, int]], data: Dataset | None
) -> list[Distribution]:
    """Of the effect x -> y for each of ``pairs``, over ``dags``."""
    values: list[list[float]] = [[] for _ in pairs]
    counts: list[list[float]] = [[] for _ in pairs]
    causes = sorted({x for x, _ in pairs})
    for dag in dags:
        effects = all_effects(dag.weights)
        joined = dag.open | dag.open.T
        for x in causes:
            rows = [(1.0, effects[x])]
            if joined[x].any():
                rows = _over_members(dag, x, effects, data)
            for k, (cause, y) in enumerate(pairs):
                if cause == x:
                    values[k] += [float(row[y]) for _, row in rows]
                    counts[k] += [share for share, _ in rows]
    if not values or not values[0]:
        raise InputError("effects: there is no resample to compute them from")
    return [
        Distribution(np.array(one), np.array(other))
        for one, other in zip(values, counts, strict=True)
    ]


def _over_members(
    dag: WeightedDag, x: int, effects: NDArray[np.float64], data: Dataset | None
) -> list[tuple[float, NDArray[np.float64]]]:
    """The effects (d,) of x for each set of parents that it can have, and the share of each."""
    if data is None:
        raise InputError(
            "effects: directions are open, and what other members of a class give depends on the "
            "noise: give the table as well, effects(confidence, X)"
        )
    edges = dag.weights != 0.0
    graph = edges | (edges & dag.open).T
    sets = parent_sets(graph, x)
    if sets is None:
        return [(1.0, effects[x])]
    noise = data.residual_variances(dag.weights)
    covariance = effects.T @ (noise[:, None] * effects)
    own = tuple(int(v) for v in np.flatnonzero(edges[:, x]))
    found = []
    for entry in sets:
        members = count_members(graph, entry.narrowed, x) or 1
        row = effects[x] if entry.parents == own else _by_parents(covariance, x, entry.parents)
        reach = _reached(entry.dag, x)
        found.append((float(members), np.where(reach, row, 0.0)))
    total = sum(share for share, _ in found)
    return [(share / total, row) for share, row in found]


def _by_parents(
    covariance: NDArray[np.float64], x: int, parents: tuple[int, ...]
) -> NDArray[np.float64]:
    """Coefficients (d,) of x in the regressions of all columns on x and its parents."""
    on = [x, *parents]
    first: NDArray[np.float64] = np.linalg.solve(covariance[np.ix_(on, on)], covariance[on])[0]
    first[list(parents)] = 0.0
    first[x] = 1.0
    return first


def _reached(dag: NDArray[np.bool_], x: int) -> NDArray[np.bool_]:
    reached = np.zeros(len(dag), dtype=bool)
    reached[x] = True
    for j in acyclic_order(dag, "a member"):
        reached[j] |= bool((dag[:, j] & reached).any())
    return reached


def effects_frame(
    names: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    found: Sequence[Distribution],
    level: float,
) -> pd.DataFrame:
    """One row a pair: ``cause``, ``effect``, ``median``, ``low``, ``high``, ``share``."""
    import pandas as pd

    tail = (1.0 - level) / 2.0
    rows = []
    for (x, y), of_pair in zip(pairs, found, strict=True):
        low, median, high = of_pair.quantiles((tail, 0.5, 1.0 - tail))
        rows.append((names[x], names[y], median, low, high, of_pair.nonzero))
    columns = ["cause", "effect", "median", "low", "high", "share"]
    return pd.DataFrame(rows, columns=columns)
