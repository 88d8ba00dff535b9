"""The score that follows the data: what is chosen, why, and that it is then really used."""

import numpy as np
import pandas as pd
import pytest
from tables import binary_table, count_table, mixed_table, real_table

from toposwap import Topo, check_kkt, refine
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.report.record import record_of
from toposwap.report.text import as_text, summary
from toposwap.scores import SCORES, Auto, Penalized


def chosen(X, **settings):
    return Auto().choose(Dataset.from_table(X, **settings))


CASES = [
    (real_table(0), "bic: all 5 columns are continuous; any units, directions up to equivalence"),
    (binary_table(0), "logistic-bic: all 5 columns have two values; weights are log odds"),
    (
        binary_table(0) + 1.0,
        "logistic-bic: all 5 columns have two values; weights are log odds",
    ),
    (count_table(0, 3), "mixed-bic: poisson for 'x0', 'x1', 'x2'"),
    (
        mixed_table(0),
        "mixed-bic: logistic for 'x0'; poisson for 'x1'; gaussian for 'x2', 'x3', 'x4'",
    ),
    (
        np.round(3.0 * real_table(0)),
        "bic: all 5 columns are taken as continuous, though whole numbers; any units, directions "
        "up to equivalence",
    ),
    (
        np.column_stack([real_table(0, n=300), np.random.default_rng(0).integers(1, 6, 300)]),
        "bic: all 6 columns are continuous, or taken as such ('x5': whole numbers); any units, "
        "directions up to equivalence",
    ),
    (
        real_table(0, n=15),
        "ebic: all 5 columns are continuous; any units, directions up to equivalence; a higher "
        "penalty per edge because 15 rows are few for 5 columns",
    ),
    (
        np.eye(5),
        "ebic: all 5 columns are taken as continuous, though whole numbers; any units, directions "
        "up to equivalence; a higher penalty per edge because 5 rows are few for 5 columns",
    ),
]


@pytest.mark.parametrize(("X", "reason"), CASES, ids=range(len(CASES)))
def test_the_choice_and_its_reason(X, reason):
    choice = chosen(X)
    assert choice.reason == reason
    assert choice.reason.startswith(f"{choice.score.name}: ")
    # Nothing but units is lost by a change of units, and least squares would depend on them.
    assert not choice.score.scale_dependent
    assert choice.score.selects_edges == Auto.selects_edges
    assert choice.score.convex == Auto.convex


def test_a_covariance_matrix():
    model = Topo("auto").fit_covariance(np.cov(real_table(0).T), 60)
    assert model.result_.choices == (
        "bic: only a covariance matrix is known; any units, directions up to equivalence",
    )


@pytest.mark.parametrize("table", [real_table, binary_table, mixed_table])
def test_the_chosen_score_is_the_one_that_is_used(table):
    X = table(1)
    choice = chosen(X)
    auto, named = Topo("auto", random_state=0).fit(X), Topo(choice.score, random_state=0).fit(X)
    np.testing.assert_array_equal(auto.weights_, named.weights_)
    assert auto.score_ == named.score_
    assert auto.result_.equivalent == choice.score.equivalent
    assert auto.result_.scale_dependent == choice.score.scale_dependent
    assert auto.threshold_ is None
    assert auto.certificate_.kind == "KKT point"
    assert auto.result_.choices[0] == choice.reason
    assert auto.result_.score_name == choice.score.name
    assert record_of(auto)["choices"] == list(auto.result_.choices)
    assert record_of(auto)["score_name"] == choice.score.name
    printed = as_text(summary(auto), width=300)
    assert f"chosen       {choice.reason}\n" in printed
    assert f"({choice.score.name})" in printed
    # "exact" is open to what the chosen score allows.
    if choice.score.equivalent:
        assert Topo("auto", "exact").fit(X).status_ == "global minimum"


def test_refining_and_checking():
    X = mixed_table(2)
    model = refine(np.zeros((5, 5)), X, score="auto", random_state=0)
    assert model.result_.choices[0].startswith("mixed-bic: ")
    assert check_kkt(model.weights_, X, score="auto").satisfied
    wrong = model.weights_ * 1.1
    assert wrong.any()
    assert not check_kkt(wrong, X, score="auto").satisfied


def test_the_coding_of_two_values_does_not_matter():
    X = mixed_table(3)
    recoded = X.copy()
    recoded[:, 0] = 3.0 - X[:, 0]
    plain, other = (Topo("auto", random_state=0).fit(table) for table in (X, recoded))
    np.testing.assert_array_equal(plain.weights_ != 0.0, other.weights_ != 0.0)
    expected = plain.weights_.copy()
    expected[0], expected[:, 0] = -expected[0], -expected[:, 0]
    np.testing.assert_allclose(other.weights_, expected, rtol=1e-6, atol=1e-9)
    assert other.score_ == pytest.approx(plain.score_, rel=1e-9)


def test_what_other_columns_tell_exactly_has_no_odds():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    y = (x[:, 0] > 0.3).astype(float)
    noisy = (rng.random(300) < 1.0 / (1.0 + np.exp(-x[:, 1]))).astype(float)
    table = np.column_stack([x, y, noisy])
    with pytest.raises(InputError, match="told apart perfectly"):
        Topo(Penalized("auto", "bic"), random_state=0).fit(table)
    model = Topo("auto", random_state=0).fit(table)
    assert model.result_.choices == (
        "mixed-bic: gaussian for 'x0', 'x1', 'x2'; logistic for 'x3'; 'x2': gaussian because other "
        "columns tell it exactly",
    )
    assert model.certificate_.satisfied
    # The columns of one category add up to one.
    kinds = np.eye(3)[rng.integers(3, size=300)]
    with pytest.raises(InputError, match=r"'x0', 'x1', 'x2' depend linearly.*drop one"):
        Topo("auto").fit(np.column_stack([kinds, noisy]))


def test_too_few_rows():
    with pytest.raises(InputError, match="4 rows are too few for 3 columns"):
        chosen(np.random.default_rng(0).normal(size=(4, 3)))
    assert Topo("bic").fit(np.random.default_rng(0).normal(size=(4, 3))).certificate_.satisfied


def test_without_centring():
    X = np.column_stack([np.ones(50), real_table(0, 3, 50)])
    assert chosen(X, center=False).score.name == "bic"
    assert Topo("auto", center=False).fit(X).certificate_.satisfied


def test_fewer_false_edges_than_with_bic_where_rows_are_few():
    edges = {"auto": 0, "bic": 0}
    for seed in range(8):
        noise = np.random.default_rng(seed).normal(size=(30, 15))
        for name in edges:
            edges[name] += np.count_nonzero(Topo(name, random_state=0).fit(noise).weights_)
    assert edges["auto"] < 0.5 * edges["bic"]


def test_names():
    assert SCORES["bic"]().name == "bic"
    assert SCORES["ebic"]().name == "ebic"
    assert SCORES["logistic-bic"]().name == "logistic-bic"
    assert Penalized("least-squares", "bic").name == "least-squares-bic"
    assert Topo("auto").fit(real_table(0)).score == "auto"


def test_counts_that_vary_too_much_are_told_beside_categories_too():
    rng = np.random.default_rng(0)
    visits = rng.poisson(rng.gamma(0.5, 8.0, 400))
    table = pd.DataFrame({"visits": visits, "colour": rng.choice(["red", "green", "blue"], 400)})
    table["cost"] = visits + rng.normal(size=400)
    told = Topo().fit(table).result_.choices[0]
    assert "gaussian for 'visits', 'cost'" in told
    assert "'visits': varies" in told
