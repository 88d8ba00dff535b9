"""Which directions of a fitted graph its score leaves open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.losses import GaussianLoss
from toposwap.metrics.meek import orient
from toposwap.penalties import BIC, EBIC, L0
from toposwap.scores.predictors import LinearModel
from toposwap.scores.settings import penalty_settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Penalties that count edges, whatever their coefficients.
_L0 = {penalty.name for penalty in (L0, BIC, EBIC)}


def undecided_class(model: Any) -> NDArray[np.bool_]:
    """The DAGs that the score of a fitted model cannot tell from its graph, as one graph (d, d).

    Both directions where the edge is open; the graph itself for a score that tells the members of a
    Markov equivalence class apart. Where columns have losses of their own, those members have the
    same score that differ between Gaussian columns only: any two such are joined by turning edges
    i -> j of which the other parents agree, and those terms of i and j are the two ways to write
    one joint density.
    """
    edges = model.adjacency_matrix_ != 0.0
    if model.result_.equivalent:
        return np.asarray(model.cpdag_)
    gaussian = gaussian_columns(model)
    if not gaussian.any():
        return np.asarray(edges)
    return orient(model.cpdag_, edges & ~(gaussian[:, None] & gaussian))


def gaussian_columns(model: Any) -> NDArray[np.bool_]:
    """Columns with the Gaussian likelihood and an L0 penalty beside columns with others, (d,)."""
    predictor = model.result_.pruned.predictor
    losses = getattr(predictor, "losses", None)
    settings = penalty_settings(getattr(model, "score", None), model.result_.score_name)
    counts_edges = model.result_.pruned.refitted or (settings or {}).get("name") in _L0
    if losses is None or not counts_edges or not isinstance(predictor, LinearModel):
        return np.zeros(len(model.names_), dtype=bool)
    return np.array([isinstance(loss, GaussianLoss) for loss in losses])
