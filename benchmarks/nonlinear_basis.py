"""Additive models on their own kind of data: a Gaussian process for each edge, unit noise.

Run ``python benchmarks/nonlinear_basis.py`` (``--quick`` for fewer seeds). ER4, n=1000, columns
permuted, one core, kernels warm. "True" is the same model fitted to the true order.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import timing  # noqa: F401 - one thread
import toposwap as ts
from toposwap.core.graph import topological_order


def additive(d: int, seeds: int, score: str = "basis", mechanism: str = "gp-add") -> None:
    """Q against the true order's, SHD and CPU seconds of the whole fit, means over ``seeds``."""
    rows = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        sample = ts.simulate.nonlinear_dataset(
            d, 1000, "ER4", mechanism=mechanism, random_state=rng
        )
        columns = rng.permutation(d)
        X, graph = sample.X[:, columns], sample.adjacency[np.ix_(columns, columns)]
        began = time.process_time()
        model = ts.Topo(score, random_state=seed).fit(X)
        spent = time.process_time() - began
        true = ts.Topo(score, search="none", init=topological_order(graph)).fit(X)
        rows.append(
            (
                100.0 * (model.score_ / true.score_ - 1.0),
                ts.metrics.shd(graph, model.adjacency_matrix_),
                ts.metrics.shd(graph, true.adjacency_matrix_),
                spent,
                model.certificate_.satisfied,
            )
        )
    gap, shd, shd_true, spent, certified = np.mean(rows, axis=0)
    worst = np.max(rows, axis=0)
    print(
        f"{score:12s} {mechanism}, ER4, n=1000, d={d:3d}, {seeds:2d} seeds: Q {gap:+.2f} percent "
        f"of true's (worst {worst[0]:+.2f}), SHD {shd:.1f} (worst {worst[1]:.0f}; true order "
        f"{shd_true:.1f}), {spent:.2f} s (worst {worst[3]:.2f}), certified {certified:.0%}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer seeds")
    quick = parser.parse_args().quick
    for score in ("basis", "basis-mcp"):
        ts.Topo(score).fit(np.random.default_rng(0).standard_normal((50, 5)))
        additive(20, 3 if quick else 10, score)
        additive(100, 1 if quick else 3, score)


if __name__ == "__main__":
    main()
