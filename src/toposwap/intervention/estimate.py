"""The total effect of one column on another: from a fitted model, or from a graph and a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.graph import consistent_extension
from toposwap.intervention.adjustment import Adjustment
from toposwap.intervention.change import Change, change_of
from toposwap.intervention.effect import Effect, PossibleEffect, hull
from toposwap.intervention.ida import count_members, parent_sets
from toposwap.intervention.linear import Estimate, LinearGraph, adjusted_effect
from toposwap.kernels.graphs.reachability import reachability
from toposwap.metrics.meek import orient

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset

METHODS = ("auto", "paths", "adjustment")


@dataclass(frozen=True, eq=False)
class Question:
    """Which effect is asked for: of ``x`` on ``y``, columns by position, for a ``change`` of x."""

    x: int
    y: int
    change: Change
    level: float = 0.95


def question(
    data: Dataset, x: int, y: int, values: Sequence[Any] | None, per: str, level: float
) -> Question:
    """Check what the user asks."""
    if x == y:
        raise InputError(f"effect: {data.names[x]!r} is the cause; name another column")
    if not (isinstance(level, float | int) and 0.0 < level < 1.0):
        raise InputError(f"level: must be between 0 and 1, got {level!r}")
    two: tuple[float, ...] = ()
    if data.rows is not None:
        low, high = float(data.rows[:, x].min()), float(data.rows[:, x].max())
        if low == high and values is None:
            raise InputError(
                f"effect: column {data.names[x]!r} has one value, {low:g}, in all rows; say which "
                "values to compare, values=(low, high), and mind that no row tells"
            )
        if bool(np.isin(data.rows[:, x], (low, high)).all()):
            two = (low, high)
    deviation = float(data.deviations[x] * data.scale[x])
    return Question(x, y, change_of(values, per, float(data.mean[x]), deviation, two), float(level))


def linear_effect(
    data: Dataset,
    edges: NDArray[np.bool_],
    undecided: NDArray[np.bool_],
    asked: Question,
    method: str = "auto",
) -> Effect:
    """The effect in a linear model of ``edges`` (d, d), and over the class ``undecided`` (d, d)."""
    if method not in METHODS:
        raise InputError(f"method: must be one of {', '.join(METHODS)}, got {method!r}")
    if method == "adjustment" and data.interventions is not None:
        raise InputError(
            "method: 'adjustment' is one regression for all rows, and in some of them columns were "
            "set from outside; use 'paths'"
        )
    identified = is_identified(undecided, asked.x, asked.y)
    adjustment = Adjustment(data.names, asked.x, asked.y, edges, identified)
    way = "sum over directed paths of the products of their coefficients"

    def estimate(dag: NDArray[np.bool_]) -> Estimate:
        if method == "adjustment":
            sets = Adjustment(data.names, asked.x, asked.y, dag)
            if not sets.leads:
                return Estimate(0.0)
            given = [data.names.index(name) for name in sets.optimal]
            return adjusted_effect(data, asked.x, asked.y, given)
        return LinearGraph(data, dag).total_effect(asked.x, asked.y)

    if method == "adjustment":
        way = "coefficient of the regression in the line below"
    return over_the_class(data, edges, undecided, asked, estimate, adjustment, way)


def over_the_class(
    data: Dataset,
    edges: NDArray[np.bool_],
    undecided: NDArray[np.bool_],
    asked: Question,
    estimate: Callable[[NDArray[np.bool_]], Estimate],
    adjustment: Adjustment,
    method: str,
) -> Effect:
    """The effect in ``edges``, with what other members of the class give.

    Parameters
    ----------
    data
        The table: names are all that is used of it.
    edges, undecided
        The DAG that was learned, and the class of those that fit as well, (d, d) each.
    asked
        Which effect.
    estimate
        The effect for one unit of the cause in a DAG (d, d).
    adjustment
        In ``edges``; ``identified`` tells whether the class has to be looked at.
    method
        How ``estimate`` works, in words.
    """
    names, slope = data.names, asked.change.slope
    own = estimate(edges).times(slope)
    interval = own.interval(asked.level)
    remarks: tuple[str, ...] = ()
    possible: tuple[PossibleEffect, ...] = ()
    if not adjustment.identified:
        sets = parent_sets(undecided, asked.x)
        if sets is None:
            remarks += (
                f"the open directions leave more sets of causes of {names[asked.x]} than are "
                "tried: the interval is that of this graph alone",
            )
        counts = count_members(undecided, sets or [], asked.x)
        for entry, counted in zip(sets or (), counts, strict=True):
            there = estimate(entry.dag).times(slope)
            called = tuple(names[v] for v in entry.parents)
            bounds = there.interval(asked.level)
            possible += (
                PossibleEffect(there.value, there.standard_error, bounds, called, counted),
            )
    if possible:
        interval = hull([interval, *(entry.interval for entry in possible)])
    if not np.isfinite(interval).all():
        remarks += ("there are too few rows for the parents of the columns on the way",)
    return Effect(
        names[asked.x],
        names[asked.y],
        own.value,
        own.standard_error,
        interval,
        asked.change.words,
        method,
        possible,
        adjustment,
        asked.level,
        remarks,
    )


def is_identified(undecided: NDArray[np.bool_], x: int, y: int) -> bool:
    """Whether the class settles the effect: no open edge of x can lead on to y (Perković, 2018)."""
    open_ends = np.flatnonzero(undecided[x] & undecided[:, x])
    if not open_ends.size:
        return True
    onwards = undecided.copy()
    onwards[x] = False
    return not bool(reachability(onwards)[open_ends, y].any())


def effect_given_graph(
    graph: NDArray[np.bool_], data: Dataset, asked: Question, method: str = "auto"
) -> Effect:
    """The effect in a linear model of a graph (d, d), whose open edges go both ways."""
    if not (graph & graph.T).any():
        return linear_effect(data, graph, graph, asked, method)
    edges, turned = consistent_extension(graph)
    completed = orient(graph, graph & ~graph.T)
    found = linear_effect(data, edges, completed, asked, method)
    if turned:
        told = "the graph is no class of DAGs: one of its arrows had to be turned"
        return replace(found, remarks=(*found.remarks, told))
    return found
