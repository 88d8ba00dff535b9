"""Where a search begins."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.graph import topological_order
from toposwap.core.order import Order
from toposwap.core.weights import as_weights
from toposwap.kernels.graphs.precedence import precedence_table
from toposwap.kernels.least_squares import pivoted
from toposwap.orderfit.screened import ScreenedFit
from toposwap.scores.correlated import least_correlated_order
from toposwap.search.base import Step
from toposwap.search.ctrl_c import CtrlC
from toposwap.search.screened import through_coarser

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.orderfit.base import OrderFit
    from toposwap.scores import BoundScore
    from toposwap.search.base import Progress

INITS = ("auto", "variance", "correlation", "random")


def automatic_fit(
    bound: BoundScore,
    rng: np.random.Generator,
    time_budget: float | None = None,
    progress: Progress | None = None,
) -> tuple[OrderFit, bool]:
    """What ``init="auto"`` begins with: an order that the score proposes, or its surrogates find.

    Where there are such, deltas are expensive. So is the first fit, which should not be spent on an
    order that is to be left soon. Also returned: whether Ctrl-C has ended the search for it.
    """
    began, interrupted = time.perf_counter(), False
    deadline = np.inf if time_budget is None else began + time_budget
    order = bound.starting_order(rng)
    if order is None:
        order = smallest_variance_order(bound.data)
    with CtrlC() as ctrl_c:
        try:
            for step in through_coarser(bound, order, rng, deadline):
                order, seconds = step.order, time.perf_counter() - began
                if progress is not None:
                    move = step.move
                    progress(Step(0, step.value, "coarse", move.candidates, move.text, seconds))
        except BaseException as error:
            if not ctrl_c.caused(error):
                raise
            interrupted = True
    fit = bound.fit(order)
    if isinstance(fit, ScreenedFit):
        fit.approached = True
    return fit, interrupted


def starting_order(init: Any, data: Dataset, rng: np.random.Generator) -> tuple[Order, str | None]:
    """Return the order that ``init`` stands for, and a remark if it had to be mended.

    ``init`` is "auto" or "variance" (a pivoted factorisation), "correlation" (the least correlated
    first), "random", an order (column positions or names), or a weight matrix (d, d), whose weakest
    edges are dropped until it has no cycle.
    """
    if isinstance(init, str):
        if init == "random":
            return Order(rng.permutation(data.d)), None
        if init == "correlation":
            return least_correlated_order(data), None
        if init in INITS:
            return smallest_variance_order(data), None
        raise InputError(
            f"init: {init!r} is not one of {', '.join(map(repr, INITS))}, an order or a weight "
            "matrix"
        )
    if isinstance(init, Order):
        return _checked(init, data), None
    shape = dimensions(init)
    if shape == 2:
        return _from_weights(as_weights(init, data.names, "init"), data)
    if shape == 1:
        if all(isinstance(name, str) for name in init):
            init = [data.index(name) for name in init]
        return _checked(Order(init), data), None
    raise InputError(
        f"init: expected a name, an order or a weight matrix, got {type(init).__name__}"
    )


def smallest_variance_order(data: Dataset) -> Order:
    """Next is always the variable with the least variance given those before it."""
    cost = (data.scale / data.scale.max()) ** 2
    return Order(
        pivoted.smallest_variance_order(data.factor.T.copy(), cost, precedence_table(None))
    )


def without_weakest(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """Drop the edges of smallest |weight| until no cycle is left; the rest and how many went.

    The number to drop is found by bisection: a graph with fewer edges has no more cycles.
    """
    weights = weights.copy()
    loops = np.count_nonzero(np.diag(weights))
    np.fill_diagonal(weights, 0.0)
    edges = np.flatnonzero(weights)
    weakest_first = edges[np.argsort(np.abs(weights.flat[edges]), kind="stable")]
    enough, too_few = len(edges), -1
    while enough - too_few > 1:
        tried = (enough + too_few) // 2
        rest = weights.copy()
        rest.flat[weakest_first[:tried]] = 0.0
        if topological_order(rest != 0.0) is None:
            too_few = tried
        else:
            enough = tried
    weights.flat[weakest_first[:enough]] = 0.0
    return weights, enough + int(loops)


def _from_weights(weights: NDArray[np.float64], data: Dataset) -> tuple[Order, str | None]:
    rest, dropped = without_weakest(weights)
    # Of the many orders of a sparse graph, the one nearest to a good guess.
    variables = topological_order(rest != 0.0, smallest_variance_order(data).variables)
    assert variables is not None
    if not dropped:
        return Order(variables), None
    return Order(variables), (
        f"the weight matrix has cycles: its {dropped} weakest "
        f"{'edge was' if dropped == 1 else 'edges were'} dropped to make it a DAG"
    )


def dimensions(init: Any) -> int | None:
    """Number of dimensions of what may be an array, None if its rows are of unequal length."""
    try:
        return np.ndim(init)
    except ValueError:  # rows of unequal length
        return None


def _checked(order: Order, data: Dataset) -> Order:
    if len(order) != data.d:
        raise InputError(
            f"init: an order of {len(order)} variables for {data.d} columns; each must appear once"
        )
    return order
