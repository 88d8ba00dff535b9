"""Somebody's weights on some data: their score and their certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposwap.certificate import Certificate, certify
from toposwap.dataset import Dataset
from toposwap.dataset.weights import as_weights
from toposwap.errors import InputError
from toposwap.graph import topological_order

if TYPE_CHECKING:
    import pandas as pd

    from toposwap.cli.learning import Scoring
    from toposwap.scores import Point


@dataclass(frozen=True, eq=False)
class Judged:
    """Q and its derivatives at the weights, the verdict, and whether they are a DAG's."""

    point: Point
    certificate: Certificate
    acyclic: bool


def judge(
    weights: pd.DataFrame, frame: pd.DataFrame, scoring: Scoring, tolerance: float | None = None
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
        convex=score.convex,
        tolerance=bound.tolerance if tolerance is None else tolerance,
    )
    return Judged(point, certificate, topological_order(point.weights != 0.0) is not None)
