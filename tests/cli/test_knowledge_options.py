"""What is known on the command line: files, short forms, patterns, and what is said about them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

KNOWN = """/knowledge
addtemporal

1  modelyear origin weight
2  cylinders

forbiddirect
origin mpg

requiredirect
cylinders mpg
"""
NAMES = ["mpg", "cylinders", "weight", "modelyear", "origin"]


@pytest.fixture
def cars(tmp_path):
    """A small table with names of a real one."""
    rng = np.random.default_rng(0)
    origin, year = rng.standard_normal((2, 150))
    weight = -origin + rng.standard_normal(150)
    cylinders = weight + 0.5 * rng.standard_normal(150)
    mpg = -weight + year + 0.5 * rng.standard_normal(150)
    table = pd.DataFrame(np.column_stack([mpg, cylinders, weight, year, origin]), columns=NAMES)
    table.to_csv(tmp_path / "cars.tsv", sep="\t", index=False)
    (tmp_path / "cars.txt").write_text(KNOWN, encoding="utf-8")
    return "cars.tsv"


def edges(outcome):
    return {(edge["source"], edge["target"]) for edge in json.loads(outcome.out)["edges"]}


def test_a_file_is_obeyed_and_reported(call, cars):
    outcome = call("fit", cars, "--knowledge", "cars.txt", "--compare-without")
    assert outcome.code == 0
    assert "obeyed: 2 tiers, 1 required edge, 1 forbidden edge" in outcome.out
    assert "the data speak against cylinders -> mpg" in outcome.out
    assert "without it, with" in outcome.out
    assert "what is known costs" in outcome.out
    assert "follow from the data and what is known" in outcome.out
    outcome = call("fit", cars, "--knowledge", "cars.txt", "--compare-without", "--json")
    found = edges(outcome)
    assert ("cylinders", "mpg") in found
    assert ("origin", "mpg") not in found
    assert not {(a, b) for a, b in found if a == "cylinders" and b in NAMES[2:]}
    record = json.loads(outcome.out)
    assert record["knowledge"]["required"] in (["cylinders mpg"], [["cylinders", "mpg"]])
    assert record["knowledge"]["against_the_data"] == [["cylinders", "mpg"]]
    assert record["without_knowledge"]["score"] < record["score"]


def test_short_forms_with_patterns(call, cars):
    short = ("--tiers", "origin, model* < * < mpg", "--require", "cylinders -> mpg")
    outcome = call(
        "fit", cars, *short, "--forbid", "*i* -> weight", "--root", "modelyear", "--json"
    )
    found = edges(outcome)
    assert ("cylinders", "mpg") in found
    assert not {pair for pair in found if pair[0] == "mpg" or pair[1] == "modelyear"}
    assert not {pair for pair in found if pair[1] == "weight" and "i" in pair[0]}
    outcome = call("fit", cars, "--leaf", "weight", "--ancestor", "mpg -> origin", "--json")
    assert not {pair for pair in edges(outcome) if pair[0] == "weight"}
    assert outcome.code == 0


def test_columns_by_pattern_and_knowledge_about_those_that_are_left_out(call, cars):
    outcome = call("fit", cars, "--exclude", "c*,o*", "--knowledge", "cars.txt", "--json")
    assert json.loads(outcome.out)["names"] == ["mpg", "weight", "modelyear"]
    outcome = call("fit", cars, "--only", "w*,mpg", "--json")
    assert json.loads(outcome.out)["names"] == ["weight", "mpg"]


def test_refine_and_check_know_it_too(call, cars):
    assert call("fit", cars, "-o", "free.weights.csv", "-q").code == 0
    known = ("--require", "cylinders -> mpg")
    assert call("refine", cars, "free.weights.csv", *known, "-o", "k.weights.csv").code == 0
    assert call("check", cars, "k.weights.csv", *known).code == 0
    against = ("--tiers", "mpg < weight")
    outcome = call("check", cars, "k.weights.csv", *against)
    assert outcome.code == 1
    assert "NOT satisfied" in outcome.out


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            ["--require", "mpg -> weight", "--forbid", "mpg -> *"],
            "is required, but it is forbidden",
        ),
        (["--require", "mpgg -> weight"], "did you mean 'mpg'?"),
        (["--require", "mpg"], "--require: 'mpg' is not of the form 'cause -> effect'"),
        (["--tiers", "mpg < weight", "--knowledge", "cars.txt"], "tiers are given twice"),
        (["--knowledge", "no.txt"], "no such file"),
        (["--compare-without"], "nothing is known that could be left out"),
        (["--exclude", "x*"], "no column is called 'x*'"),
    ],
)
def test_refusals_name_the_option_or_the_sentence(refused, cars, options, told):
    assert told in refused("fit", cars, *options)
