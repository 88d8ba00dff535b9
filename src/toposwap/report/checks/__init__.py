"""Whether the rows look as the model says: one file for each question, registered here.

A check is a function of :class:`~toposwap.report.checks.residuals.Residuals` that answers with a
:class:`~toposwap.report.checks.base.Check`, or None where the model does not say what is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposwap.report.checks.base import Check
from toposwap.report.checks.independence import independence
from toposwap.report.checks.linearity import linearity
from toposwap.report.checks.normality import normality
from toposwap.report.checks.residuals import Residuals, residuals_of
from toposwap.report.checks.spread import equal_spread

if TYPE_CHECKING:
    from collections.abc import Callable

#: The questions, in the order in which they are told.
CHECKS: tuple[Callable[[Residuals], Check | None], ...] = (
    linearity,
    normality,
    equal_spread,
    independence,
)

__all__ = ["CHECKS", "Check", "Residuals", "residuals_of", "checks_of"]


def checks_of(residuals: Residuals | None) -> list[Check]:
    """The answers to all questions that can be asked of a model."""
    if residuals is None:
        return []
    return [check for ask in CHECKS if (check := ask(residuals)) is not None]
