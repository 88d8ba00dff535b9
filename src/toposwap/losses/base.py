r"""What a loss is: the part of Q that measures the fit of column j to its predictor.

.. math:: f_j = b_j + X w_j, \qquad x_j, f_j \in \mathbb R^n ,

or the output of a network. Every loss here is 1/n times a negative log-likelihood up to a constant,
except least squares, so losses of different columns add up to one model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset


class ColumnFacts(NamedTuple):
    """What the distribution of a column takes from the data besides its predictor.

    Attributes
    ----------
    variance
        Mean square of its residuals.
    lowest, highest
        Its smallest and its largest value.
    unit
        What a loss that measures residuals by the variation of the column measures them by.
    """

    variance: float
    lowest: float
    highest: float
    unit: float = 1.0


class Loss(ABC):
    """Losses of all columns: the part of Q that is not penalty.

    Settings only; :meth:`columns` ties them to data. Most losses are a :class:`ColumnLoss`, the
    same for each column.
    """

    name: ClassVar[str]
    #: Convex in the coefficients.
    convex: bool
    #: A sum over columns, which share no parameter.
    separable: ClassVar[bool] = True
    #: Scaling a column changes the loss by more than a constant.
    has_units: bool = False
    #: Columns hold codes or counts, which have no units.
    discrete: bool = False
    #: The loss depends on the data through second moments only.
    from_moments: bool = False
    #: Its minimum over the coefficients is the same for all members of a Markov equivalence class
    #: with as many edges.
    equivalent: ClassVar[bool] = False

    @abstractmethod
    def columns(self, data: Dataset) -> tuple[ColumnLoss, ...]:
        """The loss of each column.

        Parameters
        ----------
        data
            n rows of d columns, or their second moments alone.

        Returns
        -------
        tuple of ColumnLoss
            (d,), in the order of the columns.

        Raises
        ------
        InputError
            If a loss is not made for its column, with the name of the column.
        """

    def remark(self, data: Dataset) -> str | None:  # noqa: ARG002 - nothing was chosen
        """What was chosen by looking at ``data``, in words, if anything was."""
        return None

    def __repr__(self) -> str:
        settings = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{type(self).__name__}({settings})"


class ColumnLoss(Loss):
    """A loss that one column can have.

    Solvers know two kinds, :class:`~toposwap.losses.MomentLoss` (a function of the residual
    variance) and :class:`~toposwap.losses.RowLoss` (a sum over rows); each asks for one compiled
    formula. Whatever the kind, :meth:`slope` is the gradient of :meth:`value` by f.
    """

    #: It has a lower bound, even where a column is fitted exactly.
    bounded: ClassVar[bool] = True

    def columns(self, data: Dataset) -> tuple[ColumnLoss, ...]:
        """The same loss for each of the d columns, every one of which is checked."""
        for j in range(data.d):
            self.check(data, j)
        return (self,) * data.d

    def check(self, data: Dataset, column: int) -> None:
        """Raise an :class:`~toposwap.core.errors.InputError` where a loss is not for a column.

        It names the column, what is wrong with it, and another loss or a remedy.
        """

    @abstractmethod
    def value(self, x: NDArray[np.float64], f: NDArray[np.float64]) -> float:
        """The loss of a column ``x`` (n,) at a predictor ``f`` (n,), in the units of the data."""

    @abstractmethod
    def slope(self, x: NDArray[np.float64], f: NDArray[np.float64]) -> NDArray[np.float64]:
        """The derivative of :meth:`value` with respect to each entry of ``f``, (n,)."""

    def mean(self, f: NDArray[np.float64]) -> NDArray[np.float64]:
        """What a column is on average at a predictor ``f`` (n,): ``f`` itself unless said."""
        return f

    def draw(
        self,
        uniform: NDArray[np.float64],
        mean: NDArray[np.float64],
        facts: ColumnFacts,
    ) -> NDArray[np.float64]:
        """The quantiles of a discrete column at ``uniform`` (m,), given its :meth:`mean` (m,)."""
        raise NotImplementedError(f"{self.name}: noise is added to the mean")

    def expected(self, mean: NDArray[np.float64], facts: ColumnFacts) -> NDArray[np.float64]:  # noqa: ARG002 - for codes
        """The expected value (m,) of a column, in its own numbers, given its :meth:`mean` (m,)."""
        return mean

    def decrease(self, foretold: NDArray[np.float64]) -> NDArray[np.float64]:
        """The decrease of the loss where g^2 / 2h, to second order, foretells ``foretold`` (m,).

        The same, unless the loss is known better than its second-order expansion.
        """
        return foretold

    def log_density(
        self,
        x: NDArray[np.float64],
        f: NDArray[np.float64],
        facts: ColumnFacts,  # noqa: ARG002 - for losses that are likelihoods
    ) -> NDArray[np.float64]:
        """Log p(x_i | f_i) of new rows, (m,); minus the loss of each if that is no likelihood."""
        return np.array([-self.value(x[i : i + 1], f[i : i + 1]) for i in range(x.size)])


def rows_of(data: Dataset, loss: str) -> NDArray[np.float64]:
    """The rows of ``data``, (n, d), which ``loss`` cannot do without."""
    if data.rows is None:
        raise InputError(
            f"the {loss} loss needs the rows of the table, and {data.without_rows}: use fit(X), or "
            "a sample of the rows (streams.sampled_rows, --sample 100000)"
        )
    return data.rows
