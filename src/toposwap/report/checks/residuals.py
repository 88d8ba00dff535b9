r"""What the graph leaves unexplained in each column, row by row.

.. math:: e_{rj} = x_{rj} - \hat f_j(x_{r,\text{parents}})

For straight lines :math:`\hat f` is least squares on the parents in the pruned graph, with as many
decimals as the triangular factor has; for everything else it is the model's own predictor. Rows
with gaps, and rows in which something was set from outside, are left out; where there are any, the
predictor speaks for lines too, as the factor is of all rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.graphs.reachability import reachability
from toposwap.report.forms import is_real, losses_of, slopes
from toposwap.report.graph import _predictor
from toposwap.scores.blocks.model import BlockModel
from toposwap.scores.predictors import LinearModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.estimators.base import DagLearner

#: More rows than this are thinned out: plots and verdicts do not change any more.
MOST_ROWS = 20_000
#: Fewer rows than this, and one for each column, show nothing.
_LEAST_ROWS = 2


@dataclass(frozen=True, eq=False)
class Residuals:
    """Rows, what the graph makes of them, and what it leaves.

    Attributes
    ----------
    names
        Of the columns.
    rows, fitted, left
        (m, d) each; ``left`` is ``rows - fitted``.
    edges
        The pruned graph, (d, d).
    lines
        Columns that are straight lines of their parents with real noise, (d,).
    real
        Columns with real noise, (d,): residuals of others are no sample of one distribution.
    n
        Rows behind the model; ``rows`` may be some of them.
    all_alike
        Whether no row was left out for a gap or an intervention.
    """

    names: tuple[str, ...]
    rows: NDArray[np.float64]
    fitted: NDArray[np.float64]
    left: NDArray[np.float64]
    edges: NDArray[np.bool_]
    lines: NDArray[np.bool_]
    real: NDArray[np.bool_]
    n: int
    all_alike: bool = True

    @property
    def standard(self) -> NDArray[np.float64]:
        """The residuals of each column about their mean, over their deviation, (m, d)."""
        centred = self.left - self.left.mean(axis=0)
        deviation = centred.std(axis=0)
        return centred / np.where(deviation > 0.0, deviation, 1.0)

    @property
    def descendants(self) -> NDArray[np.bool_]:
        """``[i, j]``: a directed path leads from i to j, (d, d)."""
        reached = reachability(self.edges)
        np.fill_diagonal(reached, val=False)
        return reached


def residuals_of(model: DagLearner, data: Dataset | None) -> Residuals | None:
    """Of a fitted model on its data; None where there are no rows or no predictions."""
    if data is None or data.rows is None or of_categories(model):
        return None
    edges = model.adjacency_matrix_ != 0.0
    usable = np.isfinite(data.rows).all(axis=1)
    done = getattr(data, "interventions", None)
    if done is not None:
        usable &= ~done.targets.any(axis=1)
    alike = bool(usable.all())
    rows = data.rows if alike else data.rows[usable]
    if len(rows) < _LEAST_ROWS + len(edges):
        return None
    if len(rows) > MOST_ROWS:
        rows = rows[:: -(-len(rows) // MOST_ROWS)]
    lines, real = column_forms(model)
    # Numbers of categories are names: what is left of them is no sample of one distribution.
    real = real & (lines | np.array([known.kind.name != "categorical" for known in data.kinds]))
    fitted = np.empty_like(rows)
    by_factor = lines if alike else np.zeros_like(lines)
    if by_factor.any():
        weights, intercepts = lines_on_parents(data, edges & lines)
        fitted[:, lines] = (rows @ weights + intercepts)[:, lines]
    if not by_factor.all():
        predictor = _predictor(model)
        if predictor is None or not callable(predictor):
            return None
        values = np.asarray(predictor(rows))
        if values.shape != rows.shape:
            return None
        fitted[:, ~by_factor] = values[:, ~by_factor]
    return Residuals(data.names, rows, fitted, rows - fitted, edges, lines, real, data.n, alike)


def of_categories(model: DagLearner) -> bool:
    """Whether the model gives probabilities of values, which leave no residuals."""
    return hasattr(_predictor(model), "probabilities")


def column_forms(model: DagLearner) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Columns that are straight lines of their parents, and columns with real noise, (d,) each."""
    predictor = _predictor(model)
    real = np.array([is_real(loss) for loss in losses_of(model)])
    linear = type(predictor) is LinearModel or (
        predictor is None and getattr(model, "linear", False)
    )
    if isinstance(predictor, BlockModel):
        # A column whose causes are all numbers is a line of them.
        return real & (slopes(model) | (model.adjacency_matrix_ == 0.0)).all(axis=0), real
    return real & linear, real


def lines_on_parents(
    data: Dataset, edges: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Least squares of each column on its parents: weights (d, d) and intercepts (d,)."""
    unit = data.factor / data.deviations
    size = data.deviations * data.scale
    weights = np.zeros((data.d, data.d))
    for j in range(data.d):
        parents = np.flatnonzero(edges[:, j])
        if parents.size:
            found = np.linalg.lstsq(unit[:, parents], unit[:, j], rcond=None)[0]
            weights[parents, j] = found * size[j] / size[parents]
    return weights, data.mean - data.mean @ weights
