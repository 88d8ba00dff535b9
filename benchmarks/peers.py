"""The same data for toposwap and for learners from other packages, judged by one yardstick.

Needs ``pip install torch==2.13.0 dagma flopsearch lingam causal-learn`` beside toposwap; a learner
whose package is missing is left out. Run ``python benchmarks/peers.py`` (a few minutes), with
``--causal-learn`` also PC, GES and BOSS, which want fewer nodes. One core, seconds of processor
time, columns permuted, kernels warm. Scores are recomputed: each learner's order is refitted by
least squares, and ``refine`` starts from its graph. What a learner says of itself is not used.

``--directions`` asks something else, where DirectLiNGAM is at home: exponential noise, 10 nodes,
2000 rows, standardised columns; of the true edges, how many have their direction right, wrong or
open with ``bic`` and with DirectLiNGAM.
"""

from __future__ import annotations

import argparse
import contextlib
import io
from collections.abc import Callable, Iterator
from importlib.util import find_spec

import numpy as np

import toposwap as ts
from timing import processor_seconds

Learner = Callable[[np.ndarray], np.ndarray]


def topo(**settings: object) -> Learner:
    return lambda X: (
        ts.Topo("least-squares", init="random", random_state=0, **settings).fit(X).adjacency_matrix_
    )


def dagma(X: np.ndarray) -> np.ndarray:
    from dagma.linear import DagmaLinear

    with contextlib.redirect_stderr(io.StringIO()):
        return DagmaLinear(loss_type="l2").fit(X - X.mean(axis=0), lambda1=0.02)


def lingam(X: np.ndarray) -> np.ndarray:
    from lingam import DirectLiNGAM

    model = DirectLiNGAM()
    model.fit(X)
    W = model.adjacency_matrix_.T.copy()
    W[np.abs(W) < 0.3] = 0.0
    return W


def flop(X: np.ndarray) -> np.ndarray:
    import flopsearch

    # 1: i -> j, 2: undirected in its output; an undirected edge keeps one arbitrary direction.
    G = np.asarray(flopsearch.flop(X, 2.0, restarts=20))
    return ((G == 1) | (np.triu(G == 2))).astype(float)


def learners(causal_learn: bool, without: list[str]) -> Iterator[tuple[str, Learner]]:
    yield "toposwap, auto", topo()
    yield "toposwap, paper", topo(search="paper")
    for name, package, learner in (
        ("DAGMA", "dagma", dagma),
        ("FLOP, 20 restarts", "flopsearch", flop),
        ("DirectLiNGAM", "lingam", lingam),
    ):
        if find_spec(package) and package not in without:
            yield name, learner
    if causal_learn and find_spec("causallearn"):
        for kind in (ts.baselines.PC, ts.baselines.GES, ts.baselines.BOSS):
            yield f"{kind.__name__} (causal-learn)", lambda X, k=kind: k().fit(X).adjacency_matrix_


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nodes", type=int, default=50)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--graph", default="ER4")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--causal-learn", action="store_true")
    parser.add_argument("--without", nargs="*", default=[], help="packages to leave out")
    parser.add_argument("--directions", action="store_true")
    options = parser.parse_args()
    if options.directions:
        directions(options.seeds)
        return
    samples = [
        ts.simulate.linear_dataset(options.nodes, options.rows, options.graph, random_state=seed)
        for seed in range(options.seeds)
    ]
    print(
        f"{options.graph}, d = {options.nodes}, n = {options.rows}, equal noise variances, "
        f"means over {options.seeds} seeds\n"
    )
    print(
        "| learner | processor seconds | score of its order | SHD | score after `refine` "
        "| SHD after |"
    )
    print("|---|---|---|---|---|---|")
    for sample in samples[:1]:
        topo(search="paper")(sample.X)
        topo()(sample.X)
    true = np.mean([refit(sample.weights, sample.X).score_ for sample in samples])
    print(f"| true order | | {true:.3f} | | | |")
    for name, learner in learners(options.causal_learn, options.without):
        rows = []
        for sample in samples:
            found: list[np.ndarray] = []
            took = processor_seconds(lambda f=learner, X=sample.X, found=found: found.append(f(X)))
            refined = ts.refine(found[0], sample.X, score="least-squares")
            rows.append(
                (
                    took,
                    refit(found[0], sample.X).score_,
                    ts.metrics.shd(sample.weights, found[0]),
                    refined.score_,
                    ts.metrics.shd(sample.weights, refined.adjacency_matrix_),
                )
            )
        took, score, distance, after, distance_after = np.mean(rows, axis=0)
        print(
            f"| {name} | {took:.4f} | {score:.3f} | {distance:.1f} | {after:.3f} "
            f"| {distance_after:.1f} |",
            flush=True,
        )


def directions(seeds: int) -> None:
    """Edges of the truth by what is said of their direction, summed over the seeds."""
    print("| learner | edges | right | wrong | open | not found | too many | processor seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for name, kind in (("toposwap, bic", None), ("DirectLiNGAM", ts.baselines.DirectLiNGAM)):
        total, took = np.zeros(6), 0.0
        for seed in range(seeds):
            sample = ts.simulate.linear_dataset(
                10, 2000, "ER2", noise="exponential", random_state=seed
            )
            X = (sample.X - sample.X.mean(axis=0)) / sample.X.std(axis=0)
            # DirectLiNGAM drops edges by itself: no threshold on top.
            model = ts.Topo("bic") if kind is None else kind(prune=None)
            took += processor_seconds(lambda model=model, X=X: model.fit(X))
            true, found = sample.weights != 0.0, model.adjacency_matrix_ != 0.0
            either = model.cpdag_ & model.cpdag_.T if kind is None else np.zeros_like(found)
            said = found & ~either
            counts = (said & true, said & true.T, found & either & (true | true.T))
            counts += (true & ~(found | found.T), found & ~(true | true.T))
            total += [true.sum(), *(c.sum() for c in counts)]
        print(f"| {name} |", " | ".join(f"{t:.0f}" for t in total), f"| {took:.2f} |", flush=True)


def refit(W: np.ndarray, X: np.ndarray) -> ts.Topo:
    return ts.Topo("least-squares", search="none", init=W).fit(X)


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore", ts.ToposwapWarning)
    main()
