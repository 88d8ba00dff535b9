"""Groups of columns with many edges inside and few between, and how the groups are linked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def clusters_of(strength: NDArray[np.float64]) -> list[NDArray[np.int64]]:
    """Groups of the nodes of ``strength`` (d, d), largest first (Louvain), lone nodes last."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(len(strength)))
    sizes = strength / (strength.max(initial=0.0) or 1.0)
    graph.add_weighted_edges_from(
        (int(i), int(j), 0.05 + float(sizes[i, j])) for i, j in np.argwhere(strength)
    )
    found = nx.community.louvain_communities(graph, seed=0)
    joined = [np.array(sorted(group)) for group in found if len(group) > 1]
    alone = sorted(v for group in found if len(group) == 1 for v in group)
    joined.sort(key=lambda group: (-len(group), group[0]))
    return joined + ([np.array(alone)] if alone else [])


@dataclass(frozen=True, eq=False)
class Links:
    """How c clusters are linked.

    Attributes
    ----------
    between
        How many edges lead from one to the other, (c, c), 0 on the diagonal.
    early
        Where their columns stand in the order on average, (c,).
    drawn
        The main links, (c, c), from the earlier cluster to the later.
    """

    between: NDArray[np.int64]
    early: NDArray[np.float64]
    drawn: NDArray[np.bool_]

    @property
    def left_out(self) -> int:
        """Pairs of clusters with edges between them whose link is not drawn."""
        both = self.between + self.between.T
        return int(np.count_nonzero(np.triu(both)) - np.count_nonzero(self.drawn))


def links_of(
    clusters: Sequence[NDArray[np.int64]], edges: NDArray[np.bool_], order: Sequence[int]
) -> Links:
    """The links among ``clusters`` of a graph (d, d) with a topological ``order`` (d,)."""
    position = np.empty(len(edges))
    position[list(order)] = np.arange(len(edges))
    of = np.zeros(len(edges), dtype=np.int64)
    for k, group in enumerate(clusters):
        of[group] = k
    between = np.zeros((len(clusters), len(clusters)), dtype=np.int64)
    for i, j in np.argwhere(edges):
        between[of[i], of[j]] += 1
    np.fill_diagonal(between, 0)
    early = np.array([position[group].mean() for group in clusters])
    downwards = (early[:, None] < early) | (
        (early[:, None] == early) & np.tri(len(early), k=-1, dtype=bool).T
    )
    return Links(between, early, _main(between + between.T) & downwards)


def hubs(group: NDArray[np.int64], edges: NDArray[np.bool_]) -> list[int]:
    """The columns of ``group``, those with most edges of the graph (d, d) first."""
    degree = edges.sum(axis=0) + edges.sum(axis=1)
    return sorted((int(v) for v in group), key=lambda v: (-degree[v], v))


def _main(both: NDArray[np.int64]) -> NDArray[np.bool_]:
    """What joins everything that is joined, by the thickest links, and a third as many more."""
    from scipy.sparse.csgraph import minimum_spanning_tree

    tree = minimum_spanning_tree(np.where(both > 0, -both, 0)).toarray() != 0.0
    kept = tree | tree.T
    others = np.argwhere(np.triu(np.where(kept, 0, both)))
    others = others[np.argsort(-both[others[:, 0], others[:, 1]], kind="stable")]
    for a, b in others[: len(both) // 3]:
        kept[a, b] = kept[b, a] = True
    return kept & (both > 0)
