"""Variables that were set from outside, used: against GIES, against hiding the targets, and Sachs.

Run ``python benchmarks/interventions.py`` (``--sachs sachs_experimental.tsv`` for the table of real
cells as well). One core, kernels warm, times are the processor's. Needs the package ``gies``
(0.0.3), which minimises the same score by adding, removing and turning edges of classes: BIC with
one half of log(n) for each edge, so both are run with that penalty; toposwap's default charges
twice that. GIES is run with 20 columns, and with 50 only on request (``--gies-50``), as it takes
very long there.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd

import timing  # noqa: F401 - one thread
import toposwap as ts

#: What the reagents act on (Sachs et al. 2005); the others stimulate in general.
REAGENTS = {
    "aktinhib": "akt",
    "g0076": "pkc",
    "psitect": "pip2",
    "u0126": "mek",
    "ly": "akt",
    "pma": "pkc",
    "b2camp": "pka",
}


def gies_graph(X: np.ndarray, rows: list[int | None]) -> tuple[float, np.ndarray]:
    """Seconds, and the class that GIES finds, (d, d)."""
    import gies

    targets = sorted({-1 if r is None else r for r in rows})
    label = np.array([-1 if r is None else r for r in rows])
    data = [X[label == t] for t in targets]
    began = time.process_time()
    found, _ = gies.fit_bic(data, [[] if t < 0 else [t] for t in targets])
    return time.process_time() - began, np.asarray(found) != 0


def simulated(seeds: int, d: int, *, with_gies: bool) -> None:
    """ER2, 10 targets with 100 rows each and 500 rows without: distance of classes, and times."""
    targets, rows_each, observational = 10, 100, 500
    schwarz = ts.scores.Penalized("gaussian", ts.penalties.BIC(factor=1.0))
    print(f"ER2, d = {d}, {targets} targets with {rows_each} rows each, {observational} without")
    results = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        rows = ts.simulate.intervention_targets(d, targets, rows_each, observational, rng)
        sample = ts.simulate.linear_dataset(
            d, len(rows), "ER2", noise="gauss-NV", random_state=seed, interventions=rows
        )
        shuffled = rng.permutation(d)
        place = np.argsort(shuffled)
        X, truth = sample.X[:, shuffled], sample.weights[np.ix_(shuffled, shuffled)] != 0.0
        rows = [None if r is None else int(place[r]) for r in rows]
        sets = [[r] for r in sorted({r for r in rows if r is not None})]

        def far(guess: np.ndarray, truth: np.ndarray = truth, sets: list = sets) -> int:
            return ts.metrics.compare_classes(truth, guess, sets).shd

        row = {"seed": seed}
        for name, score, given in (
            ("toposwap", schwarz, rows),
            ("default", "bic", rows),
            ("hidden", "bic", None),
        ):
            if seed == 0:
                ts.Topo(score).fit(X, interventions=given)
            began = time.process_time()
            model = ts.Topo(score).fit(X, interventions=given)
            row[f"{name} s"] = time.process_time() - began
            row[f"{name} SHD"] = far(model.cpdag_)
        if with_gies:
            seconds, guess = gies_graph(X, rows)
            row["gies s"], row["gies SHD"] = seconds, far(guess)
        print("  " + ", ".join(f"{k} {v:.3g}" for k, v in row.items()), flush=True)
        results.append(row)
    mean = pd.DataFrame(results).mean()
    ours, usual = mean["toposwap s"], mean["default s"]
    print(
        f"SHD {mean['toposwap SHD']:.1f}; with the default penalty {mean['default SHD']:.1f}, and "
        f"{mean['hidden SHD']:.1f} where the targets are hidden\n"
        f"seconds {ours:.3f} (default penalty {usual:.3f}, hidden {mean['hidden s']:.3f})"
    )
    if with_gies:
        theirs = mean["gies s"]
        print(
            f"GIES: SHD {mean['gies SHD']:.1f}, seconds {theirs:.2f}: "
            f"{theirs / ours:.0f} ({theirs / usual:.0f}) times ours"
        )


def sachs(file: Path) -> None:
    """All rows of the cells, judged against what is known."""
    table = pd.read_csv(file, sep="\t")
    truth = _truth(file.with_name("sachs_truth.txt"))
    proteins = [name for name in table.columns if name in truth.columns]
    truth = truth.loc[proteins, proteins]
    cells = table[proteins]
    rows = [
        sorted({target for reagent, target in REAGENTS.items() if row[reagent] == 1})
        for row in table[list(REAGENTS)].to_dict("records")
    ]
    print(f"Sachs, {len(table)} rows; right, reversed, missing, extra of {int(truth.sum().sum())}")
    # Every cell was given one of three stimulants, so that one indicator follows from the others.
    columns = table.drop(columns="cd3_cd28")
    known = ts.Knowledge.read(file.with_name("sachs_tiers.knowledge.txt"))
    known = known.among(list(columns), ["cd3_cd28"])
    kinds = {name: "continuous" for name in columns if name not in proteins}
    for score in ("bic", "equal-variance-l0", "least-squares"):
        fits = {
            "targets hidden": ts.Topo(score).fit(cells),
            "targets, perfect": ts.Topo(score).fit(cells, interventions=rows),
            "targets, shift": ts.Topo(score, intervention_kind="shift").fit(
                cells, interventions=rows
            ),
            "reagents as columns, tiers": ts.Topo(score, knowledge=known, kinds=kinds).fit(columns),
        }
        for how, model in fits.items():
            graph = pd.DataFrame(
                model.adjacency_matrix_ != 0, index=model.names_, columns=model.names_
            ).loc[proteins, proteins]
            found = ts.metrics.compare(truth.to_numpy(), graph.to_numpy())
            right = found.n_edges - found.extra - found.reversed
            either = int(np.count_nonzero(np.triu(model.cpdag_ & model.cpdag_.T)))
            print(
                f"  {score}, {how}: {right}, {found.reversed}, {found.missing}, {found.extra}; "
                f"{found.n_edges} edges, {either} open; {model.status_}"
            )


def _truth(file: Path) -> pd.DataFrame:
    """The edges in a text file of Tetrad's, (d, d)."""
    edges = [
        line.split(". ", 1)[1].split(" --> ")
        for line in file.read_text(encoding="utf-8").splitlines()
        if " --> " in line
    ]
    names = sorted({name.strip() for edge in edges for name in edge})
    truth = pd.DataFrame(0, index=names, columns=names)
    for cause, effect in edges:
        truth.loc[cause.strip(), effect.strip()] = 1
    return truth


def main() -> None:
    """Print one line for each bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one seed")
    parser.add_argument("--sachs", type=Path, help="the table, with its truth and tiers beside it")
    parser.add_argument("--gies-50", action="store_true", help="GIES with 50 columns as well")
    told = parser.parse_args()
    seeds = 1 if told.quick else 5
    simulated(seeds, 50, with_gies=told.gies_50)
    simulated(seeds, 20, with_gies=True)
    if told.sachs is not None:
        sachs(told.sachs)


if __name__ == "__main__":
    main()
