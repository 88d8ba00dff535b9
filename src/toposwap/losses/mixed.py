"""A loss for each column: given, or chosen by looking at the columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from toposwap.core.errors import InputError
from toposwap.core.validation import listed
from toposwap.losses.base import ColumnLoss, Loss
from toposwap.losses.gaussian import GaussianLoss

if TYPE_CHECKING:
    from toposwap.core.dataset import Dataset
    from toposwap.losses.levels import LevelLoss


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
        self.from_moments = all(loss.from_moments for loss in each)

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
    """The loss of each column's kind: see :data:`toposwap.core.kinds.KINDS`.

    Logistic for two values, Poisson for counts that vary as Poisson counts do, the Gaussian
    likelihood for the rest.
    """

    name: ClassVar[str] = "auto"
    # Known only when the columns are; claiming less is always right.
    convex = False

    def columns(self, data: Dataset) -> tuple[ColumnLoss, ...]:
        """The loss of each column, (d,); Gaussian where there are no rows."""
        return tuple(loss for loss, _ in losses_of_kinds(data))

    def remark(self, data: Dataset) -> str:
        """Which columns got which loss."""
        losses = self.columns(data)
        if len({loss.name for loss in losses}) == 1:
            return f"loss: {losses[0].name} for every column"
        return f"loss: {by_loss(data.names, losses)}"


def losses_of_kinds(data: Dataset) -> list[tuple[ColumnLoss, str | None]]:
    """The loss of each column, (d,), and why where its kind usually has another."""
    from toposwap.losses import LOSSES

    if data.held is None:
        return [(GaussianLoss(), None)] * data.d
    data.refuse_nominal("a loss of one predictor for each column")
    found: list[tuple[ColumnLoss, str | None]] = []
    for j, known in enumerate(data.kinds):
        name, why = known.kind.loss(data.column(j))
        loss = LOSSES[name]()
        assert isinstance(loss, ColumnLoss)
        loss.check(data, j)
        found.append((loss, why))
    return found


def by_loss(names: Sequence[str], losses: Sequence[ColumnLoss | LevelLoss]) -> str:
    """Which columns have which loss."""
    groups: dict[str, list[str]] = {}
    for name, loss in zip(names, losses, strict=True):
        groups.setdefault(loss.name, []).append(name)
    return "; ".join(f"{loss} for {listed(group)}" for loss, group in groups.items())
