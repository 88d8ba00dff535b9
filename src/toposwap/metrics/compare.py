"""Counting how two graphs differ, pair of nodes by pair of nodes.

Each pair of nodes carries a mark: no edge, ->, <- or undirected. Everything here is a count over
the d (d - 1) / 2 pairs, so nothing is counted twice; a reversed edge is one mistake.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.metrics.equivalence import cpdag, dag_edges, graph_edges
from toposwap.metrics.graphs import same_nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.metrics.equivalence import Edges

UNDIRECTED = 3


@dataclass(frozen=True)
class Comparison:
    """SHD = extra + missing + reversed, and the rates made of the same counts.

    Only counts are stored, every rate is computed from them. A rate whose denominator is 0 is 0.0:
    an empty estimate has precision 0 and FDR 0.

    Attributes
    ----------
    n_nodes
        d, the number of nodes.
    n_true_edges
        Adjacent pairs of the true graph.
    n_edges
        Adjacent pairs of the estimate; an undirected edge is one.
    extra
        Pairs adjacent in the estimate only.
    missing
        Pairs adjacent in the true graph only.
    reversed
        Pairs adjacent in both, with a mark that counts as wrong.
    """

    n_nodes: int
    n_true_edges: int
    n_edges: int
    extra: int
    missing: int
    reversed: int

    @property
    def shd(self) -> int:
        """Structural Hamming distance: extra + missing + reversed."""
        return self.extra + self.missing + self.reversed

    @property
    def correct(self) -> int:
        """True positives: n_edges - extra - reversed."""
        return self.n_edges - self.extra - self.reversed

    @property
    def fdr(self) -> float:
        """False discovery rate: (reversed + extra) / n_edges."""
        return _ratio(self.reversed + self.extra, self.n_edges)

    @property
    def tpr(self) -> float:
        """True positive rate, or recall: correct / n_true_edges."""
        return _ratio(self.correct, self.n_true_edges)

    @property
    def fpr(self) -> float:
        """False positive rate: (reversed + extra) / (d (d - 1) / 2 - n_true_edges).

        This is the field's definition. Reversed edges are in the numerator only, so that on dense
        graphs the rate can exceed 1.
        """
        n_pairs = self.n_nodes * (self.n_nodes - 1) // 2
        return _ratio(self.reversed + self.extra, n_pairs - self.n_true_edges)

    @property
    def precision(self) -> float:
        """Correct / n_edges, which is 1 - fdr unless the estimate is empty."""
        return _ratio(self.correct, self.n_edges)

    @property
    def f1(self) -> float:
        """2 correct / (n_edges + n_true_edges), the harmonic mean of precision and tpr."""
        return _ratio(2 * self.correct, self.n_edges + self.n_true_edges)

    def as_dict(self) -> dict[str, int | float]:
        """Return every figure by name, counts and rates, as one row of a table."""
        return {
            "shd": self.shd,
            "extra": self.extra,
            "missing": self.missing,
            "reversed": self.reversed,
            "n_edges": self.n_edges,
            "n_true_edges": self.n_true_edges,
            "fdr": self.fdr,
            "tpr": self.tpr,
            "fpr": self.fpr,
            "f1": self.f1,
            "precision": self.precision,
        }

    def __str__(self) -> str:
        return (
            f"SHD {self.shd}: {self.extra} extra, {self.missing} missing, {self.reversed} reversed"
            f" ({self.n_edges} edges estimated, {self.n_true_edges} true)\n"
            f"precision {self.precision:.3f}, TPR {self.tpr:.3f}, F1 {self.f1:.3f},"
            f" FDR {self.fdr:.3f}, FPR {self.fpr:.3f}"
        )


def shd(true: Any, estimate: Any) -> int:
    """SHD = #extra + #missing + #reversed edges of `estimate` against `true`, both (d, d).

    The same as ``compare(true, estimate).shd``, which says what the arguments may be.
    """
    return compare(true, estimate).shd


def compare(true: Any, estimate: Any) -> Comparison:
    """Count the pairs on which `estimate` differs from the DAG `true`, both (d, d).

    Either may also be a DataFrame, a networkx graph or a fitted model; nodes are matched by name
    where both graphs name them. A networkx graph is compared with a matrix if its nodes are called
    0, 1, ... or x0, x1, ..., as those of a model fitted to an array are.

    Parameters
    ----------
    true
        Adjacency or weight matrix of a DAG; non-zero entries are edges.
    estimate
        Adjacency or weight matrix of a graph. ``estimate[i, j]`` and ``estimate[j, i]`` both
        non-zero is an undirected edge, as in a CPDAG. It is judged favourably: correct if the true
        graph has the edge in either direction.

    Returns
    -------
    Comparison
        Counts and rates.
    """
    true, estimate = same_nodes(true, estimate)
    truth, guess = dag_edges(true, "true"), graph_edges(estimate, "estimate")
    return _tally(truth, guess, undirected_fits_both=True)


def compare_classes(true: Any, estimate: Any, targets: Any = None) -> Comparison:
    """Count the pairs on which the CPDAGs of `true` and `estimate` differ, both (d, d).

    This is the fair comparison for data that cannot tell equivalent DAGs apart: an edge is correct
    only if its mark (->, <- or undirected) is the same, any other mark on a shared adjacency counts
    as reversed. The graphs may have any form that :func:`compare` takes.

    Parameters
    ----------
    true
        Adjacency or weight matrix of a DAG; non-zero entries are edges.
    estimate
        The same, or a graph with at least one undirected edge, which is taken as the CPDAG it is.
    targets
        Sets of nodes that were set from outside together, as :func:`cpdag` takes them; then the
        interventional essential graphs are compared.

    Returns
    -------
    Comparison
        Counts and rates, between the two classes.
    """
    true, estimate = same_nodes(true, estimate)
    truth, guess = dag_edges(true, "true"), graph_edges(estimate, "estimate")
    if not (guess & guess.T).any():
        guess = cpdag(dag_edges(guess, "estimate"), targets)
    return _tally(cpdag(truth, targets), guess, undirected_fits_both=False)


def _tally(truth: Edges, guess: Edges, *, undirected_fits_both: bool) -> Comparison:
    """Count over pairs i < j the ways in which two marks can differ."""
    if truth.shape != guess.shape:
        raise InputError(
            f"true has shape {truth.shape} and estimate {guess.shape}: "
            "pass graphs on the same nodes, in the same order"
        )
    true_mark, mark = _marks(truth), _marks(guess)
    shared = (true_mark > 0) & (mark > 0)
    wrong = mark != true_mark
    if undirected_fits_both:
        wrong &= mark != UNDIRECTED
    return Comparison(
        n_nodes=len(truth),
        n_true_edges=int(np.count_nonzero(true_mark)),
        n_edges=int(np.count_nonzero(mark)),
        extra=int(np.count_nonzero((mark > 0) & (true_mark == 0))),
        missing=int(np.count_nonzero((true_mark > 0) & (mark == 0))),
        reversed=int(np.count_nonzero(shared & wrong)),
    )


def _marks(edges: Edges) -> NDArray[np.int8]:
    """0: no edge, 1: i -> j, 2: j -> i, 3: undirected, for the pairs i < j; (d (d - 1) / 2,)."""
    forward, backward = edges.astype(np.int8), edges.T.astype(np.int8)
    return (forward + 2 * backward)[np.triu_indices(len(edges), k=1)]


def _ratio(count: int, total: int) -> float:
    """Return count / total, with 0/0 = 0.0."""
    return count / total if total else 0.0
