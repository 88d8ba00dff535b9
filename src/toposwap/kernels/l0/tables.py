"""What the kernels of Gaussian scores with an L0 penalty work on: all nodes, and the rule.

Few arrays, each for several things: what a call hands over is compiled at every call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toposwap.kernels.l0.partial_covariance import DEPENDENT, ROWS

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Rows of ``places``: the order, the position of each variable, who is worth trying again, and
#: whose parents changed since a chain last cleared it.
ORDER, POSITION, PENDING, TOUCHED = 0, 1, 2, 3
#: Slots of ``table``: a node that moves, a node that another one passes, and workspace.
OWN, TRIAL, WORK = 0, 1, 2
#: Parts of ``marks``, and what stands in the first: no gain, an estimate of it, or it was tried.
GAINS, WANTS = 0, 1
NONE, GUESSED, TRIED = 0, 1, 2
#: What a node at rest is, besides its parents and what is known about pairs.
_AT_REST = ("value", "variance", "places", "lost")


class Nodes(NamedTuple):
    """All nodes of an order.

    A node at rest is its parents, ``chosen`` (d, 1 + K): how many, and who; its score, ``value``
    (d,); and its residual ``variance`` (d,). What a sweep asks of it is whether another variable
    would pay as a parent, and how much: ``gained[v, w]`` (d, d) is what gaining v changes for w,
    ``marks[GAINS, v, w]`` (2, d, d) whether that is an estimate or was tried, and
    ``marks[WANTS, w, v]`` whether v would pay, the same seen from the other side. ``lost[w, i]``
    (d, K) is what losing its parent number i changes for w, NaN where unknown.

    Only while a node is refitted it has the tables of
    :mod:`~toposwap.kernels.l0.partial_covariance`, built from its parents in a slot of ``table``
    (3, K + 3, d) and ``parents`` (3, K + 1). So memory is a few numbers for each pair of variables,
    however many parents there are, and what a node is worth does not depend on its past.
    ``places`` (4, d) are the order, the positions, who is worth trying again, and whose parents
    changed.
    """

    table: NDArray[np.float64]
    parents: NDArray[np.int64]
    chosen: NDArray[np.int64]
    value: NDArray[np.float64]
    variance: NDArray[np.float64]
    places: NDArray[np.int64]
    lost: NDArray[np.float64]
    gained: NDArray[np.float64]
    marks: NDArray[np.int8]

    @property
    def order(self) -> NDArray[np.int64]:
        """The variables from first to last, (d,); a view, which kernels write to."""
        return self.places[ORDER]

    @property
    def position(self) -> NDArray[np.int64]:
        """Where each variable stands, (d,)."""
        return self.places[POSITION]

    @property
    def pending(self) -> NDArray[np.int64]:
        """Not zero for variables worth trying again, (d,)."""
        return self.places[PENDING]

    @property
    def n_parents(self) -> NDArray[np.int64]:
        """How many parents each node has, (d,)."""
        return self.chosen[:, 0]

    def parents_of(self, z: int) -> NDArray[np.int64]:
        """The parents of ``z``, in the order in which they came."""
        return self.chosen[z, 1 : 1 + self.chosen[z, 0]]

    def forget(self) -> None:
        """What was tried counts as an estimate again."""
        np.minimum(self.marks[GAINS], GUESSED, out=self.marks[GAINS])
        self.lost[:] = np.nan

    def copy_from(self, other: Nodes) -> None:
        """Take over all nodes at rest."""
        # Copied last, so that after an interruption restore() takes no node for a whole one.
        self.n_parents[:] = -1
        self.chosen[:, 1:] = other.chosen[:, 1:]
        for field in _AT_REST:
            getattr(self, field)[...] = getattr(other, field)
        self.gained[...], self.marks[...] = other.gained, other.marks
        self.n_parents[:] = other.n_parents

    def state(self) -> dict[str, Any]:
        """All nodes at rest; of the pairs of variables those that are marked."""
        v, w = np.nonzero(self.marks[GAINS])
        pairs = v.astype(np.int32), w.astype(np.int32)
        marked = self.gained[v, w], self.marks[GAINS][v, w]
        rest = {field: getattr(self, field) for field in ("chosen", *_AT_REST)}
        return {"nodes": rest, "pairs": pairs, "marked": marked}

    def resume(self, state: dict[str, Any]) -> None:
        """Go on from a :meth:`state`, in fresh memory."""
        for field, kept in state["nodes"].items():
            getattr(self, field)[...] = kept
        v, w = state["pairs"]
        self.gained[v, w], self.marks[GAINS][v, w] = state["marked"]
        self.marks[WANTS][w, v] = 1


class Rule(NamedTuple):
    """What an edge must bring, and which edges and orders there may be.

    ``C[own[z]]`` (d, d) are the correlations over the rows that count for z: ``C`` (g, d, d) has a
    table for each group of nodes that share their rows, ``own`` (d,) tells the group.
    ``logarithmic`` chooses between the two scores, ``weight`` is lambda, ``unit`` is mu, (d,).
    ``allowed[z, u]``: u may be a parent of z; ``before[u, v]``: u must stand before v;
    ``required[z, u]``: u is a parent of z whatever it brings, and always stands before it. They are
    looked at only if ``masked``, ``ordered`` or ``demanding``. Without ``exchanging`` parents are
    added and dropped, and none is exchanged for another: rougher, and faster where there are many.
    """

    C: NDArray[np.float64]
    own: NDArray[np.int64]
    logarithmic: bool
    weight: float
    unit: NDArray[np.float64]
    allowed: NDArray[np.bool_]
    masked: bool
    before: NDArray[np.bool_]
    ordered: bool
    required: NDArray[np.bool_]
    demanding: bool
    exchanging: bool = True


def empty_nodes(d: int, most: int) -> Nodes:
    """Room for ``d`` nodes with at most ``most`` parents each."""
    places = np.zeros((4, d), dtype=np.int64)
    places[PENDING] = 1
    return Nodes(
        table=np.empty((3, ROWS + most, d)),
        parents=np.zeros((3, 1 + most), dtype=np.int64),
        chosen=np.zeros((d, 1 + most), dtype=np.int64),
        value=np.empty(d),
        variance=np.empty(d),
        places=places,
        lost=np.full((d, most), np.nan),
        gained=np.zeros((d, d)),
        marks=np.zeros((2, d, d), dtype=np.int8),
    )


def rule_for(
    C: NDArray[np.float64],
    logarithmic: bool,
    weight: float,
    unit: NDArray[np.float64],
    parents: NDArray[np.bool_] | None = None,
    before: NDArray[np.bool_] | None = None,
    required: NDArray[np.bool_] | None = None,
    own: NDArray[np.int64] | None = None,
) -> Rule:
    """A rule; ``parents[u, v]``: u may be a parent of v, ``before[u, v]``: u stands before v.

    ``required[u, v]``: u is a parent of v; of required parents that determine each other those are
    left out that add nothing. ``C`` is one table (d, d) for all nodes, or (g, d, d) with ``own``.
    """
    d = C.shape[-1]
    if own is None:
        C, own = C.reshape(1, d, d), np.zeros(d, dtype=np.int64)
    none = np.zeros((1, 1), dtype=np.bool_)
    allowed = none if parents is None else np.ascontiguousarray(parents.T, dtype=np.bool_)
    ahead = none if before is None else np.ascontiguousarray(before, dtype=np.bool_)
    assert C.shape[1:] == (d, d)
    demanded = none if required is None else _independent(C, own, required)
    return Rule(
        C,
        own,
        logarithmic,
        weight,
        unit,
        allowed,
        parents is not None,
        ahead,
        before is not None,
        demanded,
        required is not None,
    )


def _independent(
    C: NDArray[np.float64], own: NDArray[np.int64], required: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """``required`` turned to ``[z, u]``, without parents that those before them determine."""
    demanded = np.ascontiguousarray(required.T, dtype=np.bool_)
    for z in np.flatnonzero(demanded.sum(axis=1) > 1):
        rows: list[NDArray[np.float64]] = []
        mine = C[own[z]]
        for u in np.flatnonzero(demanded[z]):
            row = mine[u] - sum((other[u] * other for other in rows), np.zeros(len(mine)))
            if row[u] > DEPENDENT:
                rows.append(row / np.sqrt(row[u]))
            else:
                demanded[z, u] = False
    return demanded
