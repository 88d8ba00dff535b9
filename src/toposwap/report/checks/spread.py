"""Whether what is left over varies as much for large fitted values as for small ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.report.checks.base import Check, Finding, told, verdict_of
from toposwap.report.checks.residuals import Residuals

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Correlation of sizes of residuals with fitted values that the eye sees as a funnel.
_FUNNEL = 0.2


def equal_spread(residuals: Residuals) -> Check | None:
    """Rank correlation of |residual| with the fitted value, of columns with causes."""
    asked = np.flatnonzero(residuals.real & residuals.edges.any(axis=0))
    if not asked.size:
        return None
    least = max(_FUNNEL, 4.0 / np.sqrt(len(residuals.rows)))
    found = []
    for j in asked:
        e = np.abs(residuals.left[:, j] - residuals.left[:, j].mean())
        r = correlation(_ranks(e), _ranks(residuals.fitted[:, j]))
        if abs(r) > least:
            grows = "grows" if r > 0.0 else "shrinks"
            text = f"the spread {grows} with the fitted value (rank correlation {r:.2f})"
            found.append(Finding(int(j), abs(r), text))
    found.sort(key=lambda finding: -finding.figure)
    return Check(
        "Equal spread",
        "Is the noise of a column as large where its fitted value is large as where it is small?",
        verdict_of(len(found), len(asked)),
        told(
            len(found), len(asked), "with causes have a spread that changes with the fitted value"
        ),
        "The weights stay right on average; intervals and penalties take the noise for even, so "
        "that some edges look surer and others less sure than they are. Logarithms often help.",
        tuple(found),
        "spread",
    )


def _ranks(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places in order, ties sharing their mean, (n,)."""
    _, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2.0)[inverse]


def correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Of two samples (n,); 0 where one does not vary."""
    x, y = x - x.mean(), y - y.mean()
    size = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / size if size > 0.0 else 0.0
