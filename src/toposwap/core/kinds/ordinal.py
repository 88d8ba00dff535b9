"""Columns of ratings: categories in an order."""

from __future__ import annotations

from typing import ClassVar

from toposwap.core.kinds.base import Column, Kind, Refused

#: Ratings go no further than this.
_LARGEST = 10.0


class Ordinal(Kind):
    """Ordered categories, as scores: the numbers themselves, or 0, 1, 2, ... in the given order.

    Their loss is that of a measurement. A few small whole numbers that do not vary as counts do are
    taken for ratings; they might as well be codes, which nothing in the numbers tells.
    """

    name: ClassVar[str] = "ordinal"

    def reason(self, column: Column) -> str | None:
        """An ordered dtype, or a few small whole numbers."""
        if column.labels.declared == "ordered categories":
            return "ordered categories, as scores 0, 1, 2, ..."
        small = max(-column.low, column.high) <= _LARGEST
        if column.labels.declared != "numbers" or not small or not column.whole:
            return None
        return (
            f"{column.distinct} whole numbers from {column.low:.0f} to {column.high:.0f}, a rating "
            "or a code; as scores"
        )

    def loss(self, column: Column) -> tuple[str, str | None]:  # noqa: ARG002 - always the same
        """The Gaussian likelihood, of the scores."""
        return "gaussian", None

    def block_loss(self, column: Column) -> str:  # noqa: ARG002 - always the same
        """A cumulative logit."""
        return "cumulative"

    def refusal(self, column: Column) -> Refused | None:
        """Text whose order nobody has told, and a rank for every row."""
        if column.labels.declared == "ordered categories":
            if column.distinct < column.values.size or column.distinct <= 2:
                return None
            return Refused(
                "holds ordered categories, another in every row",
                "give numbers in their place, or leave it out",
            )
        if column.labels.levels is None:
            return None
        return Refused(
            "holds text, whose order is not known",
            "give an ordered category, pandas.Categorical(values, [...], ordered=True)",
        )
