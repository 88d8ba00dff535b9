"""Which directions a score leaves open, given what is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.interventions import told_apart
from toposwap.metrics.equivalence import cpdag
from toposwap.metrics.meek import orient

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.admissible import Admissible
    from toposwap.metrics.equivalence import Edges


def permitted_class(
    edges: Edges, told: Admissible, targets: NDArray[np.bool_] | None = None
) -> Edges:
    """The Markov equivalence class of the DAG ``edges`` (d, d), narrowed by what is known; (d, d).

    ``C[i, j] and C[j, i]`` is an edge whose direction is left open by both. Directions that are
    ``told`` and what follows from them, by Meek's rules, are not; nor are those of edges of which
    just one end was set from outside in some row, ``targets`` (e, d) being the different sets.
    """
    completed = cpdag(edges)
    if told.everything and targets is None:
        return completed
    turned = np.zeros_like(completed)
    if told.parents is not None:
        turned |= ~told.parents
    if told.before is not None:
        turned |= told.before.T
    directed = edges & turned.T
    if targets is not None:
        directed |= told_apart(edges, targets)
    return orient(completed, directed)


def undecided_graphs(
    edges: Edges,
    told: Admissible,
    targets: NDArray[np.bool_] | None = None,
    *,
    equivalent: bool,
    gaussian: NDArray[np.bool_] | None = None,
    nominal: NDArray[np.bool_] | None = None,
) -> Edges:
    """The DAGs that a score cannot tell from the DAG ``edges``, as one graph (d, d).

    Both directions where an edge is open; the DAG itself for a score that tells all apart.

    Parameters
    ----------
    edges
        The DAG, ``edges[i, j]`` for i -> j.
    told, targets
        What is known, and what was set from outside, as in :func:`permitted_class`.
    equivalent
        Whether all members of a Markov equivalence class have the same score.
    gaussian
        Where they have not: the columns (d,) between which they have, because these have the
        Gaussian likelihood and others a loss of their own. Any two such members are joined by
        turning edges i -> j of which the other parents agree, and those terms of i and j are the
        two ways to write one joint density.
    nominal
        Likewise the columns (d,) of categories: between two of them without other parents nothing
        is left out by a model of one given the other, whichever that is.
    """
    if equivalent:
        return permitted_class(edges, told, targets)
    nobody = np.zeros(len(edges), dtype=bool)
    gaussian = nobody if gaussian is None else gaussian
    nominal = nobody if nominal is None else nominal
    if not (gaussian.any() or nominal.any()):
        return edges
    alone = edges.sum(axis=0) == 1
    either = (gaussian[:, None] & gaussian) | (nominal[:, None] & (nominal & alone))
    return orient(permitted_class(edges, told, targets), edges & ~either)


def open_edges(
    edges: Edges,
    told: Admissible,
    targets: NDArray[np.bool_] | None = None,
    *,
    equivalent: bool,
    gaussian: NDArray[np.bool_] | None = None,
    nominal: NDArray[np.bool_] | None = None,
) -> Edges:
    """The edges (d, d) of a DAG that its score would as soon have the other way round; (d, d).

    The parameters are those of :func:`undecided_graphs`.
    """
    left = undecided_graphs(
        edges, told, targets, equivalent=equivalent, gaussian=gaussian, nominal=nominal
    )
    return np.asarray(edges & left & left.T)
