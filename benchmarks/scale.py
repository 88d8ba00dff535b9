"""Long and wide tables: one pass over files, memory, and thousands of columns.

Run ``python benchmarks/scale.py`` on Linux (``--rows 100000000`` for the whole of the first part,
one file of 10,000,000 rows under ten names; ``--columns 5000`` for least squares, ``--bic 5000
--flop`` for BIC; a part is left out by ``--rows 0``, ``--columns`` or ``--bic`` without a number).
Prints ratios to a yardstick of the same run: reading the files alone with pyarrow,
``numpy.linalg.qr(X, mode="r")``, and FLOP without restarts beside ours without restarts.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

import timing  # one thread for everybody
import toposwap as ts
from timing import processor_seconds

#: Rows of a file.
_ROWS = 10_000_000
_IN_ANOTHER = """
import time
{imports}

def peak():
    # In kilobytes, of this process since the mark was reset: getrusage's is its parent's at first.
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

open("/proc/self/clear_refs", "w").write("5")
before = peak()
began = time.process_time()
{work}
print(time.process_time() - began, peak() - before)
"""


def in_another_process(imports: str, work: str) -> tuple[float, float]:
    """Processor seconds and megabytes that ``work`` takes beyond ``imports``."""
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
        path, parts = Path(folder) / "part-0.parquet", max(1, rows // _ROWS)
        write(path, rows // parts, d)
        for part in range(1, parts):
            (Path(folder) / f"part-{part}.parquet").hardlink_to(path)
        read = in_another_process(
            "import glob, pyarrow.parquet as pq",
            f"for f in glob.glob({folder!r} + '/*.parquet'):\n"
            "    for b in pq.ParquetFile(f).iter_batches(batch_size=65536): pass",
        )
        passed = in_another_process(
            "import toposwap as ts, pyarrow.parquet, pandas, scipy.linalg; ts.Dataset; "
            "import toposwap.streams",
            f"assert ts.Dataset.from_files({folder!r} + '/*.parquet').n == {rows // parts * parts}",
        )
        print(
            f"{rows:.0e} x {d} float32, {parts * path.stat().st_size / 1e9:.1f} GB of Parquet: "
            f"reading alone {read[0]:.1f} s, one pass {passed[0]:.1f} s: "
            f"{read[0] / passed[0]:.2f} of its "
            f"speed (bar 0.7); memory beyond the interpreter {passed[1]:.0f} MB (bar 600), "
            f"reading alone {read[1]:.0f} MB",
            flush=True,
        )


def tables_in_memory(rows: int, d: int = 50) -> None:
    """Peak memory of a fit beside its table, whatever holds that."""
    made = f"X = np.random.default_rng(0).standard_normal(({rows}, {d}), dtype=np.float32); "
    tables = {
        "float64 array": "table = X.astype(np.float64); del X",
        "float32 array": "table = X",
        "float32 frame": "table = pd.DataFrame(X)",
        "Arrow table": "table = pa.table({str(k): X[:, k].copy() for k in range(50)}); del X",
    }
    for name, make in tables.items():
        imports = (
            "import numpy as np, pandas as pd, pyarrow as pa, toposwap as ts, scipy.linalg; "
            f"{made}{make}; ts.Topo('bic').fit(np.random.default_rng(1).standard_normal((300, 50)))"
        )
        took, memory = in_another_process(imports, "ts.Topo('bic').fit(table)")
        print(
            f"bic on a {name} of {rows:.0e} x {d}: {memory:.0f} MB beside it (bar 200), "
            f"{took:.1f} s",
            flush=True,
        )


def wide_tables(d: int, n: int, threads: int) -> None:
    """Least squares on ER4 from the order it chooses itself, and from a random one."""
    seconds = processor_seconds if threads == 1 else timing.seconds
    sample = ts.simulate.linear_dataset(d, n, "ER4", random_state=0)
    columns = np.random.default_rng(0).permutation(d)
    X, truth = sample.X[:, columns], sample.weights[np.ix_(columns, columns)]
    del sample
    with threadpool_limits(threads):
        yard = seconds(lambda: np.linalg.qr(X, mode="r"))
        for init in ("auto", "random"):
            for some in (X[:200, :20], X[:2000, : min(d, 1000)]):
                ts.Topo("least-squares", init=init).fit(some)
            before = _peak(reset=True)
            model = ts.Topo("least-squares", init=init)
            took = seconds(lambda model=model: model.fit(X))
            memory = (_peak() - before) / 2**20
            print(
                f"least squares, ER4, n={n}, d={d}, init={init}, {threads} threads: "
                f"{took / yard:.1f} QRs (bar {4 if d <= 5000 else 6}; {took:.1f} s), "
                f"SHD {ts.metrics.shd(truth, model.adjacency_matrix_)}, {memory:.1f} GB more",
                flush=True,
            )


def wide_bic(sizes: list[int], n: int, flop: bool, restarts: int | None) -> None:
    """`bic` on ER2: time and memory, their growth, and FLOP's time beside."""
    last: tuple[int, float] | None = None
    ts.Topo("bic", n_restarts=restarts).fit(np.random.default_rng(0).normal(size=(200, 60)))
    for d in sizes:
        sample = ts.simulate.linear_dataset(d, n, "ER2", random_state=0)
        columns = np.random.default_rng(0).permutation(d)
        X, truth = sample.X[:, columns], sample.weights[np.ix_(columns, columns)]
        del sample
        before = _peak(reset=True)
        model = ts.Topo("bic", n_restarts=restarts)
        took = processor_seconds(lambda model=model, X=X: model.fit(X))
        memory = (_peak() - before) / 2**20
        found = ts.metrics.compare_classes(truth, model.adjacency_matrix_)
        told = (
            f"bic, ER2, n={n}, d={d}, {'default' if restarts is None else restarts} restarts: "
            f"{took:.1f} s, {memory:.2f} GB more (bar 10), SHD of the classes {found.shd}"
        )
        if last is not None:
            told += f", growth d^{np.log(took / last[1]) / np.log(d / last[0]):.1f}"
        last = d, took
        if flop:
            from flopsearch import flop as search

            theirs = processor_seconds(lambda X=X: search(X, 2.0, restarts=restarts or 0))
            told += f"; FLOP {theirs:.1f} s, {theirs / took:.1f} times as long (bar 15)"
        print(told, flush=True)


def _peak(*, reset: bool = False) -> int:
    """Kilobytes: the most so far, or what is held now, from where the most counts again."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    key = "VmRSS" if reset else "VmHWM"
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, nargs="*", default=[1000, 2000])
    parser.add_argument(
        "--threads", type=int, default=1, help="of least squares, by the wall clock"
    )
    parser.add_argument("--bic", type=int, nargs="*", default=[500, 1000, 2000])
    parser.add_argument("--restarts", type=int, help="of bic; by default ours")
    parser.add_argument("--flop", action="store_true", help="run FLOP beside bic, no restarts")
    given = parser.parse_args()
    if given.rows:
        long_tables(given.rows)
        tables_in_memory(min(1_000_000, given.rows))
    for columns in given.columns:
        wide_tables(columns, 10_000 if columns <= 5000 else 20_000, given.threads)
    restarts = 0 if given.flop and given.restarts is None else given.restarts
    wide_bic(given.bic, 5000, given.flop, restarts)
