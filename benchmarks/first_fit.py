"""How long the first fit takes where nothing is compiled yet, and that of the next process.

Each row is a fresh process with an empty cache of kernels (``NUMBA_CACHE_DIR`` in a temporary
folder) and then a second one with the cache it left:

    compile   seconds in the compiler (loading compiled kernels, in the second process)
    fit       the whole call of ``Topo(score).fit(X)``, compiling and late imports included
    process   from the start of Python to its end

    python benchmarks/first_fit.py [SCORE ...]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time

SCORES = ("least-squares", "bic", "logistic-bic", "basis", "mlp", "auto")

FIT = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
import toposwap as ts
score = sys.argv[1]
if score.startswith("logistic"):
    X = np.asarray(ts.simulate.discrete_dataset(12, 300, "ER2", random_state=2).X, float)
elif score in ("basis", "mlp"):
    X = ts.simulate.nonlinear_dataset(12, 300, "ER2", random_state=1).X
else:
    X = ts.simulate.linear_dataset(12, 300, "ER2", random_state=3).X
def fit():
    began = time.perf_counter()
    ts.Topo(score, random_state=0).fit(X)
    return time.perf_counter() - began
first, again = fit(), fit()
try:
    from toposwap.kernels.compiling import compile_seconds
except ImportError:
    compile_seconds = lambda: first - again
print(json.dumps({"compile": compile_seconds(), "fit": first, "again": again}))
"""


def process(score: str, cache: str) -> dict[str, float]:
    """Fit in a process of its own."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "OPENBLAS_NUM_THREADS": "1"}
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", FIT, score],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return {**json.loads(done.stdout), "process": time.perf_counter() - began}


def main() -> None:
    """Print a table for the scores named on the command line, or for all."""
    print(f"{'score':<15}{'':<9}{'compile':>9}{'fit':>9}{'again':>9}{'process':>9}   seconds")
    for score in sys.argv[1:] or SCORES:
        with tempfile.TemporaryDirectory() as cache:
            for when in ("first", "second"):
                took = process(score, cache)
                figures = "".join(
                    f"{took[name]:9.2f}" for name in ("compile", "fit", "again", "process")
                )
                print(f"{score:<15}{when:<9}{figures}", flush=True)


if __name__ == "__main__":
    main()
