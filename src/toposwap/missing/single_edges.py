"""Single edges by the likelihood of what is there, with an L0 penalty.

On expected moments an edge that is there looks better than it is, and one that is absent worse: see
:mod:`~toposwap.missing.structural`. So edges whose worth is near their price are taken out, or put
in, EM is run anew, and F decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.order import Order
    from toposwap.missing.normal import Trace
    from toposwap.missing.structural import StructuralEM

#: Change of expected moments, over the deviations, that ends EM where a comparison is asked for.
_COMPARED = 1e-4
#: F that counts as lower, in units of the log-likelihood.
LOWER = 1e-3
#: An edge is looked at again if its worth times this, and the share of its rows that have both
#: ends, is below its price (or, absent, beyond it).
_DOUBTFUL = 0.5


def second_look(em: StructuralEM, graph: NDArray[np.bool_], order: Order, trace: Trace) -> Trace:
    """EM of the graph (d, d) without the edges, and with those, that lower F; in place."""
    assert em.price is not None
    best = em.objective(trace, graph)
    tried: set[tuple[int, int]] = set()
    while not em.deadline.passed:
        doubtful = [pair for pair in _doubtful(em, graph, order, trace) if pair not in tried]
        if not doubtful:
            return trace
        i, j = doubtful[0]
        tried.add((i, j))
        graph[i, j] = not graph[i, j]
        fixed = em.price * np.count_nonzero(graph)

        def enough(told: list[float], fixed: float = fixed, best: float = best) -> bool:
            return _decided(em, told, fixed, best)

        new = em.patterns.maximise(
            trace.moments,
            em.of_edges(graph),
            tolerance=_COMPARED,
            deadline=em.deadline,
            enough=enough,
        )
        if em.objective(new, graph) < best - LOWER / em.n:
            trace, best = new, em.objective(new, graph)
            tried = {(i, j)}
        else:
            graph[i, j] = not graph[i, j]
    return trace


def _decided(em: StructuralEM, told: list[float], fixed: float, best: float) -> bool:
    """Whether F is below ``best`` already, or will not get there: it falls geometrically."""
    now = fixed - told[-1] / em.n
    if now < best - LOWER / em.n:
        return True
    if len(told) < 4:
        return False
    last, step = told[-2] - told[-3], told[-1] - told[-2]
    if not 0.0 < step < last:
        return False
    left = step * step / (last - step) / em.n
    return now - 2.0 * left > best


def _doubtful(
    em: StructuralEM, graph: NDArray[np.bool_], order: Order, trace: Trace
) -> list[tuple[int, int]]:
    """Edges, there and absent, whose price is near what they are worth, the worst first."""
    assert em.price is not None
    covariance = trace.moments.covariance
    candidates = em.admissible.candidates(order) | graph
    required = em.admissible.required
    pairs = np.outer(em.there, em.there)
    found = []
    for j in range(len(graph)):
        own = np.flatnonzero(graph[:, j])
        worth, gain = _worth(covariance, own, j)
        for i, w in zip(own, worth, strict=True):
            kept = required is not None and required[i, j]
            if not kept and _DOUBTFUL * pairs[i, j] * w < em.price:
                found.append((w * pairs[i, j] - em.price, int(i), j))
        for i in np.flatnonzero(candidates[:, j] & ~graph[:, j]):
            if gain[i] > _DOUBTFUL * pairs[i, j] * em.price:
                found.append((em.price - gain[i] / pairs[i, j], int(i), j))
    return [(i, j) for _, i, j in sorted(found)]


def _worth(
    covariance: NDArray[np.float64], own: NDArray[np.int64], j: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """By how much each parent lowers 1/2 log of the residual variance of j, and each other would.

    (k,) and (d,).
    """
    # The columns given the parents: what is left of j, and of the others.
    inside = covariance[np.ix_(own, own)]
    inverse = np.linalg.inv(inside) if own.size else np.zeros((0, 0))
    across = covariance[own]
    left = covariance - across.T @ inverse @ across
    variance = max(left[j, j], 1e-300)
    coefficients = inverse @ across[:, j]
    worth = 0.5 * np.log1p(np.square(coefficients) / np.diag(inverse) / variance)
    spread = np.maximum(np.diag(left), 1e-12 * np.diag(covariance))
    explained = np.square(left[:, j]) / (spread * variance)
    return worth, -0.5 * np.log1p(-np.clip(explained, 0.0, 1.0 - 1e-12))
