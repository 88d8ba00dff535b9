"""The least that a node costs with parents among some variables: solved once, remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.kernels.l0.best_subset import best_subset
from toposwap.kernels.l0.node import node_value
from toposwap.kernels.l0.partial_covariance import DEPENDENT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.kernels.l0.tables import Rule

#: Sets of parents that are looked at for one node, times d^2, some milliseconds; how large they
#: may become.
_VISITS, _DEEPEST = 8_000_000, 25
#: Below this eigenvalue of the correlations residual variances are not told well enough to prove.
_LEAST_EIGENVALUE = 1e-7


class Least(NamedTuple):
    """A bound on the node's score; the parents that attain it as bits, -1 if it may be too low."""

    value: float
    parents: int


class LeastParents:
    """b_v(V - U), or a bound on it, for nodes v and sets U of variables that may not be parents.

    Parameters
    ----------
    rule
        Correlations, penalty, and who may be whose parent.
    most_parents
        The most parents of a node.
    """

    def __init__(self, rule: Rule, most_parents: int) -> None:
        self._rule, self._most = rule, most_parents
        d = rule.own.size
        self._visits = max(100, _VISITS // d**2)
        self._deepest = min(_DEEPEST, most_parents, d - 1)
        self._room = np.empty((2, self._deepest + 1, d, d))
        self._chosen = np.empty(self._deepest + 1, dtype=np.int64)
        self._known: dict[tuple[int, int], Least] = {}
        self._sound = float(np.linalg.eigvalsh(rule.C).min()) > _LEAST_EIGENVALUE

    def __call__(self, v: int, excluded: int) -> float:
        """No set of parents of ``v`` without the variables ``excluded``, bits, costs less."""
        return self._least(v, excluded & ~(1 << v)).value

    def _least(self, v: int, excluded: int) -> Least:
        found = self._known.get((v, excluded))
        if found is None:
            found = self._solved(v, excluded)
            self._known[v, excluded] = found
        return found

    def _solved(self, v: int, excluded: int) -> Least:
        fewer = None
        if excluded:
            last = 1 << (excluded.bit_length() - 1)
            fewer = self._least(v, excluded ^ last)
            if fewer.parents >= 0 and not fewer.parents & last:
                return fewer
        if not self._sound:
            return Least(node_value(self._rule, v, DEPENDENT, 0), -1)
        d = self._rule.own.size
        may = np.array([u != v and not excluded >> u & 1 for u in range(d)])
        if self._rule.masked:
            may &= self._rule.allowed[v]
        found = self._search(v, np.flatnonzero(may))
        # Where fewer are excluded nothing can cost more.
        return found if fewer is None else found._replace(value=max(found.value, fewer.value))

    def _search(self, v: int, candidates: NDArray[np.int64]) -> Least:
        c = len(candidates)
        both = np.append(candidates, v)
        precision = np.linalg.inv(self._rule.C[self._rule.own[v]][np.ix_(both, both)])
        strength = np.abs(precision[-1, :-1]) / np.sqrt(np.diag(precision)[:-1])
        first = np.argsort(-strength, kind="stable")
        arranged = np.append(first, c)
        size = (self._deepest + 1) * (c + 1) ** 2
        A, K = (
            part.reshape(-1)[:size].reshape(self._deepest + 1, c + 1, c + 1) for part in self._room
        )
        K[0] = precision[np.ix_(arranged, arranged)]
        value, count = best_subset(
            self._rule, v, candidates[first], self._most, self._visits, A, K, self._chosen
        )
        if count < 0:
            return Least(value, -1)
        mine = candidates[first][self._chosen[:count]]
        return Least(value, sum(1 << int(u) for u in mine))
