"""Settings of a fit, drawn from the registries and from the signature of ``Topo``.

A score, search, pruner, baseline or acyclicity function is drawn as soon as it is registered. A new
parameter of ``Topo``, or a new setting of a score, needs a generator here; ``tests/fuzz`` fails
without one.
"""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzz.draws import weights_of
from fuzz.knowledge import draw_knowledge
from fuzz.scores import draw_score
from toposwap import Order, Topo
from toposwap.acyclicity import ACYCLICITIES
from toposwap.baselines import BASELINES
from toposwap.checkpoint import Checkpoint
from toposwap.core.kinds import KINDS
from toposwap.estimators.topo import OF_SEARCHES
from toposwap.missing import EM, MISSING, Impute
from toposwap.pruning import NAMES as PRUNE_NAMES
from toposwap.pruning import PRUNERS
from toposwap.search import SEARCHES, Search
from toposwap.search.start import INITS

if TYPE_CHECKING:
    from fuzz.draws import Draw
    from fuzz.tables import Table

    Generator = Callable[[Draw, Table], Any]

#: How often something that no parameter takes is drawn in place of a value that it does.
WRONG = 0.01
_WRONG: tuple[Any, ...] = (
    -1, 0, 0.5, "", "no such name", float("nan"), float("inf"), [], {}, True, b"x", np.int64(-3),
    object(), (1, 2), 1e400, 10**30,
)  # fmt: skip
_SEARCHES = {"auto": 55.0, "paper": 15.0, "insertion": 12.0, "exact": 8.0, "none": 10.0}
#: Learners of other packages take long, and what they print is theirs. Those of ours have published
#: tolerances, which columns that nearly determine each other take minutes to meet, and a budget.
_BASELINES = dict.fromkeys(("notears", "golem-ev", "golem-nv", "kkts"), 10.0) | {"notears-mlp": 1.0}
#: Columns up to which all orders, or all sets of parents, are tried in no time.
_MOST_EXACT = 7
#: Restarts beyond which a search takes what it takes, and gets a budget.
_MOST_RESTARTS = 1000


def draw_settings(draw: Draw, table: Table, *, most: float) -> tuple[dict[str, Any], str | None]:
    """Arguments of ``Topo`` but the score; those that keep their default are left out.

    With more than ``most`` columns there is a budget: a nonconvex penalty on more columns than rows
    takes minutes there, and the budget's promise is what can be held to.

    Also the name of the one that has a value which may be wrong, None where all are right.
    """
    settings: dict[str, Any] = {}
    for name in inspect.signature(Topo).parameters:
        if name == "score" or name not in GENERATORS:
            # The table is drawn for the score, which therefore comes first (fuzz/scores.py).
            continue
        generator, probability = GENERATORS[name]
        if draw.chance(probability):
            settings[name] = generator(draw, table)
    if isinstance(settings.get("search"), Search):
        # An object has its settings; more of them are refused, which one test knows.
        for name in OF_SEARCHES:
            settings.pop(name, None)
    if table.shape[1] > most:
        settings.setdefault("time_budget", draw.among([1, 5]))
    if settings.get("missing", "error") not in ("error", "drop"):
        # Refused where there are gaps.
        settings.pop("checkpoint", None)
    wrong = None
    if draw.chance(WRONG):
        value, wrong = draw.among(_WRONG), draw.among(list(GENERATORS))
        # Any text is the name of a file.
        settings[wrong] = "" if wrong == "checkpoint" and isinstance(value, str) else value
    restarts = settings.get("n_restarts", 0)
    if isinstance(restarts, int) and restarts > _MOST_RESTARTS:
        settings.setdefault("time_budget", 1)
    init = settings.get("init")
    if isinstance(init, str) and init in _BASELINES:
        settings.setdefault("time_budget", 5)
    return settings, wrong


def _search(draw: Draw, table: Table) -> Any:
    weights = weights_of(SEARCHES, _SEARCHES)
    if table.shape[1] > _MOST_EXACT:
        weights["exact"] = 0.05
    name = draw.weighed(weights)
    return SEARCHES[name]() if draw.chance(0.1) else name


def _init(draw: Draw, table: Table) -> Any:
    n, d = table.shape
    rng = draw.rng
    kind = draw.weighed(
        {"name": 50.0, "order": 20.0, "weights": 20.0, "learner": 3.0, "wrong": 2.0}
    )
    if kind == "name":
        return draw.among(INITS)
    order = rng.permutation(d)
    if kind == "order":
        named = [table.names[k] for k in order]
        return draw.among([order, order.tolist(), tuple(order.tolist()), Order(order), named])
    if kind == "weights":
        W = rng.standard_normal((d, d)) * (rng.random((d, d)) < 0.5)
        if draw.chance(0.6):
            W = np.triu(W, 1)
        return draw.among([W, W.tolist(), np.triu(W, 1) * 1e150, W * 1e-200])
    if kind == "learner":
        # Peers of other packages have a column's worth of seconds and print what they like.
        name = draw.weighed({k: _BASELINES.get(k, 0.3) for k in BASELINES})
        return name if n * d <= 600 else "variance"
    return draw.among(
        [[0] * d, [0, 1, 1], order[:-1], np.eye(d), np.full((d, d), np.nan), [1.5] * d, "x0", None]
    )


def _prune(draw: Draw, _table: Table) -> Any:
    kind = draw.weighed({"name": 40.0, "none": 15.0, "number": 25.0, "pruner": 20.0})
    if kind == "name":
        return draw.among(PRUNE_NAMES)
    if kind == "none":
        return None
    if kind == "number":
        return draw.among([0, 0.0, 0.1, 0.3, 1, 1e9, 1e-9, np.float32(0.2)])
    return PRUNERS[draw.among(list(PRUNERS))]()


def _kinds(draw: Draw, table: Table) -> Any:
    chosen = draw.some(table.names, 0.4)
    return {name: draw.among(list(KINDS)) for name in chosen} | (
        {draw.among(["x*", "*"]): draw.among(list(KINDS))} if draw.chance(0.1) else {}
    )


def _missing(draw: Draw, table: Table) -> Any:
    if not np.isnan(table.values).any():
        return draw.among([*["error"] * 12, "drop", "em", "impute"])
    # Every draw is one more fit, which slow scores need not show again.
    few = Impute(draws=2, rounds=2)
    return draw.among([*MISSING, "em", "em", "drop", few, few, EM()])


def _random_state(draw: Draw, _table: Table) -> Any:
    number = draw.whole(0, 10**6)
    return draw.among([number, np.random.default_rng(number), np.int64(number)])


def _time_budget(draw: Draw, _table: Table) -> Any:
    return draw.among([0, 0.0, 1e-6, 0.01, 0.05, 0.2, 1])


def _progress(_draw: Draw, _table: Table) -> Any:
    return [].append


def _sizes(draw: Draw, _table: Table) -> int:
    return draw.among([0, 1, 2, 5, 30, 10**6])


#: Removed with the process.
_FOLDER = tempfile.TemporaryDirectory(prefix="toposwap-fuzz-")


def _checkpoint(_draw: Draw, _table: Table) -> Any:
    return Checkpoint(tempfile.mktemp(dir=_FOLDER.name), every=0)


#: For each parameter of ``Topo`` how a value is drawn, and how often one is.
GENERATORS: dict[str, tuple[Generator, float]] = {
    "score": (lambda draw, table: draw_score(draw).make(table), 0.0),
    "search": (_search, 0.6),
    "init": (_init, 0.4),
    "acyclicity": (lambda draw, _table: draw.among(list(ACYCLICITIES)), 0.15),
    "s_small": (_sizes, 0.05),
    "s_large": (_sizes, 0.05),
    "s_0": (_sizes, 0.05),
    "greedy": (lambda _draw, _table: True, 0.1),
    "prune": (_prune, 0.4),
    "knowledge": (draw_knowledge, 0.2),
    "center": (lambda draw, _table: draw.among([False, False, np.bool_(False), True]), 0.15),
    "kinds": (_kinds, 0.1),
    "missing": (_missing, 1.0),
    "intervention_kind": (lambda draw, _table: draw.among(["perfect", "shift"]), 0.2),
    "random_state": (_random_state, 0.3),
    "n_restarts": (lambda draw, _table: draw.whole(0, 6), 0.25),
    "time_budget": (_time_budget, 0.08),
    "n_jobs": (lambda draw, _table: draw.among([1, 2, -1, 3]), 0.06),
    "max_iter": (lambda draw, _table: draw.among([1, 2, 5, 100]), 0.08),
    "checkpoint": (_checkpoint, 0.05),
    "progress": (_progress, 0.08),
}
