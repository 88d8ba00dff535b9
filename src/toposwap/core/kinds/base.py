"""What a column is: a kind, why it is taken for that, and what stands for its values.

A kind is one file with one class, registered in :data:`toposwap.core.kinds.KINDS`. It says how a
column of the kind is recognised, which columns can be none of it, and the name of its loss in
:data:`toposwap.losses.LOSSES`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.tables.columns import InputTypeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

#: Rows that are looked at before all are.
_FIRST = 1000

#: What a dtype says of a column: numbers say nothing more.
Declared = Literal["numbers", "truth values", "text", "categories", "ordered categories"]


@dataclass(frozen=True, eq=False)
class Labels:
    """What the numbers of a column stand for.

    Attributes
    ----------
    declared
        What the dtype says.
    levels
        The values in order, where 0, 1, 2, ... stand for them; None if the numbers stand for
        themselves.
    """

    declared: Declared
    levels: tuple[Any, ...] | None = None


@dataclass(frozen=True, eq=False)
class Column:
    """A column as kinds look at it.

    Attributes
    ----------
    values
        Numbers (n,), or the places of the values among the levels.
    labels
        What the numbers stand for.
    unexplained
        Asks for the share of its variance that all other columns together leave, by least squares;
        NaN if that is not known.
    """

    values: NDArray[np.float64] = field(repr=False)
    labels: Labels = field(default_factory=lambda: Labels("numbers"))
    unexplained: Callable[[], float] = lambda: float("nan")

    @cached_property
    def low(self) -> float:
        """The smallest value."""
        return float(self.values.min())

    @cached_property
    def high(self) -> float:
        """The largest value."""
        return float(self.values.max())

    @cached_property
    def two_valued(self) -> bool:
        """Whether there are exactly two values."""
        for x in (self.values[:_FIRST], self.values):
            if not ((x == self.low) | (x == self.high)).all():
                return False
        return self.low < self.high

    @cached_property
    def whole(self) -> bool:
        """Whether there are whole numbers only."""
        return is_whole(self.values)

    @cached_property
    def distinct(self) -> int:
        """The number of different values."""
        if self.labels.levels is not None:
            return len(self.labels.levels)
        return len(np.unique(self.values))


@dataclass(frozen=True)
class Refused:
    """Why a column cannot be used.

    Attributes
    ----------
    what
        Begins with a verb: "holds dates".
    remedy
        What to do about it.
    error
        What is raised.
    """

    what: str
    remedy: str
    error: type[InputError] = InputTypeError


class Kind(ABC):
    """A kind of column; stateless, one object each."""

    name: ClassVar[str]

    @abstractmethod
    def reason(self, column: Column) -> str | None:
        """Why ``column`` is taken for this kind, in a few words; None if it is not."""

    @abstractmethod
    def loss(self, column: Column) -> tuple[str, str | None]:
        """The name of the loss of a column of this kind, and why if another is usual."""

    def block_loss(self, column: Column) -> str:
        """The name of its loss where edges may have blocks of parameters: here the same."""
        return self.loss(column)[0]

    def refusal(self, column: Column) -> Refused | None:  # noqa: ARG002 - any column will do
        """Why ``column`` cannot be of this kind, whoever says so; None if it can."""
        return None

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


@dataclass(frozen=True)
class Recognised:
    """The kind of a column and how it is known.

    Attributes
    ----------
    kind
        What it is.
    reason
        Why, in a few words.
    given
        Whether the user said so.
    levels
        What the numbers 0, 1, 2, ... stand for, if they stand for anything.
    compared
        Whether other columns were asked too.
    """

    kind: Kind
    reason: str
    given: bool = False
    levels: tuple[Any, ...] | None = None
    compared: bool = False


def is_whole(x: NDArray[np.float64]) -> bool:
    """Whether ``x`` holds whole numbers only."""
    return all(bool((part == np.floor(part)).all()) for part in (x[:_FIRST], x))
