"""Scores that choose edges: against FLOP, the fastest learner for BIC, and against the paper.

Run ``python benchmarks/sparse.py`` (most of the time goes to FLOP; ``--quick`` for fewer seeds and
no d = 1000). Needs ``pip install flopsearch`` for the comparison; without it those rows show
toposwap alone. One core, columns permuted and standardised for BIC, kernels warm, both learners
from the order they choose themselves.
BIC is recomputed for both by a function of its own here, on a DAG of the class that was learned.
"""

from __future__ import annotations

import argparse
from importlib.util import find_spec

import networkx as nx
import numpy as np

import sparse_logistic
import sparse_mcp
import toposwap as ts
from timing import seconds


def bic(X: np.ndarray, dag: np.ndarray) -> float:
    """N sum_j log(rss_j / n) + 2 log n * edges, by a regression for each node."""
    n, d = X.shape
    C = X.T @ X / n
    total = 2.0 * np.log(n) * np.count_nonzero(dag)
    for j in range(d):
        P = np.flatnonzero(dag[:, j])
        explained = C[j, P] @ np.linalg.solve(C[np.ix_(P, P)], C[P, j]) if P.size else 0.0
        total += n * np.log(C[j, j] - explained)
    return float(total)


def member(cpdag: np.ndarray) -> np.ndarray:
    """A DAG of the class: orient each chordal undirected part by a maximum cardinality search."""
    undirected = cpdag & cpdag.T
    dag = cpdag & ~undirected
    for part in nx.connected_components(nx.from_numpy_array(undirected)):
        left, order = set(part), []
        while left:
            node = max(sorted(left), key=lambda v, done=order: int(undirected[v, done].sum()))
            left.remove(node)
            for earlier in order:
                if undirected[earlier, node]:
                    dag[earlier, node] = True
            order.append(node)
    return dag


def flop(X: np.ndarray, restarts: int) -> np.ndarray:
    """FLOP's CPDAG in our convention: both entries for an undirected edge."""
    import flopsearch

    G = np.asarray(flopsearch.flop(X, 2.0, restarts=restarts))
    return G > 0


def against_flop(label: str, kind: str, n: int, d: int, restarts: int, seeds: int) -> None:
    rows = []
    for seed in range(seeds):
        sample = ts.simulate.linear_dataset(d, n, kind, noise="gauss-NV", random_state=seed)
        X = (sample.X - sample.X.mean(axis=0)) / sample.X.std(axis=0)
        model = ts.Topo(score="bic", n_restarts=restarts, random_state=seed)
        ours = seconds(lambda model=model, X=X: model.fit(X))
        row = [ours, bic(X, model.adjacency_matrix_ != 0)]
        row.append(ts.metrics.compare_classes(sample.weights, model.cpdag_).shd)
        if find_spec("flopsearch"):
            found: list[np.ndarray] = []
            theirs = seconds(lambda X=X, found=found: found.append(flop(X, restarts)))
            row += [theirs, bic(X, member(found[0]))]
            row.append(ts.metrics.compare_classes(sample.weights, found[0]).shd)
        rows.append(row)
    mean = np.mean(rows, axis=0)
    told = f"{label:42s} {mean[0]:8.2f} s  CPDAG SHD {mean[2]:5.1f}"
    if len(mean) > 3:
        told += (
            f"   FLOP {mean[3]:8.2f} s  CPDAG SHD {mean[5]:5.1f}"
            f"   time ratio 1/{mean[3] / mean[0]:.1f}"
            f"   BIC ours - FLOP: mean {mean[1] - mean[4]:+.2f}"
        )
    print(told, flush=True)


def against_paper(noise: str, score: str, bars: dict[int, float], seeds: int) -> None:
    for d, bar in bars.items():
        # Where a search can be exhaustive, its SHD tells what is the score's doing.
        searches = ("auto", "exact") if d <= 20 and score == "bic" else ("auto",)
        distances = []
        for seed in range(seeds):
            sample = ts.simulate.linear_dataset(d, 1000, "ER4", noise=noise, random_state=seed)
            row = []
            for search in searches:
                model = ts.Topo(score=score, init="random", search=search, random_state=seed)
                model.fit(sample.X)
                found = model.cpdag_ if score == "bic" else model.adjacency_matrix_
                row.append(ts.metrics.shd(sample.weights, found))
            distances.append(row)
        told = f"{noise}, ER4, n=1000, d={d}, {score}"
        mean = np.mean(distances, axis=0)
        minimum = f"  (of the score's minimum {mean[1]:.2f})" if len(searches) > 1 else ""
        print(f"{told:42s} SHD mean {mean[0]:5.2f}  bar {bar}{minimum}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer seeds, no d = 1000")
    quick = parser.parse_args().quick
    seeds = 2 if quick else 10
    ts.Topo(score="bic", n_restarts=1).fit(np.random.default_rng(0).standard_normal((50, 20)))
    against_flop("ER4, n=1000, d=100, 50 restarts", "ER4", 1000, 100, 50, seeds)
    against_flop("ER4, n=1000, d=50, 50 restarts", "ER4", 1000, 50, 50, seeds)
    against_flop("ER2, n=1000, d=300, no restarts", "ER2", 1000, 300, 0, seeds)
    if not quick:
        against_flop("ER2, n=5000, d=1000, no restarts", "ER2", 5000, 1000, 0, 1)
    against_paper("gauss-NV", "bic", {20: 1, 40: 2, 100: 4}, seeds)
    against_paper("gauss-EV", "equal-variance-l0", {20: 0.2, 40: 1, 100: 2}, seeds)
    sparse_mcp.main(seeds)
    sparse_logistic.main(1)


if __name__ == "__main__":
    main()
