r"""A loss and a penalty make a score.

.. math:: Q(W, b) = \ell(X,\, 1 b^\top + X W) + \sum_{ij} \rho(W_{ij}), \qquad
          X \in \mathbb R^{n \times d},\; W \in \mathbb R^{d \times d},\; b \in \mathbb R^d .

Any loss of :mod:`toposwap.losses` goes with any penalty of :mod:`toposwap.penalties`. All losses
but that of equal variances are sums over columns, :math:`\sum_j \ell_j(x_j, b_j + X w_j)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from toposwap.core.errors import InputError
from toposwap.core.registry import resolve
from toposwap.losses import (
    LOSSES,
    AutoLoss,
    EqualVarianceLoss,
    GaussianLoss,
    LeastSquaresLoss,
    Loss,
    Mixed,
    MomentLoss,
    RowLoss,
)
from toposwap.penalties import (
    BIC,
    L0,
    PENALTIES,
    EdgePenalty,
    NoPenalty,
    Penalty,
    ProximalPenalty,
)
from toposwap.scores.base import BoundScore, Score
from toposwap.scores.dependence import refuse_dependent
from toposwap.scores.l0.bound import BoundL0, checked_max_parents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toposwap.core.dataset import Dataset
    from toposwap.losses import ColumnLoss


class Penalized(Score):
    """loss(X, F) + sum_ij penalty(W_ij), f_j = intercept + X w_j; separable if the loss is.

    ``LogisticLoss(intercept=False)`` is the paper's logistic loss: f_j = X w_j.

    Parameters
    ----------
    loss
        A loss, its name ("least-squares", "gaussian", "equal-variance", "logistic", "poisson",
        "huber"), "auto" to choose by column, or one loss for each column as a list or a mapping
        from names.
    penalty
        A penalty or its name ("none", "l1", "mcp", "scad", "bic", "ebic", "ridge"; "l0" is
        "bic").
    max_parents
        The most parents a node may have, where the penalty is an L0 penalty and the loss
        Gaussian.
    """

    weighs_rows: ClassVar[bool] = True
    uses_interventions: ClassVar[bool] = True

    def __init__(
        self,
        loss: str | Loss | Sequence[ColumnLoss | str] | Mapping[str, ColumnLoss | str] = "auto",
        penalty: str | Penalty = "bic",
        max_parents: int | None = None,
    ) -> None:
        self.loss = as_loss(loss)
        self.penalty: Penalty = resolve("penalty", penalty, PENALTIES, Penalty)
        self.max_parents = max_parents

    @property
    def name(self) -> str:  # type: ignore[override]
        """Loss and penalty; the criteria alone mean the Gaussian likelihood."""
        if self.equivalent and isinstance(self.penalty, BIC):
            return self.penalty.name
        return f"{self.loss.name}-{self.penalty.name}"

    @property
    def convex(self) -> bool:  # type: ignore[override]
        """True iff loss and penalty both are."""
        return self.loss.convex and self.penalty.convex

    @property
    def separable(self) -> bool:  # type: ignore[override]
        """The loss is; penalties always are."""
        return self.loss.separable

    @property
    def selects_edges(self) -> bool:  # type: ignore[override]
        """Whether the penalty sets coefficients to zero; no loss does."""
        return self.penalty.selects_edges

    @property
    def scale_dependent(self) -> bool:  # type: ignore[override]
        """Squares of residuals have units, and so have coefficients that are paid for by size."""
        return self.loss.has_units or (self.penalty.by_size and not self.loss.discrete)

    @property
    def of_moments(self) -> bool:  # type: ignore[override]
        """Whether the losses of all columns are."""
        return self.loss.from_moments

    @property
    def by_kinds(self) -> bool:  # type: ignore[override]
        """The loss "auto"."""
        return isinstance(self.loss, AutoLoss)

    @property
    def equivalent(self) -> bool:  # type: ignore[override]
        """The Gaussian likelihood with an L0 penalty, and not otherwise."""
        return self.loss.equivalent and isinstance(self.penalty, EdgePenalty)

    def bind(self, data: Dataset) -> BoundScore:
        """Find the loss of each column and refuse columns whose solution is not determined."""
        from toposwap.scores.equal_variance.l0 import BoundEqualVarianceL0
        from toposwap.scores.equal_variance.penalized import BoundEqualVariance
        from toposwap.scores.penalized.bound import BoundPenalized

        losses = self.loss.columns(data)
        penalty = self.penalty.bind(data.n, data.d)
        _refuse_unsolvable(data, losses, penalty)
        pooled = isinstance(self.loss, EqualVarianceLoss)
        if pooled and isinstance(penalty, L0):
            return BoundEqualVarianceL0(
                self, data, penalty.weight, checked_max_parents(self.max_parents)
            )
        kinds = {type(loss) for loss in losses}
        if isinstance(penalty, L0) and kinds in ({GaussianLoss}, {LeastSquaresLoss}):
            if GaussianLoss in kinds:
                # With a copy at hand a node's likelihood has no bound.
                _refuse_undetermined(data, unbounded=True, few=True)
            most = checked_max_parents(self.max_parents)
            return BoundL0(self, data, kinds == {GaussianLoss}, penalty.weight, most)
        if self.max_parents is not None:
            raise InputError(
                "max_parents: only a Gaussian loss with an L0 penalty (bic, ebic, L0) can keep "
                "to it; leave it out"
            )
        unbounded = not all(loss.bounded for loss in losses)
        if isinstance(penalty, NoPenalty):
            _refuse_undetermined(data, unbounded=unbounded and data.n > data.d)
        elif unbounded:
            _refuse_undetermined(data, unbounded=True, few=True)
        bound = BoundEqualVariance if pooled else BoundPenalized
        return bound(self, data, losses, penalty)

    def with_l0(self) -> Score:
        """Squares have no BIC: there it is the likelihood of one variance for all."""
        squares = isinstance(self.loss, MomentLoss) and self.loss.has_units
        return Penalized("equal-variance" if squares else self.loss, "bic", self.max_parents)


def as_loss(loss: object) -> Loss:
    """A loss from its name, or one for each column from a list or a mapping."""

    def one(item: object) -> Loss:
        return resolve("loss", item, LOSSES, Loss)

    if isinstance(loss, dict):
        return Mixed({name: one(item) for name, item in loss.items()})  # type: ignore[misc]
    if isinstance(loss, list | tuple):
        return Mixed([one(item) for item in loss])  # type: ignore[misc]
    return one(loss)


def _refuse_unsolvable(data: Dataset, losses: Sequence[ColumnLoss], penalty: Penalty) -> None:
    """A loss and a penalty must be of the kinds that nodes can be solved with."""
    if not isinstance(penalty, L0 | ProximalPenalty):
        raise InputError(
            f"penalty: {penalty!r} has neither a proximal step (subclass ProximalPenalty) nor the "
            "weight of an L0 penalty (bind must give an L0), so no node can be solved with it"
        )
    for name, loss in zip(data.names, losses, strict=True):
        if not isinstance(loss, MomentLoss | RowLoss):
            raise InputError(
                f"loss: {loss!r} of column {name!r} is neither a function of the residual variance "
                "(subclass MomentLoss) nor a sum over rows (subclass RowLoss), so no node can be "
                "solved with it"
            )


def _refuse_undetermined(data: Dataset, *, unbounded: bool, few: bool = False) -> None:
    """No column may be a combination of others, in the rows that count for any node.

    Without a penalty its coefficients would not be determined; the Gaussian likelihood
    (``unbounded``) would have no bound even with one. Where rows are ``few`` they may be fewer than
    columns, which then depend on each other whatever they are.
    """
    remedy = "use the least-squares loss with a penalty" if unbounded else "use l1 or ridge"
    for group in data.own_rows:
        n, moments = group.moments.n, group.moments
        if n > data.d:
            refuse_dependent(moments, moments.factor, moments.rounding, remedy)
        elif not few:
            raise InputError(
                f"{n} rows are too few for {data.d} columns without a penalty (n_samples={n} "
                "must be larger): use one (l1, ridge), fewer columns, or more rows"
            )
