"""Columns of two values."""

from __future__ import annotations

from typing import ClassVar

from toposwap.core.errors import InputError
from toposwap.core.kinds.base import Column, Kind, Refused


class Binary(Kind):
    """Two values, whatever they are: 0 and 1, yes and no."""

    name: ClassVar[str] = "binary"

    def reason(self, column: Column) -> str | None:
        """That there are two."""
        return "two values" if column.two_valued else None

    def loss(self, column: Column) -> tuple[str, str | None]:  # noqa: ARG002 - always the same
        """The logistic loss."""
        return "logistic", None

    def refusal(self, column: Column) -> Refused | None:
        """A third value."""
        if column.two_valued:
            return None
        return Refused(f"has {column.distinct} values, not two", "it is not binary", InputError)
