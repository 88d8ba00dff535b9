"""A loss for each column: given, or chosen by looking at the columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.dataset.validation import listed
from toposwap.errors import InputError
from toposwap.losses.base import ColumnLoss, Loss
from toposwap.losses.gaussian import GaussianLoss
from toposwap.losses.logistic import LogisticLoss
from toposwap.losses.poisson import PoissonLoss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.dataset import Dataset

#: Counts that get larger than this are taken for measurements: a normal distribution fits them.
_LARGE_COUNT = 50.0


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
    """Logistic for 0/1 columns, Poisson for small counts, Gaussian likelihood for the rest."""

    name: ClassVar[str] = "auto"
    # Known only when the columns are; claiming less is always right.
    convex = False

    def columns(self, data: Dataset) -> tuple[ColumnLoss, ...]:
        """Choose by column."""
        if data.rows is None:
            return (GaussianLoss(),) * data.d
        return tuple(_choice(data.rows[:, j]) for j in range(data.d))

    def remark(self, data: Dataset) -> str:
        """Which columns got which loss."""
        groups: dict[str, list[str]] = {}
        for name, loss in zip(data.names, self.columns(data), strict=True):
            groups.setdefault(loss.name, []).append(name)
        if len(groups) == 1:
            return f"loss: {next(iter(groups))} for every column"
        parts = [f"{loss} for {listed(names)}" for loss, names in groups.items()]
        return "loss: " + "; ".join(parts)


def _choice(x: NDArray[np.float64]) -> ColumnLoss:
    if ((x == 0.0) | (x == 1.0)).all():
        return LogisticLoss()
    if (x >= 0.0).all() and (x == np.floor(x)).all() and np.quantile(x, 0.95) <= _LARGE_COUNT:
        return PoissonLoss()
    return GaussianLoss()
