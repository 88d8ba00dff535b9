"""Somebody's weights on some data: their score and their certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.assess import Assessment, assess
from toposwap.core.errors import InputError
from toposwap.core.weights import as_weights
from toposwap.estimators import Topo
from toposwap.estimators.functions import judged_data

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from numpy.typing import NDArray

    from toposwap.cli.options.learning import Scoring
    from toposwap.core.table import NumberTable
    from toposwap.knowledge import Knowledge


def judge(
    weights: pd.DataFrame,
    frame: NumberTable | pd.DataFrame,
    scoring: Scoring,
    kinds: Mapping[str, str],
    tolerance: float | None = None,
    knowledge: Knowledge | None = None,
    sample_weight: NDArray[np.float64] | None = None,
    missing: str = "error",
) -> Assessment:
    """Evaluate ``weights`` (d, d) on the table ``frame`` (n, d), as they are.

    ``kinds`` are what the user says about columns. With ``knowledge`` the conditions are those of
    the problem with it. ``missing`` says what becomes of gaps.
    """
    score = scoring.build()
    if score.edge_blocks:
        raise InputError(
            f"--score {scoring.score}: an edge has a block of parameters, which weights do not "
            "determine, so there is nothing to check; 'toposwap refine' starts from their order"
        )
    model = Topo(center=scoring.center, kinds=kinds, missing=missing)
    data = judged_data(weights, model, score, frame, sample_weight)
    bound = score.bind(score.suited(data))
    if knowledge is not None:
        bound.admissible = knowledge.on(data.names)
    # What overflows is refused below, in words.
    with np.errstate(over="ignore", invalid="ignore"):
        judged = assess(bound, as_weights(weights, data.names), tolerance=tolerance)
    if not np.isfinite(judged.point.value):
        raise InputError(
            "the score of these weights overflows: they are too large for the columns they belong "
            "to; are they in the units of the data?"
        )
    return judged
