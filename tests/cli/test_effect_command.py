"""``toposwap effect``."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import toposwap as ts


def columns_with_a_path(table):
    model = ts.Topo().fit(pd.read_csv(table))
    graph = model.causal_graph_
    cause, effect = next(iter(graph.edges))
    return model, cause, effect


def test_the_answer_is_that_of_the_library(call, sample):
    model, cause, effect = columns_with_a_path(sample)
    expected = model.effect(cause, effect)
    told = call("effect", sample, "--cause", cause, "--effect", effect, "--json")
    assert told.code == 0
    record = json.loads(told.out)
    assert record["value"] == pytest.approx(expected.value)
    assert record["interval"] == pytest.approx(list(expected.interval))
    assert record["adjustment"]["in_words"].startswith(f"regress {effect} on {cause}")
    text = call("effect", sample, "--cause", cause, "--effect", effect).out
    assert f"effect of {cause} on {effect}" in text
    assert f"{expected.value:.4g}" in text
    assert "regress" in text


def test_a_saved_result_is_the_same_graph(call, sample):
    """Also its open directions, whatever the format."""
    _, cause, effect = columns_with_a_path(sample)
    call("fit", sample, "-o", "result.json", "-o", "edges.csv", "--quiet")
    learned = call("effect", sample, "--cause", cause, "--effect", effect, "--json")
    for file in ("result.json", "edges.csv"):
        saved = call(
            "effect", sample, "--cause", cause, "--effect", effect, "--graph", file, "--json"
        )
        one, other = json.loads(saved.out), json.loads(learned.out)
        assert one["value"] == pytest.approx(other["value"])
        assert len(one["possible"]) == len(other["possible"])
        assert one["interval"] == pytest.approx(other["interval"])


def test_values_and_deviations(call, sample):
    _, cause, effect = columns_with_a_path(sample)
    ends = ("--cause", cause, "--effect", effect, "--json")
    unit = json.loads(call("effect", sample, *ends).out)["value"]
    five = json.loads(call("effect", sample, *ends, "--from", "1", "--to", "6").out)
    assert five["value"] == pytest.approx(5.0 * unit)
    assert five["change"] == "a change from 1 to 6"
    assert (
        "standard deviation"
        in json.loads(call("effect", sample, *ends, "--per", "sd").out)["change"]
    )


def test_what_is_refused(refused, sample):
    _, cause, effect = columns_with_a_path(sample)
    assert "no column is called 'moon'" in refused(
        "effect", sample, "--cause", cause, "--effect", "moon"
    )
    assert "belong together" in refused(
        "effect", sample, "--cause", cause, "--effect", effect, "--from", 1
    )
    assert "cannot be set to 'much'" in refused(
        "effect", sample, "--cause", cause, "--effect", effect, "--from", "much", "--to", 1
    )
    assert "is the cause" in refused("effect", sample, "--cause", cause, "--effect", cause)
