"""``toposwap fit``: what it prints, what it writes, and what it refuses."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pandas as pd
import pytest

from toposwap import Topo
from toposwap.io import read_table, read_weights

FILES = ("edges.csv", "r.json", "g.gml", "g.dot", "s.weights.csv")


def test_edges_and_summary_are_printed(call, sample):
    outcome = call("fit", sample)
    assert (outcome.code, outcome.err) == (0, "")
    assert "watering              soil moisture      1.267" in outcome.out
    for words in ("500 rows x 12 columns", "(bic)", "satisfied: a KKT point", "18, not pruned"):
        assert words in outcome.out
    assert outcome.out.splitlines()[-1].startswith("chosen       bic: all 12 columns are")
    outcome = call("fit", sample, "--score", "least-squares")
    assert outcome.out.splitlines()[2].split()[:4] == ["watering", "soil", "moisture", "1.284"]
    assert "satisfied: a local minimum" in outcome.out
    assert "18 with |weight| >= 0.3" in outcome.out


def test_every_file_is_written(call, sample, tmp_path):
    outputs = [argument for name in FILES for argument in ("-o", name)]
    outcome = call("fit", sample, *outputs, "--plot", "g.svg")
    assert outcome.code == 0
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted([*FILES, "g.svg"])
    for name in (*FILES, "g.svg"):
        assert f"wrote {name}" in outcome.out
    model = Topo(score="auto", random_state=0).fit(read_table(sample))
    for name, weights in (
        ("edges.csv", model.adjacency_matrix_),
        ("r.json", model.adjacency_matrix_),
        ("s.weights.csv", model.weights_),
    ):
        read = read_weights(tmp_path / name, model.names_)
        np.testing.assert_array_equal(read.to_numpy(), weights)


def test_json_is_all_that_is_printed(call, sample, tmp_path):
    outcome = call("fit", sample, "--json", "-o", "r.json")
    assert outcome.code == 0
    assert outcome.err == ""
    record = json.loads(outcome.out)
    written = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    for part in (record, written):
        for step in part["history"]:
            del step["seconds"]
    assert record == written
    assert len(record["edges"]) == 18
    assert record["rows"] == 500


def test_quiet(call, sample):
    assert call("fit", sample, "-q", "-o", "e.csv") == (0, "", "")


def test_options_reach_the_estimator(call, sample, tmp_path):
    frame = read_table(sample)
    outcome = call(
        "fit", sample, "--json", "--search", "paper", "--init", "random", "--seed", 3, "--greedy",
        "--s-small", 5, "--s-large", 20, "--s-0", 0, "--acyclicity", "exponential",
        "--score", "least-squares", "--ridge", 0.5, "--no-center", "--prune", "none",
        "--max-iter", 4,
    )  # fmt: skip
    from toposwap.scores import LeastSquares

    model = Topo(
        LeastSquares(ridge=0.5), "paper", "random", "exponential", s_small=5, s_large=20, s_0=0,
        greedy=True, prune=None, center=False, random_state=3, max_iter=4,
    ).fit(frame)  # fmt: skip
    record = json.loads(outcome.out)
    assert record["score"] == model.score_
    assert record["causal_order"] == [model.names_[v] for v in model.causal_order_]
    assert record["threshold"] is None
    assert len(record["history"]) == len(model.history_) == 5
    record = json.loads(call("fit", sample, "--json", "--prune", 0.9).out)
    assert len(record["edges"]) == 7
    assert record["score_name"] == "bic"
    assert len(record["choices"]) == 1
    assert record["choices"][0].startswith("bic: all 12 columns are continuous")


@pytest.mark.parametrize(
    ("options", "penalty"),
    [
        ([], {"name": "bic", "factor": 2.0}),
        (["--penalty", 1], {"name": "bic", "factor": 1.0}),
        (["--score", "ebic", "--penalty", 1], {"name": "ebic", "factor": 1.0, "gamma": 0.5}),
        (["--score", "equal-variance-l0", "--penalty", 3], {"name": "bic", "factor": 3.0}),
        (["--score", "gaussian-l1", "--penalty", 0.2], {"name": "l1", "weight": 0.2}),
        (["--score", "basis-bic"], {"name": "bic", "factor": 1.0}),
        (["--score", "least-squares"], None),
    ],
)
def test_the_weight_of_the_penalty(call, sample, options, penalty):
    record = json.loads(call("fit", sample, "--json", *options).out)
    assert record["penalty"] == penalty


def test_more_penalty_means_fewer_edges(call, sample):
    few, usual, many = (
        len(json.loads(call("fit", sample, "--json", "--penalty", factor).out)["edges"])
        for factor in (30, 2, 0.2)
    )
    assert few < usual < many


def test_open_directions_are_told_everywhere(call, sample, tmp_path):
    outcome = call("fit", sample, "-o", "e.csv", "-o", "r.json")
    assert "17 of 18 follow from the data if the model holds" in outcome.out
    (line,) = [line for line in outcome.out.splitlines() if line.endswith("  open")]
    assert "sunlight" in line
    assert "watering" in line
    assert (tmp_path / "e.csv").read_text().count(",true,") == 1
    record = json.loads((tmp_path / "r.json").read_text())
    assert [set(pair) for pair in record["open_directions"]] == [{"sunlight", "watering"}]


def test_restarts_are_the_same_on_any_number_of_cores(call, sample):
    records = []
    for jobs in (1, 2, -1):
        options = ("--json", "--restarts", 4, "--seed", 1, "--init", "random", "--jobs", jobs)
        record = json.loads(call("fit", sample, *options).out)
        for step in record["history"]:
            del step["seconds"]
        records.append(record)
    assert records[0] == records[1] == records[2]


def test_columns(call, sample, tmp_path):
    record = json.loads(
        call("fit", sample, "--json", "--columns", "harvest, leaf area", "--columns", "mildew").out
    )
    assert record["names"] == ["harvest", "leaf area", "mildew"]
    record = json.loads(call("fit", sample, "--json", "--exclude", "harvest,mildew").out)
    assert len(record["names"]) == 10
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(9, 3)), columns=["a,b", "c", "d"])
    frame.to_csv(tmp_path / "t.csv", index=False)
    record = json.loads(call("fit", "t.csv", "--json", "--columns", '"a,b",d').out)
    assert record["names"] == ["a,b", "d"]


def test_starts_from_files(call, sample, tmp_path, truth):
    names = list(read_table(sample).columns)
    backwards = Topo("least-squares").fit(read_table(sample)).causal_order_[::-1]
    lines = [names[v] for v in backwards]
    (tmp_path / "order.txt").write_text("\n".join(lines))
    solve = ("fit", sample, "--json", "--search", "none", "--init")
    assert json.loads(call(*solve, "order.txt").out)["causal_order"] == lines
    best = json.loads(call("fit", sample, "--json", "-o", "r.json").out)
    for start in ("r.json", truth):
        assert json.loads(call(*solve, start).out)["score"] == pytest.approx(best["score"])


def test_starts_from_another_learner(call, sample):
    squares = ("fit", sample, "--json", "--score", "least-squares", "--init")
    solve = (*squares[:-1], "--search", "none", "--init")
    solved = json.loads(call(*solve, "kkts").out)
    frame = read_table(sample)
    assert solved["score"] == pytest.approx(
        Topo("least-squares", search="none", init="kkts").fit(frame).score_
    )
    best = json.loads(call(*squares, "notears").out)
    assert best["score"] <= solved["score"] * (1 + 1e-9)


def test_notes_are_one_line_each(call, tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(9, 3)), columns=["a", "b", "c"])
    frame.iloc[0, 0] = np.nan
    frame.to_csv(tmp_path / "t.csv")
    outcome = call("fit", "t.csv", "-q", "--drop-missing", "--search", "paper", "--s-small", 99)
    assert outcome.code == 0
    lines = outcome.err.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("toposwap: note: ") for line in lines)
    assert "has no name and looks like row labels, was left out" in lines[0]
    assert sum("1 of 9 rows have missing values" in line for line in lines[1:]) == 1
    assert sum("s_small=99" in line for line in lines[1:]) == 1


def test_european_tables(call, tmp_path):
    rows = np.random.default_rng(0).normal(size=(9, 2))
    text = "a;b\n" + "".join(f"{x:.4f};{y:.4f}\n" for x, y in rows).replace(".", ",")
    (tmp_path / "t.csv").write_text(text)
    assert call("fit", "t.csv", "--sep", ";", "--decimal", ",", "-q") == (0, "", "")
    (tmp_path / "t.dat").write_text(text.replace(";", "\t").replace(",", "."))
    assert call("fit", "t.dat", "--sep", "\\t", "-q") == (0, "", "")


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "x.xml"], "'x.xml': the format of a graph"),
        (["-o", "nowhere/x.csv"], "nowhere' does not exist; create it first"),
        (["--plot", "x.gif"], "'x.gif': the format of a picture"),
        (["--columns", "harvest,nope"], "--columns: no column is called 'nope'"),
        (["--exclude", "nope"], "--exclude: no column is called 'nope'"),
        (["--columns", "harvest"], "at least 2"),
        (
            ["--init", "nope"],
            "--init: 'nope' is neither one of auto, variance, correlation, random, notears",
        ),
        (["--score", "nope"], "--score: 'nope' is not one of auto"),
        (["--search", "nope"], "--search: 'nope' is not one of auto"),
        (["--search", "paper", "--acyclicity", "nope"], "--acyclicity: 'nope' is not one of"),
        (["--greedy"], "--greedy belongs to --search paper"),
        (["--ridge", "1"], "--ridge belongs to --score least-squares"),
        (["--penalty", "-1"], "--penalty"),
        (["--penalty", "nan"], "'--penalty': nan is not a finite number"),
        (["--penalty", "much"], "'--penalty': 'much' is not a valid number"),
        (["--seed", "1.5"], "'--seed': '1.5' is not a valid whole number"),
        (["--score", "bci"], "; did you mean bic?"),
        (
            ["--score", "least-squares", "--penalty", "1"],
            "--penalty: the score least-squares has no penalty to weigh; choose one that has",
        ),
        (["--jobs", "0"], "0 is neither >= 1 nor -1"),
        (["--jobs", "2", "--search", "none"], "--jobs belongs to --search auto"),
        (["--s-0", "0"], "--s-0 belongs to --search paper"),
        (["--prune", "nope"], "'nope' is neither auto, bic, none nor a number"),
        (["--prune", "-1"], "prune: must be"),
        (["--ridge", "-1"], "--ridge"),
        (["--max-iter", "0"], "--max-iter"),
        (["--seed", "x"], "--seed"),
        (["--nope"], "No such option '--nope'"),
        (["extra"], "extra"),
    ],
)
def test_bad_options(refused, sample, tmp_path, options, message):
    before = list(tmp_path.iterdir())
    assert message in refused("fit", sample, *options)
    assert list(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n3\n", "'t.csv', line 3: 1 field"),
        ("a,b\n1,2\n3,\n4,5\n", "1 of 3 rows have missing values (1 of 6), in 'b': --missing drop"),
        ("a,b\n1,2\n3,x\n", "column 'b'"),
        ("a,b\n1,2\n3,2\n5,2\n", "column 'b' is constant"),
        ("a,b\n1,2\n3,5\n", "2 rows are too few for 2 columns"),
    ],
)
def test_bad_tables(refused, tmp_path, text, message):
    (tmp_path / "t.csv").write_text(text)
    assert message in refused("fit", "t.csv")


def test_missing_table_and_missing_argument(refused):
    assert "'nope.csv' does not exist" in refused("fit", "nope.csv")
    assert "Missing argument 'TABLE...' (see toposwap fit --help)" in refused("fit")
    assert "No such command 'nope'" in refused("nope")


def test_a_table_in_the_place_of_a_command(refused, sample):
    assert f"is a file, no command: to learn from it, toposwap fit {sample}" in refused(sample)


def test_outputs_are_checked_before_the_table_is_read(refused):
    assert "nowhere" in refused("fit", "no-table-either.csv", "-o", "nowhere/x.csv")


def test_the_table_is_not_overwritten(refused, sample, tmp_path):
    (tmp_path / "mine.csv").write_bytes(sample.read_bytes())
    assert "is read and would be overwritten" in refused("fit", "mine.csv", "-o", "./mine.csv")
    assert (tmp_path / "mine.csv").read_bytes() == sample.read_bytes()


def test_missing_extras_are_told_before_the_work(refused, monkeypatch, sample):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert 'pip install "toposwap[plot]"' in refused("fit", sample, "--plot", "g.png")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert 'pip install "toposwap[parquet]"' in refused("simulate", "-o", "x.parquet")


# --- tables as people have them ------------------------------------------------------------------


def patients(tmp_path, **columns):
    rng = np.random.default_rng(0)
    n = 120
    age = rng.normal(50.0, 10.0, n)
    base = {
        "weight": age + rng.normal(0.0, 5.0, n),
        "age": age,
        "smoker": np.where(rng.random(n) < 0.5, "yes", "no"),
        "region": rng.choice(["n", "s", "w"], n),
        "name": [f"patient {k}" for k in range(n)],
        "seen": pd.date_range("2020-01-01", periods=n).astype(str),
        "ward": "A",
        "row": np.arange(n),
        "stage": rng.integers(0, 4, n),
    }
    file = tmp_path / "patients.csv"
    pd.DataFrame(base | columns).to_csv(file, index=False, sep=";")
    return file


def test_all_columns_that_cannot_be_used_are_named_at_once(call, tmp_path):
    done = call("fit", patients(tmp_path))
    assert done.code == 2
    assert done.err.count("\n") == 1
    for told in (
        "column 'name' holds text, another in every row",
        "column 'seen' holds dates",
        "--drop-unusable leaves out",
    ):
        assert told in done.err


def test_columns_that_cannot_be_used_are_left_out(call, tmp_path):
    done = call("fit", patients(tmp_path), "--drop-unusable", "--json")
    assert done.code == 0
    assert json.loads(done.out)["names"] == ["weight", "age", "smoker", "region", "stage"]
    for told in ("'ward' (is constant)", "'row' (is a running number)", "'name' (holds text"):
        assert told in done.err
    assert "taken as ordinal: 'stage' (4 whole numbers from 0 to 3" in done.out


def test_kinds_on_the_command_line(call, tmp_path):
    file = patients(tmp_path)
    done = call("fit", file, "--drop-unusable", "--kind", "sta*=count", "--json")
    assert json.loads(done.out)["choices"][0].startswith(
        "blocks-bic: gaussian for 'weight', 'age'; "
    )
    assert "poisson for 'stage'" in done.out
    done = call("fit", file, "--drop-unusable", "--categorical", "stage, smoker", "--json")
    assert "multinomial for 'region', 'stage'" in done.out
    done = call("fit", file, "--columns", "age,weight", "--kind", "age=continuous")
    assert done.code == 0
    for wrong in ("age", "age=old", "nobody=count"):
        done = call("fit", file, "--kind", wrong)
        assert done.code == 2
        assert "kind" in done.err
    done = call("fit", file, "--columns", "age,name,ward", "--drop-unusable")
    assert done.code == 2
    assert "1 of 3 columns would be left" in done.err


def test_infinity_and_further_marks(call, tmp_path):
    file = patients(tmp_path, extra=[np.inf, -999.0, *range(118)])
    chosen = ("--columns", "age,weight,extra")
    done = call("fit", file, *chosen)
    assert done.code == 2
    assert "1 of 120 rows have missing or infinite values (1 of 360), in 'extra'" in done.err
    done = call("fit", file, *chosen, "--na", "-999", "--drop-missing", "-q")
    assert done.code == 0
    assert "2 of 120 rows have missing values and were left out" in done.err
    done = call("fit", file, *chosen, "--na", "inf", "--na", "-inf", "--missing", "em", "-q")
    assert done.code == 0


def test_standard_input(call, sample, monkeypatch):
    content = sample.read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    piped = call("fit", "-", "--json")
    assert piped.code == 0
    assert json.loads(piped.out)["edges"] == json.loads(call("fit", sample, "--json").out)["edges"]


def test_weights_of_rows(call, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 3)) @ np.triu(np.ones((3, 3))), columns=list("abc"))
    times = rng.integers(1, 4, 60)
    frame.assign(times=times).to_csv(tmp_path / "w.csv", index=False)
    frame.loc[frame.index.repeat(times)].to_csv(tmp_path / "r.csv", index=False)
    one = json.loads(call("fit", tmp_path / "w.csv", "--weights", "times", "--json").out)
    two = json.loads(call("fit", tmp_path / "r.csv", "--json").out)
    assert one["names"] == two["names"]
    assert one["score"] == pytest.approx(two["score"], rel=1e-9)
    assert call("fit", tmp_path / "w.csv", "--weights", "nobody").code == 2
    done = call("fit", tmp_path / "w.csv", "--weights", "a")
    assert done.code == 2
    assert "weights must be numbers >= 0" in done.err
