"""Somebody's weights on some data: their score and their certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.assess import Assessment, assess
from toposwap.core.admissible import EVERYTHING
from toposwap.core.errors import InputError
from toposwap.core.tables.own_rows import identified
from toposwap.core.weights import as_weights
from toposwap.estimators import Topo
from toposwap.estimators.functions import judged_data

if TYPE_CHECKING:
    import pandas as pd

    from toposwap.cli.options.learning import Scoring
    from toposwap.cli.options.reading import Chosen, Reading
    from toposwap.knowledge import Knowledge


def judge(
    weights: pd.DataFrame,
    chosen: Chosen,
    reading: Reading,
    scoring: Scoring,
    tolerance: float | None = None,
    knowledge: Knowledge | None = None,
) -> Assessment:
    """Evaluate ``weights`` (d, d) on the table that was ``chosen`` (n, d), as they are.

    ``reading`` is what the user says about columns and rows. With ``knowledge`` the conditions are
    those of the problem with it.
    """
    score = scoring.build()
    model = Topo(
        center=scoring.center,
        kinds=reading.known_kinds(chosen.frame),
        missing=reading.missing,
        intervention_kind=reading.intervening.kind,
    )
    data = judged_data(weights, model, score, chosen.frame, chosen.weights, chosen.interventions)
    bound = score.bind(score.suited(data))
    # Which score "auto" is, the table tells.
    if bound.score.edge_blocks:
        raise InputError(
            f"--score {bound.score.name}: an edge has a block of parameters, which weights do not "
            "determine, so there is nothing to check; 'toposwap refine' starts from their order"
        )
    told = EVERYTHING if knowledge is None else knowledge.on(data.names)
    bound.admissible = identified(data, told)
    # What overflows is refused below, in words.
    with np.errstate(over="ignore", invalid="ignore"):
        judged = assess(bound, as_weights(weights, data.names), tolerance=tolerance)
    if not np.isfinite(judged.point.value):
        raise InputError(
            "the score of these weights overflows: they are too large for the columns they belong "
            "to; are they in the units of the data?"
        )
    return judged
