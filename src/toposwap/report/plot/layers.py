"""Layers of a DAG: every edge points to a lower layer, and few edges cross.

Edges that pass several layers are cut into links by a vertex in each layer between, so that every
link joins neighbouring layers and no edge runs through a node.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_SWEEPS = 24


@dataclass
class Layered:
    """Vertices in layers: nodes 0 .. d - 1, then those that stand for passing edges.

    Attributes
    ----------
    layers
        The vertices of each layer from left to right, top layer first.
    above, below
        For each vertex the vertices it is linked to in the layer above and below.
    routes
        For each edge (i, j) the vertices it passes between i and j, top first.
    """

    layers: list[list[int]]
    above: list[list[int]]
    below: list[list[int]]
    routes: dict[tuple[int, int], list[int]]


def layered(
    edges: NDArray[np.bool_], order: Sequence[int], tiers: NDArray[np.int64] | None = None
) -> Layered:
    """Put the nodes of a DAG (d, d) into layers and arrange each; ``order`` is topological."""
    graph = _with_passing_vertices(edges, layer_numbers(edges, order, tiers), order)
    _reduce_crossings(graph)
    return graph


def layer_numbers(
    edges: NDArray[np.bool_], order: Sequence[int], tiers: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """The layer of each node, (d,): as high as its parents and its tier allow.

    A node with more children than parents then sinks as low as its children allow, which shortens
    more edges than it lengthens. ``tiers`` (d,) are numbers from 0, -1 for nodes without one: all
    layers of a tier lie below those of the tiers before it.
    """
    d = len(edges)
    tiers = np.full(d, -1) if tiers is None else tiers
    numbers = np.unique(tiers[tiers >= 0])
    highest = np.zeros(d, dtype=np.int64)
    while True:
        layer = highest.copy()
        for node in order:
            parents = np.flatnonzero(edges[:, node])
            if parents.size:
                layer[node] = max(layer[node], layer[parents].max() + 1)
        begins = highest.copy()
        for k in numbers[1:]:
            earlier = (tiers >= 0) & (tiers < k)
            begins[tiers == k] = layer[earlier].max() + 1
        if (begins == highest).all():
            break
        highest = begins
    deepest = np.full(d, layer.max(initial=0))
    for k in numbers[:-1]:
        deepest[tiers == k] = highest[tiers > k].min() - 1
    for node in reversed(order):
        children = np.flatnonzero(edges[node])
        if children.size > np.count_nonzero(edges[:, node]):
            layer[node] = max(layer[node], min(layer[children].min() - 1, deepest[node]))
    layer -= layer.min()
    return layer


def count_crossings(graph: Layered) -> int:
    """How many pairs of links cross."""
    place = _places(graph)
    total = 0
    for layer in graph.layers[:-1]:
        ends = np.array([(place[v], place[w]) for v in layer for w in graph.below[v]])
        if len(ends):
            upper, lower = ends.T
            crossed = (upper[:, None] < upper) & (lower[:, None] > lower)
            total += int(np.count_nonzero(crossed))
    return total


def _with_passing_vertices(
    edges: NDArray[np.bool_], layer: NDArray[np.int64], order: Sequence[int]
) -> Layered:
    d = len(edges)
    graph = Layered(
        layers=[[] for _ in range(int(layer.max()) + 1)],
        above=[[] for _ in range(d)],
        below=[[] for _ in range(d)],
        routes={},
    )
    for node in order:
        graph.layers[layer[node]].append(node)
    for i, j in np.argwhere(edges).tolist():
        passed = []
        for between in range(int(layer[i]) + 1, int(layer[j])):
            vertex = len(graph.above)
            graph.above.append([])
            graph.below.append([])
            graph.layers[between].append(vertex)
            passed.append(vertex)
        chain = [i, *passed, j]
        for upper, lower in pairwise(chain):
            graph.below[upper].append(lower)
            graph.above[lower].append(upper)
        graph.routes[i, j] = passed
    return graph


def _reduce_crossings(graph: Layered) -> None:
    """Sort each layer by the mean place of the neighbours in the layer before, to and fro."""
    best, fewest = [list(layer) for layer in graph.layers], count_crossings(graph)
    for sweep in range(_SWEEPS):
        downwards = sweep % 2 == 0
        neighbours = graph.above if downwards else graph.below
        layers = graph.layers[1:] if downwards else graph.layers[-2::-1]
        place = _places(graph)
        for layer in layers:
            centre = {v: _mean([place[w] for w in neighbours[v]], place[v]) for v in layer}
            layer.sort(key=centre.__getitem__)
            place.update(_relative_places(layer))
        _exchange_neighbours(graph)
        crossings = count_crossings(graph)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in graph.layers], crossings
        if fewest == 0:
            break
    graph.layers = best


def _exchange_neighbours(graph: Layered) -> None:
    """Exchange vertices side by side wherever that removes crossings."""
    place = _places(graph)
    for layer in graph.layers:
        for k in range(len(layer) - 1):
            left, right = layer[k], layer[k + 1]
            gain = 0
            for neighbours in (graph.above, graph.below):
                a = [place[w] for w in neighbours[left]]
                b = [place[w] for w in neighbours[right]]
                gain += sum((p > q) - (p < q) for p in a for q in b)
            if gain > 0:
                layer[k], layer[k + 1] = right, left
        place.update(_relative_places(layer))


def _places(graph: Layered) -> dict[int, float]:
    """Where each vertex stands in its layer, from 0 to 1."""
    place: dict[int, float] = {}
    for layer in graph.layers:
        place.update(_relative_places(layer))
    return place


def _relative_places(layer: list[int]) -> dict[int, float]:
    return {v: (k + 0.5) / len(layer) for k, v in enumerate(layer)}


def _mean(numbers: list[float], otherwise: float) -> float:
    return sum(numbers) / len(numbers) if numbers else otherwise
