r"""What speaks for each edge, the graph being given.

Of lines, by least squares of an effect j on its p parents P,

.. math:: t_{ij} = w_{ij} / s_{ij}, \qquad
   s_{ij}^2 = \hat\sigma_j^2 \, [(X_P^\top X_P)^{-1}]_{ii}, \qquad
   \Delta_{ij} = n \log\bigl(1 + t_{ij}^2 / (n - p - 1)\bigr) :

the interval is :math:`w_{ij} \pm t_{0.975} s_{ij}`, and :math:`\Delta` is by how much twice the
log-likelihood falls without the edge, all other edges staying. Of effects that are counts, have two
values, or are ratings or categories, and of causes that are categories, the same by the likelihood
of the effect (:mod:`~toposwap.scores.blocks.information`). A block :math:`\theta` of several
coefficients has its length for a weight. With u its direction,

.. math:: \sqrt{\lVert\hat\theta\rVert^2 - (\operatorname{tr} \Sigma - u^\top \Sigma u)}
          \;\pm\; z_{0.975} \sqrt{u^\top \Sigma u} ,

never below zero: what is subtracted is by how much errors across u lengthen it on average.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toposwap.losses import GaussianLoss, LogisticLoss, PoissonLoss
from toposwap.losses.multinomial import MultinomialLoss
from toposwap.report.graph import _predictor
from toposwap.scores.blocks.columns import LevelColumns
from toposwap.scores.blocks.information import BlockEstimate, block_estimates
from toposwap.scores.blocks.model import BlockModel
from toposwap.scores.blocks.score import RIDGE
from toposwap.scores.predictors import LinearModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.estimators.base import DagLearner
    from toposwap.scores.blocks.model import NodeLoss

    Floats = NDArray[np.float64]

#: The share that an interval leaves out on both sides together.
_LEFT_OUT = 0.05
#: Multiplications beyond which nothing is fitted again for the sake of a report.
_MOST_WORK = 2e10
#: Newton's steps of a fit that begins next to its end.
_STEPS = 5
#: Values of cause and effect, multiplied, up to which a block is told value by value.
_MOST_VALUES = 36
#: Diagonal entries of a triangle below which parents determine each other.
_DEPENDENT = 1e-12


class ByValue(NamedTuple):
    """An edge with a category at one end, value by value; a number has one "value", its unit.

    ``weights`` (k, L) are what each value of the cause adds to each value of the effect, beside
    the average over the rows and, where the effect is a category, over its values; ``errors``
    (k, L) their standard errors.
    """

    cause_values: tuple[Any, ...] | None
    effect_values: tuple[Any, ...] | None
    weights: Floats
    errors: Floats


@dataclass(frozen=True, eq=False)
class Evidence:
    """(d, d) each, NaN where there is no edge or the model does not tell.

    Attributes
    ----------
    weight, error
        Fitted on the parents without a penalty, and its standard error.
    low, high
        The 95 percent interval.
    gain
        By how much twice the log-likelihood falls without the edge.
    parameters
        How many numbers the edge has.
    by_value
        Of edges that are blocks.
    """

    weight: Floats
    error: Floats
    low: Floats
    high: Floats
    gain: Floats
    parameters: Floats
    by_value: dict[tuple[int, int], ByValue] = field(default_factory=dict)

    @classmethod
    def nothing(cls, edges: NDArray[np.bool_]) -> Evidence:
        """Of ``edges`` (d, d), to be filled in."""
        a, b, c, d, e = (np.full(edges.shape, np.nan) for _ in range(5))
        return cls(a, b, c, d, e, np.where(edges, 1.0, np.nan))


def evidence_of(model: DagLearner, data: Dataset | None) -> Evidence | None:
    """Of the pruned graph of a fitted ``model`` on its ``data``.

    None where the model is neither linear nor one of blocks, or where that would take long.
    """
    if data is None:
        return None
    predictor, edges = _predictor(model), model.adjacency_matrix_ != 0.0
    whole = data.rows is not None and bool(np.isfinite(data.rows).all())
    if isinstance(predictor, BlockModel):
        nominal = np.array([isinstance(one, LevelColumns) for one in predictor.columns])
        return _of_blocks(data, nominal, predictor.losses, edges) if whole else None
    losses: list[NodeLoss] = [GaussianLoss()] * data.d
    if isinstance(predictor, LinearModel):
        losses = [_likelihood(loss) for loss in predictor.losses or losses]  # type: ignore[misc]
    elif not (predictor is None and getattr(model, "linear", False)):
        return None
    gaussian = [isinstance(loss, GaussianLoss) for loss in losses]
    if all(gaussian) and data.interventions is None:
        return evidence_of_lines(data, edges)
    done = data.interventions
    if not whole or not data.centered or (done is not None and done.kind != "perfect"):
        return None
    known = np.array([loss is not None for loss in losses])
    found = _of_blocks(data, np.zeros(data.d, dtype=bool), losses, edges & known)
    if found is not None:
        # A line has one number, also where no likelihood tells more about it.
        found.parameters[edges] = 1.0
    return found


def evidence_at_hand(model: DagLearner) -> Evidence | None:
    """:func:`evidence_of` on what the model was fitted to; asked for once.

    None where these are gone.
    """
    kept: tuple[object, Evidence | None] | None = getattr(model, "_evidence", None)
    if kept is None or kept[0] is not model.result_:
        data = getattr(model, "_data", None)
        data = getattr(model, "_moments", None) if data is None else data
        kept = model.result_, evidence_of(model, data)
        model._evidence = kept  # type: ignore[attr-defined]
    return kept[1]


def _likelihood(loss: object) -> NodeLoss | None:
    """The loss whose curvature is an information, None for one that is no likelihood."""
    if getattr(loss, "from_moments", False):
        return GaussianLoss()
    with_intercept = getattr(loss, "intercept", True)
    return loss if isinstance(loss, LogisticLoss | PoissonLoss) and with_intercept else None


def evidence_of_lines(data: Dataset, edges: NDArray[np.bool_]) -> Evidence | None:
    """For ``edges`` (d, d) between numbers with Gaussian noise; None where that takes long."""
    if data.d * float(np.square(edges.sum(axis=0, dtype=float)).sum()) > _MOST_WORK:
        return None
    unit = data.factor / data.deviations
    size = data.deviations * data.scale
    found = Evidence.nothing(edges)
    for j in np.flatnonzero(edges.any(axis=0)):
        parents = np.flatnonzero(edges[:, j])
        free = data.n - parents.size - bool(data.mean.any())
        Q, R = np.linalg.qr(unit[:, parents])
        if free < 1 or np.abs(np.diag(R)).min() < _DEPENDENT:
            continue
        w = np.linalg.solve(R, Q.T @ unit[:, j])
        left = unit[:, j] - unit[:, parents] @ w
        inverse = np.linalg.inv(R)
        spread = np.sqrt(float(left @ left) / free * np.einsum("ij,ij->i", inverse, inverse))
        units = size[j] / size[parents]
        margin = spread * _quantile(free)
        found.weight[parents, j], found.error[parents, j] = w * units, spread * units
        found.low[parents, j] = (w - margin) * units
        found.high[parents, j] = (w + margin) * units
        with np.errstate(divide="ignore", over="ignore"):
            found.gain[parents, j] = data.n * np.log1p((w / spread) ** 2 / free)
    return found


def _of_blocks(
    data: Dataset, nominal: NDArray[np.bool_], losses: Sequence[Any], edges: NDArray[np.bool_]
) -> Evidence | None:
    """By the likelihood of each effect; ``nominal`` (d,) are blocks of indicators as causes."""
    if _work(data, nominal, losses, edges) > _MOST_WORK:
        return None
    found = Evidence.nothing(edges)
    for i, j, block in block_estimates(data, nominal, losses, edges, RIDGE / data.n):
        theta, free = block.theta, block.freedom
        reach = _quantile(free)
        found.gain[i, j], found.parameters[i, j] = block.ratio, theta.size
        if theta.size == 1:
            found.weight[i, j] = centre = float(theta[0, 0])
            error, least = float(np.sqrt(block.covariance[0, 0])), -np.inf
        else:
            found.weight[i, j], centre, error = length(theta.T.ravel(), block.covariance)
            least = 0.0
            by_value = _by_value(block)
            if by_value is not None:
                found.by_value[i, j] = by_value
        found.error[i, j] = error
        found.low[i, j] = max(least, centre - reach * error)
        found.high[i, j] = centre + reach * error
    return found


def _quantile(freedom: float) -> float:
    """Student's t at 0.975; the normal one without an end of the degrees of freedom."""
    # Of scipy.special: loading scipy.stats takes longer than most fits.
    from scipy.special import ndtri, stdtrit

    above = 1.0 - _LEFT_OUT / 2.0
    return float(ndtri(above) if np.isinf(freedom) else stdtrit(max(freedom, 1.0), above))


def _work(
    data: Dataset, nominal: NDArray[np.bool_], losses: Sequence[Any], edges: NDArray[np.bool_]
) -> float:
    """Multiplications of all fits, with and without each edge; of Gaussian columns none."""

    def size(v: int) -> int:
        return len(data.coded(v).levels) - 1

    total = 0.0
    for j in np.flatnonzero(edges.any(axis=0)).tolist():
        if isinstance(losses[j], GaussianLoss):
            continue
        parents = np.flatnonzero(edges[:, j]).tolist()
        columns = sum(size(i) if nominal[i] else 1 for i in parents)
        predictors = size(j) if isinstance(losses[j], MultinomialLoss) else 1
        total += (len(parents) + 1) * _STEPS * data.n * (columns * predictors + 1.0) ** 2
    return total


def length(theta: Floats, covariance: Floats) -> tuple[float, float, float]:
    """The length of ``theta`` (k,), what it is without what errors across it add, its error."""
    whole = float(np.sqrt(theta @ theta))
    along = float(theta @ covariance @ theta) / whole**2
    across = float(np.trace(covariance)) - along
    return whole, float(np.sqrt(max(0.0, whole**2 - across))), float(np.sqrt(along))


def _by_value(block: BlockEstimate) -> ByValue | None:
    """A block value by value; None where there are many."""
    causes = None if block.cause is None else block.cause.levels.names
    effects = None if block.effect is None else block.effect.names
    if len(causes or (0,)) * len(effects or (0,)) > _MOST_VALUES:
        return None
    return ByValue(causes, effects, *block.by_value())
