"""Random directed acyclic graphs.

A kind of graph is one function that draws a strictly upper triangular matrix: nodes are numbered in
a topological order and edges run from earlier to later ones. :func:`dag` does the rest, which is
the same for every kind: reading the name, and hiding the order behind random labels. To add a kind,
decorate such a function with :func:`graph_kind`.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

RandomState: TypeAlias = int | np.random.Generator | None
Edges: TypeAlias = NDArray[np.bool_]
Draw: TypeAlias = "Callable[[int, float, np.random.Generator], Edges]"

GRAPH_KINDS: dict[str, Draw] = {}
"""The kinds of graph :func:`dag` knows: name -> ``draw(d, k, rng)``, strictly upper triangular."""

DEFAULT_K = 2.0


def graph_kind(name: str) -> Callable[[Draw], Draw]:
    """Make the decorated ``draw(d, k, rng) -> (d, d) bool`` known to :func:`dag` as `name`."""

    def register(draw: Draw) -> Draw:
        GRAPH_KINDS[name] = draw
        return draw

    return register


def dag(
    d: int,
    kind: str = "ER",
    k: float | None = None,
    random_state: RandomState = None,
    *,
    hubs: Literal["causes", "effects"] = "effects",
) -> Edges:
    """Draw a DAG on d nodes with k d edges in expectation: ``B[i, j]`` is the edge i -> j.

    Parameters
    ----------
    d
        The number of nodes.
    kind
        ``"ER"`` (Erdős-Rényi: each pair is an edge, independently and with equal probability),
        ``"SF"`` (scale-free: preferential attachment with exponent 1), ``"full"`` (every pair is an
        edge; k has no meaning there and is ignored). The name may carry k: ``"ER4"``, ``"SF1.5"``.
    k
        Expected number of edges per node, between 0 and (d - 1) / 2; 2 unless given.
    random_state
        None, a seed, or the generator to draw from.
    hubs
        What the few nodes with very many neighbours in a scale-free graph are. Arriving nodes
        become causes of the nodes they attach to (``"effects"``: hubs have many parents, as in the
        simulations the field compares on) or their effects (``"causes"``: hubs have many children).
        The other kinds have the same distribution either way.

    Returns
    -------
    (d, d) bool array
        Adjacency matrix, its labels in random order.
    """
    d = checked_count(d, "d")
    draw, k = _kind_and_density(kind, k)
    if hubs not in ("causes", "effects"):
        raise InputError(f"hubs is {hubs!r}: use 'causes' or 'effects'")

    rng = np.random.default_rng(random_state)
    in_order = draw(d, k, rng)
    if hubs == "effects":
        in_order = in_order.T
    label = rng.permutation(d)
    return in_order[np.ix_(label, label)]


@graph_kind("ER")
def _erdos_renyi(d: int, k: float, rng: np.random.Generator) -> Edges:
    """P(edge) = 2 k / (d - 1) for each of the d (d - 1) / 2 pairs, independently."""
    probability = _expected_edges(d, k) / max(d * (d - 1) / 2, 1)
    return np.triu(rng.random((d, d)) < probability, k=1)


@graph_kind("SF")
def _scale_free(d: int, k: float, rng: np.random.Generator) -> Edges:
    """P(node t attaches to s < t) proportional to degree(s) + 1, without replacement.

    The 1 lets the first nodes, which have no neighbours yet, be chosen at all.
    """
    edges = np.zeros((d, d), dtype=bool)
    degree = np.zeros(d)
    for t, attachments in enumerate(_attachments(d, _expected_edges(d, k), rng)):
        if attachments == 0:
            continue
        attraction = degree[:t] + 1
        chosen = rng.choice(t, attachments, replace=False, p=attraction / attraction.sum())
        edges[chosen, t] = True
        degree[chosen] += 1
        degree[t] = attachments
    return edges


@graph_kind("full")
def _full(d: int, _k: float, _rng: np.random.Generator) -> Edges:
    """Every earlier node is a parent of every later one."""
    return np.triu(np.ones((d, d), dtype=bool), k=1)


def _expected_edges(d: int, k: float) -> float:
    """Return k d, or say why no DAG on d nodes has that many edges."""
    if not (math.isfinite(k) and k >= 0):
        raise InputError(f"k is {k}: give a finite number of edges per node, 0 or more")
    if k > (d - 1) / 2:
        raise InputError(
            f"k = {k:g} asks for {k * d:g} edges, but a DAG on d = {d} nodes has at most "
            f"{d * (d - 1) // 2}: use k <= {(d - 1) / 2:g} or a larger d"
        )
    return k * d


def _attachments(d: int, total: float, rng: np.random.Generator) -> NDArray[np.intp]:
    """m_t = min(t, c) for t = 0 .. d - 1, with c such that the sum is `total`, rounded at random.

    Write q for the whole part of c. Nodes up to q attach to everything before them, the others to
    q or q + 1 nodes. How many of them take the extra one is rounded at random, which ones is drawn:
    every m_t has the right expectation and the number of edges is within one of `total`.
    """
    arrival = np.arange(d)
    q = 0
    while q + 1 < d and np.minimum(arrival, q + 1).sum() <= total:
        q += 1
    attachments = np.minimum(arrival, q)
    extra = total - attachments.sum()
    n_extra = math.floor(extra) + (rng.random() < extra - math.floor(extra))
    later = arrival[q + 1 :]
    attachments[rng.choice(later, min(n_extra, later.size), replace=False)] += 1
    return attachments


def _kind_and_density(kind: str, k: float | None) -> tuple[Draw, float]:
    """Read ``"SF"`` or ``"SF1.5"``: the kind's function, and k from the one place that gives it."""
    name, k_in_name = kind, None
    if kind not in GRAPH_KINDS and (match := re.fullmatch(r"(.*?)(\d+(?:\.\d+)?)", kind)):
        name, k_in_name = match[1], float(match[2])
    if name not in GRAPH_KINDS:
        raise InputError(
            f"kind is {kind!r}: use one of {', '.join(GRAPH_KINDS)}, or a name with k as in 'ER4'"
        )
    if k is not None and k_in_name is not None:
        raise InputError(f"k is given twice, as k = {k} and in kind = {kind!r}: leave one out")
    given = k if k is not None else k_in_name
    return GRAPH_KINDS[name], DEFAULT_K if given is None else given


def checked_count(value: int, name: str) -> int:
    """Return a whole number of at least 1, or say what is wrong with `name`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InputError(f"{name} is {value!r}: give a whole number of at least 1")
    return int(value)
