r"""The two terms of linear NOTEARS at W, (d, d), in one pass.

.. math:: \tfrac12 \operatorname{tr}\bigl((I - W)^\top C (I - W)\bigr), \quad C (W - I), \qquad
          \operatorname{tr} e^{W \circ W} - d, \quad 2 W \circ (e^{W \circ W})^\top .
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.exponential import exponential_minus_identity
from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def notears_terms(
    W: NDArray[np.float64], C: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64], float, NDArray[np.float64]]:
    """Loss, its gradient (d, d), h and its gradient (d, d); h is infinite beyond a double."""
    d = W.shape[0]
    gradient = np.dot(C, W)
    walks = exponential_minus_identity(W * W)
    flat = W.ravel()
    loss = 0.5 * np.dot(flat, gradient.ravel()) - np.dot(flat, C.ravel())
    h = 0.0
    h_gradient = np.empty_like(W)
    for i in range(d):
        for j in range(d):
            gradient[i, j] -= C[i, j]
            h_gradient[i, j] = 2.0 * W[i, j] * walks[j, i]
        loss += 0.5 * C[i, i]
        h += walks[i, i]
        h_gradient[i, i] += 2.0 * W[i, i]
    if not h < np.inf:
        h = np.inf
    return loss, gradient, h, h_gradient
