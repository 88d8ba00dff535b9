"""What the weight of an edge is a change of: the scale of its effect, and whether it is a slope."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.report.graph import _predictor
from toposwap.scores.blocks.columns import NumberColumn
from toposwap.scores.blocks.model import BlockModel
from toposwap.scores.predictors import LinearModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.estimators.base import DagLearner

#: What the causes of a column add to, by the name of its loss; of others to the column itself.
SCALES = {
    "logistic": "log odds of",
    "poisson": "log of the mean of",
    "cumulative": "log odds of a higher",
    "multinomial": "chances of",
}


def losses_of(model: DagLearner) -> list[object | None]:
    """The loss of each column, None where the model has none but squares."""
    predictor, d = _predictor(model), len(model.names_)
    losses = getattr(predictor, "losses", None)
    if losses is None:
        losses = getattr(getattr(predictor, "densities", None), "losses", None)
    return list(losses) if losses is not None and len(losses) == d else [None] * d


def is_real(loss: object | None) -> bool:
    """Whether a column with this loss has real noise, and not a few values or counts."""
    return not getattr(loss, "discrete", False) and getattr(loss, "name", "") not in SCALES


def scale_of(loss: object | None) -> str | None:
    """What the causes of a column with this loss add to; None for the column itself."""
    if is_real(loss):
        return None
    return SCALES.get(getattr(loss, "name", ""), "predictor of")


def slopes(model: DagLearner) -> NDArray[np.bool_]:
    """Edges whose weight is a change for a unit of the cause, (d, d); the others' is a size."""
    predictor = _predictor(model)
    found = model.adjacency_matrix_ != 0.0
    if isinstance(predictor, BlockModel):
        numbers = np.array([isinstance(column, NumberColumn) for column in predictor.columns])
        single = np.array(
            [getattr(node.loss, "name", "") != "multinomial" for node in predictor.nodes]
        )
        return np.asarray(found & numbers[:, None] & single)
    linear = isinstance(predictor, LinearModel) or (
        predictor is None and getattr(model, "linear", False)
    )
    return np.asarray(found & linear)
