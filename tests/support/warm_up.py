"""Compile the kernels of half of the families: ``python warm_up.py 1`` or ``2``.

Both halves at once keep two cores busy, and the tests, whose workers would otherwise each compile
everything, find the code on disk.
"""

import sys
import warnings

import numpy as np
from tables import binary_table, count_table, real_table

import toposwap as ts

HALVES = {
    "1": ("mlp", "least-squares", "least-squares-l1", "gaussian-mcp"),
    "2": (
        "basis",
        "basis-bic",
        "basis-mcp",
        "bic",
        "equal-variance-l0",
        "poisson-bic",
        "huber-scad",
    ),
}


def main(half):
    warnings.simplefilter("ignore")
    for score in HALVES[half]:
        made = ts.scores.MLP(hidden=3, n_starts=1) if score == "mlp" else score
        X = count_table(0) if score.startswith("poisson") else real_table(0)
        for search in ("auto", "paper"):
            ts.Topo(made, search).fit(X)
    if half == "1":
        ts.baselines.Notears().fit(real_table(0))
        ts.baselines.GolemEV(steps=20).fit(real_table(0))
        ts.Topo("logistic-l1").fit(binary_table(0))
        ts.Topo("least-squares", "exact").fit(np.ascontiguousarray(real_table(0)))
        ts.Topo("bdeu").fit(binary_table(0))
        ts.Topo("bdeu", "exact").fit(binary_table(0))
        mixed = ts.simulate.mixed_dataset(6, 200, "ER1", random_state=0)
        ts.Topo("blocks-bic").fit(mixed.X)
        ts.Topo("blocks-lasso").fit(mixed.X)
    else:
        X = real_table(0)
        ts.Topo("bic", "exact").fit(X)
        ts.confidence(X, ts.Topo("bic"), n_resamples=4, n_jobs=1).consensus_  # noqa: B018
        holed = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
        ts.Topo("bic", missing="em").fit(holed)


if __name__ == "__main__":
    main(sys.argv[1])
