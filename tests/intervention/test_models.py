"""Effects, samples and counterfactuals of fitted models against the equations behind the data."""

import pickle

import numpy as np
import pandas as pd
import pytest

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.intervention.fitted import _deviation


@pytest.fixture(scope="module")
def farm():
    """rain -> soil -> crop <- rain, and heat -> crop, with noise that is not normal."""
    rng = np.random.default_rng(0)
    n = 2000
    rain = rng.gamma(2.0, 1.0, n)
    heat = rng.normal(20.0, 3.0, n)
    soil = 1.0 + 0.8 * rain + rng.exponential(1.0, n)
    crop = 2.0 * soil + 0.5 * rain - 0.3 * heat + rng.uniform(-2.0, 2.0, n)
    table = pd.DataFrame({"crop": crop, "heat": heat, "soil": soil, "rain": rain})
    known = ts.Knowledge(tiers=[["rain", "heat"], ["soil"], ["crop"]])
    return ts.Topo(knowledge=known).fit(table), table


def test_the_effect_is_that_of_the_equations(farm):
    model, table = farm
    found = model.effect("rain", "crop")
    assert found.interval[0] <= 2.1 <= found.interval[1]
    assert found.value == pytest.approx(2.1, abs=0.1)
    assert found.identified
    low, high = model.effect("rain", "crop", values=(1.0, 3.0)).interval
    assert low <= 4.2 <= high
    by_deviation = model.effect("rain", "crop", per="sd").value
    assert by_deviation == pytest.approx(found.value * table["rain"].std(ddof=0))
    checked = model.effect("rain", "crop", method="adjustment")
    assert checked.value == pytest.approx(2.1, abs=0.1)
    assert model.effect("crop", "rain").interval == (0.0, 0.0)


def test_words_and_records(farm):
    model, _ = farm
    found = model.effect("rain", "crop")
    assert repr(found).startswith("Effect of rain on crop: 2.")
    assert "95% interval" in repr(found)
    assert "regress crop on rain" in repr(found)
    record = found.record()
    assert record["interval"] == list(found.interval)
    assert record["adjustment"]["parents"] == []
    assert model.adjustment("soil", "crop").parents == ("rain",)


def test_samples_follow_the_equations(farm):
    model, table = farm
    drawn = model.sample(20_000, random_state=0)
    assert list(drawn.columns) == list(table.columns)
    assert drawn.mean().to_numpy() == pytest.approx(table.mean().to_numpy(), rel=0.03, abs=0.03)
    assert drawn.cov().to_numpy() == pytest.approx(table.cov().to_numpy(), rel=0.1, abs=0.2)
    wet = model.sample(20_000, do={"rain": 3.0}, random_state=1)
    dry = model.sample(20_000, do={"rain": 1.0}, random_state=1)
    assert (wet["rain"] == 3.0).all()
    gain = wet["crop"].mean() - dry["crop"].mean()
    assert gain == pytest.approx(2.0 * model.effect("rain", "crop").value, abs=1e-6)
    again = model.sample(20_000, do={"rain": 1.0}, random_state=1)
    pd.testing.assert_frame_equal(dry, again)


def test_counterfactuals_keep_the_noise(farm):
    model, table = farm
    rows = table.head(5)
    moved = model.counterfactual(rows, do={"soil": rows["soil"] + 1.0})
    slope = model.effect("soil", "crop").value
    assert (moved["crop"] - rows["crop"]).to_numpy() == pytest.approx(np.full(5, slope))
    assert (moved[["rain", "heat"]] == rows[["rain", "heat"]]).all(axis=None)
    same = model.counterfactual(rows, do={"soil": rows["soil"]})
    assert same.to_numpy() == pytest.approx(rows.to_numpy())


def test_a_pickled_model_leaves_the_rows_out(farm):
    model, table = farm
    loaded = pickle.loads(pickle.dumps(model))
    assert len(pickle.dumps(model)) < table.size * 8
    one, other = loaded.effect("rain", "crop"), model.effect("rain", "crop")
    assert (one.value, *one.interval) == (other.value, *other.interval)
    assert loaded.sample(10, random_state=0).shape == (10, 4)
    assert model._data.rows is not None
    assert not hasattr(loaded, "_data")
    again = pickle.loads(pickle.dumps(loaded))
    assert again.effect("rain", "crop").value == other.value


def test_rows_in_which_a_column_was_set_say_nothing_of_its_causes():
    """Against the same effect without those rows, whose column the equations do not explain."""
    rng = np.random.default_rng(5)
    n = 600
    x = rng.standard_normal(n)
    m = 1.5 * x + rng.standard_normal(n)
    done = np.arange(n) >= 400
    m[done] = rng.standard_normal(200) * 3.0
    y = 2.0 * m + rng.standard_normal(n)
    table = pd.DataFrame({"x": x, "m": m, "y": y})
    known = ts.Knowledge(tiers=[["x"], ["m"], ["y"]])
    model = ts.Topo(knowledge=known).fit(
        table, interventions=["m" if was_set else None for was_set in done]
    )
    assert model.effect("x", "y").value == pytest.approx(3.0, abs=0.3)
    on_x = np.polyfit(x[~done], m[~done], 1)[0]
    on_m = np.polyfit(m, y, 1)[0]
    if (model.adjacency_matrix_ != 0.0).sum() == 2:
        assert model.effect("x", "y").value == pytest.approx(on_x * on_m)
    drawn = model.sample(4000, do={"x": 0.0}, random_state=0)
    assert drawn["m"].std() == pytest.approx(1.0, abs=0.15)
    with pytest.raises(ts.InputError, match="use 'paths'"):
        model.effect("x", "y", method="adjustment")


def test_a_covariance_is_enough_for_linear_effects(farm):
    model, table = farm
    covariance = np.cov(table.to_numpy().T, bias=True)
    other = ts.Topo(knowledge=model.knowledge)
    other.fit_covariance(covariance, len(table), names=list(table.columns))
    assert other.effect("rain", "crop").value == pytest.approx(model.effect("rain", "crop").value)
    assert other.sample(2000, do={"rain": 1.0}, random_state=0)["crop"].std() > 1.0


def test_open_directions_give_several_values():
    rng = np.random.default_rng(1)
    a = rng.standard_normal(1000)
    b = 0.8 * a + rng.standard_normal(1000)
    model = ts.Topo().fit(pd.DataFrame({"a": a, "b": b}))
    found = model.effect("a", "b")
    assert len(found.possible) == 2
    assert found.values[0] == 0.0
    assert found.values[1] == pytest.approx(0.8, abs=0.1)
    assert not found.identified
    assert found.interval[0] == 0.0 < found.interval[1]
    assert "graphs that fit as well" in repr(found)
    told = ts.Topo(knowledge={"required": [("a", "b")]}).fit(pd.DataFrame({"a": a, "b": b}))
    assert told.effect("a", "b").identified
    assert told.effect("a", "b").value == pytest.approx(found.values[1])


def test_curves_are_simulated():
    rng = np.random.default_rng(2)
    x = rng.uniform(-2.0, 2.0, 800)
    m = np.sin(x) + 0.2 * rng.standard_normal(800)
    y = m**2 + 0.2 * rng.standard_normal(800)
    known = ts.Knowledge(tiers=[["x"], ["m"], ["y"]])
    model = ts.Topo("basis", knowledge=known).fit(pd.DataFrame({"x": x, "m": m, "y": y}))
    found = model.effect("x", "y", values=(0.0, 1.5), n_resamples=20)
    # E[(sin x + e)^2] changes by the square of the sine alone.
    assert found.value == pytest.approx(np.sin(1.5) ** 2, abs=0.12)
    assert abs(found.value - np.sin(1.5) ** 2) < 4.0 * found.standard_error
    drawn = [model.sample(20_000, do={"x": v}, random_state=0)["y"].mean() for v in (0.0, 1.5)]
    assert found.value == pytest.approx(drawn[1] - drawn[0], abs=0.03)
    row = pd.DataFrame({"x": [0.0], "m": [0.1], "y": [0.01]})
    moved = model.counterfactual(row, do={"x": 1.5})
    assert moved["m"][0] == pytest.approx(np.sin(1.5) + 0.1, abs=0.15)
    assert model.effect("y", "x").interval == (0.0, 0.0)


def test_columns_of_two_values_and_counts():
    rng = np.random.default_rng(3)
    n = 1500
    dose = rng.standard_normal(n)
    ill = rng.random(n) < 1.0 / (1.0 + np.exp(-1.0 - 1.5 * dose))
    visits = rng.poisson(np.exp(0.5 + 0.8 * ill))
    words = np.where(ill, "yes", "no")
    table = pd.DataFrame({"dose": dose, "ill": words, "visits": visits})
    known = ts.Knowledge(tiers=[["dose"], ["ill"], ["visits"]])
    model = ts.Topo(knowledge=known).fit(table)
    found = model.effect("dose", "ill", values=(0.0, 1.0), n_resamples=20)
    truth = 1.0 / (1.0 + np.exp(-2.5)) - 1.0 / (1.0 + np.exp(-1.0))
    assert found.interval[0] < truth < found.interval[1]
    assert found.value == pytest.approx(truth, abs=0.05)
    more = model.effect("ill", "visits", n_resamples=20)
    assert more.value == pytest.approx(np.exp(1.3) - np.exp(0.5), abs=0.3)
    through = model.effect("dose", "visits", values=(0.0, 1.0), n_resamples=20)
    assert through.value == pytest.approx(found.value * more.value, rel=0.05)
    drawn = model.sample(4000, do={"ill": "yes"}, random_state=0)
    assert set(drawn["ill"]) == {"yes"}
    assert drawn["visits"].mean() == pytest.approx(np.exp(1.3), abs=0.2)
    assert set(model.sample(50, random_state=0)["ill"]) == {"yes", "no"}
    with pytest.raises(ts.InputError, match="does not tell its noise"):
        model.counterfactual(table.head(), do={"dose": 0.0})
    with pytest.raises(ts.InputError, match="cannot be set to 'perhaps'"):
        model.sample(3, do={"ill": "perhaps"})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m: m.effect("rain", "rain"), "is the cause"),
        (lambda m: m.effect("rain", "wind"), "no column is called 'wind'"),
        (lambda m: m.effect("rain", "crop", per="mile"), "per: must be"),
        (lambda m: m.effect("rain", "crop", values=(1, 1)), "two different finite numbers"),
        (lambda m: m.effect("rain", "crop", values=3), "two numbers"),
        (lambda m: m.effect("rain", "crop", method="guess"), "method: must be one of"),
        (lambda m: m.effect("rain", "crop", level=2), "level: must be between"),
        (lambda m: m.sample(0), "n: must be a whole number >= 1"),
        (lambda m: m.sample(3, do={"rain": [1.0]}), "one finite number or 3"),
        (lambda m: m.sample(3, do=["rain"]), "do: must be a dict"),
    ],
)
def test_what_cannot_be_meant_is_refused(farm, call, words):
    with pytest.raises(ts.InputError, match=words):
        call(farm[0])


def test_open_directions_of_a_mixed_table():
    """Between continuous columns, beside one of two values: linear on the way, either way round."""
    rng = np.random.default_rng(4)
    n = 1500
    a = rng.standard_normal(n)
    b = 0.8 * a + rng.standard_normal(n)
    ill = (rng.random(n) < 1.0 / (1.0 + np.exp(-2.0 * b))).astype(float)
    model = ts.Topo().fit(pd.DataFrame({"a": a, "b": b, "ill": ill}))
    assert "logistic" in model.result_.choices[0]
    found = model.effect("a", "b")
    assert found.values[0] == 0.0
    assert found.values[-1] == pytest.approx(0.8, abs=0.1)
    assert found.interval[0] == 0.0
    through = model.effect("a", "ill", values=(0.0, 1.0), n_resamples=10)
    assert len(through.possible) == 2
    assert through.interval[0] == 0.0 < through.interval[1]


def test_categories_are_drawn_from_their_tables():
    rng = np.random.default_rng(6)
    n = 3000
    region = rng.choice(["north", "south", "west"], n, p=[0.5, 0.3, 0.2])
    chance = pd.Series(region).map({"north": 0.2, "south": 0.5, "west": 0.8}).to_numpy()
    bought = np.where(rng.random(n) < chance, "yes", "no")
    again = np.where(rng.random(n) < np.where(bought == "yes", 0.7, 0.1), "yes", "no")
    table = pd.DataFrame({"region": region, "bought": bought, "again": again})
    known = ts.Knowledge(tiers=[["region"], ["bought"], ["again"]])
    model = ts.Topo(knowledge=known).fit(table)
    found = model.effect("region", "again", values=("north", "west"), n_resamples=10)
    assert found.value == pytest.approx(0.6 * 0.6, abs=0.06)
    assert found.interval[0] < found.value < found.interval[1]
    west = model.sample(4000, do={"region": "west"}, random_state=0)
    assert (west["bought"] == "yes").mean() == pytest.approx(0.8, abs=0.05)
    assert set(model.sample(200, random_state=0)["region"]) == {"north", "south", "west"}
    with pytest.raises(ts.InputError, match="say which two"):
        model.effect("region", "again")


def test_categories_and_ratings_beside_numbers_are_moved_through():
    """kind -> rating -> y <- kind: E[y | do(kind)] by the shares of the ratings, and samples."""
    rng = np.random.default_rng(0)
    kind = rng.choice(["a", "b", "c"], 800)
    drift = 1.5 * (kind == "b") + rng.logistic(size=800)
    rating = np.digitize(drift, [-0.5, 0.7, 2.0])
    y = rating + 2.0 * (kind == "c") + rng.normal(size=800)
    table = pd.DataFrame({"kind": kind, "rating": rating, "y": y})
    known = ts.Knowledge(
        tiers=[["kind"], ["rating"], ["y"]],
        required=[("kind", "rating"), ("kind", "y"), ("rating", "y")],
    )
    model = ts.Topo("blocks-bic", knowledge=known, kinds={"rating": "ordinal"}).fit(table)
    found = model.effect("kind", "y", values=("a", "c"), n_resamples=2)
    # The columns that kind acts on are compared with what it is set to in the table itself.
    seen = table.groupby("kind")["y"].mean()
    assert found.value == pytest.approx(seen["c"] - seen["a"], abs=0.1)
    drawn = model.sample(2000, do={"kind": "b"}, random_state=0)
    assert set(drawn["kind"]) == {"b"}
    assert drawn["y"].mean() == pytest.approx(seen["b"], abs=0.2)
    shares = [frame["rating"].value_counts(normalize=True) for frame in (drawn, table[kind == "b"])]
    assert (shares[0] - shares[1]).abs().max() < 0.07
    with pytest.raises(ts.InputError, match="categories"):
        model.effect("kind", "y")


def test_a_cause_of_one_value_says_nothing():
    """Without centring a constant column may be a cause; how far to move it, no row tells."""
    X = np.random.default_rng(0).standard_normal((40, 2))
    X[:, 0] = 3.0
    known = ts.Knowledge(required=[(0, 1)])
    model = ts.Topo("basis-bic", center=False, knowledge=known).fit(X)
    with pytest.raises(InputError, match="has one value, 3, in all rows"):
        model.effect(0, 1)


def test_rows_of_columns_whose_names_are_no_text():
    """Half of a pair of surrogates is a name in Python, and has no UTF-8."""
    X = np.random.default_rng(0).standard_normal((60, 2))
    model = ts.Topo("bic").fit({"\ud800": X[:, 0], "b": X[:, 0] + X[:, 1]})
    assert list(model.sample(5, random_state=0).columns) == ["\ud800", "b"]


@pytest.mark.parametrize("size", [1.0, 1e250, 1e-250, 0.0])
def test_deviations_of_numbers_of_any_size(size):
    numbers = np.array([1.0, 2.0, 4.0, 3.0]) * size
    assert _deviation(numbers) == pytest.approx(size * np.std([1.0, 2.0, 4.0, 3.0], ddof=1))
    assert _deviation(np.array([1.0, np.inf])) == np.inf
