r"""The two terms of linear NOTEARS at W, (d, d), in one pass.

.. math:: \tfrac12 \lVert R (I - W) \rVert_F^2, \quad -R^\top R (I - W), \qquad
          \operatorname{tr} e^{W \circ W} - d, \quad 2 W \circ (e^{W \circ W})^\top,

with the factor R (d, d) of the data, :math:`R^\top R = X^\top X / n`. Residuals come from R, as on
nearly dependent columns the differences of entries of the covariance have no digits left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.linalg.exponential import exponential_minus_identity

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def notears_terms(
    W: NDArray[np.float64], R: NDArray[np.float64], R_transposed: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64], float, NDArray[np.float64]]:
    """Loss, its gradient (d, d), h and its gradient (d, d); h is infinite beyond a double."""
    d = W.shape[0]
    residual = np.dot(R, W)
    for i in range(d):
        for j in range(d):
            residual[i, j] -= R[i, j]
    gradient = np.dot(R_transposed, residual)
    flat = residual.ravel()
    loss = 0.5 * np.dot(flat, flat)
    walks = exponential_minus_identity(W * W)
    h = 0.0
    h_gradient = np.empty_like(W)
    for i in range(d):
        for j in range(d):
            h_gradient[i, j] = 2.0 * W[i, j] * walks[j, i]
        h += walks[i, i]
        h_gradient[i, i] += 2.0 * W[i, i]
    if not h < np.inf:
        h = np.inf
    return loss, gradient, h, h_gradient
