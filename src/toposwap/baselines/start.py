"""Where a search begins, in every form that a user may say it.

A name, an order, a weight matrix, or another learner: its name, its class, an estimator, a fitted
one. Whoever takes an ``init`` asks here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toposwap.baselines.base import Baseline
from toposwap.core.errors import InputError
from toposwap.core.graph import topological_order
from toposwap.core.order import Order
from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.core.tables.columns import is_frame
from toposwap.core.validation import places
from toposwap.core.weights import (
    as_weights,
    foreign_weights,
    transposed_in_words,
    without_weakest,
)
from toposwap.estimators.base import DagLearner
from toposwap.interop import foreign_graph
from toposwap.orderfit.starts import smallest_variance_order
from toposwap.search.start import INITS, STARTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.scores.base import Score


class Start(NamedTuple):
    """An order, and a remark if what was given had to be mended."""

    order: Order
    remark: str | None = None


def starting_order(
    init: Any, data: Dataset, rng: np.random.Generator, deadline: Deadline = NEVER
) -> Start:
    """The order that ``init`` stands for.

    Parameters
    ----------
    init
        "variance" (a pivoted factorisation; also "auto" where no score is known), "correlation"
        (the least correlated first), "additive", "random", an order (column positions or names), a
        weight matrix (d, d), whose weakest edges are dropped until it has no cycle, or a learner as
        in :func:`resolve_start`.
    data
        What it is for: names, d, variances.
    rng
        For "random", and for learners that draw.
    deadline
        After which a learner begins nothing more.
    """
    init = resolve_start(init, data, rng, deadline)
    if isinstance(init, str):
        if init == "random":
            return Start(Order(rng.permutation(data.d)))
        return Start(STARTS["variance" if init == "auto" else init](data))
    if isinstance(init, Order):
        return Start(_checked(init, data))
    shape = dimensions(init)
    if shape == 2:
        return _from_weights(as_weights(init, data.names, "init"), data)
    if shape == 1:
        if all(isinstance(name, str) for name in init):
            init = [data.index(name) for name in init]
        return Start(_checked(Order(init), data))
    raise InputError(
        f"init: expected a name, an order or a weight matrix, got {type(init).__name__}"
    )


def resolve_start(
    init: Any, data: Dataset, rng: np.random.Generator, deadline: Deadline = NEVER
) -> Any:
    """Return the weights (d, d) if ``init`` stands for a learner, else ``init`` as it is.

    An object of another package stands for the graph that it holds.
    """
    if isinstance(init, str) and init not in INITS:
        from toposwap.baselines.names import BASELINES

        if init not in BASELINES:
            known = ", ".join(map(repr, (*INITS, *BASELINES)))
            raise InputError(
                f"init: {init!r} is not one of {known}, an order, a weight matrix or a learner"
            )
        init = BASELINES[init]
    if isinstance(init, type) and issubclass(init, Baseline):
        init = init()
        # Made here, it has no seed of its own: what it draws comes from ``rng``.
        init.random_state = None
    if not isinstance(init, DagLearner):
        held = foreign_graph(init)
        return init if held is None else foreign_weights(held, data.names, "init")
    if not hasattr(init, "result_"):
        if not isinstance(init, Baseline):
            raise InputError(f"init: {type(init).__name__} is not fitted; fit it first")
        return init.weights_on(data, rng, deadline)
    if sorted(init.names_) != sorted(data.names):
        raise InputError(
            f"init: this {type(init).__name__} was fitted to other columns than those of the data"
        )
    place = places(init.names_)
    columns = [place[name] for name in data.names]
    return init.weights_[columns][:, columns]


def is_order(given: Any, score: Score) -> bool:
    """Whether ``given`` is an order; a plain sequence only where weights could not be meant."""
    if isinstance(given, Order):
        return True
    return score.edge_blocks and not is_frame(given) and dimensions(given) == 1


def dimensions(given: Any) -> int | None:
    """Number of dimensions of what may be an array, None if its rows are of unequal length."""
    try:
        return np.ndim(given)
    except ValueError:  # rows of unequal length
        return None


def _from_weights(weights: NDArray[np.float64], data: Dataset) -> Start:
    rest, dropped = without_weakest(weights)
    # Of the many orders of a sparse graph, the one nearest to a good guess.
    variables = topological_order(rest != 0.0, smallest_variance_order(data).variables)
    assert variables is not None
    remarks = [] if dropped else [transposed_in_words(weights, data)]
    if dropped:
        remarks.append(
            f"the weight matrix has cycles: its {dropped} weakest "
            f"{'edge was' if dropped == 1 else 'edges were'} dropped to make it a DAG"
        )
    return Start(Order(variables), remarks[0])


def _checked(order: Order, data: Dataset) -> Order:
    if len(order) != data.d:
        raise InputError(
            f"init: an order of {len(order)} variables for {data.d} columns; each must appear once"
        )
    return order
