"""How sure, and at what cost: time of resamples, calibration, and the consensus.

Run ``python benchmarks/confidence.py`` for all parts, or name some: ``speed``, ``peers``,
``calibration``, ``consensus``. ``--tables`` and ``--resamples`` make the calibration smaller;
``--methods`` chooses what is calibrated, ``--write FILE`` keeps said and true shares, which
docs/confidence.md draws. One BLAS thread; columns are
permuted and, for bic, standardised; kernels are warm.

``peers`` needs ``pip install lingam flopsearch``; of lingam's 200 resamples one is timed to its end
and multiplied, since each takes many minutes, of FLOP's 20.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from itertools import permutations
from pathlib import Path

import numpy as np

import toposwap as ts
from toposwap.certainty.consensus import best_dag, greedy_dag
from toposwap.certainty.methods import METHODS

RESAMPLES = 200
#: Columns whose orders are all tried, to check what is said to be proved.
ALL_ORDERS = 8


def table(d: int, n: int, kind: str, seed: int, noise: str) -> tuple[np.ndarray, np.ndarray]:
    """Columns in a random order, and the true graph."""
    drawn = ts.simulate.linear_dataset(d, n, kind, noise=noise, random_state=seed)
    order = np.random.default_rng(seed).permutation(d)
    return drawn.X[:, order], drawn.weights[np.ix_(order, order)] != 0.0


def best(work: Callable[[], object], rounds: int) -> tuple[float, float]:
    """The least wall time and the least time of the processor, after one run to warm up."""
    work()
    walls, works = [], []
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - wall)
        works.append(time.process_time() - cpu)
    return min(walls), min(works)


def speed(rounds: int) -> None:
    """200 resamples in multiples of one default fit, and of one QR of the table."""
    X, _ = table(50, 1000, "ER4", 1, "gauss-NV")
    X /= X.std(axis=0)
    fit = best(lambda: ts.Topo("bic").fit(X), rounds)
    for jobs in (1, 2):
        many = best(partial(ts.confidence, X, ts.Topo("bic"), RESAMPLES, n_jobs=jobs), rounds)
        print(
            f"bic, ER4 d=50 n=1000, {RESAMPLES} resamples, {jobs} threads: {many[0]:.2f} s, "
            f"{many[0] / fit[0]:.1f} default fits ({fit[0]:.2f} s); by the processor's time "
            f"{many[1] / fit[1]:.1f}",
            flush=True,
        )
    X, _ = table(50, 1000, "ER4", 1, "gauss-EV")
    qr = best(lambda: np.linalg.qr(X, mode="r"), 50)
    for jobs in (1, 2):
        model = ts.Topo("least-squares")
        many = best(partial(ts.confidence, X, model, RESAMPLES, n_jobs=jobs), 2 * rounds)
        print(
            f"least-squares, the same, {jobs} threads: {1e3 * many[0]:.0f} ms, "
            f"{many[0] / qr[0]:.0f} QRs ({1e3 * qr[0]:.2f} ms); by the processor's time "
            f"{many[1] / qr[1]:.0f}",
            flush=True,
        )
    peaks = []
    for resamples in (50, 400):
        tracemalloc.start()
        ts.confidence(X, ts.Topo("least-squares"), resamples)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    grown = (peaks[1] - peaks[0]) / (8 * 50 * 50)
    print(f"memory: peak of 400 resamples above that of 50: {grown:.1f} matrices d x d")


def peers() -> None:
    """The same table, resampled with other learners: the processor's time, all on one core."""
    X, _ = table(50, 1000, "ER4", 1, "gauss-NV")
    X /= X.std(axis=0)
    ours = best(partial(ts.confidence, X, ts.Topo("bic"), RESAMPLES, n_jobs=1), 1)[1]
    rng = np.random.default_rng(0)
    import flopsearch

    few = 20
    began = time.process_time()
    for _ in range(few):
        flopsearch.flop(X[rng.integers(len(X), size=len(X))], 2.0, restarts=20)
    flop = (time.process_time() - began) / few * RESAMPLES
    print(
        f"FLOP with its 20 restarts: {flop:.1f} s ({few} resamples, multiplied), "
        f"{flop / ours:.1f} times ours ({ours:.2f} s)",
        flush=True,
    )
    import lingam

    began = time.process_time()
    lingam.DirectLiNGAM(random_state=0).bootstrap(X, n_sampling=1)
    direct = time.process_time() - began
    print(
        f"bootstrap of DirectLiNGAM: {direct:.0f} s for one resample, {direct * RESAMPLES:.0f} s "
        f"for {RESAMPLES} (multiplied), {direct * RESAMPLES / ours:.0f} times ours"
    )


def expected_error(said: np.ndarray, true: np.ndarray, bins: int = 10) -> tuple[float, list]:
    """Expected calibration error, and said share, true share and number of pairs by bin."""
    which = np.minimum((said * bins).astype(int), bins - 1)
    rows = [
        (said[which == b].mean(), true[which == b].mean(), int((which == b).sum()))
        for b in range(bins)
        if (which == b).any()
    ]
    total = sum(count for *_, count in rows)
    return sum(count * abs(p - t) for p, t, count in rows) / max(1, total), rows


def calibration(tables: int, resamples: int, methods: Iterable[str], file: str | None) -> None:
    """Said probability against truth: ER2, d = 20, bic; pairs that some resample joins."""
    written = ["method,rows,of,said,true,count"]
    for method in methods:
        for n in (300, 1000):
            said, true, joined, adjacent = [], [], [], []
            for seed in range(tables):
                X, graph = table(20, n, "ER2", 1000 + seed, "gauss-NV")
                X /= X.std(axis=0)
                c = ts.confidence(X, ts.Topo("bic"), resamples, method)
                off, upper = ~np.eye(20, dtype=bool), np.triu(np.ones((20, 20), dtype=bool), 1)
                said.append(c.probabilities[off])
                true.append(graph[off])
                joined.append(c.adjacent[upper])
                adjacent.append((graph | graph.T)[upper])
            p, t = np.concatenate(said), np.concatenate(true)
            a, b = np.concatenate(joined), np.concatenate(adjacent)
            directed, rows = expected_error(p[p > 0], t[p > 0])
            pairs, pair_rows = expected_error(a[a > 0], b[a > 0])
            for of, bins in (("edges", rows), ("pairs", pair_rows)):
                written += [f"{method},{n},{of},{x:.4f},{y:.4f},{k}" for x, y, k in bins]
            print(
                f"n={n:5d} {method:11s} expected calibration error: edges {directed:.3f}, pairs "
                f"{pairs:.3f}; of all {len(p)} ordered pairs {expected_error(p, t)[0]:.4f}; mean "
                f"squared error of edges {np.mean((p - t) ** 2):.5f}, pairs "
                f"{np.mean((a - b) ** 2):.5f}",
                flush=True,
            )
    if file is not None:
        Path(file).write_text("\n".join(written) + "\n", encoding="utf-8")


def consensus(matrices: int) -> None:
    """Random shares of edges, d = 5 to 30: the best DAG against the greedy average."""
    lower = higher = proved = checked = wrong = 0
    gain = 0.0
    for seed in range(matrices):
        rng = np.random.default_rng(seed)
        d = 5 + seed % 26
        joined, way = rng.uniform(size=(d, d)), rng.uniform(size=(d, d))
        shares = np.triu(joined * way, 1) + np.triu(joined * (1.0 - way), 1).T
        gains = np.where(np.eye(d, dtype=bool), -1.0, shares - rng.choice([0.1, 0.25, 0.5]))
        found, greedy = best_dag(gains), gains[greedy_dag(gains)].sum()
        lower += found.value < greedy - 1e-9
        if d <= ALL_ORDERS:
            checked += 1
            wrong += not found.proved or abs(found.value - best_of_all_orders(gains)) > 1e-9
        higher += found.value > greedy + 1e-9
        proved += found.proved
        gain = max(gain, (found.value - greedy) / max(greedy, 1e-12))
    print(
        f"consensus of {matrices} random matrices: lower than greedy in {lower}, higher in "
        f"{higher} (by up to {100 * gain:.1f} percent), proved in {proved}; not "
        f"the best of all orders in {wrong} of {checked} with up to {ALL_ORDERS} columns"
    )


def best_of_all_orders(gains: np.ndarray) -> float:
    """The largest sum over the edges of a DAG, by trying."""
    worth = np.maximum(gains, 0.0)
    orders = np.array(list(permutations(range(len(gains)))))
    first, second = np.triu_indices(len(gains), 1)
    return float(worth[orders[:, first], orders[:, second]].sum(axis=1).max())


def main() -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = ("speed", "peers", "calibration", "consensus")
    parser.add_argument("parts", nargs="*", default=parts)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--resamples", type=int, default=RESAMPLES)
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--write", help="a CSV of said and true shares")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--matrices", type=int, default=1000)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if "speed" in given.parts:
        speed(given.rounds)
    if "peers" in given.parts:
        peers()
    if "consensus" in given.parts:
        consensus(given.matrices)
    if "calibration" in given.parts:
        calibration(given.tables, given.resamples, given.methods, given.write)


if __name__ == "__main__":
    main()
