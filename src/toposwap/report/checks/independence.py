"""Whether what is left over is unrelated to all that comes before."""

from __future__ import annotations

import numpy as np

from toposwap.report.checks.base import Check, Finding, Verdict
from toposwap.report.checks.residuals import Residuals

#: A correlation below this is small, however sure.
_SMALL = 0.05


def independence(residuals: Residuals) -> Check | None:
    """Correlations of each column's residual with the columns that are none of its descendants.

    A graph that is right leaves none: given its causes a column is independent of everything that
    it does not lead to. The bound is that of noise for so many pairs, sqrt(2 log(pairs) / n) and a
    third more.
    """
    d = len(residuals.names)
    x = residuals.rows - residuals.rows.mean(axis=0)
    x /= np.where(x.std(axis=0) > 0.0, x.std(axis=0), 1.0)
    related = x.T @ residuals.standard / len(x)
    asked = ~residuals.descendants.T & ~residuals.edges & ~np.eye(d, dtype=bool)
    pairs = int(asked.sum())
    if not pairs:
        return None
    bound = max(_SMALL, 1.33 * float(np.sqrt(2.0 * np.log(max(pairs, 2)) / len(x))))
    size = np.where(asked, np.abs(related), 0.0)
    places = np.argwhere(size > bound)
    order = np.argsort(-size[places[:, 0], places[:, 1]])
    found = tuple(
        Finding(
            int(j),
            float(size[i, j]),
            f"what the causes of {residuals.names[j]} leave goes with {residuals.names[i]} "
            f"(correlation {related[i, j]:.2f})",
            int(i),
        )
        for i, j in (places[k] for k in order)
    )
    share = len(found) / pairs
    verdict: Verdict = "holds" if not found else "doubtful" if share <= 0.02 else "fails"
    answer = (
        f"no correlation above {bound:.2f} in {pairs} pairs"
        if not found
        else f"{len(found)} of {pairs} pairs are correlated by more than {bound:.2f}"
    )
    return Check(
        "Nothing left over",
        "Is what a column's causes leave unexplained unrelated to all columns that it does not "
        "lead to?",
        verdict,
        answer,
        "A relation that is left points at a missing edge, a common cause that was not measured, "
        "or a curve that was taken for a line.",
        found[:200],
        "pair",
    )
