"""The two-loop recursion of L-BFGS on the variables that are free, for many problems at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def directions(
    active: NDArray[np.int64],
    steep: NDArray[np.float64],
    free: NDArray[np.bool_],
    unit: NDArray[np.float64],
    moves: NDArray[np.float64],
    bends: NDArray[np.float64],
    count: NDArray[np.int64],
    newest: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """-H steep for the problems ``active`` (b,), (b, p); whether H is a mere guess, (b,).

    ``moves`` and ``bends`` (B, m, p) are rings of the latest steps and changes of the gradient:
    ``count`` (B,) of them are filled, the last one at ``newest`` (B,). Only the entries that are
    ``free`` (b, p) take part, so pairs whose curvature there is not positive are left out. The
    first guess of H is diagonal, a multiple of ``unit`` (b, p) squared.
    """
    memory, p = moves.shape[1], moves.shape[2]
    out = np.zeros((active.size, p))
    guess = np.ones(active.size, dtype=np.bool_)
    alpha = np.empty(memory)
    rate = np.empty(memory)
    vector = np.empty(p)
    for a in range(active.size):
        b = active[a]
        for k in range(p):
            vector[k] = steep[a, k] if free[a, k] else 0.0
        stretch = 1.0
        for back in range(count[b]):
            at = (newest[b] - back) % memory
            curved = 0.0
            along = 0.0
            for k in range(p):
                if free[a, k]:
                    curved += moves[b, at, k] * bends[b, at, k]
                    along += moves[b, at, k] * vector[k]
            rate[back] = 0.0
            if curved > 0.0:
                rate[back] = 1.0 / curved
                alpha[back] = along / curved
                for k in range(p):
                    if free[a, k]:
                        vector[k] -= alpha[back] * bends[b, at, k]
                if guess[a]:
                    # The newest usable pair tells the scale of H.
                    size = 0.0
                    for k in range(p):
                        if free[a, k]:
                            size += (bends[b, at, k] * unit[a, k]) ** 2
                    stretch = curved / size
                    guess[a] = False
        for k in range(p):
            vector[k] *= stretch * unit[a, k] * unit[a, k]
        for back in range(count[b] - 1, -1, -1):
            if rate[back] > 0.0:
                at = (newest[b] - back) % memory
                along = 0.0
                for k in range(p):
                    if free[a, k]:
                        along += bends[b, at, k] * vector[k]
                beta = along * rate[back]
                for k in range(p):
                    if free[a, k]:
                        vector[k] += (alpha[back] - beta) * moves[b, at, k]
        for k in range(p):
            out[a, k] = -vector[k]
    return out, guess
