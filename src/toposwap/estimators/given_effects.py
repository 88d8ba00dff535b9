"""Effects without a model: from a graph and a table, and over resamples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.validation import column_place, listed
from toposwap.intervention.estimate import effect_given_graph, question
from toposwap.intervention.over import distributions, effects_frame, weighted_dags
from toposwap.metrics.graphs import graph_on

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from toposwap.intervention import Effect


def effect(
    graph: Any,
    X: Any,
    cause: int | str,
    effect: int | str,
    *,
    values: Sequence[Any] | None = None,
    per: str = "unit",
    method: str = "auto",
    level: float = 0.95,
) -> Effect:
    """The total effect of one column on another in the linear model of a graph.

    Parameters
    ----------
    graph
        A DAG or a class of DAGs: a matrix (d, d), a DataFrame, a graph of networkx, or a fitted
        model of this package or another (:mod:`toposwap.interop`). Weights are not used: each
        column is regressed on its parents.
    X
        The table (n, d), or a :class:`~toposwap.Dataset`.
    cause, effect
        Columns, by name or position.
    values, per, method, level
        As in :meth:`toposwap.Topo.effect`.
    """
    data = X if isinstance(X, Dataset) else Dataset.from_table(X)
    x, y = (
        column_place(data.names, word, one) for word, one in (("cause", cause), ("effect", effect))
    )
    edges = graph_on(graph, data.names)
    return effect_given_graph(edges, data, question(data, x, y, values, per, level), method)


def effects(
    confidence: Any,
    X: Any = None,
    cause: int | str | None = None,
    effect: int | str | None = None,
    *,
    names: Sequence[str] | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Total effects with intervals over resamples, so that doubt about the graph is in them.

    Parameters
    ----------
    confidence
        What :func:`toposwap.confidence` returns, of a linear score; or any sequence of weight
        matrices (d, d) of DAGs, ``W[i, j]`` for i -> j.
    X
        The table, which is needed where resamples leave directions open.
    cause, effect
        Columns by name or position; None for all.
    names
        Of the columns, where ``confidence`` has none.
    level
        Of the intervals.

    Returns
    -------
    DataFrame
        ``cause``, ``effect``, ``median``, ``low``, ``high``, and ``share``: of the resamples that
        have a directed path, members of a class counted by their number. Strongest first.
    """
    resamples = list(getattr(confidence, "resamples", confidence))
    data = X if X is None or isinstance(X, Dataset) else Dataset.from_table(X)
    known = getattr(confidence, "names", names) or (None if data is None else data.names)
    if known is None:
        if not resamples:
            raise InputError("effects: there is no resample to compute them from")
        known = [f"x{k}" for k in range(len(resamples[0]))]
    called = tuple(str(name) for name in known)
    if data is not None and data.names != called:
        raise InputError(f"X: its columns ({listed(data.names)}) are not {listed(called)}")
    d = len(called)
    sources = range(d) if cause is None else [column_place(called, "cause", cause)]
    targets = range(d) if effect is None else [column_place(called, "effect", effect)]
    pairs = [(x, y) for x in sources for y in targets if x != y]
    if not pairs:
        raise InputError("effect: it is the cause; name another column")
    found = distributions(weighted_dags(resamples, d), pairs, data)
    frame = effects_frame(called, pairs, found, level)
    strength = frame["share"] * np.abs(frame["median"])
    return frame.loc[strength.sort_values(ascending=False, kind="stable").index].reset_index(
        drop=True
    )
