"""What cannot hold together is named in full, before anything is searched."""

import numpy as np
import pytest

import toposwap as ts

NAMES = ["age", "sex", "income", "rent", "health"]


def refusal(**said):
    with pytest.raises(ts.InputError) as caught:
        ts.Knowledge(**said).on(NAMES)
    return str(caught.value)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            {"tiers": [["age"], ["income", "rent"]], "required": ["income -> age"]},
            "income -> age is required, but tier 0 (age) comes before tier 1 (income, rent)",
        ),
        (
            {"required": ["age -> rent"], "forbidden": ["age -> *"]},
            "age -> rent is required, but it is forbidden",
        ),
        (
            {"required": ["age -> rent"], "roots": ["rent"]},
            "age -> rent is required, but rent is a root, which has no causes",
        ),
        (
            {"required": ["age -> rent"], "leaves": ["age"]},
            "age -> rent is required, but age is a leaf, which has no effects",
        ),
        (
            {"tiers": [["age", "sex"]], "closed_tiers": [0], "required": ["age -> sex"]},
            "age -> sex is required, but tier 0 (age, sex) is closed",
        ),
        (
            {"required": ["age -> sex"], "not_ancestors": ["age -> sex"]},
            "age -> sex is required, but age must not be an ancestor of sex",
        ),
        (
            {"required": ["age -> sex", "sex -> rent", "rent -> age"]},
            "go round in a circle: sex -> rent is required; rent -> age is required; "
            "age -> sex is required",
        ),
        (
            {
                "tiers": [["age"], ["income"]],
                "required": ["income -> rent"],
                "ancestors": ["rent -> age"],
            },
            "rent must be an ancestor of age; tier 0 (age) comes before tier 1 (income), so age "
            "before income; income -> rent is required",
        ),
        (
            {"ancestors": ["age -> rent", "rent -> sex"], "not_ancestors": ["age -> sex"]},
            "age must not be an ancestor of sex, but age must be an ancestor of rent and rent must "
            "be an ancestor of sex",
        ),
        (
            {"ancestors": ["age -> rent"], "roots": ["rent"]},
            "age must be an ancestor of rent, but rent is a root",
        ),
        (
            {"ancestors": ["age -> rent"], "forbidden": ["age -> *"]},
            "no path is left: edges that are not excluded lead from age to nothing only",
        ),
        (
            {
                "ancestors": ["age -> rent", "sex -> health"],
                "allowed": ["age -> income", "income -> rent", "sex -> income", "income -> health"],
                "not_ancestors": ["age -> health"],
            },
            "no graph was found in which all of this holds: age must be an ancestor of rent; sex "
            "must be an ancestor of health; age must not be an ancestor of health",
        ),
        ({"tiers": [["age"], ["sex", "age"]]}, "age stands in tier 0 (age) and in tier 1 (age)"),
        ({"tiers": [["a*"], ["*e"]]}, "age stands in tier 0 (a*) and in tier 1 (*e)"),
        ({"required": ["agee -> rent"]}, "required has 'agee', and no column is called that; did"),
        ({"roots": ["Age"]}, "did you mean 'age'?"),
        ({"roots": ["x*"]}, "the pattern 'x*', and no column matches it; there are 'age'"),
        ({"forbidden": [("age", 9)]}, "the position 9, and there are 5 columns"),
        ({"forbidden": [("age", 1.5)]}, "1.5, which is neither the name of a column nor its"),
        ({"forbidden": ["age -> age"]}, "age -> age: a column is not its own cause"),
    ],
)
def test_contradictions_in_full_sentences(said, told):
    assert told in refusal(**said)
    assert refusal(**said).startswith("knowledge: ")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"forbidden": ["age, rent"]}, "not of the form 'cause -> effect'"),
        ({"forbidden": [("age", "sex", "rent")]}, "no pair (cause, effect)"),
        ({"forbidden": "age -> rent"}, "forbidden must be a list"),
        ({"tiers": ["age"]}, "a tier must be a list of columns, got 'age'"),
        ({"tiers": [["age"]], "closed_tiers": [1]}, "closed_tiers has 1, and there are tiers 0 to"),
        ({"closed_tiers": [0]}, "there are no tiers"),
        ({"roots": 3}, "roots must be a list"),
    ],
)
def test_what_is_no_sentence_is_refused_at_once(said, told):
    with pytest.raises(ts.InputError, match=r"^knowledge: ") as caught:
        ts.Knowledge(**said)
    assert told in str(caught.value)


def test_an_estimator_refuses_before_the_search():
    X = np.random.default_rng(0).standard_normal((30, 3))
    for known, told in (
        ({"required": ["x0 -> x1", "x1 -> x0"]}, "circle"),
        ({"tears": []}, "'tears' is not one of tiers"),
        ("x0 -> x1", "must be a toposwap.Knowledge or a dict"),
        (3, "got int"),
    ):
        with pytest.raises(ts.InputError, match=told):
            ts.Topo(knowledge=known).fit(X)


def test_patterns_stand_for_all_that_match_and_names_for_themselves():
    names = ["g[1]", "g1", "g2", "y"]
    told = ts.Knowledge(forbidden=["y -> g[1]", "g? -> y"]).on(names)
    assert np.argwhere(~told.parents & ~np.eye(4, dtype=bool)).tolist() == [[1, 3], [2, 3], [3, 0]]
    told = ts.Knowledge(tiers=[["y"], ["*"]]).on(names)
    assert told.before[3].tolist() == [True, True, True, False]
    told = ts.Knowledge(tiers=[["*"], ["g*"], ["g2"]]).on(names)
    assert told.before.tolist() == [
        [False, False, True, False],
        [False, False, True, False],
        [False, False, False, False],
        [True, True, True, False],
    ]


def test_both_and_the_columns_that_are_left_out():
    one = ts.Knowledge(tiers=[["age"], ["income"]], roots=["age"])
    both = one.and_also(ts.Knowledge(required=["income -> rent"], roots=["sex"]))
    assert both.roots == ("age", "sex")
    assert both.tiers == (("age",), ("income",))
    with pytest.raises(ts.InputError, match="tiers are given twice"):
        both.and_also(one)
    kept = both.among(["age", "income", "sex"], ["rent", "health"])
    assert (kept.required, kept.roots) == ((), ("age", "sex"))
    assert kept == ts.Knowledge(**kept.as_dict())


def test_names_are_told_as_they_can_be_shown():
    with pytest.raises(ts.InputError, match=r"x -> tab\\there is required, but it is forbidden"):
        ts.Knowledge(required=[(0, 1)], forbidden=[(0, 1)]).on(["x", "tab\there"])
