"""0/1 columns: the paper's logistic score from a random order, against other learners' orders.

Run ``python benchmarks/sparse_logistic.py [seeds]``, about half an hour a seed. Every learner's
graph is refitted with the same score, and what counts is the penalised score. The first row
compares the time of the whole search with that of scikit-learn's liblinear, one fit for each node
and candidate swap of the order that the search starts from.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression

import toposwap as ts
from timing import seconds
from toposwap.baselines import BASELINES
from toposwap.core.errors import MissingExtraError
from toposwap.core.graph import acyclic_order

#: Learners that take 0/1 columns as they are and finish within minutes at d = 50.
OTHERS = ("notears", "flop", "pc", "direct-lingam", "dagma")
#: Those that take long with more than twenty columns.
SLOW = ("boss", "ges")
WEIGHT = 0.01


def refitted(X: np.ndarray, order: list[int]) -> float:
    return ts.Topo("logistic-l1", "none", order).fit(X).score_


def others(X: np.ndarray) -> dict[str, float]:
    """The score of each learner's order."""
    scores = {}
    for name in OTHERS + (SLOW if X.shape[1] <= 20 else ()):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                settings = {"loss": "logistic"} if name == "notears" else {}
                scores[name] = refitted(X, BASELINES[name](**settings).fit(X).causal_order_)
        except MissingExtraError as error:
            print(f"  {name}: {error}", flush=True)
    return scores


def row(kind: str, d: int, seeds: int) -> None:
    margins: dict[str, list[float]] = {}
    distances, times = [], []
    for seed in range(seeds):
        sample = ts.simulate.discrete_dataset(d, 10000, kind, random_state=seed)
        model = ts.Topo("logistic-l1", init="random", random_state=seed)
        times.append(seconds(lambda model=model, X=sample.X: model.fit(X)))
        distances.append(ts.metrics.shd(sample.weights, model.adjacency_matrix_))
        scores = others(sample.X)
        scores["true order"] = refitted(sample.X, acyclic_order(sample.weights != 0, "W"))
        for name, score in scores.items():
            margins.setdefault(name, []).append(score - model.score_)
    told = ", ".join(f"{name} {np.min(gap):+.1e}" for name, gap in margins.items())
    worst = min(np.min(gap) for name, gap in margins.items() if name != "true order")
    print(
        f"logistic-l1, {kind}, n=10000, d={d}: {np.mean(times):.2f} s, "
        f"SHD {np.mean(distances):.1f}, "
        f"{'lowest' if worst >= -1e-9 else 'NOT LOWEST'}; smallest margin to {told}",
        flush=True,
    )


def against_liblinear(d: int = 20) -> None:
    """One fit a node and candidate swap takes d * d (d - 1) / 2 fits; a sample of them is timed."""
    X = ts.simulate.discrete_dataset(d, 10000, "ER2", random_state=0).X
    ts.Topo("logistic-l1", init="random", random_state=1).fit(X[:500])
    ours = seconds(lambda: ts.Topo("logistic-l1", init="random", random_state=0).fit(X))
    reference = LogisticRegression(
        l1_ratio=1.0, solver="liblinear", C=1.0 / (len(X) * WEIGHT), tol=1e-6
    )
    order = np.random.default_rng(0).permutation(d)
    fits = [
        seconds(lambda k=k: reference.fit(X[:, order[:k]], X[:, order[k]])) for k in range(1, d)
    ]
    swaps = d * (d - 1) // 2
    theirs = swaps * sum(fits)
    print(
        f"logistic-l1, ER2, n=10000, d={d}: whole search {ours:.2f} s; liblinear for each node and "
        f"candidate swap {theirs:.0f} s ({swaps} swaps x {1e3 * np.mean(fits):.0f} ms x {d - 1} "
        f"nodes): 1/{theirs / ours:.0f}",
        flush=True,
    )


def main(seeds: int) -> None:
    against_liblinear()
    for kind in ("ER1", "ER2", "ER4", "SF1", "SF2", "SF4"):
        for d in (10, 20, 30, 40, 50):
            row(kind, d, seeds)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
