r"""One node with a penalty on the lengths of the blocks of its parents.

.. math:: \min_{\theta, c} \; s\, \ell(\theta, c)
          + \sum_i \rho_i(\lVert \theta_i \rVert), \qquad
          \rho_i'(t) = \max(\mathrm{kink}_i - \mathrm{concavity}\, t,\, 0),

s the share of the rows that count for the node. Newton's method with the penalty: the quadratic
model of the loss is minimised with the penalty by block coordinate descent, and the step to that is
shortened until it goes down. Only blocks in use, or that violate the conditions, are in the model.
A number, whose loss is 1/2 log of the residual sum of squares, is solved whole by a kernel of its
own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.kernels.blocks.group_gaussian import descend_gaussian
from toposwap.kernels.blocks.group_quadratic import descend_blocks
from toposwap.kernels.blocks.moments import DEPENDENT
from toposwap.scores.blocks.design import largest_curvatures
from toposwap.scores.blocks.gaussian_node import GaussianNode
from toposwap.scores.blocks.newton import Rows, at, curvature, gradient_at
from toposwap.scores.blocks.nodes import Fitted

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from toposwap.scores.blocks.nodes import RowsNode

    Floats = NDArray[np.float64]

_STEPS, _TURNS, _SWEEPS = 200, 50, 2000
#: Of a number a sweep costs no more than a product with the factor, so that it may be exact.
_SWEEPS_OF_NUMBERS, _TOLERANCE_OF_NUMBERS = 20_000, 1e-12
_TOLERANCE = 1e-11
_SHORTEST = 1e-6
#: A block that is not in use violates the conditions if its gradient is so much beyond its kink.
_BEYOND = 1e-9


@dataclass(frozen=True)
class GroupPenalty:
    """rho on lengths t: kink t for the lasso, less concavity t^2 / 2 until its slope is zero."""

    concavity: float

    def value(self, lengths: Floats, kinks: Floats) -> float:
        """Of blocks with these ``lengths`` and ``kinks``, in all."""
        reach = np.minimum(lengths, kinks / self.concavity) if self.concavity else lengths
        return float(np.sum(kinks * reach - 0.5 * self.concavity * reach * reach))

    def slope(self, lengths: Floats, kinks: Floats) -> Floats:
        """The slope of each."""
        return np.maximum(kinks - self.concavity * lengths, 0.0)


class _Model(NamedTuple):
    """Loss, gradient (N,) and curvature (N, N) at a point, and the size of what cancels."""

    value: float
    gradient: Floats
    H: Floats
    size: float


def solve_group(
    node: GaussianNode | RowsNode,
    share: float,
    allowed: NDArray[np.bool_],
    kinks: Floats,
    penalty: GroupPenalty,
    start: Fitted | None,
) -> tuple[Fitted, float, NDArray[np.bool_]]:
    """The solution among ``allowed`` (d,), what it costs, and who else would enter, (d,).

    ``kinks`` (d,); those of required parents are zero, and these are always in the model. ``start``
    is a solution with other candidates.
    """
    if isinstance(node, GaussianNode):
        return _solve_number(node, share, allowed, kinks, penalty, start)
    design = node.design
    theta = _begin(node, allowed, start)
    constants = node.start if start is None else start.constants
    lengths = block_lengths(theta, design.starts)
    active = (lengths > 0.0) | (allowed & (kinks == 0.0))
    for _ in range(_TURNS):
        value, constants = _descend(node, share, active, kinks, penalty, theta, constants)
        steep = share * block_lengths(node.evaluate(theta, constants).gradient, design.starts)
        violating = (steep > kinks * (1.0 + _BEYOND) + _BEYOND) & ~active
        violating[node.node] = False
        if not (violating & allowed).any():
            break
        active = (block_lengths(theta, design.starts) > 0.0) | (allowed & (kinks == 0.0))
        active |= violating & allowed
    return Fitted(theta, constants, value), value, violating & ~allowed


def _solve_number(
    node: GaussianNode,
    share: float,
    allowed: NDArray[np.bool_],
    kinks: Floats,
    penalty: GroupPenalty,
    start: Fitted | None,
) -> tuple[Fitted, float, NDArray[np.bool_]]:
    design = node.design
    theta = _begin(node, allowed, start)
    descend_gaussian(
        design.factor_by_rows,
        design.gram,
        design.factor_by_rows[:, node.own.start].copy(),
        design.starts,
        allowed & (np.arange(allowed.size) != node.node),
        kinks,
        penalty.concavity,
        design.curvatures,
        share,
        DEPENDENT,
        theta[:, 0],
        _TOLERANCE_OF_NUMBERS,
        _SWEEPS_OF_NUMBERS,
    )
    found = node.evaluate(theta, None)
    lengths = block_lengths(theta, design.starts)
    value = share * found.value + penalty.value(lengths, kinks)
    steep = share * block_lengths(found.gradient, design.starts)
    violating = (steep > kinks * (1.0 + _BEYOND) + _BEYOND) & ~allowed
    violating[node.node] = False
    return Fitted(theta, np.zeros(0), value), value, violating


def _begin(
    node: GaussianNode | RowsNode, allowed: NDArray[np.bool_], start: Fitted | None
) -> Floats:
    """What a solution with other candidates says of the ``allowed`` ones, (M, q)."""
    theta = np.zeros((len(node.design.Z), node.q))
    if start is not None:
        theta[:] = np.where(np.repeat(allowed, node.design.sizes)[:, None], start.theta, 0.0)
    return theta


def block_lengths(theta: Floats, starts: NDArray[np.int64]) -> Floats:
    """Of the blocks of theta (M, q), (d,)."""
    return np.sqrt(np.add.reduceat(np.square(theta).sum(axis=1), starts[:-1]))


def _descend(
    node: RowsNode,
    share: float,
    active: NDArray[np.bool_],
    kinks: Floats,
    penalty: GroupPenalty,
    theta: Floats,
    constants: Floats,
) -> tuple[float, Floats]:
    """Improve the ``active`` blocks of ``theta`` (M, q) in place; what it costs, and constants."""
    design, q = node.design, node.q
    index = design.index(active)
    sizes = design.sizes[active] * q
    free = constants.size
    # Blocks one after the other, then the constants, one by one.
    owner = np.repeat(np.arange(active.size), design.sizes)[index]
    order = np.argsort(np.tile(owner, q), kind="stable")
    order = np.concatenate([order, order.size + np.arange(free)])
    starts = np.concatenate([[0], np.cumsum([*sizes, *[1] * free])]).astype(np.int64)
    kink = np.concatenate([kinks[active], np.zeros(free)])
    model = _rows_model(node, index, share)

    def paid(x: Floats) -> float:
        lengths = np.sqrt(np.add.reduceat(np.square(x), starts[:-1])) if x.size else np.zeros(0)
        return penalty.value(lengths[: sizes.size], kink[: sizes.size])

    x = np.concatenate([theta[index].T.ravel(), constants])[order]
    back = np.argsort(order)
    here = model(x[back])
    total = here.value + paid(x)
    for _ in range(_STEPS if x.size else 0):
        H = np.ascontiguousarray(here.H[np.ix_(order, order)])
        bounds = largest_curvatures(H, starts)
        bounds = np.maximum(bounds * (1.0 + 1e-12), 2.0 * penalty.concavity * (kink > 0.0) + 1e-12)
        aim, slope = x.copy(), here.gradient[order].copy()
        descend_blocks(
            H, starts, kink, penalty.concavity, bounds, aim, slope, 0.01 * _TOLERANCE, _SWEEPS
        )
        step = aim - x
        if not (np.abs(step) * np.repeat(bounds, np.diff(starts)) > _TOLERANCE * here.size).any():
            break
        foretold = float(here.gradient[order] @ step) + paid(aim) - paid(x)
        length = 1.0
        while length > _SHORTEST:
            there = model((x + length * step)[back])
            new = there.value + paid(x + length * step)
            if new <= total + 1e-4 * length * min(foretold, 0.0) + 1e-15 * abs(total):
                break
            length *= 0.5
        else:
            break
        # A whole step keeps the zeros of the aim exactly.
        x, here, total = (aim if length == 1.0 else x + length * step), there, new
    whole = x[back]
    theta[:] = 0.0
    theta[index] = whole[: index.size * q].reshape(q, index.size).T
    return total, whole[index.size * q :]


def _rows_model(
    node: RowsNode, index: NDArray[np.int64], share: float
) -> Callable[[Floats], _Model]:
    rows = Rows(np.ascontiguousarray(node.design.Z[index]), node.y, node.design.omega)
    inside = np.arange(index.size)

    def model(x: Floats) -> _Model:
        theta = np.ascontiguousarray(x[: index.size * node.q].reshape(node.q, index.size).T)
        terms = at(node.loss, rows, theta, x[theta.size :])
        value = terms.value + 0.5 * node.ridge * float(np.square(theta).sum())
        slope = gradient_at(rows, terms, theta, node.ridge)
        H = curvature(node.loss, terms, rows, inside, node.ridge)
        return _Model(share * value, share * slope, share * H, share * terms.size)

    return model
