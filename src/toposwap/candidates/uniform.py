"""The ablation of the paper: pairs to swap, drawn at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.candidates.base import Candidates, Survey

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.orderfit.base import OrderFit


class UniformCandidates(Candidates):
    """Pairs drawn uniformly without replacement from all d(d-1)/2.

    Nothing is known about violations of the KKT conditions.

    Parameters
    ----------
    redraw
        Draw anew in each iteration, so that every pair comes up sooner or later. False draws once
        for the whole run, as the paper's ablation does: the small set is the beginning of the large
        one, and pairs of neither are never swapped.
    """

    def __init__(self, *, redraw: bool = True) -> None:
        self.redraw = redraw

    def begin(self, fit: OrderFit, rng: np.random.Generator) -> Candidates:
        """Draw an order of all pairs for the whole run, unless each iteration draws its own."""
        return self if self.redraw else _Drawn(rng.permutation(fit.all_pairs()))

    def survey(self, fit: OrderFit, rng: np.random.Generator) -> Survey:
        """List all pairs, the later variable first as in Y: it is the one to come forward."""
        return _Anew(fit.all_pairs()[:, ::-1], rng)


class _Drawn(Candidates):
    """Pairs in the order in which they were drawn, (m, 2)."""

    def __init__(self, drawn: NDArray[np.int64]) -> None:
        self._drawn = drawn

    def survey(self, fit: OrderFit, rng: np.random.Generator) -> Survey:  # noqa: ARG002
        """The same pairs as ever, the one that stands later now first."""
        places = fit.order.positions[self._drawn]
        later = places[:, :1] < places[:, 1:]
        return _Beginning(np.where(later, self._drawn[:, ::-1], self._drawn))


class _Anew(Survey):
    violations = np.empty((0, 2), dtype=np.int64)

    def __init__(self, everything: NDArray[np.int64], rng: np.random.Generator) -> None:
        self._everything = everything
        self._rng = rng

    def pairs(self, size: int) -> NDArray[np.int64]:
        size = min(size, len(self._everything))
        return self._rng.choice(self._everything, size=size, replace=False)


class _Beginning(Survey):
    violations = np.empty((0, 2), dtype=np.int64)

    def __init__(self, drawn: NDArray[np.int64]) -> None:
        self._drawn = drawn

    def pairs(self, size: int) -> NDArray[np.int64]:
        return self._drawn[:size]
