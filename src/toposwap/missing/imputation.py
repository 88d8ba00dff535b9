"""Learning from several completed tables, whose gaps are drawn from the model that is learned.

In turns: a fit to all completed tables at once, each of whose rows counts one part in as many as
there are tables, so that the score of a graph is the average of its scores; and draws of the gaps
from the model fitted. It ends when the graph is the same twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.learn import learn
from toposwap.missing.draws import Chains
from toposwap.missing.kinds_seen import seen_by
from toposwap.search.none import NoSearch

if TYPE_CHECKING:
    from toposwap.core.admissible import Admissible
    from toposwap.core.dataset import Dataset
    from toposwap.core.order import Order
    from toposwap.core.runtime.deadline import Deadline
    from toposwap.core.tables.gaps import Incomplete
    from toposwap.result import Result
    from toposwap.scores import Score
    from toposwap.search import Search

#: How often each gap is drawn between two fits.
_SWEEPS = 3


@dataclass(frozen=True, eq=False)
class Imputed:
    """What learning from draws ends with.

    Attributes
    ----------
    result, data
        Of all tables together, or of the first.
    together
        Which of the two: a score may know no weights of rows, or whole numbers only.
    rounds
        Fits that were made.
    stands
        Whether the graph was the same twice.
    average
        The score at the end, on average over the tables.
    """

    result: Result
    data: Dataset
    together: bool
    rounds: int
    stands: bool
    average: float


def learn_imputed(
    table: Incomplete,
    score: Score,
    search: Search,
    init: Any,
    *,
    draws: int,
    rounds: int,
    rng: np.random.Generator,
    deadline: Deadline,
    **settings: Any,
) -> Imputed:
    """The graph, from ``draws`` completed tables; other arguments as those of ``learn``."""
    table.check()
    table = seen_by(score, table)
    chains = Chains(table, draws, rng)
    given = {"rng": rng, "deadline": deadline, **settings}
    before, made, stands = None, 0, False
    begin = init
    together = score.weighs_parts(table.filled(chains.copies()[0]))
    while True:
        if together:
            data = table.filled(chains.rows, chains.weights)
            result = learn(data, score, search, begin, **given)
            average = result.score
        else:
            tables = [table.filled(copy) for copy in chains.copies()]
            data = tables[0]
            result, average = _of_several(tables, score, search, begin, **given)
        made += 1
        graph = result.pruned.weights != 0.0
        stands = before is not None and bool((graph == before).all())
        if stands or made >= rounds or deadline.passed or result.status == "interrupted":
            return Imputed(result, data, together, made, stands, average)
        predictor = result.pruned.predictor
        if predictor is None:
            raise InputError(
                f"missing='impute': the score {result.score_name!r} makes no predictions, so that "
                "nothing can be drawn from it: missing='drop', or another score"
            )
        for _ in range(_SWEEPS):
            if not deadline.passed:
                chains.sweep(predictor)
        before, begin = graph, result.order


def _of_several(
    tables: list[Dataset],
    score: Score,
    search: Search,
    init: Any,
    *,
    admissible: Admissible,
    deadline: Deadline,
    **settings: Any,
) -> tuple[Result, float]:
    """The order with the lowest average score, the edges that most tables keep, and that score.

    For scores that know no weights of rows, or whole numbers only. The orders are those that the
    tables lead to, each for itself; weights, score and certificate are those of the first table at
    the order chosen.
    """
    given = {"admissible": admissible, "deadline": deadline, **settings}
    found = [learn(data, score, search, init, **given) for data in tables]
    orders: list[Order] = []
    for one in found:
        if one.order not in orders:
            orders.append(one.order)
    best = orders[0]
    if len(orders) > 1 and not deadline.passed:
        bounds = [score.bind(score.suited(data)) for data in tables]
        averages = []
        for bound in bounds:
            bound.admissible = found[0].admissible
        for order in orders:
            averages.append(float(np.mean([bound.fit(order).value for bound in bounds])))
        best = orders[int(np.argmin(averages))]
    fitted = [
        one if one.order == best else learn(data, score, NoSearch(), best, **given)
        for one, data in zip(found, tables, strict=True)
    ]
    first = fitted[0]
    kept = np.stack([one.pruned.weights for one in fitted])
    most = (kept != 0.0).mean(axis=0) >= 0.5
    # Edges that another table turned would make cycles.
    places = first.pruned.order.positions
    most &= places[:, None] < places
    weights = np.where(most, kept.sum(axis=0) / np.maximum((kept != 0.0).sum(axis=0), 1), 0.0)
    pruned = replace(
        first.pruned,
        weights=weights,
        rule="at least half of the completed tables",
        threshold=None,
        refitted=True,
    )
    result = replace(first, status=found[0].status, pruned=pruned)
    return result, float(np.mean([one.score for one in fitted]))
