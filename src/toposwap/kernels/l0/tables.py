"""What the kernels of Gaussian scores with an L0 penalty work on: all nodes, and the rule.

Few arrays, each for several things: what a call hands over is compiled at every call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.kernels.l0.partial_covariance import DEPENDENT, ROWS, S

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Rows of ``places``: the order, the position of each variable, who is worth trying again, and
#: whose parents changed since a chain last cleared it.
ORDER, POSITION, PENDING, TOUCHED = 0, 1, 2, 3
#: Parts of ``memory``: what gaining or losing a candidate changes, NaN where unknown.
GAINED, LOST = 0, 1


class Nodes(NamedTuple):
    """All nodes of an order.

    ``table`` (d + 3, K + 2, d) and ``parents`` (d + 3, K + 1) are the tables of
    :mod:`~toposwap.kernels.l0.partial_covariance`: a slot for each node, one for a copy of the node
    that moves, one for a copy of a node that it passes, one as workspace. ``value`` (d,) are the
    nodes' scores, ``places`` (4, d) the order, the positions, who is worth trying again, and whose
    parents changed.
    ``memory[GAINED][w, v]`` and ``memory[LOST][w, v]`` (2, d, d) remember what gaining or losing v
    changes for w.
    """

    table: NDArray[np.float64]
    parents: NDArray[np.int64]
    value: NDArray[np.float64]
    places: NDArray[np.int64]
    memory: NDArray[np.float64]

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
        return self.parents[: self.value.size, 0]

    @property
    def variance(self) -> NDArray[np.float64]:
        """Each node's residual variance, (d,)."""
        return np.diagonal(self.table[: self.value.size, S])

    def parents_of(self, z: int) -> NDArray[np.int64]:
        """The parents of ``z``, in the order in which they came."""
        return self.parents[z, 1 : 1 + self.parents[z, 0]]

    def copy_from(self, other: Nodes) -> None:
        """Take over every table, of the orthonormalised rows those in use."""
        # Copied last, so that after an interruption restore() takes no table for a whole one.
        self.n_parents[:] = -1
        for z, k in enumerate(other.n_parents):
            self.table[z, : ROWS + k] = other.table[z, : ROWS + k]
        self.parents[:, 1:] = other.parents[:, 1:]
        for mine, theirs in zip(self[2:], other[2:], strict=True):
            mine[...] = theirs
        self.n_parents[:] = other.n_parents


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
        table=np.empty((d + 3, ROWS + most, d)),
        parents=np.zeros((d + 3, 1 + most), dtype=np.int64),
        value=np.empty(d),
        places=places,
        memory=np.full((2, d, d), np.nan),
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
