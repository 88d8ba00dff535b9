"""Long and wide tables: one pass over files, memory, and thousands of columns.

Run ``python benchmarks/scale.py`` on Linux (``--rows 100000000`` for the whole of the first part,
which needs 9 GB of disk; ``--columns 5000`` for the second). Prints ratios to a yardstick of the
same run: reading the file alone with pyarrow, and ``numpy.linalg.qr(X, mode="r")``.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import toposwap as ts
from timing import seconds

_IN_ANOTHER = """
import time
{imports}

def peak():
    # In kilobytes, of this process since the mark was reset: getrusage's is its parent's at first.
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

open("/proc/self/clear_refs", "w").write("5")
before = peak()
began = time.perf_counter()
{work}
print(time.perf_counter() - began, peak() - before)
"""


def in_another_process(imports: str, work: str) -> tuple[float, float]:
    """Seconds and megabytes that ``work`` takes beyond an interpreter with ``imports``."""
    code = _IN_ANOTHER.format(imports=imports, work=work)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    return float(done[0]), float(done[1]) / 1024


def write(path: Path, rows: int, d: int) -> None:
    """A Parquet file of single precision, written piece by piece."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    W = ts.simulate.linear_dataset(d, 10, "ER2", random_state=0).weights
    mixing = np.linalg.inv(np.eye(d) - W)
    schema = pa.schema([(f"x{j}", pa.float32()) for j in range(d)])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, 2**20):
            m = min(2**20, rows - start)
            X = (rng.standard_normal((m, d)) @ mixing).astype(np.float32)
            writer.write_table(pa.table(list(X.T), schema=schema))


def long_tables(rows: int, d: int = 20) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.parquet"
        write(path, rows, d)
        read = in_another_process(
            "import pyarrow.parquet as pq",
            f"for b in pq.ParquetFile({str(path)!r}).iter_batches(batch_size=65536): pass",
        )
        passed = in_another_process(
            "import toposwap as ts, pyarrow.parquet, pandas, scipy.linalg; ts.Dataset; "
            "import toposwap.streams",
            f"ts.Dataset.from_files({str(path)!r})",
        )
        print(
            f"{rows:.0e} x {d} float32, {path.stat().st_size / 1e9:.1f} GB of Parquet: reading "
            f"alone {read[0]:.1f} s, one pass {passed[0]:.1f} s: {read[0] / passed[0]:.2f} of its "
            f"speed (bar 0.7); memory beyond the interpreter {passed[1]:.0f} MB (bar 600), "
            f"reading alone {read[1]:.0f} MB",
            flush=True,
        )


def wide_tables(d: int, n: int) -> None:
    sample = ts.simulate.linear_dataset(d, n, "ER4", random_state=0)
    ts.Topo("least-squares", init="random").fit(sample.X[:200, :20])
    yard = seconds(lambda: np.linalg.qr(sample.X, mode="r"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model = ts.Topo("least-squares", init="random")
    took = seconds(lambda: model.fit(sample.X))
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 2**20
    print(
        f"least squares, ER4, n={n}, d={d}, random start: {took / yard:.1f} QRs ({took:.1f} s), "
        f"SHD {ts.metrics.shd(sample.weights, model.adjacency_matrix_)}, {memory:.1f} GB more",
        flush=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, nargs="*", default=[1000, 2000])
    given = parser.parse_args()
    long_tables(given.rows)
    for columns in given.columns:
        wide_tables(columns, 10_000 if columns <= 5000 else 20_000)
