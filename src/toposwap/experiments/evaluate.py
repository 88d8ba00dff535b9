"""One judge for all: every figure is computed from the weights that a method returned.

- ``score``: Q at the weights, after their weakest edges have been dropped if there are cycles;
- ``loss``: the part of it that is not penalty;
- ``graph_loss``: the same at the parameters of the pruned graph, which predict, where a rule of the
  score's own pruned: those of the score pay for every weight of an order's edges, these for few;
- ``order_score``: Q at the best parameters for an order of these weights, which takes nothing into
  account but the graph: neither shrinkage by a penalty of the learner's own nor rounding;
- ``kkt``, ``residual``: the certificate at the weights as they are, for the problem that the method
  was set: another than the table's where its settings name a score of its own;
- ``shd``, ``f1``, ``edges``: of the graph after the threshold, the first two if the truth is known;
- ``acyclic``: whether the weights were a DAG's as they were returned.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.assess import assess
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError, ToposwapWarning
from toposwap.core.graph import topological_order
from toposwap.core.weights import without_weakest
from toposwap.experiments.scores import score_of
from toposwap.learn import learn
from toposwap.metrics import compare
from toposwap.pruning.threshold import threshold as prune
from toposwap.search import NoSearch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.experiments.datasets import Sample
    from toposwap.experiments.methods import Answer
    from toposwap.experiments.scores import Spec


def evaluate(
    sample: Sample, answer: Answer, score: Spec, threshold: float, minimised: Spec | None = None
) -> dict[str, Any]:
    """All figures about an answer, ready for JSON; ``minimised`` is the method's own score."""
    weights = answer.weights
    if not np.isfinite(weights).all():
        raise InputError("the weights have values that are not finite")
    graph: NDArray[Any] = prune(weights, threshold) if answer.graph is None else answer.graph
    figures = _against_truth(graph, sample.weights)
    figures["acyclic"] = topological_order(weights != 0.0) is not None
    figures |= _judge(sample, answer, score)
    if minimised is not None and minimised != score:
        own = _judge(sample, answer, minimised)
        figures |= {key: own[key] for key in ("kkt", "residual")}
    if answer.trace:
        figures["trace"] = answer.trace
    return figures


def _against_truth(graph: NDArray[Any], truth: NDArray[np.float64] | None) -> dict[str, Any]:
    """Distances from the true graph, where there is one; an undirected edge is one edge."""
    if truth is None:
        return {"edges": int(np.count_nonzero(np.triu((graph != 0) | (graph.T != 0))))}
    found = compare(truth, graph)
    return {
        "shd": found.shd,
        "edges": found.n_edges,
        "true_edges": found.n_true_edges,
        "f1": found.f1,
    }


def _judge(sample: Sample, answer: Answer, score: Spec) -> dict[str, Any]:
    quality = score_of(score)
    data = Dataset.from_table(sample.X)
    bound = quality.bind(data)
    n, d = sample.X.shape
    # Tables of Gaussian likelihoods have residual variances in the logarithm, not sums of squares.
    shift = 0.5 * d * math.log(n) if quality.name.startswith("gaussian") else 0.0
    # An edge may have many parameters; then Q is a function of these, and the weights are norms.
    if getattr(quality, "edge_blocks", False):
        if answer.parameters is None:
            return {"kkt": False}
        point = feasible_point = bound.evaluate(answer.parameters)
        figures: dict[str, Any] = {}
        if answer.kept is not None:
            kept = bound.evaluate(answer.kept)
            figures["graph_loss"] = kept.value - kept.penalty - shift
    else:
        feasible, _ = without_weakest(answer.weights)
        point, feasible_point = bound.evaluate(answer.weights), bound.evaluate(feasible)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ToposwapWarning)
            solved = learn(data, quality, NoSearch(), feasible, rng=np.random.default_rng(0))
        figures = {"order_score": solved.score - shift}
    certificate = assess(bound, point=point).certificate
    return figures | {
        "score": feasible_point.value - shift,
        "loss": feasible_point.value - feasible_point.penalty - shift,
        "kkt": bool(certificate.satisfied),
        "residual": certificate.max_residual,
    }
