"""Tables as people have them: kinds of columns, large files, and tables given as files.

1. Codes of 3 to 8 values taken for counts, and Poisson counts recognised.
2. Reading a CSV file of a million rows and 50 columns, over ``pandas.read_csv(engine="pyarrow")``
   and polars, each in a process of its own: seconds, and memory at its peak.
3. Tables of mixed kinds (ER2, 20 columns, 2000 rows; half continuous, a third categories of 2 to 6
   values, the rest counts): F1 of the skeleton, the share of its edges that point the right way,
   and seconds, beside categories as Gaussian codes.
4. ``toposwap fit FILE`` without options for each file that is named.
5. With ``--networks``, BDeu on networks of categories against pgmpy and Tetrad
   (``networks_of_categories.py``, which can be called alone).

    python benchmarks/tables.py [--rows 1000000] [--seeds 10] [--networks asia,alarm] [FILE ...]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import toposwap as ts
from toposwap.core.kinds import Column, recognise
from toposwap.simulate import mixed_dataset

ROWS = (100, 300, 1000, 3000)
MEANS = (0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0)
READERS = {
    "toposwap.io.read_table": "from toposwap.io import read_table; read = read_table",
    "pandas, engine pyarrow": "import pandas, pyarrow.csv\n"
    "read = lambda path: pandas.read_csv(path, engine='pyarrow')",
    "polars": "import polars; read = polars.read_csv",
}
MEASURE = """
import resource, sys, time
{setup}
began = time.perf_counter()
table = read(sys.argv[1])
seconds = time.perf_counter() - began
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0)
"""


def is_count(x) -> bool:
    return recognise(Column(np.asarray(x, dtype=float))).kind.name == "count"


def shares(rng, how, levels):
    if how == "uniform":
        return np.full(levels, 1.0 / levels)
    if how == "zipf":
        p = 1.0 / np.arange(1.0, levels + 1.0)
    elif how == "geometric":
        p = rng.uniform(0.2, 0.9) ** np.arange(levels)
    else:
        return rng.dirichlet(np.full(levels, float(how.split()[1])))
    return p / p.sum()


def kinds(repeats=100) -> None:
    rng = np.random.default_rng(0)
    print("codes of 3 to 8 values taken for counts, percent, by rows", *ROWS)
    for how in ("uniform", "dirichlet 1", "dirichlet 3", "zipf", "geometric"):
        found = []
        for n in ROWS:
            taken = []
            for _ in range(repeats):
                levels = int(rng.integers(3, 9))
                x = rng.choice(levels, n, p=shares(rng, how, levels)) + rng.integers(0, 2)
                if len(np.unique(x)) > 2:
                    taken.append(is_count(x))
            found.append(100.0 * np.mean(taken))
        print(f"  {how:12}", *(f"{share:6.1f}" for share in found))
    print("Poisson counts recognised, percent, by rows", *ROWS)
    for mean in MEANS:
        found = [
            100.0 * np.mean([is_count(rng.poisson(mean, n)) for _ in range(repeats)]) for n in ROWS
        ]
        print(f"  mean {mean:<7g}", *(f"{share:6.1f}" for share in found))


def reading(rows) -> None:
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "large.csv"
        with file.open("w") as stream:
            stream.write(",".join(f"x{j}" for j in range(50)) + "\n")
            for _ in range(0, rows, 10_000):
                np.savetxt(stream, rng.standard_normal((10_000, 50)), fmt="%.6f", delimiter=",")
        print(f"reading {rows} x 50, {file.stat().st_size / 1e6:.0f} MB: seconds, MB")
        for name, setup in READERS.items():
            best = None
            for _ in range(3):
                code = MEASURE.format(setup=setup)
                done = subprocess.run(
                    [sys.executable, "-c", code, str(file)],
                    capture_output=True,
                    text=True,
                    check=False,
                )
                if done.returncode == 0:
                    seconds, memory = map(float, done.stdout.split())
                    best = (seconds, memory) if best is None else min(best, (seconds, memory))
            print(f"  {name:24}", "not there" if best is None else f"{best[0]:6.2f} {best[1]:7.0f}")


def mixed(seeds) -> None:
    print(f"mixed kinds, ER2, 20 columns, 2000 rows, {seeds} seeds: F1, directions, seconds")
    found = {"auto": [], "gaussian codes": []}
    for seed in range(seeds):
        sample = mixed_dataset(20, 2000, "ER2", random_state=seed)
        for name, score, X in (
            ("auto", "auto", sample.table()),
            ("gaussian codes", "bic", sample.X),
        ):
            began = time.perf_counter()
            edges = ts.Topo(score).fit(X).adjacency_matrix_ != 0.0
            seconds = time.perf_counter() - began
            upper = np.triu_indices(20, 1)
            learned, true = (edges | edges.T)[upper], (sample.graph | sample.graph.T)[upper]
            right = (edges & sample.graph).sum() / max(1, (learned & true).sum())
            f1 = 2.0 * (learned & true).sum() / (learned.sum() + true.sum())
            found[name].append((f1, right, seconds))
    for name, rows in found.items():
        f1, right, _ = np.mean(rows, axis=0)
        worst, median = np.min(rows, axis=0)[0], np.median(rows, axis=0)[2]
        print(f"  {name:15} {f1:.3f} (least {worst:.3f}) {right:.3f} {median:6.1f}")


def fit(file) -> None:
    for _ in range(2):
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "toposwap", "fit", file],
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - began
    print(f"{file}: {seconds:.1f} s, exit code {done.returncode}")
    told = [line for line in done.stdout.splitlines() if line.startswith("chosen")]
    print("\n".join(told) + done.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--networks", default="")
    given = parser.parse_args()
    kinds()
    if given.rows:
        reading(given.rows)
    if given.seeds:
        mixed(given.seeds)
    for file in given.files:
        fit(file)
    if given.networks:
        from networks_of_categories import compare

        compare(given.networks.split(","), [1000, 10_000], [])


if __name__ == "__main__":
    main()
