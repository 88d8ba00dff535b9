"""Columns of measurements."""

from __future__ import annotations

from typing import ClassVar

from toposwap.core.kinds.base import Column, Kind, Refused


class Continuous(Kind):
    """Measurements, and what may be taken as such: differences between values mean something."""

    name: ClassVar[str] = "continuous"

    def reason(self, column: Column) -> str:
        """That there are fractions, or of whole numbers their range."""
        if not column.whole:
            return "fractions"
        return f"whole numbers from {column.low:.10g} to {column.high:.10g}"

    def loss(self, column: Column) -> tuple[str, str | None]:  # noqa: ARG002 - always the same
        """The Gaussian likelihood."""
        return "gaussian", None

    def refusal(self, column: Column) -> Refused | None:
        """Text has no differences."""
        if column.labels.levels is None:
            return None
        return Refused("holds text", "it cannot be continuous, encode it as numbers")
