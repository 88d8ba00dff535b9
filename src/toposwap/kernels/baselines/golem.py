r"""Adam on the GOLEM objective, from the triangular factor of the data.

With :math:`A = I - B` and :math:`C = R^\top R = X^\top X / n`, the likelihood part is

.. math:: \tfrac d2 \log \operatorname{tr}(A^\top C A) - \log|\det A| \qquad\text{or}\qquad
          \tfrac12 \sum_j \log (A^\top C A)_{jj} - \log|\det A|,

its gradient :math:`-C A D + A^{-\top}` with :math:`D = d / \operatorname{tr}(A^\top C A)` or
:math:`D = \operatorname{diag}(A^\top C A)^{-1}`, and that of the penalties
:math:`\lambda_1 \operatorname{sign} B + 2 \lambda_2 B \circ (e^{B \circ B})^\top`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.linalg.exponential import exponential_minus_identity

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Adam's constants as its paper has them.
_BETA1, _BETA2, _EPSILON = 0.9, 0.999, 1e-8
# The exponential of large weights may overflow; its direction is what Adam needs.
_LARGE = 1e100


@kernel
def golem_gradient(
    B: NDArray[np.float64],
    R: NDArray[np.float64],
    l1: float,
    h: float,
    equal: bool,
) -> NDArray[np.float64]:
    """Gradient of the objective at B, (d, d), zero on the diagonal; ``equal`` noise variances."""
    d = B.shape[0]
    A = -B
    for i in range(d):
        A[i, i] += 1.0
    residual = np.dot(R, A)
    CA = np.dot(R.T, residual)
    precision = np.zeros(d)
    for i in range(d):
        for j in range(d):
            precision[j] += residual[i, j] * residual[i, j]
    if equal:
        precision[:] = d / precision.sum()
    else:
        for j in range(d):
            precision[j] = 1.0 / precision[j]
    inverse = np.linalg.inv(A)
    walks = exponential_minus_identity(B * B)
    gradient = np.empty_like(B)
    for i in range(d):
        for j in range(d):
            back = walks[j, i]
            if not back < _LARGE:
                back = _LARGE
            gradient[i, j] = (
                -CA[i, j] * precision[j]
                + inverse[j, i]
                + l1 * np.sign(B[i, j])
                + 2.0 * h * B[i, j] * back
            )
        gradient[i, i] = 0.0
    return gradient


@kernel
def adam_steps(
    B: NDArray[np.float64],
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    taken: int,
    steps: int,
    rate: float,
    R: NDArray[np.float64],
    l1: float,
    h: float,
    equal: bool,
) -> None:
    """Take ``steps`` of Adam after ``taken`` ones; B and its two moments (d, d) change in place."""
    d = B.shape[0]
    for t in range(taken + 1, taken + steps + 1):
        gradient = golem_gradient(B, R, l1, h, equal)
        lift1 = 1.0 / (1.0 - _BETA1**t)
        lift2 = 1.0 / (1.0 - _BETA2**t)
        for i in range(d):
            for j in range(d):
                g = gradient[i, j]
                first[i, j] = _BETA1 * first[i, j] + (1.0 - _BETA1) * g
                second[i, j] = _BETA2 * second[i, j] + (1.0 - _BETA2) * g * g
                B[i, j] -= rate * first[i, j] * lift1 / (np.sqrt(second[i, j] * lift2) + _EPSILON)
