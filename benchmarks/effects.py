"""How often 95 percent intervals of total effects cover the truth, and what is noticed at borders.

``python benchmarks/effects.py [PART ...] [--tables 200] [--curves 60]`` prints

- graph given: path algebra in the true graph, Gaussian and exponential noise;
- graph learned by ``bic``: the same in the graph that was found, and the hull over all graphs that
  fit as well, and the intervals over 100 resamples (``ts.effects``);
- curves: ``model.effect`` by simulation, the true graph known;
- how often a transposed weight matrix is noticed, and how often a right one is suspected.

Columns are permuted in each table; all pairs of columns with a directed path in the truth count.
"""

from __future__ import annotations

import argparse
import warnings
from functools import partial

import numpy as np

import timing  # noqa: F401 - one thread
import toposwap as ts
from toposwap.core.weights import transposed_in_words
from toposwap.intervention.linear import LinearGraph
from toposwap.intervention.over import all_effects


def table(seed, d, n, noise="gauss-NV"):
    """A table with permuted columns, its weights (d, d) and its total effects (d, d)."""
    sample = ts.simulate.linear_dataset(d, n, "ER2", noise=noise, random_state=seed)
    order = np.random.default_rng(seed).permutation(d)
    W = sample.weights[np.ix_(order, order)]
    return sample.X[:, order], W, all_effects(W)


def pairs_of(effects):
    return [(x, y) for x, y in np.argwhere(effects != 0.0) if x != y]


def given(tables, d, n, noise):
    covered, mean_of_table = [], []
    for seed in range(tables):
        X, W, truth = table(seed, d, n, noise)
        graph = LinearGraph(ts.Dataset.from_table(X), W != 0.0)
        here = []
        for x, y in pairs_of(truth):
            low, high = graph.total_effect(x, y).interval()
            here.append(low <= truth[x, y] <= high)
        covered += here
        mean_of_table.append(np.mean(here))
    error = np.std(mean_of_table) / np.sqrt(tables)
    return f"{100 * np.mean(covered):.1f} ± {100 * error:.1f} percent of {len(covered)} effects"


def learned(tables, d, n, resamples):
    """Coverage of path algebra in the graph that was found, of its class, and over resamples.

    The last also where the class was found, and of effects that are none.
    """
    own, hull, over, right, none, shds, of_table = [], [], [], [], [], [], []
    for seed in range(tables):
        X, W, truth = table(seed, d, n)
        data = ts.Dataset.from_table(X)
        model = ts.Topo("bic").fit(data)
        shds.append(ts.metrics.compare_classes(W, model).shd)
        graph = LinearGraph(data, model.adjacency_matrix_ != 0.0)
        pairs = pairs_of(truth)
        for x, y in pairs:
            low, high = graph.total_effect(x, y).interval()
            own.append(low <= truth[x, y] <= high)
            low, high = model.effect(int(x), int(y)).interval
            hull.append(low <= truth[x, y] <= high)
        found = ts.confidence(X, ts.Topo("bic"), resamples, n_jobs=1)
        places = {name: k for k, name in enumerate(data.names)}
        before = len(over)
        for row in ts.effects(found).itertuples():
            true = truth[places[row.cause], places[row.effect]]
            covered = row.low <= true <= row.high
            (over if true else none).append(covered)
            if true and shds[-1] == 0:
                right.append(covered)
        of_table.append((sum(over[before:]), len(over) - before))
    shares = [f"{100 * np.mean(found):.1f}" for found in (own, hull, over)]
    return (
        f"{' / '.join(shares)} (standard error of the last over tables "
        f"{100 * error_of_ratio(of_table):.1f}) percent of {len(own)} effects, CPDAG SHD "
        f"{np.mean(shds):.1f}; over "
        f"resamples where the class is right ({shds.count(0)} tables) {100 * np.mean(right):.1f}, "
        f"of effects that are none {100 * np.mean(none):.1f}"
    )


def error_of_ratio(of_table):
    """The standard error of covered / asked, summed over tables that are drawn independently."""
    covered, asked = np.array(of_table, dtype=float).T
    left = covered - covered.sum() / asked.sum() * asked
    return np.sqrt(np.square(left).sum()) / asked.sum()


def curves(tables, n):
    covered = []
    for seed in range(tables):
        rng = np.random.default_rng(seed)
        x = rng.standard_normal(n)
        m = np.tanh(2.0 * x) + 0.5 * rng.standard_normal(n)
        y = m + 0.5 * np.sin(x) + 0.5 * rng.standard_normal(n)
        truth = np.tanh(2.0) + 0.5 * np.sin(1.0)
        known = ts.Knowledge(
            tiers=[["x0"], ["x1"], ["x2"]], required=[("x0", "x1"), ("x0", "x2"), ("x1", "x2")]
        )
        model = ts.Topo("basis", knowledge=known).fit(np.column_stack([x, m, y]))
        low, high = model.effect(0, 2, values=(0.0, 1.0)).interval
        covered.append(low <= truth <= high)
    return f"{100 * np.mean(covered):.1f} percent of {len(covered)} effects"


def noticed(tables, d, n, noise):
    """Of true weights, learned ones and lingam's: transposes told, right ones suspected."""
    import lingam

    found, suspected = {}, {}
    for seed in range(tables):
        X, W, _ = table(seed, d, n, noise)
        data = ts.Dataset.from_table(X)
        ways = {
            "true": W,
            "bic": ts.Topo("bic").fit(data).adjacency_matrix_,
            "least squares": ts.Topo("least-squares").fit(data).adjacency_matrix_,
            "lingam": lingam.DirectLiNGAM(random_state=0).fit(X).adjacency_matrix_.T,
        }
        for way, right in ways.items():
            found.setdefault(way, []).append(transposed_in_words(right.T, data) is not None)
            suspected.setdefault(way, []).append(transposed_in_words(right, data) is not None)
    told = ", ".join(f"{way} {sum(found[way])} / {sum(suspected[way])}" for way in found)
    return f"transposed noticed / right ones suspected of {tables}: {told}"


def main():
    options = argparse.ArgumentParser()
    parts = ("given", "learned", "curves", "transposed")
    options.add_argument("parts", nargs="*", default=parts)
    options.add_argument("--tables", type=int, default=200)
    options.add_argument("--curves", type=int, default=60)
    options.add_argument("--resamples", type=int, default=100)
    asked = options.parse_args()
    warnings.simplefilter("ignore", ts.ToposwapWarning)
    say = partial(print, flush=True)
    if "given" in asked.parts:
        for n in (100, 300, 1000):
            for noise in ("gauss-NV", "exponential"):
                say(f"graph given, d=20, n={n}, {noise}: {given(asked.tables, 20, n, noise)}")
    if "learned" in asked.parts:
        for d, n in ((10, 300), (10, 1000), (10, 3000)):
            told = learned(asked.tables, d, n, asked.resamples)
            say(f"graph learned, d={d}, n={n}, own graph / hull of the class / resamples: {told}")
    if "curves" in asked.parts:
        say(f"curves, n=300: {curves(asked.curves, 300)}")
    if "transposed" in asked.parts:
        for n in (100, 1000):
            for noise in ("gauss-NV", "exponential"):
                told = noticed(asked.tables, 10, n, noise)
                say(f"weights, d=10, n={n}, {noise}: {told}")


if __name__ == "__main__":
    main()
