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
import scipy.optimize

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
    times = [spent(lambda: on_full_data(X, model.raw_weights_)) for _ in range(300)]
    evaluation = float(np.median(times))
    step = seconds_per_step(X)
    ours = took / model.n_iter_
    print(
        f"NOTEARS, {graph}, d = {d}, n = {n}: {took:.1f} s for {model.n_iter_} quasi-Newton steps, "
        f"{1e6 * ours:.0f} us each.\nOn the full data with scipy.linalg.expm a step of L-BFGS-B "
        f"takes {1e6 * step:.0f} us, {step / ours:.1f} times as much; its evaluation alone "
        f"{1e6 * evaluation:.0f} us, {evaluation / ours:.1f} times as much."
    )


def seconds_per_step(X: np.ndarray, steps: int = 300, lambda1: float = 0.1) -> float:
    """Of SciPy's L-BFGS-B on the positive and negative parts of W, evaluated on the full data."""
    d = X.shape[1]
    top = np.where(np.eye(d, dtype=bool), 0.0, np.inf).ravel()
    made = []

    def objective(z: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = on_full_data(X, (z[: d * d] - z[d * d :]).reshape(d, d))
        return value + lambda1 * z.sum(), gradient + lambda1

    def run() -> None:
        found = scipy.optimize.minimize(
            objective,
            np.zeros(2 * d * d),
            jac=True,
            method="L-BFGS-B",
            bounds=scipy.optimize.Bounds(np.zeros(2 * d * d), np.tile(top, 2)),
            options={"maxiter": steps},
        )
        made.append(found.nit)

    took = spent(run)
    return took / made[0]


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
                better = ts.refine(model.weights_, sample.X, score="least-squares")
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
