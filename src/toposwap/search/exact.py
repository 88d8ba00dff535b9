"""The global minimum, by dynamic programming over sets of variables, or a bound on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from toposwap.core.errors import InputError
from toposwap.orderfit.chain import ChainFit
from toposwap.orderfit.proof import best_parents_at, prove
from toposwap.search.base import Move, Search
from toposwap.search.chains import ChainSearch

if TYPE_CHECKING:
    from collections.abc import Generator

    from toposwap.orderfit.base import OrderFit
    from toposwap.search.base import Context

#: Columns up to which a table of all sets is held, and up to which one is if nothing else is known.
_ALL_SETS, _LARGEST = 18, 22
#: The bits of a set.
_MOST_COLUMNS = 60


class ExactSearch(Search):
    """B(S) = min_{v in S} B(S - v) + Q_v(S - v): every order is covered, the result proven.

    More than 18 columns of an L0 score on moments are searched by chains first; then sets that
    cannot lead to anything better are left out (:mod:`toposwap.orderfit.proof`). Where time or
    memory end that, a proven bound on the score of every graph is left, ``result_.bound``.
    """

    name: ClassVar[str] = "exact"
    finished: ClassVar[str] = "global minimum"

    def __init__(self, time_budget: float | None = None) -> None:
        self.time_budget = time_budget

    def moves(self, fit: OrderFit, context: Context) -> Generator[Move, None, bool | str | None]:
        """To the global minimum; refused where that is out of reach."""
        d = len(context.names)
        if _ALL_SETS < d <= _MOST_COLUMNS and isinstance(fit, ChainFit):
            done = yield from self._within_bounds(fit, context)
            if done is not None:
                return done
        if d > _LARGEST:
            raise InputError(
                f"search='exact' goes through 2^d sets of variables: {d} columns are too many "
                f"(at most {_LARGEST}, or {_MOST_COLUMNS} for bic and ebic); use search='auto'"
            )
        before = fit.value
        if not fit.bound.solve_exactly(fit):
            raise InputError(
                f"search='exact' needs a score that is a sum over variables, and "
                f"{fit.bound.score!r} is not; use search='auto'"
            )
        if fit.value < before:
            yield Move("exact", 2**d, "took the best of all orders")
        return None

    def _within_bounds(
        self, fit: ChainFit, context: Context
    ) -> Generator[Move, None, bool | str | None]:
        """The status, or None where the sets of parents cannot be listed."""
        yield from ChainSearch().moves(fit, context)
        found = fit.parent_sets()
        if found is None:
            return None
        constant = fit.value - fit.nodes_value
        proof = prove(
            found,
            fit.nodes_value,
            fit.resolution,
            fit.bound.admissible.before,
            context.deadline,
        )
        context.findings.bound = constant + proof.bound
        if proof.order is not None:
            fit.take_parents(proof.order, best_parents_at(proof.order, found))
            yield Move("exact", sum(len(sets) for sets, _ in found), "took the best of all orders")
        if proof.complete:
            context.findings.bound = fit.value
            return self.finished
        return "time limit" if context.deadline.passed else "memory limit"
