"""From data to a certified order: the steps that every use of the package shares."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.certificate import certify
from toposwap.core.errors import InputError
from toposwap.core.graph import topological_order
from toposwap.core.order import Order
from toposwap.pruning.threshold import BY_BIC
from toposwap.result import Pruned, Result
from toposwap.search.base import run
from toposwap.search.ctrl_c import CtrlC
from toposwap.search.local import AutoSearch
from toposwap.search.start import INITS, automatic_fit, starting_order

if TYPE_CHECKING:
    from toposwap.core.dataset import Dataset
    from toposwap.scores import BoundScore, Score
    from toposwap.scores.base import Predictor
    from toposwap.search import Progress, Search


def learn(
    data: Dataset,
    score: Score,
    search: Search,
    init: Any = "auto",
    *,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
    max_iter: int | None = None,
    prune: str | None = None,
) -> Result:
    """Bind, start, search, certify, and ``prune``.

    That is by the score's own rule if it has one ("auto") or by an L0 penalty ("bic"). The
    certificate does not trust the fit: it evaluates Q at the weights afresh.
    """
    whole = isinstance(max_iter, (int, np.integer)) and not isinstance(max_iter, bool)
    if max_iter is not None and not (whole and max_iter >= 1):
        raise InputError(
            f"max_iter: must be None or a whole number >= 1, got {max_iter!r}; search='none' stays "
            "at the starting order"
        )
    search, began = search.after(0.0), time.perf_counter()
    rng = np.random.default_rng() if rng is None else rng
    bound = score.bind(data)
    # Perhaps another: the one that ``score`` chose for these data.
    score = bound.score
    if prune == BY_BIC and score.with_l0() is None:
        own = ", which has a rule of its own: prune='auto'" if bound.pruning else ""
        raise InputError(f"prune: no L0 penalty goes with the score {score.name}{own}")
    if not (isinstance(init, str) and init in INITS):
        from toposwap.baselines import resolve_start

        init = resolve_start(init, data, rng)
    remark, interrupted = None, False
    if isinstance(init, str) and init == "auto":
        fit, interrupted = automatic_fit(bound, rng, search.time_budget, progress)
    else:
        order, remark = starting_order(init, data, rng)
        fit = bound.fit(order)
    search = search.after(time.perf_counter() - began)
    if interrupted:
        max_iter = 0
    history, status = run(search, fit, data.names, rng=rng, progress=progress, max_iter=max_iter)
    if interrupted:
        status = "interrupted"
    order, parameters = fit.order, fit.parameters()
    # The tables of the fit are the largest thing held, and no longer needed.
    del fit
    point = bound.evaluate(parameters)
    remarks = ((remark,) if remark else ()) + bound.remarks
    pruned = None
    if prune is not None:
        with CtrlC() as ctrl_c:
            try:
                if prune == BY_BIC:
                    pruned = _by_bic(bound, order, rng)
                else:
                    pruned = _pruned(bound, parameters, order, rng)
            except BaseException as error:
                if not ctrl_c.caused(error):
                    raise
                remarks += (
                    "pruning was interrupted: edges are kept by the size of their weights alone",
                )
    return Result(
        names=data.names,
        weights=np.ascontiguousarray(point.weights),
        order=order,
        score=point.value,
        loss=point.value - point.penalty,
        status=status,
        certificate=certify(
            point, convex=score.convex, tolerance=bound.tolerance, separable=score.separable
        ),
        history=tuple(history),
        equivalent=score.equivalent if pruned is None else pruned.equivalent,
        scale_dependent=score.scale_dependent,
        remarks=remarks,
        choices=bound.choices,
        score_name=score.name,
        parameters=parameters,
        predictor=_predictor(bound, parameters),
        pruned=pruned,
    )


def _predictor(bound: BoundScore, parameters: Any) -> Predictor | None:
    """None for a score that makes no predictions; that is an error when somebody asks for them."""
    try:
        return bound.predictor(parameters)
    except NotImplementedError:
        return None


def _pruned(
    bound: BoundScore, parameters: Any, order: Order, rng: np.random.Generator
) -> Pruned | None:
    fewer = bound.pruned(parameters, order, rng)
    if fewer is None:
        return None
    weights = np.ascontiguousarray(bound.weights(fewer))
    variables = topological_order(weights != 0.0, order.variables)
    assert variables is not None
    predictor = _predictor(bound, fewer)
    return Pruned(weights, Order(variables), fewer, predictor, bound.pruning)


def _by_bic(bound: BoundScore, order: Order, rng: np.random.Generator) -> Pruned:
    evaluated = bound.score.with_l0()
    assert evaluated is not None
    found = learn(bound.data, evaluated, AutoSearch(n_restarts=0), list(order), rng=rng)
    rule = f"an L0 penalty ({found.score_name}), which may turn edges"
    return Pruned(
        found.weights, found.order, found.parameters, found.predictor, rule, evaluated.equivalent
    )
