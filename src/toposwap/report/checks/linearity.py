"""Whether straight lines are enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.report.checks.base import Check, Finding, told, verdict_of
from toposwap.report.checks.residuals import Residuals

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Share of what is left over that curves explain before it counts.
_SHARE = 0.05


def linearity(residuals: Residuals) -> Check | None:
    """R^2 of the residuals on squares and cubes of each parent, of columns that are lines.

    The powers are of standardised parents, made orthogonal to the parents themselves, so that the
    share is what curves add to lines. A column stands out where curves explain 5 percent of what is
    left, and four times as much as noise would, (powers) / n.
    """
    asked = np.flatnonzero(residuals.lines & residuals.edges.any(axis=0))
    if not asked.size:
        return None
    found = []
    m = len(residuals.rows)
    for j in asked:
        parents = np.flatnonzero(residuals.edges[:, j])
        X = residuals.rows[:, parents]
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        # The square of a column of two values is that column again.
        bent = [k for k in range(len(parents)) if len(np.unique(Z[:50, k])) > 2]
        if not bent or m <= 4 * len(parents):
            continue
        powers = np.column_stack([Z[:, bent] ** 2, Z[:, bent] ** 3])
        lines = np.column_stack([np.ones(m), Z])
        beyond = powers - lines @ _least_squares(lines, powers)
        e = residuals.left[:, j] - residuals.left[:, j].mean()
        total = float(e @ e)
        if total == 0.0:
            continue
        fit = beyond @ _least_squares(beyond, e)
        share = float(fit @ fit) / total
        if share > max(_SHARE, 4.0 * powers.shape[1] / m):
            strongest = parents[bent][int(np.argmax(_alone(beyond, e, len(bent))))]
            text = (
                f"curves would explain {share:.0%} of what lines leave, mostly of "
                f"{residuals.names[strongest]}"
            )
            found.append(Finding(int(j), share, text, int(strongest)))
    found.sort(key=lambda finding: -finding.figure)
    return Check(
        "Straight lines",
        "Do effects follow their causes in straight lines?",
        verdict_of(len(found), len(asked)),
        told(len(found), len(asked), "with causes bend where the model has lines"),
        "A curve that is taken for a line leaves dependence that other edges then have to explain: "
        'compare with the graph of score "basis-bic", which has curves.',
        tuple(found),
        "fitted",
    )


def _least_squares(A: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """By the normal equations: columns are standardised, few, and two digits are enough."""
    return np.asarray(np.linalg.lstsq(A.T @ A, A.T @ b, rcond=1e-10)[0])


def _alone(beyond: NDArray[np.float64], e: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """How much of ``e`` the square and the cube of each parent follow alone, (count,)."""
    size = np.sqrt(np.einsum("ij,ij->j", beyond, beyond))
    fit = (beyond.T @ e / np.where(size > 0.0, size, 1.0)) ** 2
    return np.asarray(fit[:count] + fit[count:])
