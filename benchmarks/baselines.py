"""What the baselines cost, and what ``refine`` makes of their results.

Run ``python benchmarks/baselines.py speed`` for linear NOTEARS against the same number of
evaluations on the full data with ``scipy.linalg.expm``, ``python benchmarks/baselines.py refine``
for scores before and after ``refine``. One core; times are of the processor.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import scipy.linalg

import timing  # noqa: F401 - limits BLAS to one thread
import toposwap as ts
from toposwap.baselines import BASELINES, Baseline, Notears


def spent(call) -> float:
    """Processor time of one call."""
    began = time.process_time()
    call()
    return time.process_time() - began


def on_full_data(X: np.ndarray, W: np.ndarray) -> tuple[float, np.ndarray]:
    """The augmented Lagrangian's terms and gradient as a direct program computes them."""
    n, d = X.shape
    residual = X - X @ W
    loss = 0.5 / n * (residual**2).sum()
    gradient = -1.0 / n * X.T @ residual
    exponential = scipy.linalg.expm(W * W)
    h = np.trace(exponential) - d
    slope = exponential.T * W * 2.0
    value = loss + 0.5 * h * h + h
    smooth = gradient + (h + 1.0) * slope
    return value, np.concatenate((smooth.ravel(), -smooth.ravel()))


def speed(d: int, n: int, graph: str, seed: int) -> None:
    sample = ts.simulate.linear_dataset(d, n, graph, random_state=seed)
    Notears(max_iter=1).fit(sample.X[:, :5])
    model = Notears()
    took = spent(lambda: model.fit(sample.X))
    X = sample.X - sample.X.mean(axis=0)
    on_full_data(X, model.raw_weights_)
    times = [spent(lambda: on_full_data(X, model.raw_weights_)) for _ in range(300)]
    yardstick = float(np.median(times)) * model.n_iter_
    print(
        f"NOTEARS, {graph}, d = {d}, n = {n}: {took:.1f} s for {model.n_iter_} quasi-Newton steps "
        f"({1e6 * took / model.n_iter_:.0f} us each); as many evaluations on the full data with "
        f"scipy.linalg.expm {yardstick:.1f} s: {yardstick / took:.1f} times as much"
    )


def refined(names: list[str], d: int, n: int, seeds: int) -> None:
    print("| learner | graph | score | refined | lower in | seconds | SHD | SHD refined |")
    print("|---|---|---|---|---|---|---|---|")
    for name in names:
        for graph in ("ER2", "ER4"):
            rows = []
            for seed in range(seeds):
                sample = ts.simulate.linear_dataset(d, n, graph, random_state=seed)
                model: Baseline = BASELINES[name]()
                took = spent(lambda m=model, X=sample.X: m.fit(X))
                better = ts.refine(model.weights_, sample.X)
                rows.append(
                    (
                        model.score_,
                        better.score_,
                        better.score_ < model.score_,
                        took,
                        ts.metrics.shd(sample.weights, model.adjacency_matrix_),
                        ts.metrics.shd(sample.weights, better.adjacency_matrix_),
                    )
                )
            before, after, lower, seconds, shd, shd_after = np.mean(rows, axis=0)
            print(
                f"| {name} | {graph} | {before:.3f} | {after:.3f} | {lower * seeds:.0f} of {seeds} "
                f"| {seconds:.2f} | {shd:.1f} | {shd_after:.1f} |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("what", choices=("speed", "refine"))
    parser.add_argument("--nodes", type=int)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--graph", default="ER2")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--learners", default="notears,golem-ev,golem-nv,kkts")
    options = parser.parse_args()
    if options.what == "speed":
        speed(options.nodes or 50, options.rows, options.graph, 0)
    else:
        refined(options.learners.split(","), options.nodes or 20, options.rows, options.seeds)


if __name__ == "__main__":
    main()
