"""What was set from outside, on the command line: a column of names, and indicators."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import toposwap as ts
from toposwap.core.interventions import KINDS_OF_INTERVENTION


@pytest.fixture
def cells(tmp_path):
    """A small table with names of a real one, reagents among its columns."""
    rng = np.random.default_rng(0)
    pkc = rng.standard_normal(300)
    mek = pkc + rng.standard_normal(300)
    erk = mek + rng.standard_normal(300)
    pkc[100:200] = 3 + rng.standard_normal(100)
    erk[200:] = rng.standard_normal(100)
    mek[100:200] = pkc[100:200] + rng.standard_normal(100)
    table = pd.DataFrame({"erk": erk, "mek": mek, "pkc": pkc})
    table["set"] = [""] * 100 + ["pkc"] * 100 + ["erk"] * 100
    table["g0076"] = [0] * 100 + [1] * 100 + [0] * 100
    table["u0126"] = [0] * 200 + [1] * 100
    table.to_csv(tmp_path / "cells.csv", index=False)
    table.to_csv(tmp_path / "cells.tsv", index=False, sep="\t")
    return table


def test_a_column_and_indicators_say_the_same(call, cells):
    column = call(
        "fit", "cells.csv", "--interventions", "set", "--exclude", "g0076,u0126", "--json"
    )
    flags = call(
        *("fit", "cells.csv", "--exclude", "set", "--json"),
        *("--intervention-indicator", "g0076=pkc", "--intervention-indicator", "u0126=erk"),
    )
    one, two = json.loads(column.out), json.loads(flags.out)
    assert one["score"] == two["score"]
    assert one["edges"] == two["edges"]
    assert one["interventions"] == two["interventions"]
    assert one["interventions"]["kind"] == "perfect"
    assert {"targets": ["erk"], "rows": 100.0} in one["interventions"]["environments"]
    assert one["names"] == ["erk", "mek", "pkc"]
    model = ts.Topo().fit(cells[["erk", "mek", "pkc"]], interventions=cells["set"])
    assert one["score"] == pytest.approx(model.score_)


def test_the_report_says_what_was_used(call, cells):
    outcome = call("fit", "cells.csv", "--interventions", "set", "--exclude", "g0076,u0126")
    assert outcome.code == 0
    told = " ".join(outcome.out.split())
    assert "200 of 300 rows have columns set from outside" in told
    assert "erk (100), pkc (100)" in told
    assert "follow from the data and what was set" in told
    shifted = call(
        *("fit", "cells.csv", "--interventions", "set", "--exclude", "g0076,u0126"),
        *("--intervention-kind", "shift"),
    )
    assert "a constant is added" in " ".join(shifted.out.split())


def test_check_and_refine_take_them(call, cells):
    done = ("--interventions", "set", "--exclude", "g0076,u0126", "--score", "bic")
    assert call("fit", "cells.tsv", *done, "-o", "w.weights.csv").code == 0
    assert call("check", "cells.tsv", "w.weights.csv", *done).code == 0
    plain = ("--exclude", "set,g0076,u0126", "--score", "bic")
    assert call("check", "cells.tsv", "w.weights.csv", *plain).code == 1
    better = call("refine", "cells.tsv", "w.weights.csv", *done, "--json")
    before = json.loads(better.out)
    assert before["score"] <= before["before"]["score"] + 1e-9


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--interventions", "pkc", "--exclude", "set"), "must hold names of columns"),
        (("--interventions", "sets"), "no column is called 'sets'"),
        (("--intervention-indicator", "g0076"), "is not COLUMN=TARGET"),
        (("--intervention-indicator", "mek=pkc", "--exclude", "set"), "must hold 0 and 1 only"),
        (("--intervention-indicator", "g0076=pkcs", "--exclude", "set"), "did you mean 'pkc'"),
    ],
)
def test_what_cannot_be_meant(call, cells, options, words):
    outcome = call("fit", "cells.csv", *options)
    assert outcome.code == 2
    assert words in " ".join(outcome.err.split())


def test_simulated_files_are_learned_from(call, tmp_path):
    outcome = call(
        *("simulate", "--nodes", 5, "--rows", 100, "--targets", 2, "--rows-each", 50),
        *("--seed", 1, "-o", "drawn.csv", "--truth", "truth.csv"),
    )
    assert outcome.code == 0
    table = pd.read_csv(tmp_path / "drawn.csv")
    assert len(table) == 200
    assert table["interventions"].count() == 100
    assert call("fit", "drawn.csv", "--interventions", "interventions").code == 0


def test_the_help_names_the_kinds_there_are(call):
    assert f"[{'|'.join(KINDS_OF_INTERVENTION)}]" in call("fit", "--help").out
