r"""Q once more, by its formula alone: NumPy in extended precision, none of the package's code.

.. math:: Q(W) = \sum_j \ell_j(x_j, b_j + X w_j) + \sum_{ij} \rho(W_{ij})

Residuals of columns that others nearly determine are rounding error in part, so that the answer is
an interval: what is within ``_ULPS`` units in the last place of the terms that cancel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ULPS = 64.0 * float(np.finfo(float).eps)
#: Relative error of a sum of logarithms or exponentials.
_CLOSE = 1e-7
#: Predictors known less well than this tell nothing about a likelihood.
_VAGUE = 1e-4
_LONG = np.longdouble


class Interval(NamedTuple):
    """What Q may be."""

    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Whether ``value`` is what the formula says, to within rounding error."""
        slack = _CLOSE * max(abs(self.low), abs(self.high))
        return self.low - slack <= value <= self.high + slack


class Residual(NamedTuple):
    """Root mean square of a column's residuals, and how far off that may be."""

    size: Any
    error: Any


def expected_score(
    score: Any,
    losses: Sequence[Any],
    X: NDArray[np.float64],
    W: NDArray[np.float64],
    *,
    center: bool,
    floor: bool = True,
) -> Interval | None:
    """Q at ``W`` on the rows ``X``, None where no formula is written down here.

    ``losses`` has the loss of each column, which a score may choose by looking at them. Without
    ``floor`` residuals count as they are, however small.
    """
    n, d = X.shape
    total = _penalty(score, W, n, d)
    if total is None:
        return None
    rows, weights = X.astype(_LONG), W.astype(_LONG)
    names = {loss.name for loss in losses}
    if names == {"equal-variance"}:
        each = [_residual(rows, weights, j, center=center) for j in range(d)]
        low = np.sqrt(sum(np.maximum(r.size - r.error, 0) ** 2 for r in each) * n)
        high = np.sqrt(sum((r.size + r.error) ** 2 for r in each) * n)
        if floor and score.penalty.name in _OF_EDGES:
            none = np.zeros_like(weights)
            own = sum(_residual(rows, none, j, center=center).size ** 2 for j in range(d))
            least = _LEAST * np.sqrt(own * n)
            low, high = max(low, 0.999 * least), max(high, 1.001 * least)
        return Interval(_log(low) * d + total, _log(high) * d + total)
    low_sum = high_sum = total
    # Where the likelihood of all columns selects edges, what others determine is not told further.
    floored = floor and names == {"gaussian"} and score.penalty.name in _OF_EDGES
    for j, loss in enumerate(losses):
        if loss.name in _SQUARES:
            r = _residual(rows, weights, j, center=center)
            own = _residual(rows, np.zeros_like(weights), j, center=center).size
            least = _LEAST * own if floored else 0.0
            low = _SQUARES[loss.name](np.maximum(r.size - r.error, 0.999 * least), n)
            high = _SQUARES[loss.name](np.maximum(r.size + r.error, 1.001 * least), n)
        elif loss.name in _ROWS:
            eta = rows @ weights[:, j]
            error = float((_ULPS * (np.abs(rows) @ np.abs(weights[:, j]))).max())
            found = _ROWS[loss.name](rows[:, j], eta, error, loss)
            if found is None:
                return None
            low, high = found
        else:
            return None
        low_sum, high_sum = low_sum + low, high_sum + high
    return Interval(float(low_sum), float(high_sum))


def _residual(rows: Any, weights: Any, j: int, *, center: bool) -> Residual:
    r = rows[:, j] - rows @ weights[:, j]
    terms = np.abs(rows[:, j]) + np.abs(rows) @ np.abs(weights[:, j])
    if center:
        r = r - r.mean()
    return Residual(np.sqrt(np.mean(r**2)), _ULPS * np.sqrt(np.mean(terms**2)))


#: The least residual of a column that Gaussian L0 scores tell, in its standard deviations.
_LEAST = np.sqrt(1e-8)
_OF_EDGES = ("l0", "bic", "ebic")


def _log(value: Any) -> float:
    with np.errstate(divide="ignore"):
        return float(np.log(value))


#: Losses of the root mean square of the residuals, of n rows.
_SQUARES: dict[str, Callable[[Any, int], float]] = {
    "least-squares": lambda size, _n: float(0.5 * size**2),
    "gaussian": lambda size, n: _log(size) + 0.5 * float(np.log(n)),
}


@np.errstate(over="ignore")
def _best(value: Callable[[Any], Any], slope: Callable[[Any], Any], low: Any, high: Any) -> float:
    """The least of a convex function of one number that lies between ``low`` and ``high``."""
    for _ in range(120):
        middle = 0.5 * (low + high)
        if slope(middle) > 0:
            high = middle
        else:
            low = middle
    return float(value(0.5 * (low + high)))


def _logistic(x: Any, eta: Any, error: float, loss: Any) -> tuple[float, float] | None:
    y = (x == x.max()).astype(_LONG)
    reach = np.abs(eta).max() + 60
    if error > _VAGUE:
        return None
    if not loss.intercept:
        value = float(np.mean(np.logaddexp(0, eta) - y * eta))
        return value - error, value + error
    best = _best(
        lambda b: np.mean(np.logaddexp(0, eta + b) - y * (eta + b)),
        lambda b: np.mean(1 / (1 + np.exp(-(eta + b))) - y),
        -reach,
        reach,
    )
    return best - error, best + error


def _poisson(x: Any, eta: Any, error: float, _loss: Any) -> tuple[float, float] | None:
    # The best intercept is known: sum exp(eta + b) = sum x.
    top = eta.max()
    b = np.log(x.mean()) - np.log(np.mean(np.exp(eta - top))) - top
    best = float(x.mean() - np.mean(x * (eta + b)))
    error *= 2.0 * float(x.mean())
    return None if error > _VAGUE else (best - error, best + error)


def _huber(x: Any, eta: Any, error: float, loss: Any) -> tuple[float, float] | None:
    delta = loss.delta
    middle = np.median(x)
    off = np.abs(x - middle)
    scale = 1.482602218505602 * np.median(off) or 1.2533141373155003 * off.mean()
    z = (x - middle - eta) / scale

    def value(b: Any) -> Any:
        r = np.abs(z - b)
        return np.mean(np.where(r <= delta, r * r / 2, delta * (r - delta / 2)))

    best = _best(value, lambda b: -np.mean(np.clip(z - b, -delta, delta)), z.min() - 1, z.max() + 1)
    error = delta * (error + _ULPS * float(np.abs(x).max())) / float(scale)
    return None if error > _VAGUE else (best - error, best + error)


#: Losses that are sums over rows, with the intercept that minimises them.
_ROWS: dict[str, Callable[[Any, Any, float, Any], tuple[float, float] | None]] = {
    "logistic": _logistic,
    "poisson": _poisson,
    "huber": _huber,
}


def _mcp(w: Any, penalty: Any, _n: int, _d: int) -> Any:
    end = penalty.weight * penalty.beta
    return np.where(
        w < end, penalty.weight * w - w**2 / (2 * penalty.beta), end * penalty.weight / 2
    )


def _scad(w: Any, penalty: Any, _n: int, _d: int) -> Any:
    t, a = penalty.weight, penalty.a
    middle = (2 * a * t * w - w**2 - t**2) / (2 * (a - 1))
    return np.where(w <= t, t * w, np.where(w < a * t, middle, t**2 * (a + 1) / 2))


#: Penalties of |w|, for n rows and d columns.
_PENALTIES: dict[str, Callable[[Any, Any, int, int], Any]] = {
    "none": lambda w, _p, _n, _d: 0 * w,
    "l1": lambda w, p, _n, _d: p.weight * w,
    "ridge": lambda w, p, _n, _d: p.weight / 2 * w**2,
    "mcp": _mcp,
    "scad": _scad,
    "l0": lambda w, p, _n, _d: p.weight * (w > 0),
    "bic": lambda w, p, n, _d: p.factor * np.log(n) / (2 * n) * (w > 0),
    "ebic": lambda w, p, n, d: (p.factor * np.log(n) + 4 * p.gamma * np.log(d)) / (2 * n) * (w > 0),
}


def _penalty(score: Any, W: NDArray[np.float64], n: int, d: int) -> float | None:
    """The sum of rho over all weights, None for a penalty that is not in the table."""
    w = np.abs(W.astype(_LONG))
    if score.name == "least-squares" and hasattr(score, "ridge"):
        return float(score.ridge / 2 * np.sum(w**2))
    penalty = getattr(score, "penalty", None)
    name = getattr(penalty, "name", None)
    if name not in _PENALTIES:
        return None
    return float(np.sum(_PENALTIES[name](w, penalty, n, d)))
