"""Tables of any kinds: what must not matter, the certificate, predictions, and the command line."""

import numpy as np
import pandas as pd
import pytest

import toposwap as ts
from toposwap.core.dataset import Dataset
from toposwap.core.order import Order
from toposwap.scores import Blocks, GroupBlocks
from toposwap.scores.blocks.bound import BlockCoefficients

N = 300


def mixed_table(seed=0, n=N):
    rng = np.random.default_rng(seed)
    region = rng.choice(list("nesw"), n)
    income = rng.standard_normal(n) + 1.5 * (region == "n")
    f = np.column_stack([np.zeros(n), income + (region == "e"), -income])
    plan = np.array(["basic", "gold", "plus"])[(f + rng.gumbel(size=f.shape)).argmax(axis=1)]
    mood = np.digitize(income + rng.logistic(size=n), [-1.0, 0.5, 2.0])
    return pd.DataFrame(
        {
            "region": region,
            "income": income,
            "plan": plan,
            "mood": pd.Categorical(mood, ordered=True),
            "visits": rng.poisson(np.exp(0.5 * (plan == "gold") + 0.2)),
            "loyal": rng.random(n) < 1.0 / (1.0 + np.exp(1.0 - 2.0 * (plan == "gold"))),
            "noise": rng.standard_normal(n),
        }
    )


@pytest.fixture(scope="module")
def table():
    return mixed_table()


@pytest.fixture(scope="module")
def model(table):
    return ts.Topo().fit(table)


def test_auto_chooses_blocks_and_says_why(model):
    assert model.result_.score_name == "blocks-bic"
    told = model.result_.choices[0]
    for part in ("multinomial for 'region', 'plan'", "cumulative for 'mood'", "poisson for 'vis"):
        assert part in told
    assert model.kinds_["plan"] == "categorical"
    assert model.certificate_.satisfied
    assert model.status_ == "converged"


def test_it_finds_the_edges(model):
    edges = model.adjacency_matrix_ != 0.0
    found = edges | edges.T
    names = list(model.names_)
    for i, j in (("region", "income"), ("income", "plan"), ("income", "mood"), ("plan", "loyal")):
        assert found[names.index(i), names.index(j)]
    assert not found[names.index("noise")].any()


@pytest.mark.parametrize(
    "score", [Blocks(factor=0.1), GroupBlocks(weight=0.02), GroupBlocks("mcp", 0.02)], ids=repr
)
def test_the_gradient_is_the_slope_of_the_value(table, score):
    data = Dataset.from_table(table)
    bound = score.bind(data)
    fit = bound.fit(Order(np.arange(7)))
    theta, constants = fit.parameters()
    rng = np.random.default_rng(0)
    theta = np.where(theta != 0.0, theta + 0.1 * rng.standard_normal(theta.shape), 0.0)
    point = bound.evaluate(BlockCoefficients(theta, constants))
    assert np.count_nonzero(point.weights) >= 5
    for i, j in np.argwhere(point.weights):
        total = 0.0
        for u in range(*bound.design.of(i).indices(len(theta))):
            for k in range(*bound.of(j).indices(theta.shape[1])):
                up, down = theta.copy(), theta.copy()
                up[u, k] += 1e-5
                down[u, k] -= 1e-5
                values = [bound.evaluate(BlockCoefficients(t, constants)).value for t in (up, down)]
                total += abs(values[0] - values[1]) / 2e-5
        assert point.gradient[i, j] == pytest.approx(total, rel=1e-4, abs=1e-7)


def test_without_constants_the_best_ones_are_meant(table):
    bound = Blocks().bind(Dataset.from_table(table))
    parameters = bound.fit(Order(np.arange(7))).parameters()
    assert bound.evaluate(parameters.theta).value == pytest.approx(
        bound.evaluate(parameters).value, rel=1e-10
    )


@pytest.mark.parametrize("score", ["auto", "blocks-lasso", "blocks-mcp"])
def test_names_of_categories_and_places_of_rows_and_columns_do_not_matter(table, model, score):
    model = model if score == "auto" else ts.Topo(score).fit(table)
    other = table.copy()
    other["region"] = other["region"].map({"n": "a", "e": "z", "s": "b", "w": "q"})
    other["plan"] = pd.Categorical(other["plan"], ["plus", "gold", "basic"])
    rng = np.random.default_rng(1)
    other = other.iloc[rng.permutation(N), rng.permutation(7)]
    again = ts.Topo(score).fit(other)
    place = [list(again.names_).index(name) for name in model.names_]
    np.testing.assert_allclose(
        again.adjacency_matrix_[np.ix_(place, place)], model.adjacency_matrix_, atol=1e-7
    )
    assert again.score_ == pytest.approx(model.score_, rel=1e-10)


@pytest.mark.parametrize("score", ["blocks-bic", "blocks-lasso", "blocks-mcp"])
def test_weights_are_repetitions(table, score):
    w = np.random.default_rng(2).integers(0, 4, N)
    weighted = ts.Topo(score, search="none").fit(table, sample_weight=w)
    rows = np.random.default_rng(3).permutation(np.repeat(np.arange(N), w))
    repeated = ts.Topo(score, search="none").fit(table.loc[rows])
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, atol=1e-7)
    assert weighted.score_ == pytest.approx(repeated.score_, rel=1e-10)


def test_predictions(table, model):
    chances = model.chances(table, "plan")
    assert chances.levels == ("basic", "gold", "plus")
    np.testing.assert_allclose(chances.values.sum(axis=1), 1.0)
    predicted = model.predict(table)
    np.testing.assert_array_equal(predicted[:, 2], chances.values.argmax(axis=1))
    levels, ratings = model.chances(table, "mood")
    np.testing.assert_allclose(predicted[:, 3], ratings @ np.array(levels, dtype=float))
    assert model.log_likelihood(table) > model.log_likelihood(
        table.assign(plan=np.roll(table["plan"], 7))
    )
    with pytest.raises(ts.InputError, match="'income' is neither a category nor a rating"):
        model.chances(table, "income")


def test_edge_functions(model):
    names = list(model.names_)
    edges = {(names[i], names[j]) for i, j in np.argwhere(model.adjacency_matrix_)}
    for i, j in edges:
        grid, values = model.edge_function(i, j, 11)
        assert len(grid) == len(values) == {"region": 4, "plan": 3}.get(i, 11)
        assert values.ndim == (2 if j in ("region", "plan") else 1)
        assert np.ptp(values, axis=0).max() > 0.0
    _, flat = model.edge_function("noise", "income", 5)
    assert np.ptp(flat) == 0.0


def test_what_is_known_is_obeyed(table):
    known = {"forbidden": [("income", "plan"), ("plan", "income")], "required": [("mood", "noise")]}
    model = ts.Topo("blocks-bic", knowledge=known).fit(table)
    names = list(model.names_)
    W = model.adjacency_matrix_
    assert W[names.index("income"), names.index("plan")] == 0.0
    assert W[names.index("plan"), names.index("income")] == 0.0
    assert W[names.index("mood"), names.index("noise")] != 0.0


def test_a_budget_is_kept(table):
    model = ts.Topo(time_budget=0.0).fit(table)
    assert model.status_ == "time limit"


def test_a_rating_can_be_a_block_of_levels(table):
    model = ts.Topo(Blocks(ordinal="levels")).fit(table)
    assert model.certificate_.satisfied
    with pytest.raises(ts.InputError, match="ordinal: must be 'scores' or 'levels'"):
        ts.Topo(Blocks(ordinal="no")).fit(table)


def test_codes_are_told_from_ratings_by_what_they_go_with():
    rng = np.random.default_rng(4)
    n = 600
    code, rating = rng.integers(0, 4, n), rng.integers(0, 4, n)
    table = pd.DataFrame(
        {
            "size": np.array([0.0, 2.0, -1.0, 1.0])[code] + rng.standard_normal(n),
            "pay": rating + rng.standard_normal(n),
            "answer": code,
            "kind_code": rng.integers(1, 4, n),
            "rating": rating,
        }
    )
    model = ts.Topo().fit(table)
    assert model.kinds_["answer"] == "categorical"
    assert model.kinds_["rating"] == "ordinal"
    told = "\n".join(model.result_.choices)
    assert "'answer' (4 whole numbers from 0 to 3, a code: other columns" in told
    assert "'kind_code' (3 whole numbers from 1 to 3, a code by its name" in told


def test_ratings_whose_effects_are_not_proportional_are_no_codes():
    rng = np.random.default_rng(4)
    n = 1000
    storeys = rng.integers(1, 6, n)
    table = pd.DataFrame(
        {
            "price": np.array([0.0, 0.2, 3.0, 6.0, 6.4])[storeys - 1] + rng.standard_normal(n),
            "garden": storeys * rng.standard_normal(n),
            "storeys": storeys,
        }
    )
    assert ts.Topo().fit(table).kinds_["storeys"] == "ordinal"


def test_columns_that_determine_others_end_in_a_graph():
    rng = np.random.default_rng(5)
    group = rng.integers(0, 3, 400)
    table = pd.DataFrame({f"g{k}": (group == k).astype(float) for k in range(3)})
    table["x"] = group + rng.standard_normal(400)
    model = ts.Topo().fit(table)
    assert model.result_.score_name == "blocks-bic"
    assert np.isfinite(model.score_)


def test_two_categories_alone_leave_their_direction_open():
    from toposwap.report.graph import open_directions

    rng = np.random.default_rng(6)
    a = rng.integers(0, 3, 500)
    b = np.where(rng.random(500) < 0.6, a, rng.integers(0, 3, 500))
    table = pd.DataFrame({"a": a.astype(str), "b": b.astype(str), "x": rng.standard_normal(500)})
    table = table.replace({"0": "p", "1": "q", "2": "r"})
    model = ts.Topo("blocks-bic").fit(table)
    assert open_directions(model).sum() == 1


def test_from_a_file_to_a_graph(table, tmp_path, capsys):
    from toposwap.cli import run

    file = tmp_path / "table.csv"
    table.to_csv(file, index=False)
    assert run(["fit", str(file)]) == 0
    told = capsys.readouterr().out
    assert "blocks-bic" in told
    assert "plan" in told


@pytest.mark.filterwarnings("ignore::toposwap.ToposwapWarning")
def test_columns_that_nearly_determine_each_other_end():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 8))
    X[:, 1] = X[:, 0] + 1e-7 * rng.standard_normal(60)
    X[:, 2] = X[:, 0] - X[:, 1] + 1e-9 * rng.standard_normal(60)
    X[:, 3] = (X[:, 4] > 0.0).astype(float)
    model = ts.Topo("blocks-bic", time_budget=2).fit(X)
    assert np.isfinite(model.score_)


def test_what_does_not_vary_is_refused_without_centring_too():
    X = np.random.default_rng(0).standard_normal((50, 3))
    X[:, 1] = 2.0
    with pytest.raises(ts.InputError, match="'x1' is constant"):
        ts.Topo("blocks-bic", center=False).fit(X)
