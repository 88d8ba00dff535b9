"""Whether what is left over is normally distributed."""

from __future__ import annotations

import numpy as np

from toposwap.report.checks.base import Check, Finding, told, verdict_of
from toposwap.report.checks.residuals import Residuals

#: Beyond these a histogram looks other than normal to the eye.
_SKEW, _TAILS = 0.5, 1.0


def normality(residuals: Residuals) -> Check | None:
    """Skewness m3 / m2^(3/2) and tails m4 / m2^2 - 3 of the residuals of each column.

    With many rows any test rejects, so that size decides: a column stands out where either exceeds
    what the eye sees and four standard errors, sqrt(6 / n) and sqrt(24 / n).
    """
    asked = np.flatnonzero(residuals.real)
    if not asked.size:
        return None
    e = residuals.standard[:, asked]
    skew, tails = (e**3).mean(axis=0), (e**4).mean(axis=0) - 3.0
    error = 4.0 / np.sqrt(len(e))
    beyond = np.maximum(
        np.abs(skew) / np.maximum(_SKEW, error * np.sqrt(6.0)),
        np.abs(tails) / np.maximum(_TAILS, error * np.sqrt(24.0)),
    )
    worst = [k for k in np.argsort(-beyond) if beyond[k] > 1.0]
    findings = tuple(
        Finding(int(asked[k]), float(beyond[k]), _words(float(skew[k]), float(tails[k])))
        for k in worst
    )
    return Check(
        "Normal noise",
        "Is what the causes leave unexplained normally distributed?",
        verdict_of(len(worst), len(asked)),
        told(len(worst), len(asked), "have residuals that are clearly not normal"),
        "Edges stay what they are, as correlations do not ask for normal noise; intervals and "
        "confidence are less exact, and a log or another scale of the column may fit better.",
        findings,
        "quantiles",
    )


def _words(skew: float, tails: float) -> str:
    side = "a long tail to the right" if skew > 0.0 else "a long tail to the left"
    parts = [f"{side} (skewness {skew:.2g})"] if abs(skew) > _SKEW else []
    if abs(tails) > _TAILS:
        heavy = "more extreme values" if tails > 0.0 else "fewer extreme values"
        parts.append(f"{heavy} than a normal distribution (excess kurtosis {tails:.2g})")
    return " and ".join(parts) or f"skewness {skew:.2g}, excess kurtosis {tails:.2g}"
