"""Files of what is known: Tetrad's text format, JSON and lists of edges."""

import json

import numpy as np
import pytest

import toposwap as ts
from toposwap.knowledge.short_forms import columns_in, edges_in, tiers_in

NAMES = ["age", "sex", "monthly income", "monthly rent", "health"]
#: As other programs write it.
CARS = """/knowledge
addtemporal

1  modelyear origin weight
2  cylinders
3  displacement
4  horsepower
5  acceleration mpg

forbiddirect

requiredirect"""
SACHS = """/knowledge
addtemporal

1_
2_
3_

forbiddirect

requiredirect
raf mek
pka jnk
erk akt""".replace("_", " ")


@pytest.fixture
def read(tmp_path):
    def read(text, name="knowledge.txt", encoding="utf-8"):
        file = tmp_path / name
        file.write_bytes(text.encode(encoding))
        return ts.Knowledge.read(file)

    return read


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_tiers_and_edges_of_tetrad(read, end):
    cars = read(CARS.replace("\n", end))
    assert [list(tier) for tier in cars.tiers] == [
        ["modelyear", "origin", "weight"],
        ["cylinders"],
        ["displacement"],
        ["horsepower"],
        ["acceleration", "mpg"],
    ]
    sachs = read(SACHS.replace("\n", end))
    assert [len(tier) for tier in sachs.tiers] == [0, 0, 0]
    told = sachs.on(["raf", "mek", "pka", "jnk", "erk", "akt"])
    assert told.required.sum() == 3
    assert told.required[0, 1]


def test_names_with_spaces_quoted_or_not_or_between_tabs(read):
    for first, second in (
        ('1* age sex\n3 "monthly income" "monthly rent"', '"monthly income" health'),
        ("1* age sex\n3 monthly income monthly rent", "monthly income health"),
        ("1*\tage\tsex\n3\tmonthly income\tmonthly rent", "monthly income\thealth"),
        ("0 * age sex\n\n\n1 monthly income\n1 monthly rent", "monthly   income health"),
    ):
        text = f"// a remark\n/KNOWLEDGE\nAddTemporal\n{first}\nforbiddirect\n{second}\n"
        told = read(text, encoding="utf-8-sig").on(NAMES)
        assert told.before[:2, 2:4].all()
        assert not told.before[:, 4].any()
        assert not told.parents[0, 1]
        assert not told.parents[2, 4]
        assert told.parents[3, 4]


def test_groups_and_tiers_that_reach_the_next_only(read):
    text = "addtemporal\n1- age\n2 sex\n3 health\nforbidgroup\nsex health\nage\nrequiregroup\n"
    told = read(text + "age\nsex\n").on(["age", "sex", "health"])
    assert told.required[0, 1]
    assert not told.candidates(ts.Order([0, 1, 2]))[0, 2]
    assert not told.candidates(ts.Order([0, 1, 2]))[:, 0].any()


def test_names_with_spaces_beside_quoted_ones_and_in_groups(read):
    names = ["age", "body mass", "resting pulse", "body", "mass"]
    text = (
        'addtemporal\n1- age\n2 "body" mass\n3 "resting pulse" body mass\n'
        'forbiddirect\n"resting pulse" body mass\nrequiregroup\nage\n"mass" body\n'
    )
    told = read(text).on(names)
    free = told.candidates(ts.Order([0, 3, 4, 1, 2]))
    assert not free[0, [1, 2]].any()
    assert told.before[0, [3, 4]].all()
    assert told.before[np.ix_([3, 4], [1, 2])].all()
    assert not told.permits(2, 1)
    assert told.required[0, [3, 4]].all()
    assert told.required.sum() == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("age sex", "line 1: 'age sex' stands before any of addtemporal"),
        ("addtemporal\nage", "line 2: a tier begins with its number, and 'age' does not"),
        ('forbiddirect\n"age"', "an edge has two ends"),
    ],
)
def test_what_is_not_the_format_is_named(read, text, told):
    with pytest.raises(ts.InputError, match=r"knowledge\.txt") as caught:
        read(text)
    assert told in str(caught.value)
    with pytest.raises(ts.InputError, match="which should be 2 names"):
        read("forbiddirect\nage sex health").on(NAMES)
    with pytest.raises(ts.InputError, match="tier 0 has 'hight', and no column is called that"):
        read("addtemporal\n0 age hight").on(["age", "height"])


def test_json_holds_the_parameters(read, tmp_path):
    known = ts.Knowledge(
        tiers=[["age"], ["sex"]], closed_tiers=[1], required=[("age", "sex")], allowed=[]
    )
    assert read(json.dumps(known.as_dict()), "k.json") == known
    for text, told in (
        ("{", "not JSON"),
        ("[]", "must hold an object"),
        ('{"x": 1}', "'x' is not"),
    ):
        with pytest.raises(ts.InputError, match=told):
            read(text, "k.json")
    with pytest.raises(FileNotFoundError):
        ts.Knowledge.read(tmp_path / "none.txt")


@pytest.mark.parametrize(
    "text",
    [
        "cause,effect,kind\nage,sex,required\nage,health,forbidden\n",
        "kind;from;to\r\nRequired;age;sex\r\nforbidden;age;health\r\n",
        "age,sex,required\nage,health,forbidden",
    ],
)
def test_lists_of_edges(read, text):
    known = read(text, "edges.csv")
    assert known.required == (("age", "sex"),)
    assert known.forbidden == (("age", "health"),)
    assert known.allowed is None
    white = read(
        f"{text}\n" + text.splitlines()[-1].lower().replace("forbidden", "allowed"), "e.csv"
    )
    assert white.allowed == (("age", "health"),)


def test_lists_that_say_nothing_are_refused(read):
    for text, told in (
        ("a,b\nage,sex", "needs the columns cause, effect and kind"),
        ("cause,effect\nage,sex", "needs a column kind"),
        ("cause,effect,kind\nage,sex,maybe", "line 2: 'maybe' is none of"),
    ):
        with pytest.raises(ts.InputError, match=told):
            read(text, "edges.csv")
    assert not read("", "edges.csv")


def test_short_forms():
    assert tiers_in('age, sex < "a < b", rent < *') == [["age", "sex"], ["a < b", "rent"], ["*"]]
    assert edges_in('a -> b, "c, d" -> e -> f') == [("a", "b"), ("c, d", "e"), ("e", "f")]
    assert columns_in(' a, "b, c" ') == ["a", "b, c"]
    with pytest.raises(ts.InputError, match="not of the form"):
        edges_in("a, b")
