"""A search that is killed goes on where it was kept, to the same answer bit for bit."""

import os
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import toposwap as ts
from toposwap.checkpoint import Checkpoint, Opened
from toposwap.core.errors import InputError
from toposwap.scores import MLP

WIDE = ts.simulate.linear_dataset(42, 300, "ER4", random_state=0).X
NARROW = WIDE[:, :8]
NAMES = [f"x{j}" for j in range(42)]
#: Categories of three levels, and every third column of them beside numbers.
LEVELS = {f"c{j}": np.array(list("abc"))[np.digitize(x, [-1.0, 1.0])] for j, x in enumerate(WIDE.T)}
CODED = pd.DataFrame({name: LEVELS[name] for name in list(LEVELS)[:19]})
MIXED = pd.DataFrame({f"c{j}": WIDE[:, j] if j % 3 else LEVELS[f"c{j}"] for j in range(7)})
#: Three variables were set from outside in the last hundred rows.
SET = [None] * 200 + ["x1", "x5", "x9", "x1"] * 25
pytestmark = pytest.mark.filterwarnings("ignore")


class Killed(BaseException):
    """Nothing in the library expects it."""


def answer(model):
    return (
        model.status_,
        model.score_,
        model.weights_.tobytes(),
        model.adjacency_matrix_.tobytes(),
        tuple(model.causal_order_),
        [(step.score, step.move) for step in model.history_],
        model.result_.starts,
        len(model.result_.rivals),
        model.remarks_,
    )


CASES = {
    "least squares": (WIDE, {"score": "least-squares", "init": "random", "n_restarts": 4}),
    "insertion": (WIDE, {"score": "least-squares", "init": "random", "search": "insertion"}),
    "paper": (WIDE[:, :15], {"score": "least-squares", "init": "random", "search": "paper"}),
    "chains": (WIDE, {"score": "bic", "init": "random", "n_restarts": 12}),
    "no chains": (WIDE, {"score": "bic", "init": "random", "n_restarts": 0}),
    "one variance": (WIDE, {"score": "equal-variance-l0", "init": "random", "n_restarts": 6}),
    "node by node": (NARROW, {"score": "gaussian-l1", "init": "random", "n_restarts": 3}),
    "splines": (NARROW, {"score": "basis", "init": "random", "n_restarts": 3}),
    "categories": (CODED, {"score": "bdeu", "init": "random", "n_restarts": 20}),
    "categories, BIC": (CODED, {"score": "categorical-bic", "n_restarts": 20}),
    "blocks": (MIXED, {"score": "blocks-bic", "init": "random", "n_restarts": 3}),
    "penalised blocks": (MIXED, {"score": "blocks-lasso", "init": "random", "n_restarts": 1}),
    "tiers": (
        WIDE,
        {
            "score": "bic",
            "init": "random",
            "n_restarts": 12,
            "knowledge": {
                "tiers": [NAMES[::2], NAMES[1::2]],
                "required": ["x0 -> x1"],
                "forbidden": ["x2 -> x5", "x4 -> x7"],
            },
        },
    ),
    "paths": (
        WIDE[:, :20],
        {
            "score": "bic",
            "init": "random",
            "n_restarts": 12,
            "knowledge": {"ancestors": ["x3 -> x9"], "not_ancestors": ["x10 -> x2"]},
        },
    ),
    "set": (WIDE, {"score": "bic", "init": "random", "n_restarts": 12}),
    "set, one variance": (WIDE, {"score": "equal-variance-l0", "n_restarts": 6}),
    "set, squares": (WIDE[:, :20], {"score": "least-squares", "init": "random", "n_restarts": 4}),
    "networks": (
        WIDE[:100, :4],
        {"score": MLP(hidden=3), "init": "random", "n_restarts": 2},
    ),
}


#: Each of these is fitted a dozen times, and takes seconds.
SLOW = (
    "networks",
    "node by node",
    "splines",
    "paper",
    "paths",
    "penalised blocks",
    "categories, BIC",
    "set, one variance",
    "set, squares",
)


@pytest.mark.parametrize(
    "case",
    [pytest.param(c, marks=pytest.mark.thorough) if c in SLOW else c for c in CASES],
)
def test_wherever_it_is_killed(case, tmp_path, monkeypatch):
    X, settings = CASES[case]
    given = {"interventions": SET} if case.startswith("set") else {}
    file = tmp_path / "kept"
    kept, last = 0, 10**9
    write = Opened.keep

    def keep(self, standing):
        nonlocal kept
        write(self, standing)
        kept += 1
        if kept == last:
            raise Killed

    monkeypatch.setattr(Opened, "keep", keep)
    plain = answer(ts.Topo(**settings).fit(X, **given))
    assert answer(ts.Topo(**settings, checkpoint=Checkpoint(file, 0)).fit(X, **given)) == plain
    assert kept >= 3
    for end in np.unique(np.linspace(1, kept, 4).astype(int)):
        file.unlink()
        kept, last = 0, end
        with pytest.raises(Killed):
            ts.Topo(**settings, checkpoint=Checkpoint(file, 0)).fit(X, **given)
        last = 10**9
        assert answer(ts.Topo(**settings, checkpoint=file).fit(X, **given)) == plain
        # What is finished is not done again.
        assert answer(ts.Topo(**settings, checkpoint=file).fit(X, **given)) == plain


_FIT = """
import sys, warnings
import numpy as np
warnings.simplefilter("ignore")
import toposwap as ts
from toposwap.checkpoint import Checkpoint
X = np.load(sys.argv[1])
print("begun", flush=True)
model = ts.Topo("bic", init="random", n_restarts=60, checkpoint=Checkpoint(sys.argv[2], 0)).fit(X)
np.save(sys.argv[3], model.weights_)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_a_real_kill(tmp_path):
    table, file, out = (tmp_path / name for name in ("X.npy", "kept", "W.npy"))
    np.save(table, WIDE)
    command = [sys.executable, "-c", _FIT, str(table), str(file), str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        while not file.exists():
            time.sleep(0.01)
        time.sleep(0.1)
        os.kill(process.pid, signal.SIGKILL)
    assert not out.exists()
    settings = {"score": "bic", "init": "random", "n_restarts": 60}
    again = ts.Topo(**settings, checkpoint=file).fit(WIDE)
    assert answer(again) == answer(ts.Topo(**settings).fit(WIDE))


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_many_real_kills(tmp_path):
    table, file, out = (tmp_path / name for name in ("X.npy", "kept", "W.npy"))
    np.save(table, WIDE)
    rng, kills = np.random.default_rng(0), 0
    command = [sys.executable, "-c", _FIT, str(table), str(file), str(out)]
    while not out.exists():
        # Later and later, so that it ends.
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            try:
                process.wait(rng.uniform(0.3, 0.6) * (1 + kills))
            except subprocess.TimeoutExpired:
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
            else:
                assert process.returncode == 0
        assert kills < 40
    assert kills >= 1
    model = ts.Topo("bic", init="random", n_restarts=60).fit(WIDE)
    np.testing.assert_array_equal(np.load(out), model.weights_)


def test_what_it_does_not_belong_to_is_refused(tmp_path):
    file = tmp_path / "kept"
    ts.Topo("bic", checkpoint=file).fit(NARROW)
    before = file.read_bytes()
    for other, data in (
        ({"score": "ebic"}, NARROW),
        ({"score": "bic"}, NARROW[:-1]),
        ({"score": "bic", "random_state": 1}, NARROW),
        ({"score": "bic", "init": "random"}, NARROW),
        ({"score": "bic", "knowledge": {"roots": ["x0"]}}, NARROW),
    ):
        with pytest.raises(InputError, match="belongs to another fit"):
            ts.Topo(**other, checkpoint=file).fit(data)
    # How fast is no matter of what.
    ts.Topo("bic", checkpoint=file, n_jobs=2, time_budget=100).fit(NARROW)
    assert file.read_bytes() == before
    fitted = ts.Topo("bic", checkpoint=tmp_path / "set")
    fitted.fit(NARROW, interventions=[None] * 200 + ["x1"] * 100)
    for targets in (None, [None] * 200 + ["x2"] * 100):
        with pytest.raises(InputError, match="belongs to another fit"):
            fitted.fit(NARROW, interventions=targets)
    gaps = NARROW.copy()
    gaps[0, 0] = np.nan
    with pytest.raises(InputError, match="fills gaps"):
        ts.Topo("bic", missing="em", checkpoint=file).fit(gaps)
    with pytest.raises(InputError, match="checkpoint: must be the name of a file"):
        ts.Topo("bic", checkpoint=3).fit(NARROW)


class Runs:
    def __reduce__(self):
        return os.system, ("true",)


@pytest.mark.parametrize("damage", ["text", "code", "cut"])
def test_damaged_files_are_refused_and_nothing_is_run(damage, tmp_path, monkeypatch):
    file = tmp_path / "kept"
    ts.Topo("bic", checkpoint=file).fit(NARROW)
    monkeypatch.setattr(os, "system", pytest.fail)
    whole = file.read_bytes()
    file.write_bytes(
        {"text": b"a,b\n1,2\n", "code": pickle.dumps(Runs()), "cut": whole[: len(whole) // 2]}[
            damage
        ]
    )
    with pytest.raises(InputError, match=r"checkpoint: .*kept"):
        ts.Topo("bic", checkpoint=file).fit(NARROW)


def test_it_waits_between_two_writes(tmp_path, monkeypatch):
    written = []
    monkeypatch.setattr("toposwap.checkpoint._Writer.dump", lambda *_: written.append(time.time()))
    ts.Topo("least-squares", init="random", checkpoint=tmp_path / "kept").fit(WIDE)
    # Head and body, at the end.
    assert len(written) == 2
