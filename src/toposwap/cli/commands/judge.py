"""Somebody's weights on some data: their score and their certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposwap.certificate import Certificate, certify
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.graph import topological_order
from toposwap.core.weights import as_weights

if TYPE_CHECKING:
    import pandas as pd

    from toposwap.cli.options.learning import Scoring
    from toposwap.core.table import NumberTable
    from toposwap.scores import Point


@dataclass(frozen=True, eq=False)
class Judged:
    """Q and its derivatives at the weights, the verdict, and whether they are a DAG's.

    ``score_name`` is what Q is called and ``choices`` what was chosen by looking at the data.
    """

    point: Point
    certificate: Certificate
    acyclic: bool
    score_name: str
    choices: tuple[str, ...]


def judge(
    weights: pd.DataFrame,
    frame: NumberTable | pd.DataFrame,
    scoring: Scoring,
    tolerance: float | None = None,
) -> Judged:
    """Evaluate ``weights`` (d, d) on the table ``frame`` (n, d), as they are."""
    score = scoring.build()
    data = Dataset.from_table(frame, center=scoring.center)
    if score.edge_blocks:
        raise InputError(
            f"--score {scoring.score}: an edge has a block of parameters, which weights do not "
            "determine, so there is nothing to check; 'toposwap refine' starts from their order"
        )
    bound = score.bind(data)
    point = bound.evaluate(as_weights(weights, data.names))
    certificate = certify(
        point,
        convex=bound.score.convex,
        separable=bound.score.separable,
        tolerance=bound.tolerance if tolerance is None else tolerance,
    )
    acyclic = topological_order(point.weights != 0.0) is not None
    return Judged(point, certificate, acyclic, bound.score.name, bound.choices)
