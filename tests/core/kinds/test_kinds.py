"""What a column is: from its dtype, its values and the user, and what is said about it."""

import numpy as np
import pandas as pd
import pytest

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.core.kinds import KINDS, Column, recognise
from toposwap.core.kinds.words import codes_in_words

N = 400
RNG = np.random.default_rng(0)


def kind(values, **settings):
    return recognise(Column(np.asarray(values, dtype=float)), **settings).kind.name


# Frequencies as they are in well-known tables; nobody would count any of these.
REAL = {
    "iris' class": (np.repeat([0, 1, 2], 50), "ordinal"),
    "cylinders": (np.repeat([3, 4, 5, 6, 8], [4, 199, 3, 83, 103]), "ordinal"),
    "origin": (np.repeat([1, 2, 3], [245, 68, 79]), "ordinal"),
    "wine's quality": (
        np.repeat(range(3, 10), [30, 216, 2138, 2836, 1079, 193, 5]), "ordinal"
    ),
    "a party code": (np.repeat(range(7), [200, 180, 108, 37, 94, 150, 175]), "ordinal"),
    "age of pupils": (np.repeat(range(15, 23), [82, 104, 98, 82, 24, 3, 1, 1]), "continuous"),
    "age of adults": (np.clip(np.round(RNG.normal(30, 7, 900)), 18, 49), "continuous"),
    "waist": (
        [36, 37, 38, 35, 35, 36, 38, 34, 31, 33, 34, 33, 34, 32, 37, 33, 46, 31, 36, 37],
        "continuous",
    ),
    "miles per gallon": (np.clip(np.round(RNG.normal(23, 7.8, 392)), 9, 46), "continuous"),
    "fractions": (RNG.normal(size=50), "continuous"),
    "large whole numbers": (RNG.integers(1613, 5140, 300), "continuous"),
    "0 and 1": ([0, 1, 1, 0], "binary"),
    "-1 and 5": ([-1, 5, 5, -1], "binary"),
    "a uniform code": (RNG.integers(0, 4, 500), "ordinal"),
    "a skewed code": (RNG.choice(3, 1000, p=[0.6, 0.3, 0.1]), "ordinal"),
    "counts": (RNG.poisson(2.0, N), "count"),
    "rare events": (RNG.poisson(0.5, 1000), "count"),
    "frequent events": (RNG.poisson(8.0, N), "count"),
    "counts that vary more": (RNG.poisson(6.0 * np.exp(RNG.integers(0, 2, N))), "continuous"),
    "doctor's visits": (RNG.negative_binomial(1, 0.2, N), "count"),
    "days of the month": (np.tile(range(1, 32), 5), "continuous"),
    "years of school": (
        np.repeat(range(5, 18), [4, 6, 8, 30, 25, 44, 43, 381, 44, 56, 14, 57, 41]), "continuous"
    ),
    "negative whole numbers": (RNG.integers(-3, 4, N), "ordinal"),
}  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_kinds_by_values(name):
    values, expected = REAL[name]
    assert kind(values) == expected
    for other in KINDS.values():
        # What a column looks like it can be.
        column = Column(np.asarray(values, dtype=float))
        assert other.reason(column) is None or other.refusal(column) is None
    assert kind(values, given=KINDS["continuous"]) == "continuous"


@pytest.mark.parametrize("n", [100, 300, 1000, 3000])
def test_codes_are_not_taken_for_counts_nor_counts_for_codes(n):
    rng = np.random.default_rng(n)
    counted = 0
    for _ in range(60):
        levels = rng.integers(3, 9)
        shares = rng.dirichlet(np.full(levels, rng.choice([1.0, 3.0, 30.0])))
        counted += kind(rng.choice(levels, n, p=shares) + rng.integers(0, 2)) == "count"
    assert counted <= 1
    if n >= 300:
        found = [kind(rng.poisson(rng.uniform(0.5, 12.0), n)) == "count" for _ in range(60)]
        assert np.mean(found) > 0.94


def frame(**columns):
    X = np.random.default_rng(1).standard_normal((N, 3))
    X[:, 1] += X[:, 0]
    return pd.DataFrame(X, columns=list("abc")).assign(**columns)


def yes_and_no(seed=2):
    x = np.random.default_rng(seed).random(N) < 0.4
    return np.where(x, "yes", "no"), x


SMOKER, YES = yes_and_no()
TWO_VALUES = {
    "text": SMOKER,
    "string": pd.array(SMOKER, dtype="string"),
    "bytes": SMOKER.astype("S"),
    "objects": SMOKER.astype(object),
    "category": pd.Categorical(SMOKER),
    "category with an unused value": pd.Categorical(SMOKER, ["maybe", "no", "yes"]),
    "ordered category": pd.Categorical(SMOKER, ["no", "yes"], ordered=True),
    "bool": YES,
    "nullable bool": pd.array(YES, dtype="boolean"),
    "category of numbers": pd.Categorical(YES.astype(int)),
    "category of truth values": pd.Categorical(YES),
}


@pytest.mark.parametrize("name", TWO_VALUES)
def test_two_values_of_every_dtype(name):
    table = frame(smoker=TWO_VALUES[name])
    model = ts.Topo().fit(table)
    assert model.kinds_["smoker"] == "binary"
    plain = ts.Topo().fit(frame(smoker=YES.astype(float)))
    np.testing.assert_array_equal(model.weights_, plain.weights_)
    told = [line for line in model.result_.choices if "text as numbers" in line]
    coded = "smoker" in ts.Dataset.from_table(table).levels
    assert told == (["text as numbers: 'smoker' (no = 0, yes = 1)"] if coded and
                    "truth" not in name else told)  # fmt: skip
    np.testing.assert_allclose(model.predict(table), plain.predict(frame(smoker=YES)), rtol=1e-12)


@pytest.mark.parametrize("holder", ["arrow", "polars", "dict", "arrow dictionary"])
def test_text_in_other_tables(holder):
    table = frame(smoker=SMOKER)
    if holder == "dict":
        held = {name: table[name].tolist() for name in table}
    elif holder == "polars":
        held = pytest.importorskip("polars").DataFrame({n: table[n].tolist() for n in table})
    else:
        pa = pytest.importorskip("pyarrow")
        held = pa.table({name: table[name].tolist() for name in table})
        if holder == "arrow dictionary":
            held = held.set_column(3, "smoker", held["smoker"].dictionary_encode())
    data = ts.Dataset.from_table(held)
    np.testing.assert_array_equal(data.rows[:, 3], YES)
    assert data.levels == {"smoker": ("no", "yes")}
    assert ts.Topo().fit(held).kinds_["smoker"] == "binary"


def test_new_rows_are_coded_as_the_old_ones():
    table = frame(smoker=SMOKER)
    model = ts.Topo("bic").fit(table)
    assert model.kinds_ == {"smoker": "binary"}
    assert model.result_.choices == ("text as numbers: 'smoker' (no = 0, yes = 1)",)
    yes = table[table["smoker"] == "yes"]
    np.testing.assert_allclose(
        model.predict(yes), model.predict(table)[table["smoker"] == "yes"], rtol=1e-12
    )
    with pytest.raises(InputError, match="'smoker' holds 'maybe': its values are 'no', 'yes'"):
        model.predict(table.assign(smoker="maybe"))


def test_names_of_values_do_not_matter():
    one = ts.Topo().fit(frame(smoker=SMOKER, a=lambda t: t["a"] + YES))
    two = ts.Topo().fit(frame(smoker=np.where(YES, "ja", "a no"), a=lambda t: t["a"] + YES))
    np.testing.assert_array_equal(one.weights_, two.weights_)
    turned = ts.Topo().fit(frame(smoker=np.where(YES, "a", "b"), a=lambda t: t["a"] + YES))
    np.testing.assert_array_equal(one.weights_ != 0.0, turned.weights_ != 0.0)
    assert turned.score_ == pytest.approx(one.score_, rel=1e-9)


def test_what_measured_causes_explain_does_not_count_against_a_count():
    rng = np.random.default_rng(0)
    cause = rng.integers(0, 2, N)
    count = rng.poisson(4.0 * np.exp(0.7 * cause))
    assert kind(count) != "count"
    data = ts.Dataset.from_table(np.column_stack([count, cause, rng.normal(size=N)]))
    assert data.kinds[0].kind.name == "count"


def test_ordered_categories_are_scores():
    sizes = pd.Categorical(RNG.choice(["s", "m", "l"], N), ["s", "m", "l"], ordered=True)
    data = ts.Dataset.from_table(frame(size=sizes))
    np.testing.assert_array_equal(data.rows[:, 3], sizes.codes)
    assert data.kinds[3].kind.name == "ordinal"
    ratings = pd.Categorical(RNG.choice([10, 20, 40], N), ordered=True)
    np.testing.assert_array_equal(
        ts.Dataset.from_table(frame(rating=ratings)).rows[:, 3], np.asarray(ratings, dtype=float)
    )
    backwards = pd.Categorical(RNG.choice([1, 2, 3], N), [3, 2, 1], ordered=True)
    data = ts.Dataset.from_table(frame(rank=backwards))
    np.testing.assert_array_equal(data.rows[:, 3], backwards.codes)


def test_numbers_cut_into_intervals_are_a_rating():
    """What pandas.cut makes: ordered categories, in new rows too."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    X = pd.DataFrame(
        {"x": x + rng.normal(size=200), "cut": pd.cut(x, 4), "z": rng.normal(size=200)}
    )
    model = ts.Topo().fit(X)
    assert model.kinds_["cut"] == "ordinal"
    assert model.adjacency_matrix_[:2, :2].any()
    np.testing.assert_array_equal(model.predict(X[::-1])[::-1], model.predict(X))


def test_what_the_user_says():
    counts, code = RNG.poisson(3.0, N), RNG.integers(0, 4, N)
    table = frame(n=counts, q_code=code, smoker=YES)
    model = ts.Topo().fit(table)
    assert model.kinds_ == {**dict.fromkeys("abc", "continuous"), "n": "count",
                            "q_code": "categorical", "smoker": "binary"}  # fmt: skip
    assert "taken as count: 'n' (whole numbers from 0 to" in "\n".join(model.result_.choices)
    assert (
        "taken as categorical: 'q_code' (4 whole numbers from 0 to 3, a code by its name"
        in "\n".join(model.result_.choices)
    )
    assert "kinds={'n': 'continuous'}" in model.result_.choices[-1]
    assert "--kind n=continuous" in model.result_.choices[-1]
    rating = ts.Topo().fit(table.rename(columns={"q_code": "q"})).result_.choices
    assert "'q' (4 whole numbers from 0 to 3, a rating or a code" in "\n".join(rating)
    assert "kinds={'q': 'categorical'}" in rating[-1]
    kinds = {"n": "continuous", "*_code": "count", "smoker": KINDS["continuous"]}
    said = ts.Topo(kinds=kinds).fit(table)
    assert said.kinds_["n"] == said.kinds_["smoker"] == "continuous"
    assert said.kinds_["q_code"] == "count"
    assert said.result_.choices[0].startswith(
        "mixed-bic: gaussian for 'a', 'b', 'c', 'n', 'smoker'"
    )
    assert len(said.result_.choices) == 1
    assert (
        ts.Topo(kinds={"*": "continuous", "q_code": "count"}).fit(table).kinds_["q_code"] == "count"
    )
    assert ts.check_kkt(said.weights_, table, kinds=kinds).satisfied
    assert ts.refine(said.weights_, table, kinds=kinds).kinds_ == said.kinds_


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({"q_code": "binary"}, "'q_code' has 4 values, not two"),
        ({"a": "count"}, "'a' holds other numbers than 0, 1, 2"),
        ({"smoker": "continuous"}, "'smoker' holds text: it cannot be continuous"),
        ({"smoker": "count"}, "'smoker' holds text: it is no count"),
        ({"smoker": "ordinal"}, "'smoker' holds text, whose order is not known: give an ordered"),
        ({"nobody": "count"}, "kinds: no column is called 'nobody'; there are 'a', 'b'"),
        ({"x*": "count"}, "kinds: no column is called 'x\\*'"),
        ({"a": "number"}, "kinds: 'number' is not one of 'binary', 'categorical', 'count'"),
        ({"a": 3}, "kinds: 3 is not one of"),
        (["a"], "kinds: must be a mapping"),
    ],
)
def test_what_the_user_cannot_say(kinds, message):
    table = frame(q_code=RNG.integers(0, 4, N), smoker=SMOKER)
    with pytest.raises(InputError, match=message):
        ts.Topo(kinds=kinds).fit(table)


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (pd.Categorical([f"person {k}" for k in range(N)]), "another category in every row"),
        (pd.Categorical(range(N)), "another category in every row"),
        (pd.Series([f"person {k}" for k in range(N)], dtype="string"), "text, another in every"),
        (pd.Categorical([f"village {k // 1.5:.0f}" for k in range(N)]), "267 categories in 400"),
        (pd.Categorical(range(N), ordered=True), "ordered categories, another in every row"),
    ],
    ids=["category", "numbers", "string", "many", "ordered"],
)
def test_a_category_for_every_row_is_refused(values, what):
    table = frame(who=values)
    with pytest.raises(InputError, match=f"'who' holds {what}.*leave it out"):
        ts.Topo().fit(table)


def test_numbers_that_are_said_to_be_categories_are_not_all_different():
    with pytest.raises(InputError, match="'who' holds another category in every row"):
        ts.Topo(kinds={"who": "categorical"}).fit(frame(who=RNG.permutation(N)))


def test_new_rows_may_all_be_different():
    table = frame(size=pd.Categorical(RNG.integers(0, 3, N)))
    model = ts.Topo().fit(table)
    three = table.iloc[[int(np.argmax(table["size"] == k)) for k in range(3)]]
    assert np.isfinite(model.predict(three)).all()


def test_two_categories_are_two_values():
    model = ts.Topo(kinds={"sex": "categorical"}).fit(frame(sex=RNG.integers(1, 3, N)))
    assert model.kinds_["sex"] == "binary"


def test_what_varies_too_much_for_poisson_has_another_loss():
    absences = np.random.default_rng(0).negative_binomial(1, 0.1, N)
    model = ts.Topo().fit(frame(absences=absences))
    assert model.kinds_["absences"] == "count"
    assert "'absences': varies" in model.result_.choices[0]


def test_rows_in_another_order_are_the_same_table():
    table = frame(n=RNG.poisson(3.0, N), q=RNG.integers(0, 4, N), smoker=SMOKER)
    one, two = ts.Topo().fit(table), ts.Topo().fit(table.sample(frac=1, random_state=0))
    assert one.kinds_ == two.kinds_
    np.testing.assert_allclose(one.weights_, two.weights_, rtol=1e-6, atol=1e-9)
    columns = ["smoker", "c", "n", "b", "q", "a"]
    other = ts.Topo().fit(table[columns])
    assert other.kinds_ == one.kinds_
    assert other.score_ == pytest.approx(one.score_, rel=1e-9)


def test_of_many_values_the_first_and_the_last_are_told():
    told = codes_in_words(["county"], [tuple(f"c{k}" for k in range(80))])
    assert told.startswith("text as numbers: 'county' (c0 = 0, ")
    assert told.endswith(", ..., c79 = 79)")
    assert told.count("=") == 8
