r"""Newton steps on the blocks in use of a node with a penalty on whole functions.

.. math:: f(\theta) = \tfrac12 \bigl\lVert y - U \theta \bigr\rVert^2
          + \sum_i \rho_i(\lVert \theta_i \rVert_2), \qquad
          H_{ii} = U_i^\top U_i + \frac{\rho_i'}{t_i} (I - v_i v_i^\top) + \rho_i'' v_i v_i^\top,
          \quad t_i = \lVert \theta_i \rVert,\; v_i = \theta_i / t_i .

Block coordinate descent finds which blocks are in use; where blocks are correlated it then takes
tens of thousands of sweeps for digits that a few of these steps reach.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STEPS = 10
_LENGTHS = (1.0, 0.5, 0.25, 0.05)


def newton_steps(
    gram: NDArray[np.float64],
    target: NDArray[np.float64],
    kinks: NDArray[np.float64],
    concavity: float,
    theta: NDArray[np.float64],
    present: NDArray[np.bool_],
) -> None:
    """Lower f by steps on the blocks of ``theta`` (d, m) that are not zero, in place.

    ``gram`` is U'U, (d m, d m), ``target`` U'y, (d m,), ``present`` (d, m) tells which columns of U
    there are. Blocks stay in use: one that should vanish is for the sweeps.
    """
    used = (theta != 0.0).any(axis=1)
    inside = (used[:, None] & present).ravel()
    block = np.nonzero(inside)[0] // theta.shape[1]
    G, b = gram[np.ix_(inside, inside)], target[inside]
    x, starts = theta.ravel()[inside], np.flatnonzero(np.diff(block, prepend=-1))
    kink = kinks[block[starts]]
    width = np.diff(np.append(starts, block.size))

    def parts(x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        """Lengths and slopes (k,) of the blocks in use, and f without |y|^2 / 2."""
        t = np.sqrt(np.add.reduceat(x * x, starts))
        reach = np.minimum(t, kink / concavity) if concavity else t
        penalty = float(np.sum(kink * reach - 0.5 * concavity * reach * reach))
        slope = np.maximum(kink - concavity * t, 0.0)
        return t, slope, float(0.5 * x @ G @ x - b @ x) + penalty

    t, slope, value = parts(x)
    for _ in range(_STEPS if x.size else 0):
        v = x / np.repeat(t, width)
        gradient = G @ x - b + np.repeat(slope, width) * v
        step = None
        for bend in (np.where(slope > 0.0, -concavity, 0.0), np.zeros_like(slope)):
            H = G + np.diag(np.repeat(slope / t, width))
            for i, k in enumerate(starts):
                own = slice(k, k + width[i])
                H[own, own] += (bend[i] - slope[i] / t[i]) * np.outer(v[own], v[own])
            try:
                step = -cho_solve(cho_factor(H), gradient)
                break
            except LinAlgError:
                continue
        if step is None:
            break
        for length in _LENGTHS:
            tried = x + length * step
            new_t, new_slope, new = parts(tried)
            if new < value and (new_t > 0.0).all():
                break
        else:
            break
        x, t, slope, value = tried, new_t, new_slope, new
    theta.ravel()[inside] = x
