r"""What speaks for each edge of a linear model, given the graph.

.. math:: t_{ij} = w_{ij} / s_{ij}, \qquad
   s_{ij}^2 = \hat\sigma_j^2 \, [(X_P^\top X_P)^{-1}]_{ii}, \qquad
   \Delta_{ij} = n \log\bigl(1 + t_{ij}^2 / (n - p - 1)\bigr) ,

with P the p parents of j: the interval is :math:`w_{ij} \pm t_{0.975} s_{ij}`, and :math:`\Delta`
is by how much twice the log-likelihood falls without the edge, all other edges staying.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.report.checks.residuals import Residuals

#: The share of its rows that an edge should be able to do without.
_ROWS = 0.01
#: Standard errors, in square roots of the price, from which on an edge is left alone.
_SAFE = 2.0


@dataclass(frozen=True, eq=False)
class Evidence:
    """(d, d) each, NaN where there is no edge or the effect is no line.

    Attributes
    ----------
    weight, error
        Least squares on the parents, and its standard error.
    gain
        What the edge brings, in units of twice the log-likelihood.
    """

    weight: NDArray[np.float64]
    error: NDArray[np.float64]
    gain: NDArray[np.float64]


@dataclass(frozen=True)
class Carried:
    """An edge that hangs on a few rows: without these ``rows`` it brings ``gain`` only."""

    source: int
    target: int
    rows: tuple[int, ...]
    weight: float
    gain: float


def evidence_of(data: Dataset, edges: NDArray[np.bool_], lines: NDArray[np.bool_]) -> Evidence:
    """For the edges (d, d) into columns that are lines (d,)."""
    unit = data.factor / data.deviations
    size = data.deviations * data.scale
    weight, error, gain = (np.full(edges.shape, np.nan) for _ in range(3))
    for j in np.flatnonzero(lines & edges.any(axis=0)):
        parents = np.flatnonzero(edges[:, j])
        free = data.n - parents.size - 1
        if free < 1:
            continue
        Q, R = np.linalg.qr(unit[:, parents])
        if np.abs(np.diag(R)).min() < 1e-12:
            continue
        found = np.linalg.solve(R, Q.T @ unit[:, j])
        left = unit[:, j] - unit[:, parents] @ found
        noise = float(left @ left) * data.n / free
        inverse = np.linalg.inv(R)
        spread = np.sqrt(noise / data.n * np.einsum("ij,ij->i", inverse, inverse))
        units = size[j] / size[parents]
        weight[parents, j], error[parents, j] = found * units, spread * units
        with np.errstate(divide="ignore", over="ignore"):
            gain[parents, j] = data.n * np.log1p((found / spread) ** 2 / free)
    return Evidence(weight, error, gain)


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
