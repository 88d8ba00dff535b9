r"""Which predecessors a node of an additive model needs: F-tests of whole blocks.

Forward: the block whose F-test against the parents at hand is the most significant joins, as long
as its p-value is at most ``level`` over the number of predecessors. After each step blocks that are
no longer significant leave, the least significant first. Then the remaining ones are fitted again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.special import fdtrc

from toposwap.core.errors import InputError
from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.pruning.base import Pruned, Pruner, predictor_of
from toposwap.scores.additive.design import refit
from toposwap.scores.additive.score import BoundBasis

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.order import Order
    from toposwap.scores.base import BoundScore

#: Chance of one superfluous parent for a node that needs none of its predecessors.
LEVEL = 0.01


class FTests(Pruner):
    """F-tests of whole functions of an additive model; what is significant is fitted again."""

    name: ClassVar[str] = "f-tests"

    def check(self, bound: BoundScore) -> None:
        """Additive models by least squares only."""
        if not isinstance(bound, BoundBasis):
            raise InputError(
                f"prune: F-tests are for score='basis', and the score is {bound.score.name!r}"
            )

    def prune(
        self,
        bound: BoundScore,
        parameters: Any,
        order: Order,
        *,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
        deadline: Deadline = NEVER,  # noqa: ARG002 - a fraction of the search's time
    ) -> Pruned:
        """Test the predecessors of each node, and fit those that it needs."""
        assert isinstance(bound, BoundBasis)
        design = bound.design
        # The tests are those of ordinary least squares.
        penalised = bool(bound.penalty.any())
        free = design.factor(np.zeros_like(bound.penalty)) if penalised else bound.factor
        sizes = design.present.sum(axis=1)
        theta = np.zeros_like(parameters)
        for j in range(bound.data.d):
            allowed = bound.candidates(order, j)
            required = bound.admissible.required_of(j)
            parents = significant_parents(free, sizes, bound.data.n, j, allowed, required=required)
            theta[:, :, j] = refit(bound.factor, bound.size, j, parents)
        theta = theta * design.present[:, :, None] * design.deviations
        return Pruned(
            np.ascontiguousarray(bound.admissible.with_required(bound.weights(theta))),
            order,
            theta,
            predictor_of(bound, theta),
            f"F-tests of whole functions, {LEVEL:.0%} a node",
            bound.score.equivalent,
            refitted=True,
        )


def significant_parents(
    factor: NDArray[np.float64],
    sizes: NDArray[np.int64],
    n: int,
    node: int,
    allowed: NDArray[np.bool_],
    level: float = LEVEL,
    required: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """The predecessors of ``node`` that it needs, (d,), among ``allowed`` (d,).

    ``factor`` (d m, d m) is upper triangular with the blocks in the order of the variables, without
    a penalty; ``sizes`` (d,) says how many functions of a block there are. Those that are
    ``required`` (d,) are not tested: they are parents.
    """
    d = sizes.size
    m = factor.shape[1] // d
    candidates = np.flatnonzero(allowed)
    kept = [] if required is None else np.flatnonzero(required).tolist()
    parents: list[int] = list(kept)
    if candidates.size == 0:
        return np.zeros(d, dtype=bool)
    bar = level / candidates.size
    blocks = factor.reshape(-1, d, m)
    response = factor[:, node * m]
    banned = np.isin(candidates, kept)
    left, residual = _left_over(blocks, candidates, response, parents, sizes)
    while True:
        free = n - 1 - int(sizes[parents].sum())
        gains = _gains(left, residual)
        rss = float(residual @ residual)
        width = sizes[candidates]
        open_ = ~banned & (free - width > 0)
        if not open_.any():
            break
        p = np.ones(candidates.size)
        p[open_] = _p_values(gains[open_], rss - gains[open_], width[open_], free - width[open_])
        best = int(np.lexsort((-gains, p))[0])
        if p[best] > bar:
            break
        parents.append(int(candidates[best]))
        banned[best] = True
        while (weakest := _weakest(blocks, response, parents, sizes, n, bar, kept)) is not None:
            # What has left does not come back, so that this ends.
            parents.remove(weakest)
        left, residual = _left_over(blocks, candidates, response, parents, sizes)
    chosen = np.zeros(d, dtype=bool)
    chosen[parents] = True
    return chosen


def _left_over(
    blocks: NDArray[np.float64],
    candidates: NDArray[np.intp],
    response: NDArray[np.float64],
    parents: list[int],
    sizes: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What ``parents`` do not explain of the candidates' blocks (D, k, m) and the response (D,)."""
    basis = _basis(blocks, parents, sizes)
    left = blocks[:, candidates] - np.tensordot(
        basis, np.tensordot(basis.T, blocks[:, candidates], 1), 1
    )
    return left, response - basis @ (basis.T @ response)


def _gains(left: NDArray[np.float64], residual: NDArray[np.float64]) -> NDArray[np.float64]:
    """By how much each block (D, k, m) would lower the residual sum of squares, (k,)."""
    gram = np.einsum("tir,tis->irs", left, left, optimize=True)
    along = np.tensordot(residual, left, 1)
    # Columns that the parents determine bring nothing.
    gram += 1e-12 * np.eye(gram.shape[-1])
    return np.einsum("ir,ir->i", along, np.linalg.solve(gram, along[..., None])[..., 0])


def _basis(
    blocks: NDArray[np.float64], parents: list[int], sizes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """An orthonormal basis of the columns of ``parents``, (D, k)."""
    if not parents:
        return np.zeros((len(blocks), 0))
    return np.linalg.qr(np.column_stack([blocks[:, i, : sizes[i]] for i in parents]))[0]


def _weakest(
    blocks: NDArray[np.float64],
    response: NDArray[np.float64],
    parents: list[int],
    sizes: NDArray[np.int64],
    n: int,
    bar: float,
    kept: list[int],
) -> int | None:
    """The least significant parent that is not ``kept`` in any case, if it is above the bar."""
    if len(parents) < 2:
        return None
    columns = np.column_stack([blocks[:, i, : sizes[i]] for i in parents])
    q, r = np.linalg.qr(columns)
    along = q.T @ response
    rss = float(response @ response - along @ along)
    try:
        inverse = np.linalg.inv(r)
    except np.linalg.LinAlgError:  # functions that determine each other
        inverse = np.linalg.pinv(r)
    coefficients = inverse @ along
    stops = np.cumsum(sizes[parents])
    free = n - 1 - int(stops[-1])
    raised = np.empty(len(parents))
    for k, stop in enumerate(stops):
        part = slice(stop - sizes[parents[k]], stop)
        covariance = inverse[part] @ inverse[part].T
        solved = np.linalg.lstsq(covariance, coefficients[part], rcond=None)[0]
        raised[k] = coefficients[part] @ solved
    p = _p_values(raised, rss, sizes[parents], free)
    p[np.isin(parents, kept)] = 0.0
    worst = int(np.lexsort((raised, -p))[0])
    return parents[worst] if p[worst] > bar else None


def _p_values(
    gain: NDArray[np.float64],
    rss: NDArray[np.float64] | float,
    width: NDArray[np.int64],
    free: NDArray[np.int64] | int,
) -> NDArray[np.float64]:
    """Of F = (gain / width) / (rss / free)."""
    with np.errstate(over="ignore"):
        ratio = gain * free / (np.maximum(rss, np.finfo(float).tiny) * width)
    return np.asarray(fdtrc(width, free, ratio), dtype=np.float64)
