r"""What directions that are open leave possible: the parents that x can have in the class.

The effect of x on y is the same in all DAGs of a Markov equivalence class in which x has the same
parents (Maathuis, Kalisch and Bühlmann, 2009), because the class has one covariance matrix
:math:`\Sigma` and the effect is the coefficient of x in the regression of y on x and its parents
under :math:`\Sigma`. So one DAG for each set of parents gives all possible effects, and path
algebra in it has the smallest standard error.

A set S of neighbours of x with open edges can be its parents, the others its effects, where no
further collider at x arises: S is a clique, and each of S is adjacent to all parents of x. In a
class that is narrowed by knowledge that is necessary and no longer sufficient (Perković, Kalisch
and Maathuis, 2017), so each orientation is completed by Meek's rules and extended to a DAG, which
is then compared with the class.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.graph import consistent_extension
from toposwap.metrics.equivalence import cpdag
from toposwap.metrics.meek import orient

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

#: Sets of parents that are tried, and DAGs that are counted, before that is given up.
MOST_SETS = 500
MOST_MEMBERS = 2000


@dataclass(frozen=True, eq=False)
class ParentSet:
    """Parents that x can have.

    Attributes
    ----------
    parents
        Column positions.
    dag
        (d, d), a member of the class in which x has these parents.
    narrowed
        (d, d), the class of all such members.
    """

    parents: tuple[int, ...]
    dag: NDArray[np.bool_]
    narrowed: NDArray[np.bool_]


def parent_sets(graph: NDArray[np.bool_], x: int) -> list[ParentSet] | None:
    """All sets of parents of ``x`` over the members of the class ``graph``; None if too many.

    Parameters
    ----------
    graph
        (d, d), a completed or maximally oriented graph: both directions where the edge is open.
    x
        A node.
    """
    open_ends = np.flatnonzero(graph[x] & graph[:, x])
    sure = np.flatnonzero(graph[:, x] & ~graph[x])
    adjacent = graph | graph.T
    whole = consistent_extension(graph)[0]
    of_class = cpdag(whole.astype(np.float64))
    if not open_ends.size:
        return [ParentSet(tuple(int(v) for v in sure), whole, graph)]
    found = []
    fits = [int(v) for v in open_ends if adjacent[v, sure].all()]
    tried = list(islice(_cliques(adjacent, fits), MOST_SETS + 1))
    if len(tried) > MOST_SETS:
        return None
    for clique in tried:
        directed = graph & ~graph.T
        directed[clique, x] = True
        directed[x, [v for v in open_ends if v not in clique]] = True
        member = _member(graph, directed, of_class)
        if member is not None:
            parents = tuple(sorted(int(v) for v in (*sure, *clique)))
            found.append(ParentSet(parents, *member))
    return found


def _member(
    graph: NDArray[np.bool_], directed: NDArray[np.bool_], of_class: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
    """A DAG of the class that has the edges ``directed``, and the class of these; None if none."""
    narrowed = orient(graph, directed)
    if ((narrowed | narrowed.T) != (graph | graph.T)).any():
        return None  # some edge can point neither way
    dag, turned = consistent_extension(narrowed)
    if turned or (directed & ~dag).any() or (cpdag(dag.astype(np.float64)) != of_class).any():
        return None
    return dag, narrowed


def _cliques(adjacent: NDArray[np.bool_], nodes: list[int]) -> Iterator[list[int]]:
    """All cliques among ``nodes``, the empty one first."""
    waiting: list[tuple[list[int], list[int]]] = [([], list(nodes))]
    while waiting:
        clique, rest = waiting.pop(0)
        yield clique
        for k, v in enumerate(rest):
            waiting.append(([*clique, v], [w for w in rest[k + 1 :] if adjacent[v, w]]))


def members(graph: NDArray[np.bool_], most: int = MOST_MEMBERS) -> list[NDArray[np.bool_]] | None:
    """All DAGs (d, d) of a maximally oriented class; None if there are more than ``most``.

    Meek's rules complete each orientation, so that every open edge points either way in some member
    and no branch ends in vain.
    """
    found, waiting = [], [graph]
    while waiting:
        part = waiting.pop()
        undecided = np.argwhere(np.triu(part & part.T))
        if not len(undecided):
            found.append(part)
        else:
            i, j = undecided[0]
            for a, b in ((i, j), (j, i)):
                directed = part & ~part.T
                directed[a, b] = True
                waiting.append(orient(part, directed))
        if len(found) + len(waiting) > most:
            return None
    return found


def count_members(
    graph: NDArray[np.bool_], sets: list[ParentSet], x: int, most: int = MOST_MEMBERS
) -> list[int | None]:
    """For each of ``sets``, in how many ways the open edges around ``x`` can be directed.

    Of the members of the narrowed class, on the nodes that open edges of the class ``graph`` (d, d)
    join to x: how others are directed is independent of it. All None if there are more than
    ``most`` for all of them.
    """
    open_ = graph & graph.T
    near = np.zeros(len(graph), dtype=bool)
    near[x] = True
    while True:
        more = near | open_[near].any(axis=0)
        if (more == near).all():
            break
        near = more
    counts: list[int | None] = []
    for entry in sets:
        found = members(entry.narrowed[np.ix_(near, near)], most)
        if found is None:
            return [None] * len(sets)
        most -= len(found)
        counts.append(len(found))
    return counts
