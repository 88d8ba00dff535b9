"""Effects and samples where columns are of different kinds, as most tables have them."""

import numpy as np
import pandas as pd
import pytest

import toposwap as ts

WORDS = np.array(["low", "middle", "high"])


def mixed_table(n=1500):
    """A number that acts on a rating, on a category, on a count, and through them on a number."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=n)
    rating = np.digitize(1.5 * x + rng.logistic(size=n), [-1.0, 1.0])
    colour = np.where(rng.random(n) < 1.0 / (1.0 + np.exp(-1.5 * x)), "red", "blue")
    colour = np.where(rng.random(n) < 0.3, "green", colour)
    visits = rng.poisson(np.exp(0.5 * x))
    y = 0.8 * visits + 1.5 * (colour == "red") + rating + 0.5 * rng.normal(size=n)
    ordered = pd.Categorical(WORDS[rating], WORDS, ordered=True)
    return pd.DataFrame({"x": x, "rating": ordered, "colour": colour, "visits": visits, "y": y})


@pytest.fixture(scope="module")
def model():
    known = {"tiers": [["x"], ["rating", "colour", "visits"], ["y"]], "closed_tiers": [1]}
    return ts.Topo(knowledge=known, kinds={"visits": "count"}).fit(mixed_table())


def test_the_graph_is_the_one_that_is_asked_about(model):
    edges = {(cause, effect) for cause, effect in model.causal_graph_.edges}
    between = {"rating", "colour", "visits"}
    assert edges == {("x", v) for v in between} | {(v, "y") for v in between}


def test_samples_have_the_columns_and_the_words_of_the_table(model):
    drawn = model.sample(4000, random_state=0)
    table = mixed_table()
    assert list(drawn.columns) == list(table.columns)
    for name in ("rating", "colour"):
        found = drawn[name].value_counts(normalize=True)
        expected = table[name].value_counts(normalize=True)
        assert set(found.index) == set(expected.index)
        assert (found - expected).abs().max() < 0.03
    assert (drawn["visits"] == drawn["visits"].round()).all()
    assert drawn["y"].mean() == pytest.approx(table["y"].mean(), abs=0.15)


def test_an_effect_is_the_difference_of_means_of_samples(model):
    effect = model.effect("x", "y", values=(0.0, 1.0), n_resamples=3)
    means = [model.sample(40_000, {"x": v}, random_state=1)["y"].mean() for v in (0.0, 1.0)]
    assert effect.value == pytest.approx(means[1] - means[0], abs=0.06)


def test_a_rating_has_a_mean_and_a_category_has_none(model):
    assert model.effect("x", "rating", n_resamples=3).value > 0.0
    with pytest.raises(ts.InputError, match="'colour' holds categories without an order"):
        model.effect("x", "colour")
    with pytest.raises(ts.InputError, match="say which two"):
        model.effect("colour", "y")
    red = model.effect("colour", "y", values=("blue", "red"), n_resamples=3)
    assert red.value == pytest.approx(1.5, abs=0.2)


def test_counterfactuals_say_which_columns_do_not_tell_their_noise(model):
    row = mixed_table().head(2)
    with pytest.raises(ts.InputError, match="does not tell its noise"):
        model.counterfactual(row, {"x": 1.0})
    after = model.counterfactual(row, {"visits": row["visits"] + 1})
    assert np.allclose(after["y"] - row["y"], 0.8, atol=0.1)
