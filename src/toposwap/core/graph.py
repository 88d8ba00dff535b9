"""Facts about directed graphs given as matrices: ``matrix[i, j] != 0`` is the edge i -> j."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


def square_matrix(matrix: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return a (d, d) float array with finite entries, or say what is wrong with ``name``."""
    try:
        array = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} is not a matrix of numbers: pass a (d, d) array") from error
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        raise InputError(f"{name} has shape {array.shape}: pass a square (d, d) array with d >= 1")
    if not np.isfinite(array).all():
        i, j = np.argwhere(~np.isfinite(array))[0]
        raise InputError(f"{name}[{i}, {j}] is {array[i, j]}: every entry must be a finite number")
    return array


def topological_order(
    adjacency: NDArray[np.bool_], preference: Sequence[int] | NDArray[np.int64] | None = None
) -> NDArray[np.int64] | None:
    """List the nodes so that every edge points forward, (d,); None if there is a cycle.

    Among the nodes that may come next the one first in ``preference`` does (default: the smallest
    label), so that a graph with many orders keeps as much as possible of a given one.
    """
    d = len(adjacency)
    labels = np.arange(d) if preference is None else np.asarray(preference)
    rank = np.empty(d, dtype=np.int64)
    rank[labels] = np.arange(d)
    missing_parents = adjacency.sum(axis=0)
    ready = rank[missing_parents == 0].tolist()
    heapify(ready)
    order: list[int] = []
    while ready:
        node = int(labels[heappop(ready)])
        order.append(node)
        missing_parents -= adjacency[node]
        for child in np.flatnonzero(adjacency[node] & (missing_parents == 0)):
            heappush(ready, int(rank[child]))
    return np.array(order, dtype=np.int64) if len(order) == d else None


def acyclic_order(adjacency: NDArray[np.bool_], name: str) -> NDArray[np.int64]:
    """Return :func:`topological_order`, or an error that shows a cycle of ``name``."""
    order = topological_order(adjacency)
    if order is None:
        cycle = " -> ".join(map(str, find_cycle(adjacency)))
        raise InputError(f"{name} has the cycle {cycle}: remove one of its edges")
    return order


def find_cycle(adjacency: NDArray[np.bool_]) -> list[int]:
    """Return i -> ... -> i for a graph that has a cycle."""
    left = np.ones(len(adjacency), dtype=bool)
    # Take away nodes without a parent among the rest until each has one; then walk to parents.
    while True:
        rootless = left & adjacency[left].any(axis=0)
        if (rootless == left).all():
            break
        left = rootless
    walk = [int(np.flatnonzero(left)[0])]
    while walk[-1] not in walk[:-1]:
        walk.append(int(np.flatnonzero(adjacency[:, walk[-1]] & left)[0]))
    return walk[walk.index(walk[-1]) :][::-1]


def consistent_extension(pdag: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], int]:
    """Return a DAG (d, d) with the edges of ``pdag``, and how many of its arrows had to be turned.

    ``pdag[i, j] and pdag[j, i]`` is an undirected edge. If there is a DAG with the same arrows and
    no further v-structure, it is found (Dor and Tarsi, 1992: again and again a node without
    children whose undirected neighbours are adjacent to all its neighbours becomes a sink), and no
    arrow is turned. What is no completed PDAG, as a test-based learner may return it, still gives a
    DAG with the same adjacent pairs: the node that breaks the fewest rules becomes the sink.
    """
    left = np.ones(len(pdag), dtype=bool)
    dag = np.zeros_like(pdag)
    adjacent = pdag | pdag.T
    turned = 0
    while left.any():
        nodes = np.flatnonzero(left)
        rules = []
        for x in nodes:
            neighbours = adjacent[x] & left
            children = pdag[x] & ~pdag[:, x] & left
            undirected = np.flatnonzero(pdag[x] & pdag[:, x] & left)
            apart = sum(
                int((neighbours & ~adjacent[y]).sum()) - int(neighbours[y]) for y in undirected
            )
            rules.append((int(children.sum()), apart))
        best = min(range(len(nodes)), key=rules.__getitem__)
        x = nodes[best]
        dag[adjacent[x] & left, x] = True
        turned += rules[best][0]
        left[x] = False
    return dag, turned
