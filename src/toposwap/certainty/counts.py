"""What many graphs have in common: shares of edges, of paths, and the spread of weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from toposwap.certainty.resample import Resample
from toposwap.kernels.graphs.reachability import reachability
from toposwap.metrics.meek import orient

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

#: Edges of resamples that are kept one by one, for medians, intervals and paths.
MOST_KEPT = 5_000_000
#: Members of an equivalence class that are drawn to see which have a path.
_MEMBERS = 4


class Counts:
    """The sum of the graphs so far, and the graphs themselves while they are few enough.

    An edge whose direction a graph leaves open counts half each way. Sums of halves have no
    rounding error, so the sequence in which graphs come does not matter.

    Parameters
    ----------
    d
        Number of columns.
    """

    def __init__(self, d: int) -> None:
        self.directed = np.zeros((d, d))
        self.done = 0
        self.failures: dict[int, str] = {}
        self._kept: dict[int, Resample] = {}
        self._edges = 0

    def add(self, graph: Resample) -> None:
        """Count one more."""
        if graph.failed:
            self.failures[graph.number] = graph.failed
            return
        self.done += 1
        cause, effect = graph.edges.T
        self.directed[cause, effect] += np.where(graph.open, 0.5, 1.0)
        self.directed[effect[graph.open], cause[graph.open]] += 0.5
        self._kept[graph.number] = graph
        self._edges += len(graph.edges)
        while self._edges > MOST_KEPT and len(self._kept) > 1:
            # The last by number goes, so that those that stay do not depend on who was faster.
            self._edges -= len(self._kept.pop(max(self._kept)).edges)

    @property
    def kept(self) -> list[Resample]:
        """The graphs that are kept, by their numbers."""
        return [self._kept[number] for number in sorted(self._kept)]

    @property
    def shares(self) -> NDArray[np.float64]:
        """p_ij, (d, d): the share of graphs with i -> j."""
        return self.directed / max(1, self.done)

    @classmethod
    def of(cls, d: int, graphs: Iterable[Resample]) -> Self:
        """All of ``graphs``."""
        counts = cls(d)
        for graph in graphs:
            counts.add(graph)
        return counts


def path_shares(graphs: list[Resample], d: int) -> NDArray[np.float64]:
    """The share of ``graphs`` with a directed path from i to j, (d, d).

    Where directions are open, of a few members of the class that are drawn by the number of the
    graph, each open edge either way round.
    """
    found = np.zeros((d, d))
    for graph in graphs:
        members = _members(graph, d)
        for member in members:
            found += reachability(member) / len(members)
    np.fill_diagonal(found, 0.0)
    return found / max(1, len(graphs))


def _members(graph: Resample, d: int) -> list[NDArray[np.bool_]]:
    """DAGs of the class: the graph alone where nothing is open."""
    dag = np.zeros((d, d), dtype=bool)
    dag[graph.edges[:, 0], graph.edges[:, 1]] = True
    if not graph.open.any():
        return [dag]
    either = graph.edges[graph.open]
    some = dag.copy()
    some[either[:, 1], either[:, 0]] = True
    rng = np.random.default_rng(graph.number)
    return [_member(some, either, rng) for _ in range(_MEMBERS)]


def _member(
    some: NDArray[np.bool_], either: NDArray[np.int32], rng: np.random.Generator
) -> NDArray[np.bool_]:
    """A DAG among those that ``some`` (d, d) stands for.

    Any open edge may be given either direction, and what follows from it by Meek's rules is no
    longer open.
    """
    graph = some
    for i, j in rng.permutation(either):
        if graph[i, j] and graph[j, i]:
            directed = np.zeros_like(graph)
            directed[(i, j) if rng.random() < 0.5 else (j, i)] = True
            graph = orient(graph, directed)
    return graph


def weight_quantiles(
    graphs: list[Resample], d: int, shares: tuple[float, ...]
) -> dict[tuple[int, int], NDArray[np.float64]]:
    """Quantiles of the weight of each edge i -> j over the graphs that have it, by (i, j)."""
    if not any(len(graph.edges) for graph in graphs):
        return {}
    pairs = np.concatenate([graph.edges for graph in graphs]).astype(np.int64)
    weights = np.concatenate([graph.weights for graph in graphs])
    flat = pairs[:, 0] * d + pairs[:, 1]
    by_pair = np.argsort(flat, kind="stable")
    flat, weights = flat[by_pair], weights[by_pair]
    names, starts = np.unique(flat, return_index=True)
    ends = [*starts[1:].tolist(), flat.size]
    return {
        (int(name) // d, int(name) % d): np.quantile(weights[start:end], shares)
        for name, start, end in zip(names, starts, ends, strict=True)
    }
