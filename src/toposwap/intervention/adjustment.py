r"""Which columns make a regression of y on x tell the total effect of x.

With cn the nodes on directed paths from x to y (without x), and forb x and the descendants of cn, a
set Z is valid if it has nothing of forb and blocks every path from x to y that is not directed
(Shpitser, VanderWeele and Robins, 2010). The parents of x are always valid, and

.. math:: O(x, y) = pa(cn) \setminus (forb \cup \{x\})

has the smallest asymptotic variance of all (Henckel, Perković and Maathuis, 2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.printable import printable
from toposwap.kernels.graphs.reachability import reachability

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Adjustment:
    """What to adjust for, and what not, to read the effect of one column on another.

    Attributes
    ----------
    names, cause, effect
        The columns, and which two are meant.
    edges
        (d, d), the DAG.
    identified
        Whether the sets hold in all members of the class; if not, in this DAG only.
    """

    names: tuple[str, ...]
    cause: int
    effect: int
    edges: NDArray[np.bool_]
    identified: bool = True

    @property
    def leads(self) -> bool:
        """Whether a directed path leads from cause to effect."""
        return bool(reachability(self.edges)[self.cause, self.effect])

    @property
    def on_the_way(self) -> NDArray[np.bool_]:
        """cn, (d,)."""
        reached = reachability(self.edges)
        way = reached[self.cause] & reached[:, self.effect]
        way[self.cause] = False
        return way

    @property
    def forbidden(self) -> NDArray[np.bool_]:
        """forb, (d,): to adjust for one of these would take part of the effect away."""
        forbidden = np.asarray(reachability(self.edges)[self.on_the_way].any(axis=0))
        forbidden[self.cause] = True
        return forbidden

    @property
    def optimal(self) -> tuple[str, ...]:
        """O(x, y): the valid set with the smallest standard error in large samples."""
        chosen = self.edges[:, self.on_the_way].any(axis=1) & ~self.forbidden
        return self._called(np.flatnonzero(chosen))

    @property
    def parents(self) -> tuple[str, ...]:
        """The direct causes of the cause: valid without knowing the rest of the graph."""
        return self._called(np.flatnonzero(self.edges[:, self.cause]))

    @property
    def minimal(self) -> tuple[str, ...]:
        """A valid set of which none can be left out, made of the optimal one."""
        kept = [self.names.index(name) for name in self.optimal]
        for v in list(kept):
            rest = [w for w in kept if w != v]
            if self.blocks(rest):
                kept = rest
        return self._called(kept)

    def is_valid(self, adjusted: Iterable[str]) -> bool:
        """Whether the regression of the effect on the cause and ``adjusted`` tells its effect."""
        chosen = [self.names.index(name) for name in adjusted]
        if self.effect in chosen or not self.leads:
            return False
        return not self.forbidden[chosen].any() and self.blocks(chosen)

    def blocks(self, given: Iterable[int]) -> bool:
        """Whether columns ``given`` separate cause and effect once directed paths are cut."""
        cut = self.edges.copy()
        cut[self.cause, self.on_the_way] = False
        return separated(cut, self.cause, self.effect, list(given))

    def _called(self, columns: Iterable[int] | NDArray[np.int64]) -> tuple[str, ...]:
        return tuple(self.names[int(v)] for v in columns)

    def in_words(self) -> str:
        """What to regress on what, and what to leave out."""
        x, y = self.names[self.cause], self.names[self.effect]
        if not self.leads:
            return f"no directed path leads from {x} to {y}: the graph knows of no effect"
        best, least = self.optimal, self.minimal
        text = f"regress {y} on {x}"
        text += f" and {_list(best)}" if best else ", nothing else is needed"
        if best and len(least) < len(best):
            text += f" (or only {_list(least)})" if least else " (or on nothing else)"
        kept_out = self._called(
            int(v) for v in np.flatnonzero(self.forbidden) if v not in (self.cause, self.effect)
        )
        if kept_out:
            text += f"; never adjust for {_list(kept_out)}, which {x} acts on"
        if not self.identified:
            text += "; that holds in the graph that was returned, not in all that fit as well"
        return text

    def __repr__(self) -> str:
        return printable(f"Adjustment({self.in_words()})")


def separated(edges: NDArray[np.bool_], x: int, y: int, given: list[int]) -> bool:
    """Whether ``given`` d-separate x and y in the DAG ``edges`` (d, d).

    The moral graph of their ancestors: parents of one node are joined, directions dropped, and
    ``given`` taken out; they are separated if no path is left.
    """
    if x in given or y in given:
        return True
    wanted = np.asarray(reachability(edges)[:, [x, y, *given]].any(axis=1))
    part = edges & wanted & wanted[:, None]
    married = (part.astype(np.float64) @ part.T.astype(np.float64)) > 0.0
    moral = np.asarray(part | part.T | married)
    moral[given] = False
    moral[:, given] = False
    return not bool(reachability(moral)[x, y])


def _list(names: tuple[str, ...], most: int = 8) -> str:
    shown = list(names[:most])
    if len(names) > most:
        return ", ".join(shown) + f" and {len(names) - most} more"
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " and " + shown[-1]
