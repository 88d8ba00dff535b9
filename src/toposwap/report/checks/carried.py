"""Edges of linear models that hang on a few rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.report.checks.residuals import Residuals
    from toposwap.report.evidence import Evidence

#: The share of its rows that an edge should be able to do without.
_ROWS = 0.01
#: Standard errors, in square roots of the price, from which on an edge is left alone.
_SAFE = 2.0


@dataclass(frozen=True)
class Carried:
    """An edge that hangs on a few rows: without these ``rows`` it brings ``gain`` only."""

    source: int
    target: int
    rows: tuple[int, ...]
    weight: float
    gain: float


def carried_by_few(
    residuals: Residuals, evidence: Evidence, price: float, most: int = 50
) -> list[Carried]:
    """Edges that are not worth ``price`` any more without one percent of the rows.

    Which rows is guessed by what each alone adds to the weight, (X'X)^-1 x_r e_r / (1 - h_r) with
    its leverage h_r; what is left is then fitted again without them, so that nothing is claimed on
    the guess alone. Edges that by the guess would stay worth several times their price are not
    tried.
    """
    m = len(residuals.rows)
    count = max(1, int(np.ceil(_ROWS * m)))
    found = []
    for j in np.flatnonzero(residuals.lines & residuals.edges.any(axis=0)):
        parents = np.flatnonzero(residuals.edges[:, j])
        if m - count <= parents.size + 2 or not np.isfinite(evidence.gain[parents, j]).all():
            continue
        X = residuals.rows[:, parents]
        y = residuals.rows[:, j]
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        along = np.linalg.pinv(Z.T @ Z) @ Z.T
        leverage = 1.0 / m + np.einsum("ij,ji->i", Z, along)
        pull = along * residuals.left[:, j] / np.maximum(1.0 - leverage, 1e-9)
        scale = X.std(axis=0)
        for k, i in enumerate(parents):
            sign = np.sign(evidence.weight[i, j])
            helped = np.argsort(-sign * pull[k])[:count]
            guess = sign * (evidence.weight[i, j] - pull[k, helped].sum() / scale[k])
            if guess > _SAFE * np.sqrt(price) * evidence.error[i, j]:
                continue
            kept = np.ones(m, dtype=bool)
            kept[helped] = False
            weight, gain = _refitted(X[kept], y[kept], k)
            turned = np.sign(weight) != sign
            if turned or gain < price:
                # As few of them as it takes.
                fewest = _fewest(X, y, k, helped, price, sign)
                rows = helped[:fewest]
                kept[:] = True
                kept[rows] = False
                weight, gain = _refitted(X[kept], y[kept], k)
                found.append(
                    Carried(int(i), int(j), tuple(int(r) for r in rows), float(weight), float(gain))
                )
    found.sort(key=lambda one: (len(one.rows), one.gain))
    return found[:most]


def _refitted(X: NDArray[np.float64], y: NDArray[np.float64], k: int) -> tuple[float, float]:
    """Weight and gain of parent ``k`` in least squares of y on X."""
    Z = X - X.mean(axis=0)
    scale = Z.std(axis=0)
    if not scale.all():
        return 0.0, 0.0
    Z = Z / scale
    centred = y - y.mean()
    inverse = np.linalg.pinv(Z.T @ Z)
    found = inverse @ (Z.T @ centred)
    left = centred - Z @ found
    total = float(left @ left)
    without = total + found[k] ** 2 / max(float(inverse[k, k]), np.finfo(float).tiny)
    return float(found[k] / scale[k]), float(len(y) * np.log(without / total)) if total else np.inf


def _fewest(
    X: NDArray[np.float64],
    y: NDArray[np.float64],
    k: int,
    helped: NDArray[np.int64],
    price: float,
    sign: float,
) -> int:
    """How many of the rows ``helped``, in this order, suffice; by halving."""
    low, high = 1, len(helped)
    while low < high:
        middle = (low + high) // 2
        kept = np.ones(len(y), dtype=bool)
        kept[helped[:middle]] = False
        weight, gain = _refitted(X[kept], y[kept], k)
        if gain < price or np.sign(weight) != sign:
            high = middle
        else:
            low = middle + 1
    return high
