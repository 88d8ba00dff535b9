"""A loss for each column: given, or chosen by looking at the columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.validation import listed
from toposwap.losses.base import ColumnLoss, Loss
from toposwap.losses.gaussian import GaussianLoss
from toposwap.losses.logistic import LogisticLoss
from toposwap.losses.poisson import PoissonLoss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset

#: Counts that get larger than this are taken for measurements: a normal distribution fits them.
_LARGE_COUNT = 50.0
#: With more than this times the variance of Poisson counts, edges would look certain by chance.
_OVERDISPERSED = 2.0


class Mixed(Loss):
    """sum_j loss_j(x_j, f_j): each column has a loss of its own.

    Parameters
    ----------
    losses
        One loss for each column, in order, or a mapping from names to losses that covers all.
    """

    name: ClassVar[str] = "mixed"

    def __init__(self, losses: Sequence[ColumnLoss] | Mapping[str, ColumnLoss]) -> None:
        self.losses = losses
        each = list(losses.values()) if isinstance(losses, Mapping) else list(losses)
        for loss in each:
            if not isinstance(loss, ColumnLoss):
                raise InputError(f"losses: {loss!r} is not the loss of a column")
        self.convex = all(loss.convex for loss in each)
        self.has_units = any(loss.has_units for loss in each)
        self.discrete = all(loss.discrete for loss in each)

    def __repr__(self) -> str:
        return f"Mixed(losses={self.losses!r})"

    def columns(self, data: Dataset) -> tuple[ColumnLoss, ...]:
        """Match losses with columns."""
        if isinstance(self.losses, Mapping):
            missing = [name for name in data.names if name not in self.losses]
            unknown = [name for name in self.losses if name not in data.names]
            if missing or unknown:
                what = f"no loss for {listed(missing)}" if missing else f"no column {unknown[0]!r}"
                raise InputError(f"losses: {what}; name each column once")
            each = tuple(self.losses[name] for name in data.names)
        else:
            each = tuple(self.losses)
            if len(each) != data.d:
                raise InputError(f"losses: {len(each)} of them for {data.d} columns")
        for j, loss in enumerate(each):
            loss.check(data, j)
        return each


class AutoLoss(Loss):
    """Logistic for two values, Poisson for small counts, Gaussian likelihood for the rest.

    Counts are whole numbers whose variance is about their mean. It cannot be less, whatever the
    parents are (so ratings and codes are none), and where it is much more there are too many zeros
    or too long a tail.
    """

    name: ClassVar[str] = "auto"
    # Known only when the columns are; claiming less is always right.
    convex = False

    def columns(self, data: Dataset) -> tuple[ColumnLoss, ...]:
        """The loss of each column by its values, (d,); Gaussian where there are no rows."""
        if data.rows is None:
            return (GaussianLoss(),) * data.d
        return tuple(_choice(data.rows[:, j]) for j in range(data.d))

    def remark(self, data: Dataset) -> str:
        """Which columns got which loss."""
        losses = self.columns(data)
        if len({loss.name for loss in losses}) == 1:
            return f"loss: {losses[0].name} for every column"
        return f"loss: {by_loss(data.names, losses)}"


def by_loss(names: Sequence[str], losses: Sequence[ColumnLoss]) -> str:
    """Which columns have which loss."""
    groups: dict[str, list[str]] = {}
    for name, loss in zip(names, losses, strict=True):
        groups.setdefault(loss.name, []).append(name)
    return "; ".join(f"{loss} for {listed(group)}" for loss, group in groups.items())


def _choice(x: NDArray[np.float64]) -> ColumnLoss:
    low, high = x.min(), x.max()
    if low == high:
        return GaussianLoss()
    if ((x == low) | (x == high)).all():
        return LogisticLoss()
    if low >= 0.0 and is_whole(x) and np.quantile(x, 0.95) <= _LARGE_COUNT:
        dispersion = x.var() / x.mean()
        # The standard error of the ratio is sqrt(2 / n) for Poisson counts.
        if 1.0 - 3.0 * np.sqrt(2.0 / x.size) <= dispersion <= _OVERDISPERSED:
            return PoissonLoss()
    return GaussianLoss()


def is_whole(x: NDArray[np.float64]) -> bool:
    """Whether ``x`` holds whole numbers only."""
    return bool((x == np.floor(x)).all())
