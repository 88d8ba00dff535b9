"""Markov equivalence: which edges of a DAG point the same way in every DAG that fits as well.

Two DAGs are equivalent when they have the same adjacent pairs and the same v-structures
(i -> j <- k with i, k not adjacent). An edge is *compelled* if the whole class agrees on its
direction, *reversible* if not. Interventions tell some members of a class apart.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toposwap.core.errors import InputError
from toposwap.core.graph import acyclic_order, square_matrix
from toposwap.core.interventions import told_apart
from toposwap.metrics.graphs import held_graph
from toposwap.metrics.meek import orient

Edges: TypeAlias = NDArray[np.bool_]


def cpdag(dag: Any, targets: Any = None) -> Edges:
    """C = union of all DAGs equivalent to `dag`: ``C[i, j] and C[j, i]`` is undirected; (d, d).

    Parameters
    ----------
    dag
        Adjacency or weight matrix of a DAG, shape (d, d); non-zero entries are edges. Also a
        DataFrame, a networkx graph or a fitted model.
    targets
        Sets of nodes that were set from outside together, by position: ``[[0], [2, 5]]``; also a
        table of bool, (number of sets, d). They tell the direction of every edge with just one end
        in a set, and what follows from that: the interventional essential graph.

    Returns
    -------
    (d, d) bool array
        The completed partially directed graph, which stands for the equivalence class. Nodes are
        in the order of the matrix, or of ``dag.nodes``.

    Notes
    -----
    The edges are labelled node by node in a topological order, by the rule of Chickering (1995).
    Let x be the last parent of y in the order. All edges into y are compelled if

    - some other parent of y is not adjacent to x: together they make a v-structure at y; or
    - w -> x is compelled for some w that is not a parent of y, hence not adjacent to it: y -> x
      would make a v-structure at x, and turning any other parent of y around a cycle through x.

    Otherwise w -> y is compelled where w -> x is, and the other edges into y are reversible. Each
    node takes a few operations on boolean columns, the whole graph O(d²) time.
    """
    edges = graph_edges(held_graph(dag, "dag").matrix, "dag")
    order = acyclic_order(edges, "dag")
    parents = edges[np.ix_(order, order)]
    compelled = np.zeros_like(parents)
    for y in range(len(order)):
        of_y = parents[:, y]
        if not of_y.any():
            continue
        x = np.flatnonzero(of_y)[-1]
        of_x, into_x = parents[:, x], compelled[:, x]
        others_apart = of_y & ~of_x
        others_apart[x] = False
        all_compelled = others_apart.any() or (into_x & ~of_y).any()
        compelled[:, y] = of_y if all_compelled else into_x
    reversible = parents & ~compelled
    completed = np.empty_like(parents)
    completed[np.ix_(order, order)] = parents | reversible.T
    if targets is None:
        return completed
    return orient(completed, told_apart(edges, _sets(targets, len(edges))))


def _sets(targets: Any, d: int) -> Edges:
    """Sets of positions as a table (e, d) of bool."""
    given = np.asarray(targets) if getattr(targets, "ndim", 1) == 2 else None
    if given is not None and given.dtype == np.bool_ and given.shape[1] == d:
        return given
    sets = np.zeros((len(targets), d), dtype=np.bool_)
    for one, nodes in zip(sets, targets, strict=True):
        for node in nodes:
            if not 0 <= node < d:
                raise InputError(f"targets: {node!r} is not the position of one of {d} nodes")
            one[node] = True
    return sets


def dag_edges(matrix: ArrayLike, name: str) -> Edges:
    """Return the edges of a DAG as (d, d) bool, or say what is wrong with `name`."""
    edges = graph_edges(matrix, name)
    acyclic_order(edges, name)
    return edges


def graph_edges(matrix: ArrayLike, name: str) -> Edges:
    """Return non-zero entries as (d, d) bool, or say what is wrong with `name`."""
    array = square_matrix(matrix, name)
    if np.diagonal(array).any():
        loop = np.flatnonzero(np.diagonal(array))[0]
        raise InputError(f"{name} has an edge from node {loop} to itself: set its diagonal to 0")
    edges: Edges = array != 0
    return edges
