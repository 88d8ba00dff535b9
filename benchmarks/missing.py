"""Missing values: SHD of equivalence classes from complete rows, EM, draws, and dropped rows.

Linear Gaussian data over ER2 graphs of 20 nodes, 1000 rows, columns permuted, score ``bic``:

1. 10 and 30 percent of all values missing, completely at random;
2. the same shares missing at random: a gap is the more likely the larger the column before it is,
   which itself has none;
3. with ``--stages``, 30 percent completely at random without parts of EM: one search on the
   likeliest covariance of all, and no second look at single edges.

Where no more rows than columns are left, dropping is counted as the empty graph ("-").

    python benchmarks/missing.py [--seeds 10] [--impute] [--stages]
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np

import toposwap as ts
from toposwap.missing import structural

SHARES = (0.1, 0.3)


def at_random(X, share, rng):
    """Gaps by nothing at all."""
    return rng.random(X.shape) < share


def by_a_neighbour(X, share, rng):
    """Gaps in every other column, by the rank of the column before; ``share`` of these columns."""
    gaps = np.zeros(X.shape, dtype=bool)
    for j in range(1, X.shape[1], 2):
        ranks = X[:, j - 1].argsort().argsort() / len(X)
        gaps[:, j] = rng.random(len(X)) < 2.0 * share * ranks
    return gaps


def distance(truth, model):
    return ts.metrics.compare_classes(truth, model.adjacency_matrix_).shd


def one(seed, share, mechanism, treatments, n=1000, d=20):
    sample = ts.simulate.linear_dataset(d, n, "ER2", random_state=seed)
    rng = np.random.default_rng(1000 + seed)
    columns = rng.permutation(d)
    X, truth = sample.X[:, columns], sample.weights[np.ix_(columns, columns)]
    found = {}
    began = time.perf_counter()
    found["complete"] = distance(truth, ts.Topo("bic").fit(X)), time.perf_counter() - began
    Y = np.where(mechanism(X, share, rng), np.nan, X)
    for missing in treatments:
        began = time.perf_counter()
        try:
            shd = distance(truth, ts.Topo("bic", missing=missing).fit(Y))
        except ts.InputError:
            shd = None
        found[missing] = shd, time.perf_counter() - began
    found["edges"] = int(np.count_nonzero(truth)), 0.0
    return found


def stages(seeds) -> None:
    kept = structural.second_look, structural._MOST_ROUNDS
    for name, look, rounds in (
        ("one search", kept[0], 1),
        ("no second look", lambda _em, _graph, _order, trace: trace, kept[1]),
        ("all of it", *kept),
    ):
        structural.second_look, structural._MOST_ROUNDS = look, rounds
        runs = [one(seed, 0.3, at_random, ["em"]) for seed in range(seeds)]
        print(f"{name:15} SHD {_row(runs, 'em')}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--impute", action="store_true", help="draws too, which take longer")
    parser.add_argument("--stages", action="store_true", help="only EM without parts of it")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.stages:
        stages(given.seeds)
        return
    treatments = ["em", "drop", *(["impute"] if given.impute else [])]
    one(0, 0.1, at_random, treatments, n=200)  # compiles
    for mechanism in (at_random, by_a_neighbour):
        for share in SHARES:
            runs = [one(seed, share, mechanism, treatments) for seed in range(given.seeds)]
            name = mechanism.__name__.replace("_", " ")
            print(f"{100 * share:.0f} percent missing, {name}; edges", _row(runs, "edges"))
            for how in ("complete", *treatments):
                shds = [run[how][0] for run in runs]
                counted = [
                    run["edges"][0] if shd is None else shd
                    for run, shd in zip(runs, shds, strict=True)
                ]
                seconds = np.median([run[how][1] for run in runs])
                print(
                    f"  {how:9} SHD {_row(runs, how)}  mean {np.mean(counted):.1f}  {seconds:.2f} s"
                )
            better = sum(run["drop"][0] is None or run["em"][0] < run["drop"][0] for run in runs)
            print(f"  em better than drop in {better} of {len(runs)}", flush=True)


def _row(runs, how):
    return " ".join("-" if run[how][0] is None else str(run[how][0]) for run in runs)


if __name__ == "__main__":
    main()
