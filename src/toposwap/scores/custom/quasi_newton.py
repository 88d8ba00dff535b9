r"""Limited-memory quasi-Newton for many small problems at once, with kinks at zero.

.. math:: \min_x\; F(x) = f(x) + \sum_k \kappa_k |x_k|, \qquad x \in \mathbb R^p,

f smooth, :math:`\kappa \ge 0`, for B problems side by side: values are (B,), points (B, p). The
problems share nothing but the evaluations of f, which a caller makes in one batch.

The direction is the L-BFGS one on the *free* variables, those that are not zero or whose gradient
exceeds the kink; a step ends at zero for a variable that would change its sign, so zeros are exact.
A step is accepted by the weak Wolfe conditions, found by bisection. Close to the optimum, where the
decrease of F drowns in rounding error, the slope alone decides; that is what lets the gradient
fall far below the square root of the rounding error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.linalg.two_loop import directions

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: f and its gradient at points (b, p) of the problems ``which`` (b,): (b,) and (b, p). Where f has
#: no value it is infinite or not a number, and the step that led there is shortened.
Smooth = Callable[
    ["NDArray[np.float64]", "NDArray[np.int64]"],
    tuple["NDArray[np.float64]", "NDArray[np.float64]"],
]

_MEMORY = 40
_DECREASE, _CURVATURE = 1e-4, 0.9
_ROUNDING = 64 * np.finfo(float).eps
_TRIALS = 40
#: This many steps in a row that lower neither F nor the residual end a problem.
_PATIENCE = 12


@dataclass(frozen=True, eq=False)
class Minimum:
    """Where the solver came to: points (B, p), F (B,), and the largest residual of each (B,)."""

    x: NDArray[np.float64]
    value: NDArray[np.float64]
    residual: NDArray[np.float64]


def minimise(
    smooth: Smooth,
    start: NDArray[np.float64],
    *,
    free: NDArray[np.bool_] | None = None,
    kink: NDArray[np.float64] | float = 0.0,
    unit: NDArray[np.float64] | float = 1.0,
    weight: NDArray[np.float64] | float = 1.0,
    tolerance: float = 1e-7,
    max_iter: int = 2000,
) -> Minimum:
    """Minimise F from ``start`` (B, p) until ``weight * |subgradient|`` is at most ``tolerance``.

    Parameters
    ----------
    smooth
        f and its gradient.
    start
        Where to begin; variables that are not ``free`` stay there.
    free
        (B, p), by default all.
    kink
        kappa, broadcast to (B, p).
    unit
        Typical size of each variable, for the first guess of the curvature.
    weight
        What the entries of the subgradient are multiplied by before they are compared.
    tolerance, max_iter
        When to stop.
    """
    x = np.array(start, dtype=np.float64)
    mask = np.ones(x.shape, dtype=bool) if free is None else np.broadcast_to(free, x.shape)
    kinks, units, weights = (
        np.broadcast_to(np.asarray(given, dtype=np.float64), x.shape)
        for given in (kink, unit, weight)
    )
    # Steps that overflow are refused, and need no warning.
    with np.errstate(over="ignore", invalid="ignore"):
        state = _State(smooth, x, mask, kinks, units, weights)
        for _ in range(max_iter):
            active = np.flatnonzero((state.residual > tolerance) & (state.stuck < _PATIENCE))
            if active.size == 0:
                break
            state.step(active)
    return Minimum(state.best_x, state.best_value, state.best_residual)


class _State:
    """The current points of all problems, and what is known about their curvature."""

    def __init__(
        self,
        smooth: Smooth,
        x: NDArray[np.float64],
        mask: NDArray[np.bool_],
        kink: NDArray[np.float64],
        unit: NDArray[np.float64],
        weight: NDArray[np.float64],
    ) -> None:
        self.smooth, self.x = smooth, x
        self.mask, self.kink, self.unit, self.weight = mask, kink, unit, weight
        count, p = x.shape
        self.value, self.gradient = self.evaluate(x, np.arange(count))
        self.moves = np.zeros((count, _MEMORY, p))
        self.bends = np.zeros((count, _MEMORY, p))
        self.filled = np.zeros(count, dtype=np.int64)
        self.newest = np.zeros(count, dtype=np.int64)
        self.stuck = np.zeros(count, dtype=np.int64)
        self.subgradient = self._subgradient(np.arange(count))
        self.residual = self._residual(np.arange(count))
        self.best_x, self.best_value = x.copy(), self.value.copy()
        self.best_residual = self.residual.copy()

    def evaluate(
        self, x: NDArray[np.float64], which: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """F (b,), infinite where f has no value, and the gradient of f (b, p)."""
        value, gradient = self.smooth(x, which)
        gradient = np.where(self.mask[which], gradient, 0.0)
        sound = np.isfinite(value) & np.isfinite(gradient).all(axis=1)
        total = np.where(sound, value, np.inf) + np.abs(x * self.kink[which]).sum(axis=1)
        return total, np.where(sound[:, None], gradient, 0.0)

    def _subgradient(self, which: NDArray[np.int64]) -> NDArray[np.float64]:
        """The element of the subdifferential of F that is nearest to zero, (b, p)."""
        x, g, kink = self.x[which], self.gradient[which], self.kink[which]
        at_zero = np.sign(g) * np.maximum(np.abs(g) - kink, 0.0)
        return np.where(x == 0.0, at_zero, g + kink * np.sign(x))

    def _residual(self, which: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.abs(self.subgradient[which] * self.weight[which]).max(axis=1, initial=0.0)

    def step(self, active: NDArray[np.int64]) -> None:
        """One step of each of the problems ``active``."""
        direction, fresh = self._direction(active)
        steep = self.subgradient[active]
        x, kink = self.x[active], self.kink[active]
        # The orthant that a step may not leave.
        side = np.where(x == 0.0, -np.sign(steep), np.sign(x))
        before, slope = self.value[active], _dots(steep, direction)
        size = np.ones(len(active))
        size[fresh] = 1.0 / np.maximum(
            np.abs(direction[fresh] / self.unit[active][fresh]).max(axis=1), 1.0
        )
        low, high = np.zeros(len(active)), np.full(len(active), np.inf)
        found_x, found_g = x.copy(), self.gradient[active]
        found_v = before.copy()
        todo = np.arange(len(active))
        for _ in range(_TRIALS):
            trial = x[todo] + size[todo, None] * direction[todo]
            clipped = (kink[todo] > 0.0) & (trial * side[todo] < 0.0)
            trial[clipped] = 0.0
            value, gradient = self.evaluate(trial, active[todo])
            predicted = _dots(steep[todo], trial - x[todo])
            noise = _ROUNDING * np.abs(before[todo])
            falls = value <= before[todo] + _DECREASE * predicted
            new_slope = _dots(gradient + kink[todo] * side[todo], direction[todo])
            flat = new_slope >= _CURVATURE * slope[todo]
            # Rounding error hides the decrease: a slope that has shrunk is as good a sign.
            close = (value <= before[todo] + noise) & (
                np.abs(new_slope) <= -_CURVATURE * slope[todo]
            )
            falls |= close
            # Past a kink the slope along the path is another one.
            good = falls & (flat | clipped.any(axis=1) | (size[todo] >= 1e6))
            done = todo[good]
            found_x[done], found_v[done], found_g[done] = trial[good], value[good], gradient[good]
            short = todo[falls & ~good]
            low[short] = size[short]
            # Keep it in case nothing better turns up.
            keep = falls & ~good
            found_x[short], found_v[short] = trial[keep], value[keep]
            found_g[short] = gradient[keep]
            high[todo[~falls]] = size[todo[~falls]]
            todo = todo[~good]
            if todo.size == 0:
                break
            size[todo] = np.where(
                np.isfinite(high[todo]), 0.5 * (low[todo] + high[todo]), 2.0 * size[todo]
            )
        self._move(active, found_x, found_v, found_g)

    def _move(
        self,
        active: NDArray[np.int64],
        x: NDArray[np.float64],
        value: NDArray[np.float64],
        gradient: NDArray[np.float64],
    ) -> None:
        """Go there, learn the curvature, and remember the best point."""
        move, bend = x - self.x[active], gradient - self.gradient[active]
        moved = (move != 0.0).any(axis=1)
        curved = _dots(move, bend)
        usable = curved > 1e-12 * np.sqrt(_dots(move, move) * _dots(bend, bend))
        usable &= moved
        learned = active[usable]
        self.newest[learned] = at = (self.newest[learned] + 1) % _MEMORY
        self.moves[learned, at], self.bends[learned, at] = move[usable], bend[usable]
        self.filled[learned] = np.minimum(self.filled[learned] + 1, _MEMORY)
        # A direction that leads nowhere is a sign of a memory that no longer fits.
        lost = active[~moved]
        hopeless = lost[self.filled[lost] == 0]
        self.filled[lost] = 0
        self.x[active], self.value[active], self.gradient[active] = x, value, gradient
        self.subgradient[active] = self._subgradient(active)
        self.residual[active] = self._residual(active)
        lower = self.value[active] < self.best_value[active] * (
            1.0 - np.sign(self.best_value[active]) * _ROUNDING
        )
        level = self.value[active] <= self.best_value[active] + _ROUNDING * np.abs(
            self.best_value[active]
        )
        better = lower | (level & (self.residual[active] < self.best_residual[active]))
        won = active[better]
        self.best_x[won], self.best_value[won] = self.x[won], self.value[won]
        self.best_residual[won] = self.residual[won]
        self.stuck[active] += 1
        self.stuck[won] = 0
        self.stuck[hopeless] = _PATIENCE

    def _direction(
        self, active: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Minus H times the subgradient, (b, p); whether H is a mere guess, (b,)."""
        steep, unit = self.subgradient[active], self.unit[active]
        at_work = ((self.x[active] != 0.0) | (steep != 0.0)) & self.mask[active]
        direction, guess = directions(
            active, steep, at_work, unit, self.moves, self.bends, self.filled, self.newest
        )
        # With kinks a direction must not lead uphill in any variable that sits at zero.
        wrong = (self.kink[active] > 0.0) & (self.x[active] == 0.0) & (direction * steep >= 0.0)
        direction[wrong] = 0.0
        slope = _dots(steep, direction)
        length = np.sqrt(_dots(steep, steep) * _dots(direction, direction))
        poor = ~(slope < -1e-12 * length)
        direction[poor] = -(unit * unit * steep)[poor]
        return direction, poor | guess


def _dots(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Products of rows, (b,)."""
    return np.einsum("bp,bp->b", a, b)
