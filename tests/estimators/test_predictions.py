"""What fitted models say about new rows and along an edge."""

import pickle

import numpy as np
import pandas as pd
import pytest
from curves import additive_table
from sklearn.exceptions import NotFittedError
from tables import suited_to
from toy_scores import NodewiseLasso

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.scores import SCORES

EVERY = pytest.mark.parametrize("score", list(SCORES))


def fitted(score, **settings):
    X = suited_to(SCORES[score](), 0)
    # Few rows are enough for few units.
    Q = ts.scores.MLP(hidden=4) if score == "mlp" else score
    return ts.Topo(Q, random_state=0, prune=None, **settings).fit(X), X


@EVERY
def test_fitted_values_have_the_loss_of_the_solution(score):
    """Least squares by its formula; every score is right on average."""
    model, X = fitted(score)
    values = model.predict(X)
    assert values.shape == X.shape
    if not SCORES[score]().continuous:
        # The likeliest of the levels.
        assert all(np.isin(values[:, j], X[:, j]).all() for j in range(X.shape[1]))
        return
    np.testing.assert_allclose(values.mean(axis=0), X.mean(axis=0), atol=1e-5)
    if score.startswith(("least-squares", "basis")) and score != "basis-bic":
        loss = np.sum((X - values) ** 2) / (2 * len(X))
        assert loss == pytest.approx(model.loss_, rel=1e-8)
    if "logistic" in score:
        assert ((values > 0.0) & (values < 1.0)).all()
    if "poisson" in score:
        assert (values > 0.0).all()


@EVERY
def test_a_column_is_predicted_from_its_parents_alone(score):
    model, X = fitted(score)
    values = model.predict(X)
    edges = model.weights_ != 0.0
    for i in range(X.shape[1]):
        changed = X.copy()
        if not SCORES[score]().continuous:
            # Other levels; the likeliest value of an effect need not move with its chances.
            changed[:, i] = X[::-1, i]
            moved = model.predict(changed) != values
            assert not moved[:, ~edges[i]].any()
            continue
        changed[:, i] += 1.0
        moved = np.abs(model.predict(changed) - values).max(axis=0) > 0.0
        np.testing.assert_array_equal(moved, edges[i])


@EVERY
def test_far_outside_the_data_predictions_are_finite(score):
    model, X = fitted(score)
    if SCORES[score]().continuous:
        assert np.isfinite(model.predict(1e6 * X)).all()
    else:
        with pytest.raises(InputError, match="did not occur in the data"):
            model.predict(1e6 * X)
    # One row is enough.
    np.testing.assert_allclose(model.predict(X[:1]), model.predict(X)[:1], rtol=1e-12)


def test_linear_predictions_are_those_of_the_weights():
    X = ts.simulate.linear_dataset(6, 100, "ER2", random_state=0).X + 5.0
    for center in (True, False):
        model = ts.Topo("least-squares", center=center).fit(X)
        mean = X.mean(axis=0) if center else 0.0
        np.testing.assert_allclose(
            model.predict(X), mean + (X - mean) @ model.weights_, rtol=1e-10, atol=1e-10
        )


def test_frames_are_matched_by_name():
    X, _ = additive_table(0, d=4, n=100)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = ts.Topo("basis").fit(frame)
    expected = model.predict(frame)
    np.testing.assert_array_equal(model.predict(frame[list("cadb")]), expected)
    np.testing.assert_array_equal(model.predict(X), expected)
    with pytest.raises(InputError, match=r"its columns \('a', 'b', 'c', 'e'\) are not those"):
        model.predict(frame.rename(columns={"d": "e"}))


def test_bad_rows_are_refused():
    X, _ = additive_table(0, d=4, n=100)
    model = ts.Topo("basis").fit(X)
    with pytest.raises(InputError, match="X has 3 features, but Topo is expecting 4"):
        model.predict(X[:, :3])
    with pytest.raises(InputError, match="NaN"):
        model.predict(np.where(np.arange(4) == 1, np.nan, X))
    with pytest.raises(NotFittedError):
        ts.Topo("least-squares").predict(X)
    toy = ts.Topo(NodewiseLasso()).fit(X)
    with pytest.raises(InputError, match="makes no predictions"):
        toy.predict(X)


def test_a_pickled_model_predicts_the_same_and_holds_no_data():
    X, _ = additive_table(0, d=4, n=20_000)
    model = ts.Topo("basis").fit(X)
    packed = pickle.dumps(model)
    assert len(packed) < X.nbytes / 4
    np.testing.assert_array_equal(pickle.loads(packed).predict(X), model.predict(X))


def test_the_pruned_model_predicts_where_pruning_fitted_it_again():
    X, _ = additive_table(1, d=5, n=300)
    model, whole = (ts.Topo("basis", prune=prune).fit(X) for prune in ("auto", None))
    values = model.predict(X)
    left = np.sum((X - values) ** 2, axis=0)
    assert (left >= np.sum((X - whole.predict(X)) ** 2, axis=0) * (1 - 1e-9)).all()
    roots = ~model.adjacency_matrix_.any(axis=0)
    np.testing.assert_allclose(values[:, roots], X.mean(axis=0)[roots] * np.ones((300, 1)))


# --- along an edge -------------------------------------------------------------------------------


def test_an_edge_function_is_the_curve_behind_the_data():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 2000))
    c = np.sin(2.0 * a) + 0.5 * b + 0.3 * rng.standard_normal(2000)
    X = pd.DataFrame({"a": a, "c": c, "b": b})
    model = ts.Topo("basis", init=["a", "b", "c"], search="none").fit(X)
    grid, values = model.edge_function("a", "c", n_points=50)
    assert (grid[0], grid[-1]) == (a.min(), a.max())
    inside = np.abs(grid) < 2.0
    np.testing.assert_allclose(values[inside], np.sin(2.0 * grid[inside]), atol=0.15)
    by_position = model.edge_function(0, 1, n_points=50)
    np.testing.assert_array_equal(by_position.values, values)
    # Nothing runs the other way.
    assert np.ptp(model.edge_function("c", "a").values) == 0.0


def test_an_edge_function_of_a_linear_model_is_a_line():
    X = ts.simulate.linear_dataset(5, 200, "ER2", random_state=1).X
    model = ts.Topo("least-squares").fit(X)
    i, j = np.argwhere(model.weights_)[0]
    grid, values = model.edge_function(int(i), int(j))
    assert len(grid) == 100
    np.testing.assert_allclose(np.gradient(values, grid), model.weights_[i, j], rtol=1e-9)


def test_an_edge_function_from_a_covariance_alone():
    model = ts.Topo("least-squares").fit_covariance(np.array([[1.0, 2.0], [2.0, 5.0]]), 50)
    grid, values = model.edge_function(0, 1)
    assert (grid[0], grid[-1]) == (-2.0, 2.0)
    np.testing.assert_allclose(values, 2.0 * grid)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("z", "b"), "i: no column is called 'z'"),
        ((0, 7), "j: must be the name of a column or its position, 0 to 2, got 7"),
        ((0, -1), "j: must be the name of a column or its position"),
        ((1, "b"), "no function of itself"),
        ((0, 1, 1), "n_points: must be a whole number >= 2"),
    ],
)
def test_bad_edges_are_refused(arguments, message):
    X = pd.DataFrame(additive_table(0, d=3, n=60)[0], columns=list("abc"))
    with pytest.raises(InputError, match=message):
        ts.Topo("basis").fit(X).edge_function(*arguments)
