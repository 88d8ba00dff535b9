r"""One node of a Gaussian score with an L0 penalty: which predecessors are parents.

.. math:: Q_z(P) = \tfrac12 \log \operatorname{var}(x_z \mid P) + \lambda |P|
          \qquad\text{or}\qquad
          Q_z(P) = \tfrac12 \mu_z \operatorname{var}(x_z \mid P) + \lambda |P|

(likelihood, and least squares in units :math:`\mu_z`). Parents are added from the best and dropped
from the weakest until no single addition or removal lowers :math:`Q_z`. Whether a candidate pays is
a comparison of its reduction ``g[u]**2 / c[u]`` with a bar that depends on the residual variance
alone, so a candidate below the bar leaves the solution as it is.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.l0.partial_covariance import (
    DEPENDENT,
    add_parent,
    cheapest_removal,
    remove_parent,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SLACK = 1.0 - 1e-9


class Node(NamedTuple):
    """The tables of one node, see :mod:`toposwap.kernels.l0.partial_covariance`; also workspace."""

    rows: NDArray[np.float64]
    parents: NDArray[np.int64]
    g: NDArray[np.float64]
    c: NDArray[np.float64]


class Rule(NamedTuple):
    """What an edge must bring.

    ``logarithmic`` chooses between the two scores, ``weight`` is lambda, ``unit`` is mu, (d,).
    ``reduction`` (d,) and ``inverse`` (K, K) are workspace.
    """

    C: NDArray[np.float64]
    logarithmic: bool
    weight: float
    unit: NDArray[np.float64]
    reduction: NDArray[np.float64]
    inverse: NDArray[np.float64]


@kernel
def node_value(rule: Rule, z: int, variance: float, k: int) -> float:
    """Q_z with ``k`` parents and this residual variance, which counts as DEPENDENT at the least."""
    if rule.logarithmic:
        return 0.5 * math.log(max(variance, DEPENDENT)) + rule.weight * k
    return 0.5 * rule.unit[z] * variance + rule.weight * k


@kernel
def least_reduction(rule: Rule, z: int, variance: float) -> float:
    """How much the residual variance must fall for one more edge to pay."""
    if rule.logarithmic:
        return variance * -math.expm1(-2.0 * rule.weight)
    return 2.0 * rule.weight / rule.unit[z]


@kernel
def largest_rise(rule: Rule, z: int, variance: float) -> float:
    """How much the residual variance may rise for one edge less to pay."""
    if rule.logarithmic:
        return variance * math.expm1(2.0 * rule.weight)
    return 2.0 * rule.weight / rule.unit[z]


@kernel
def single_gain(rule: Rule, z: int, variance: float, reduction: float) -> float:
    """Change of Q_z by one more edge with this reduction, nothing else changing."""
    if rule.logarithmic:
        return 0.5 * math.log(1.0 - reduction / variance) + rule.weight
    return rule.weight - 0.5 * rule.unit[z] * reduction


@kernel
def pays(rule: Rule, node_g: float, node_c: float, z: int, variance: float) -> bool:
    """Whether an absent candidate with these entries of g and c would pay."""
    return node_c > DEPENDENT and node_g * node_g > node_c * least_reduction(rule, z, variance)


@kernel
def grow_and_shrink(
    rule: Rule,
    node: Node,
    k: int,
    z: int,
    position: NDArray[np.int64],
    limit: int,
    excluded: int,
    included: int,
) -> int:
    """Settle the parents of ``z`` among the variables at positions below ``limit``.

    ``excluded`` and ``included`` (-1 for none) are one variable that is not allowed, or is allowed,
    whatever its position. There are at most as many parents as rows. Returns their number.
    """
    d = node.g.size
    reduction = rule.reduction
    most = node.rows.shape[0]
    while True:
        while k < most:
            for u in range(d):
                gain = node.g[u] * node.g[u] / node.c[u]
                reduction[u] = gain if position[u] < limit and node.c[u] > DEPENDENT else 0.0
            if included >= 0 and node.c[included] > DEPENDENT:
                reduction[included] = node.g[included] * node.g[included] / node.c[included]
            if excluded >= 0:
                reduction[excluded] = 0.0
            reduction[z] = 0.0
            best = -1
            most_reduced = least_reduction(rule, z, node.c[z])
            for u in range(d):
                if reduction[u] > most_reduced:
                    most_reduced = reduction[u]
                    best = u
            if best < 0:
                break
            k = add_parent(rule.C, node.rows, node.parents, k, node.g, node.c, z, best)
        dropped = False
        while k > 0:
            index, rise = cheapest_removal(node.rows, node.parents, k, z, rule.inverse)
            if rise >= _SLACK * largest_rise(rule, z, node.c[z]):
                break
            k = remove_parent(node.rows, node.parents, k, node.g, node.c, z, index)
            dropped = True
        if not dropped:
            return k
