"""Columns of names and codes: categories without an order."""

from __future__ import annotations

from typing import ClassVar

from toposwap.core.kinds.base import Column, Kind, Refused


class Categorical(Kind):
    """Categories without an order; text, and codes where the user says so.

    Two of them are a column of two values. More have levels and codes
    (:mod:`toposwap.core.tables.codes`), which scores on contingency tables count.
    """

    name: ClassVar[str] = "categorical"

    def reason(self, column: Column) -> str | None:
        """A dtype of categories, or text."""
        if column.labels.declared in ("text", "categories"):
            return f"{column.distinct} different values"
        return None

    def loss(self, column: Column) -> tuple[str, str | None]:  # noqa: ARG002 - always the same
        """The logistic loss of two categories."""
        return "logistic", None

    def block_loss(self, column: Column) -> str:
        """A multinomial logit of more than two categories."""
        return "logistic" if column.distinct <= 2 else "multinomial"

    def refusal(self, column: Column) -> Refused | None:
        """More values than their frequencies can tell about: names of rows."""
        distinct, rows = column.distinct, column.values.size
        if distinct <= max(2, rows // 2):
            return None
        if distinct == rows:
            return Refused(
                "holds another category in every row, as names and identifiers are", "leave it out"
            )
        return Refused(
            f"holds {distinct} categories in {rows} rows", "make few of them, or leave it out"
        )
