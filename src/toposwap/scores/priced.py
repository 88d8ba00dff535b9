"""Scores with a price per edge, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.errors import InputError
from toposwap.scores.base import Score
from toposwap.scores.dependence import refuse_dependent
from toposwap.scores.pooled import BoundPooled
from toposwap.scores.subset import BoundSubset

if TYPE_CHECKING:
    from toposwap.dataset import Dataset


class BIC(Score):
    r"""The Bayesian information criterion of linear Gaussian models, each node with its variance.

    .. math:: Q(W) = \tfrac12 \sum_j \log \lVert x_j - X w_j \rVert^2 + \lambda \lVert W \rVert_0,
              \qquad \lambda = \frac{\text{factor} \log n + 4 \gamma \log d}{2 n}

    so that :math:`2 n Q = \sum_j n \log \lVert x_j - X w_j \rVert^2 + \text{factor} \log n \cdot
    \text{edges}`. It does not depend on the units of any column, and cannot tell apart the members
    of a Markov equivalence class: read the directions off the CPDAG.

    Parameters
    ----------
    factor
        Weight of log n.
    gamma
        Weight of the extended criterion's log d; 0 for the ordinary one.
    max_parents
        The most parents a node may have.
    """

    name: ClassVar[str] = "bic"
    equivalent: ClassVar[bool] = True
    convex: ClassVar[bool] = False
    separable: ClassVar[bool] = True
    selects_edges: ClassVar[bool] = True

    def __init__(
        self, factor: float = 2.0, gamma: float = 0.0, max_parents: int | None = None
    ) -> None:
        self.factor = factor
        self.gamma = gamma
        self.max_parents = max_parents

    def bind(self, data: Dataset) -> BoundSubset:
        """Resolve the price of an edge for n rows and d columns."""
        if data.n > data.d:
            # With a twin at hand a node's likelihood has no bound.
            refuse_dependent(data, data.factor, data.rounding, "use score='equal-variance-l0'")
        return BoundSubset(self, data, True, self.price(data), self.max_parents)

    def price(self, data: Dataset) -> float:
        """lambda, checked."""
        for name in ("factor", "gamma"):
            value = getattr(self, name)
            if not isinstance(value, int | float | np.number) or not 0.0 <= value < np.inf:
                raise InputError(f"{name}: must be a number >= 0, got {value!r}")
        most = self.max_parents
        if most is not None and (not isinstance(most, int | np.integer) or most < 1):
            raise InputError(f"max_parents: must be a whole number >= 1, got {most!r}")
        price = (self.factor * np.log(data.n) + 4.0 * self.gamma * np.log(data.d)) / (2 * data.n)
        if price <= 0.0:
            raise InputError("factor and gamma: an edge must cost something, but both are 0")
        return float(price)


class EqualVarianceBIC(BIC):
    r"""The same criterion when all noise variances are equal, which identifies every direction.

    .. math:: Q(W) = \tfrac d2 \log \lVert X - X W \rVert_F^2 + \lambda \lVert W \rVert_0

    Like least squares it trusts the units of the columns.
    """

    name: ClassVar[str] = "equal-variance-l0"
    scale_dependent: ClassVar[bool] = True
    equivalent: ClassVar[bool] = False
    separable: ClassVar[bool] = False

    def bind(self, data: Dataset) -> BoundPooled:
        """Resolve the price of an edge for n rows and d columns."""
        return BoundPooled(self, data, self.price(data), self.max_parents)
