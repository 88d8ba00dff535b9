"""From data to a certified order: the steps that every use of the package shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.certificate import certify
from toposwap.errors import InputError
from toposwap.result import Result
from toposwap.search.base import run
from toposwap.search.start import INITS, starting_order

if TYPE_CHECKING:
    from toposwap.dataset import Dataset
    from toposwap.scores import Score
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
) -> Result:
    """Bind, start, search, certify.

    The certificate does not trust the fit: it evaluates Q at the weights afresh.
    """
    whole = isinstance(max_iter, (int, np.integer)) and not isinstance(max_iter, bool)
    if max_iter is not None and not (whole and max_iter >= 1):
        raise InputError(
            f"max_iter: must be None or a whole number >= 1, got {max_iter!r}; search='none' stays "
            "at the starting order"
        )
    rng = np.random.default_rng() if rng is None else rng
    bound = score.bind(data)
    if not (isinstance(init, str) and init in INITS):
        from toposwap.baselines import resolve_start

        init = resolve_start(init, data, rng)
    order, remark = starting_order(init, data, rng)
    fit = bound.fit(order)
    history, status = run(search, fit, data.names, rng=rng, progress=progress, max_iter=max_iter)
    order, parameters = fit.order, fit.parameters()
    # The tables of the fit are the largest thing held, and no longer needed.
    del fit
    point = bound.evaluate(parameters)
    return Result(
        names=data.names,
        weights=np.ascontiguousarray(point.weights),
        order=order,
        score=point.value,
        loss=point.value - point.penalty,
        status=status,
        certificate=certify(point, convex=score.convex, tolerance=bound.tolerance),
        history=tuple(history),
        equivalent=score.equivalent,
        scale_dependent=score.scale_dependent,
        remarks=(remark,) if remark else (),
        choices=bound.choices,
    )
