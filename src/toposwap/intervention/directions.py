"""Which directions of a fitted graph its score leaves open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.losses import GaussianLoss, LogisticLoss, MultinomialLoss
from toposwap.metrics.directions import undecided_graphs
from toposwap.penalties import BIC, EBIC, L0
from toposwap.scores.blocks.model import BlockModel
from toposwap.scores.predictors import LinearModel
from toposwap.scores.settings import penalty_settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Penalties that count edges, whatever their coefficients.
_L0 = {penalty.name for penalty in (L0, BIC, EBIC)}


def undecided_class(model: Any) -> NDArray[np.bool_]:
    """The DAGs that the score of a fitted model cannot tell from its graph, as one graph (d, d).

    Both directions where the edge is open, see
    :func:`~toposwap.metrics.directions.undecided_graphs`.
    """
    result = model.result_
    return np.asarray(
        undecided_graphs(
            model.adjacency_matrix_ != 0.0,
            result.admissible,
            None if result.environments is None else result.environments.sets,
            equivalent=result.equivalent,
            gaussian=gaussian_columns(model),
            nominal=nominal_columns(model),
        )
    )


def gaussian_columns(model: Any) -> NDArray[np.bool_]:
    """Columns with the Gaussian likelihood and an L0 penalty beside columns with others, (d,)."""
    predictor = model.result_.pruned.predictor
    losses = getattr(predictor, "losses", None)
    settings = penalty_settings(getattr(model, "score", None), model.result_.score_name)
    counts_edges = model.result_.pruned.refitted or (settings or {}).get("name") in _L0
    if losses is None or not counts_edges or not isinstance(predictor, LinearModel | BlockModel):
        return np.zeros(len(model.names_), dtype=bool)
    return np.array([isinstance(loss, GaussianLoss) for loss in losses])


def nominal_columns(model: Any) -> NDArray[np.bool_]:
    """Categories, of two or more values, in a model with blocks for them, (d,)."""
    predictor = model.result_.pruned.predictor
    if not isinstance(predictor, BlockModel):
        return np.zeros(len(model.names_), dtype=bool)
    return np.array(
        [isinstance(loss, LogisticLoss | MultinomialLoss) for loss in predictor.losses], dtype=bool
    )
