r"""Coordinate descent with the proximal step of a penalty, compiled for each penalty.

.. math:: w_u \leftarrow \operatorname{argmin}_w
          \tfrac12 H_{uu} w^2 - z_u w + v_u\, \rho(s_u w), \qquad
          z_u = r_u + H_{uu} w_u, \quad r = q - H w .

Sweeps are the inner loop of all sparse nodes: there a call by address for each coordinate costs a
third of the time. So this one function is compiled with the step inside it, and solvers call it by
address.
"""

from __future__ import annotations

import math
from functools import cache
from hashlib import blake2b
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.kernels.compiled import Compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Stands for the step of a penalty: 0 <= (z, curvature, a, b, c) -> size >= 0.
_step: Any = None


def _sweep(
    H: NDArray[np.float64],
    w: NDArray[np.float64],
    r: NDArray[np.float64],
    a: float,
    b: float,
    c: float,
    s: NDArray[np.float64],
    v: NDArray[np.float64],
    times: int,
) -> bool:
    """Minimise along each coordinate in turn, ``times`` over; whether any moved.

    ``H`` is (m, m), the others (m,). A coordinate without curvature becomes zero.
    """
    m = w.size
    # In the units of the penalty, for which divisions would take most of the time.
    gradient, bend, back = np.empty(m), np.empty(m), np.empty(m)
    for u in range(m):
        slope = v[u] * s[u]
        if H[u, u] > 0.0 and slope > 0.0:
            gradient[u], bend[u], back[u] = 1.0 / slope, H[u, u] / (slope * s[u]), 1.0 / s[u]
        else:
            gradient[u] = bend[u] = back[u] = 0.0
    moving = False
    for _ in range(times):
        ended = True
        for u in range(m):
            z = r[u] + H[u, u] * w[u]
            if bend[u] > 0.0:
                best = math.copysign(_step(abs(z) * gradient[u], bend[u], a, b, c) * back[u], z)
            else:
                best = z / H[u, u] if H[u, u] > 0.0 else 0.0
            change = best - w[u]
            if change != 0.0:
                ended = False
                moving = moving or abs(change) > 1e-15 * abs(best)
                w[u] = best
                for t in range(m):
                    r[t] -= change * H[u, t]
        if ended:
            break
    return moving


@cache
def sweep_with(step: Compiled) -> Compiled:
    """The function above with a penalty's step.

    A cache on disk knows it by its name, which therefore tells the file that the step is written
    in: after any change there it is another function.
    """
    digest = blake2b(step.source or b"", digest_size=8).hexdigest()
    name = f"sweep_{step.__name__}_{digest}"
    function = FunctionType(_sweep.__code__, {**_sweep.__globals__, "_step": step.dispatcher}, name)
    function.__qualname__ = name
    return Compiled(function, "sweep", cached=step.source is not None)
