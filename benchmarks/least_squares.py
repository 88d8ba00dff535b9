"""How fast least squares is, in multiples of one QR factorisation of the same data.

Run ``python benchmarks/least_squares.py`` (about two minutes; ``--quick`` for fewer seeds and no
d = 1000). One core, after warm-up, columns permuted. Each line gives the median over seeds of the
whole ``fit`` over ``numpy.linalg.qr(X, mode="r")``, the bar, and what was found.
"""

from __future__ import annotations

import argparse
import tracemalloc
from itertools import pairwise

import numpy as np

import toposwap as ts
from timing import ratio, seconds


def draw(kind: str, d: int, n: int, seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Data with permuted columns, the true weights, and the score of the true order."""
    sample = ts.simulate.linear_dataset(d, n, kind, random_state=seed)
    true = ts.Topo("least-squares", search="none", init=sample.weights).fit(sample.X).score_
    return sample.X, sample.weights, true


def measure(
    label: str,
    kind: str,
    d: int,
    n: int,
    *,
    seeds: int,
    bar: float,
    repeats: int = 5,
    **settings: object,
) -> None:
    ratios, yards, excess, shds = [], [], [], []
    certified, falling = True, True
    for seed in range(seeds):
        X, W, true = draw(kind, d, n, seed)
        model = ts.Topo("least-squares", init="random", random_state=seed, **settings)
        times, yard = ratio(
            lambda model=model, X=X: model.fit(X),
            lambda X=X: np.linalg.qr(X, mode="r"),
            repeats,
        )
        ratios.append(times)
        yards.append(yard)
        excess.append(model.score_ / true - 1)
        shds.append(ts.metrics.shd(W, model.adjacency_matrix_))
        certified &= model.certificate_.satisfied
        scores = [step.score for step in model.history_]
        falling &= all(b < a for a, b in pairwise(scores))
    print(
        f"{label:34s} {np.median(ratios):6.1f} (max {max(ratios):6.1f})  bar {bar:5.0f}   "
        f"QR {np.median(yards) * 1e3:7.2f} ms   score/true - 1: max {max(excess):+.1e}   "
        f"SHD mean {np.mean(shds):5.1f} max {max(shds):3d}   "
        f"certified {certified}  falling {falling}",
        flush=True,
    )


def peak_memory(d: int = 1000, n: int = 10_000) -> None:
    """Largest amount of memory held in arrays during a fit, beyond X, in d x d matrices."""
    X, _, _ = draw("ER4", d, n, 0)
    model = ts.Topo("least-squares", init="random", random_state=0)
    tracemalloc.start()
    model.fit(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    told = f"{peak / (8 * d * d):6.1f} matrices of d x d   bar    10"
    print(f"{'memory at d = 1000, beyond X':34s} {told}", flush=True)


def growth(sizes: tuple[int, ...] = (100, 200, 400, 800)) -> None:
    """Exponent of the time of a fit in d, at n = 2000 where the search outweighs reading X."""
    times = []
    for d in sizes:
        X, _, _ = draw("ER4", d, 2000, 0)
        model = ts.Topo("least-squares", init="random", random_state=0)
        model.fit(X)
        times.append(min(seconds(lambda model=model, X=X: model.fit(X)) for _ in range(3)))
    exponent = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    told = ", ".join(f"{d}: {1e3 * t:.0f} ms" for d, t in zip(sizes, times, strict=True))
    print(f"time grows as d^{exponent:.2f} (n = 2000; {told})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer seeds, no d = 1000")
    quick = parser.parse_args().quick
    print("whole fit, in QRs of the same data; one core, columns permuted, random start\n")
    some = 3 if quick else 10
    measure("ER4, n=1000, d=20", "ER4", 20, 1000, seeds=some, bar=6, repeats=25)
    measure("ER4, n=1000, d=100", "ER4", 100, 1000, seeds=some, bar=4)
    if not quick:
        measure("ER4, n=10000, d=1000", "ER4", 1000, 10_000, seeds=3, bar=12, repeats=3)
    measure("fully connected, n=1000, d=50", "full", 50, 1000, seeds=3 if quick else 20, bar=10)
    measure(
        'search="paper", ER4, n=1000, d=100',
        "ER4",
        100,
        1000,
        seeds=some,
        bar=150,
        repeats=3,
        search="paper",
    )
    if not quick:
        peak_memory()
        growth()


if __name__ == "__main__":
    main()
