"""The local search that suits the score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.runtime.deadline import Deadline
from toposwap.search.base import Context, Move, Search
from toposwap.search.chains import ChainSearch
from toposwap.search.neighbourhoods import NeighbourhoodSearch
from toposwap.search.restarts import thread_count
from toposwap.search.screened import ScreenedSearch
from toposwap.search.workers import is_cluster

if TYPE_CHECKING:
    from collections.abc import Generator

    from toposwap.orderfit.base import OrderFit
    from toposwap.orderfit.chain import ChainFit
    from toposwap.orderfit.screened import ScreenedFit


class AutoSearch(Search):
    """The search that the score's :class:`~toposwap.scores.strategy.Strategy` names.

    Chains of local optima (:class:`~toposwap.search.chains.ChainSearch`) for L0 scores on moments,
    exact neighbourhoods (:class:`~toposwap.search.neighbourhoods.NeighbourhoodSearch`) for most
    others, screened ones (:class:`~toposwap.search.screened.ScreenedSearch`) where exact deltas are
    expensive.

    Parameters
    ----------
    n_restarts
        How often to perturb the best order and search again; by default what the score suggests.
    time_budget
        Seconds after which nothing more is begun.
    n_jobs
        How many threads make restarts, -1 for one a core, or the client of a dask cluster whose
        workers make them; the answer is the same for any.
    """

    name: ClassVar[str] = "auto"

    def __init__(
        self,
        n_restarts: int | None = None,
        time_budget: float | None = None,
        n_jobs: Any = None,
    ) -> None:
        self.n_restarts = n_restarts
        self.time_budget = time_budget
        self.n_jobs = n_jobs

    def moves(self, fit: OrderFit, context: Context) -> Generator[Move, None, bool | str | None]:
        """Check the settings, then make the moves of the search that the strategy names."""
        restarts = self.n_restarts
        if restarts is not None and (not isinstance(restarts, int | np.integer) or restarts < 0):
            raise InputError(f"n_restarts: must be a whole number >= 0, got {restarts!r}")
        Deadline(self.time_budget)
        strategy = fit.bound.strategy
        total = strategy.restarts if restarts is None else int(restarts)
        n_threads: Any = self.n_jobs if is_cluster(self.n_jobs) else thread_count(self.n_jobs)
        if strategy.search == ChainSearch.name:
            chains = ChainSearch(None if restarts is None else total, n_threads)
            return (yield from chains.moves(cast("ChainFit", fit), context))
        if strategy.search == ScreenedSearch.name:
            return (yield from ScreenedSearch(total).moves(cast("ScreenedFit", fit), context))
        patience = strategy.patience if restarts is None else None
        return (yield from NeighbourhoodSearch(total, n_threads, patience).moves(fit, context))
