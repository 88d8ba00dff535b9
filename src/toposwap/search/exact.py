"""The global minimum, by dynamic programming over sets of variables, or a bound on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from toposwap.core.errors import InputError
from toposwap.core.runtime.deadline import Deadline
from toposwap.orderfit.chain import ChainFit
from toposwap.orderfit.proof import best_parents_at, prove
from toposwap.orderfit.relaxation import relax
from toposwap.search.base import Move, Search
from toposwap.search.chains import ChainSearch

if TYPE_CHECKING:
    from collections.abc import Generator

    from toposwap.orderfit.base import OrderFit
    from toposwap.search.base import Context

#: Columns up to which a table of all sets is held, and up to which one is if nothing else is known.
_ALL_SETS, _LARGEST = 18, 22
#: The bits of a set.
_MOST_BITS = 60
#: Columns up to which lists of sets are soon made, so that no other bound is needed.
_SOON_LISTED = 24
#: Shares of the time by which the bound without lists is made, and by which sets must be listed.
_RELAXED_BY, _LISTED_BY = 0.3, 0.7
#: Seconds for the bound without lists where there is no limit.
_RELAXED_WITHIN = 10.0


class ExactSearch(Search):
    """B(S) = min_{v in S} B(S - v) + Q_v(S - v): every order is covered, the result proven.

    More than 18 columns of an L0 score on moments are searched by chains first. Then a bound on the
    score of every graph is proved (:mod:`toposwap.orderfit.relaxation`), and sets that cannot lead
    to anything better are left out (:mod:`toposwap.orderfit.proof`). Where time or memory end that,
    or there are more than 60 columns, the bound is what is left: ``result_.bound``.

    Parameters
    ----------
    time_budget
        Seconds after which nothing more is begun.
    """

    name: ClassVar[str] = "exact"
    finished: ClassVar[str] = "global minimum"

    def __init__(self, time_budget: float | None = None) -> None:
        self.time_budget = time_budget

    def moves(self, fit: OrderFit, context: Context) -> Generator[Move, None, bool | str | None]:
        """To the global minimum; refused where that is out of reach."""
        d = len(context.names)
        if d > _ALL_SETS and isinstance(fit, ChainFit):
            done = yield from self._within_bounds(fit, context)
            if done is not None:
                return done
        if d > _LARGEST:
            raise InputError(
                f"search='exact' goes through 2^d sets of variables: {d} columns are too many "
                f"(at most {_LARGEST}; bic and ebic have a bound for more); use search='auto'"
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
        """The status, or None where nothing can be said without a table of all sets."""
        yield from ChainSearch().moves(fit, context)
        least = fit.least_parents()
        if least is None:
            return None
        d, deadline = len(context.names), context.deadline
        upper = fit.nodes_value
        constant = fit.value - upper
        listed_by = deadline.part(_LISTED_BY)
        limits, known = None, -float("inf")
        if d > _SOON_LISTED:
            relaxed = relax(least, d, _relaxed_by(d, deadline))
            limits, known = upper - relaxed.besides, min(relaxed.bound, upper)
            context.findings.bound = constant + known
        found = fit.parent_sets(limits, listed_by) if d <= _MOST_BITS else None
        if found is None:
            if d <= _LARGEST and not listed_by.passed:
                return None
            if limits is None:
                relaxed = relax(least, d, _relaxed_by(d, deadline))
                context.findings.bound = constant + min(relaxed.bound, upper)
            return "time limit" if listed_by.passed else "memory limit"
        proof = prove(found, upper, fit.resolution, fit.bound.admissible.before, deadline)
        if not proof.complete and limits is None:
            known = min(relax(least, d, _relaxed_by(d, deadline)).bound, upper)
        context.findings.bound = constant + max(proof.bound, known)
        if proof.order is not None:
            fit.take_parents(proof.order, best_parents_at(proof.order, found))
            yield Move("exact", sum(len(sets) for sets, _ in found), "took the best of all orders")
        if proof.complete:
            context.findings.bound = fit.value
            return self.finished
        return "time limit" if deadline.passed else "memory limit"


def _relaxed_by(d: int, deadline: Deadline) -> Deadline:
    """When the bound without lists is to be made."""
    if deadline.left == float("inf"):
        return Deadline(_RELAXED_WITHIN)
    lists_follow = _SOON_LISTED < d <= _MOST_BITS
    return deadline.part(_RELAXED_BY) if lists_follow else deadline
