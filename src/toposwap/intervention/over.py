r"""Effects over many graphs, so that doubt about the graph is in their intervals.

A resample gives the weights W of a DAG, and with it the effects :math:`T = (I - W)^{-1}`. Where its
score leaves directions open, the other members of its class have other weights for the same
covariance matrix

.. math:: \Sigma = (I - W)^{-\top} D (I - W)^{-1},

with D the residual variances of the rows that were drawn; each set of parents that the cause can
have counts by the number of members that have it. D must be of the same rows as W: an edge turned
has the weight :math:`w \sigma_x^2 / (w^2 \sigma_x^2 + \sigma_y^2)`, which hardly moves with w where
the squared correlation is one half, so that with variances of the whole table its interval would be
a point.
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


#: What rounding may take from a sum of shares.
_ROUNDING = 1e-12


class WeightedDag(NamedTuple):
    """What one resample found.

    Weights (d, d) of a DAG, which edges (d, d) are open, and the residual variances (d,) of its
    rows, or None where they were not kept.
    """

    weights: NDArray[np.float64]
    open: NDArray[np.bool_]
    noise: NDArray[np.float64] | None = None


def weighted_dags(resamples: Iterable[Any], d: int) -> Iterator[WeightedDag]:
    """Weight matrices, or objects with ``edges`` (k, 2), ``weights`` (k,) and ``open`` (k,).

    Those may have ``noise`` (d,) as well.
    """
    for found in resamples:
        if hasattr(found, "edges") and hasattr(found, "open"):
            if getattr(found, "failed", ""):
                continue
            weights, open_ = np.zeros((d, d)), np.zeros((d, d), dtype=bool)
            cause, effect = np.asarray(found.edges).reshape(-1, 2).T
            weights[cause, effect] = found.weights
            open_[cause, effect] = found.open
            yield WeightedDag(weights, open_, getattr(found, "noise", None))
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

    @property
    def median(self) -> float:
        """The smallest value with at least half of the weight at or below it."""
        values, below = self._sorted()
        return float(values[np.searchsorted(below, 0.5 * below[-1] * (1.0 - _ROUNDING))])

    def interval(self, level: float) -> tuple[float, float]:
        """The values with a share of (1 - level) / 2 beyond them on either side.

        The k-th smallest of R draws leaves k / (R + 1) below it on average, and k is rounded
        outwards: of 200 resamples the fifth from either end, of 100 the second.
        """
        values, below = self._sorted()
        above = below[-1] - below + self.counts[np.argsort(self.values, kind="stable")]
        beyond = np.floor(0.5 * (1.0 - level) * (below[-1] + 1.0) * (1.0 + _ROUNDING))
        least = beyond * (1.0 - _ROUNDING)
        low = np.searchsorted(below, least)
        high = len(values) - 1 - np.searchsorted(above[::-1], least)
        return float(values[low]), float(values[high])

    def _sorted(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Values (m,) in increasing order, and the weight at or below each, (m,)."""
        order = np.argsort(self.values, kind="stable")
        return self.values[order], np.cumsum(self.counts[order])

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
    classes = Classes()
    for dag in dags:
        effects = all_effects(dag.weights)
        joined = dag.open | dag.open.T
        for x in causes:
            rows = [(1.0, effects[x])]
            if joined[x].any():
                rows = _over_members(dag, x, effects, data, classes)
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


class Parents(NamedTuple):
    """Parents that a cause can have, the share of members that give it these, and what it reaches.

    ``reached`` is (d,).
    """

    places: tuple[int, ...]
    share: float
    reached: NDArray[np.bool_]


class Classes:
    """The sets of parents of each class that was seen: most resamples have one of a few."""

    def __init__(self) -> None:
        self._seen: dict[tuple[bytes, int], list[Parents] | None] = {}

    def parents(self, graph: NDArray[np.bool_], x: int) -> list[Parents] | None:
        """Of ``x`` in the class ``graph`` (d, d); None if there are too many."""
        key = (np.packbits(graph).tobytes(), x)
        if key not in self._seen:
            self._seen[key] = _parents(graph, x)
        return self._seen[key]


def _parents(graph: NDArray[np.bool_], x: int) -> list[Parents] | None:
    sets = parent_sets(graph, x)
    if sets is None:
        return None
    members = [counted or 1 for counted in count_members(graph, sets, x)]
    return [
        Parents(entry.parents, count / sum(members), _reached(entry.dag, x))
        for entry, count in zip(sets, members, strict=True)
    ]


def _over_members(
    dag: WeightedDag,
    x: int,
    effects: NDArray[np.float64],
    data: Dataset | None,
    classes: Classes,
) -> list[tuple[float, NDArray[np.float64]]]:
    """The effects (d,) of x for each set of parents that it can have, and the share of each."""
    if dag.noise is None and data is None:
        raise InputError(
            "effects: directions are open, and what other members of a class give depends on the "
            "noise: give the table as well, effects(confidence, X)"
        )
    edges = dag.weights != 0.0
    graph = edges | (edges & dag.open).T
    sets = classes.parents(graph, x)
    if sets is None:
        return [(1.0, effects[x])]
    noise = dag.noise
    if noise is None:
        assert data is not None
        noise = data.residual_variances(dag.weights)
    covariance = effects.T @ (noise[:, None] * effects)
    own = tuple(int(v) for v in np.flatnonzero(edges[:, x]))
    found = []
    for entry in sets:
        row = effects[x] if entry.places == own else _by_parents(covariance, x, entry.places)
        found.append((entry.share, np.where(entry.reached, row, 0.0)))
    return found


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

    rows = []
    for (x, y), of_pair in zip(pairs, found, strict=True):
        low, high = of_pair.interval(level)
        rows.append((names[x], names[y], of_pair.median, low, high, of_pair.nonzero))
    columns = ["cause", "effect", "median", "low", "high", "share"]
    return pd.DataFrame(rows, columns=columns)
