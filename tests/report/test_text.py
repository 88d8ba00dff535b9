"""The report in words and as data."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from toposwap import Topo, __version__
from toposwap.certificate import certify
from toposwap.core.dataset import Dataset
from toposwap.core.errors import ToposwapWarning
from toposwap.report import as_text, edge_table, record_of, report, solution_of, write_result
from toposwap.report.residuals import worst_pairs
from toposwap.report.text import summary
from toposwap.report.words import certificate_in_words, status_in_words
from toposwap.scores import LeastSquares, Penalized
from toposwap.simulate import linear_dataset

NAMES = ("[bold]a[/bold]", "b :smile:", "naïve 雪", "d,e")


@pytest.fixture(scope="module")
def model():
    X = linear_dataset(4, 300, "ER", 1.4, random_state=3).X
    return Topo("least-squares").fit(pd.DataFrame(X, columns=NAMES))


def test_edges_are_listed_with_their_names_as_they_are(model):
    weights = pd.DataFrame(model.adjacency_matrix_, columns=NAMES)
    assert as_text(edge_table(weights)).splitlines()[0].split() == ["cause", "effect", "weight"]
    i, j = np.unravel_index(np.abs(model.adjacency_matrix_).argmax(), (4, 4))
    lines = as_text(edge_table(model)).splitlines()
    heads = "cause effect weight standardised low high evidence"
    assert lines[0].split() == heads.split()
    assert len(lines) == 2 + np.count_nonzero(model.adjacency_matrix_)
    assert NAMES[i] in lines[2]
    assert NAMES[j] in lines[2]
    assert lines[2].split()[-5] == f"{model.adjacency_matrix_[i, j]:.3f}"


def test_long_lists_are_cut():
    weights = pd.DataFrame(np.triu(np.ones((12, 12)), 1))
    text = as_text(edge_table(weights))
    assert len(text.splitlines()) == 2 + 40 + 1
    assert text.splitlines()[-1] == "and 26 weaker edges; for all of them: --output edges.csv"
    assert "weaker" not in as_text(edge_table(weights, most=66))


def test_small_and_large_weights_are_shown():
    text = as_text(edge_table(pd.DataFrame([[0, 1e-7, 1e9], [0, 0, 0], [0, 0, 0]])))
    assert "1.00e-07" in text
    assert "1.00e+09" in text
    assert as_text(edge_table(pd.DataFrame(np.zeros((2, 2))))) == "No edges.\n"


def test_weights_of_columns_in_unrelated_units_keep_three_digits():
    weights = np.zeros((7, 7))
    weights[0, 1:] = [62.599, -0.00341, 0.5, 1985.4, 123.4, 0.0007]
    lines = as_text(edge_table(pd.DataFrame(weights))).splitlines()[2:]
    shown = [line.split()[-1] for line in lines]
    assert shown == ["1985", "123", "62.6", "0.500", "-0.00341", "0.000700"]


def test_the_summary_says_it_all(model):
    text = as_text(report(model, rows=300, seconds=1.5))
    kept, all_edges = np.count_nonzero(model.adjacency_matrix_), np.count_nonzero(model.weights_)
    for words in (
        "300 rows x 4 columns",
        f"{model.score_:.6g} (least-squares)",
        "auto, ",
        "1.50 s",
        "converged",
        "satisfied: a local minimum",
        "tolerance 1e-08",
        f"{kept} with |weight| >= 0.3; {all_edges - kept} weaker of the solution's {all_edges}",
    ):
        assert words in text


def test_remarks_are_repeated_unless_unwanted(model):
    cyclic = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    X = linear_dataset(4, 300, "ER", 1.4, random_state=3).X
    with pytest.warns(ToposwapWarning, match="has cycles"):
        mended = Topo("least-squares", init=cyclic, prune=None).fit(X)
    assert "has cycles" in as_text(report(mended), width=200)
    assert "has cycles" not in as_text(report(mended, remarks=False), width=200)
    assert "6, not pruned" in as_text(report(mended))


def test_every_status_has_words():
    for status in ("converged", "global minimum", "given order", "interrupted", "iteration limit"):
        assert status_in_words(status) != status
    assert "raise s_0 (--s-0)" in status_in_words("s_0 used up")
    assert status_in_words("something new") == "something new"


def test_the_record_is_complete_and_speaks_of_names(model):
    record = json.loads(json.dumps(record_of(model, 300), allow_nan=False))
    assert record["version"] == __version__
    assert record["rows"] == 300
    assert record["names"] == list(NAMES)
    assert record["causal_order"] == [NAMES[v] for v in model.causal_order_]
    assert (record["score"], record["score_name"]) == (model.score_, "least-squares")
    assert (record["search"], record["status"]) == ("auto", model.status_)
    assert record["threshold"] == 0.3
    i, j = model.certificate_.worst
    assert record["certificate"] == {
        "satisfied": True,
        "kind": "local minimum",
        "max_residual": model.certificate_.max_residual,
        "tolerance": model.certificate_.tolerance,
        "worst": {"source": NAMES[i], "target": NAMES[j]},
        "condition": "separable",
    }
    place = {name: k for k, name in enumerate(NAMES)}
    rebuilt = np.zeros((4, 4))
    for edge in record["edges"]:
        rebuilt[place[edge["source"]], place[edge["target"]]] = edge["weight"]
    np.testing.assert_array_equal(rebuilt, model.adjacency_matrix_)
    assert [step["score"] for step in record["history"]] == [s.score for s in model.history_]
    assert record["remarks"] == []


def test_files_of_a_model(tmp_path, model):
    from toposwap.io import read_weights

    for suffix in (".csv", ".json", ".weights.csv"):
        write_result(tmp_path / f"m{suffix}", model)
    for suffix, weights in (
        (".csv", model.adjacency_matrix_),
        (".json", model.adjacency_matrix_),
        (".weights.csv", model.weights_),
    ):
        read = read_weights(tmp_path / f"m{suffix}", NAMES)
        np.testing.assert_array_equal(read.to_numpy(), weights)


# --- where the conditions fail -------------------------------------------------------------------


def judged(weights, seed=3):

    X = linear_dataset(4, 300, "ER", 1.4, random_state=seed).X * [1, 10, 0.1, 1e3]
    bound = LeastSquares().bind(Dataset.from_table(X, names=NAMES))
    point = bound.evaluate(np.asarray(weights, dtype=float))
    return point, certify(point, convex=True, tolerance=bound.tolerance)


@pytest.mark.parametrize("seed", range(4))
def test_the_worst_pair_is_the_certificate_s(seed):
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(4, 4)) * (rng.random((4, 4)) < 0.4)
    np.fill_diagonal(weights, 0.0)
    point, certificate = judged(weights)
    pairs = worst_pairs(certificate, point.weights, NAMES)
    i, j = certificate.worst
    assert (pairs[0].source, pairs[0].target) == (NAMES[i], NAMES[j])
    assert pairs[0].relative == pytest.approx(certificate.max_residual, rel=1e-12)
    sizes = [pair.relative for pair in pairs]
    assert sizes == sorted(sizes, reverse=True)


def test_reasons():
    point, certificate = judged(np.zeros((4, 4)))
    reasons = {pair.reason for pair in worst_pairs(certificate, point.weights, NAMES)}
    assert reasons == {"adding this edge lowers the score"}
    cycle = np.zeros((4, 4))
    cycle[0, 1] = cycle[1, 0] = 5.0
    point, certificate = judged(cycle)
    pairs = worst_pairs(certificate, point.weights, NAMES, most=16)
    assert {p.reason for p in pairs if {p.source, p.target} == set(NAMES[:2])} == {
        "lies on a cycle"
    }
    words = certificate_in_words(certificate, NAMES)
    assert words.startswith("NOT satisfied: not a local minimum")


def test_a_solution_has_no_bad_pairs(model):
    X = linear_dataset(4, 300, "ER", 1.4, random_state=3).X
    bound = LeastSquares().bind(Dataset.from_table(X))
    point = bound.evaluate(solution_of(model).to_numpy())
    certificate = certify(point, convex=True, tolerance=bound.tolerance)
    assert worst_pairs(certificate, point.weights, NAMES) == []


def test_what_was_chosen_and_what_is_open_is_said():
    rng = np.random.default_rng(0)
    cause = rng.normal(size=500)
    cured = (rng.random(500) < 1 / (1 + np.exp(-2 * cause))).astype(float)
    mixed = Topo(score=Penalized("auto", "bic"), random_state=0).fit(
        np.column_stack([cause, cured])
    )
    assert "loss: gaussian for 'x0'; logistic for 'x1'" in as_text(summary(mixed))
    pair = np.column_stack([cause, cause + rng.normal(size=500)])
    words = as_text(summary(Topo(score="bic").fit(pair)))
    assert "0 of 1 follow from the data if the model holds (linear effects, Gaussian" in words
    assert "open, as the data fit equally well either way round: x0 - x1" in " ".join(words.split())
    units = as_text(summary(Topo("least-squares").fit(pair)), width=300)
    assert "depends on the units" in units
    assert "100% of the directed paths the variance rises" in units


def test_what_the_theorem_rests_on_is_told_where_a_score_does_not_separate(model):
    assert "theorem" not in as_text(report(model))
    assert record_of(model)["certificate"]["condition"] == "separable"
    X = linear_dataset(6, 300, "ER", 0.5, random_state=3).X
    sparse = Topo(score="equal-variance-l0").fit(X)
    text = " ".join(as_text(report(sparse)).split())
    assert "theorem the score is no sum over variables, and not every variable is reached" in text
    assert record_of(sparse)["certificate"]["condition"] == "not connected"
