"""Networks as a score: derivatives, deltas, searches, certificate, predictions, refusals."""

from itertools import pairwise

import numpy as np
import pytest
from tables import KINDS, real_table

import toposwap as ts
from toposwap.certificate import certify
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.order import Order
from toposwap.losses import LOSSES as REGISTERED
from toposwap.losses import ColumnLoss
from toposwap.scores.mlp.score import Networks
from toposwap.search import SEARCHES
from toposwap.search.screened import follow_missing_edge
from toposwap.simulate import nonlinear_dataset

SMALL = {"hidden": 4, "n_starts": 1}


def table(seed=0, d=4, n=120, kind="ER1"):
    return nonlinear_dataset(d, n, kind, random_state=seed)


def bound(seed=0, d=4, n=120, **settings):
    X = table(seed, d, n).X
    loss = settings.get("loss")
    if loss == "logistic":
        X = (np.median(X, axis=0) < X).astype(float)
    return ts.scores.MLP(**{**SMALL, **settings}).bind(Dataset.from_table(X))


def random_networks(b, seed=0):
    rng = np.random.default_rng(seed)
    d, h = b.data.d, b.score.hidden
    first = rng.standard_normal((d, h, d)) * (rng.random((d, 1, d)) < 0.6)
    first[np.arange(d), :, np.arange(d)] = 0.0
    bias = float(b.score.bias)
    return Networks(
        first,
        bias * rng.standard_normal((h, d)),
        rng.standard_normal((h, d)),
        bias * rng.standard_normal(d),
    )


LOSSES = pytest.mark.parametrize("loss", ["least-squares", "gaussian", "logistic"])


# --- derivatives and certificate -----------------------------------------------------------------


@LOSSES
@pytest.mark.parametrize("settings", [{}, {"bias": False}, {"activation": "tanh"}])
def test_the_gradient_of_every_block_is_a_slope(loss, settings):
    """Present edges by differences of Q; of absent ones the excess of the slope over l1."""
    b = bound(loss=loss, **settings)
    p = random_networks(b)
    point = b.evaluate(p)
    np.testing.assert_allclose(point.weights, np.abs(p.first).sum(axis=1))
    h = b.score.hidden
    for i, j in [(0, 1), (1, 0), (2, 3), (3, 1), (1, 2)]:
        total = 0.0
        for a in range(h):
            slopes = []
            for sign in (1, -1):
                moved = p.first.copy()
                moved[i, a, j] += sign * 1e-6
                other = Networks(moved, p.biases, p.output, p.intercepts)
                slopes.append(sign * (b.evaluate(other).value - point.value) / 1e-6)
            if p.first[i, a, j] == 0.0:
                # Zero is in the subdifferential unless both one-sided slopes agree in sign.
                total += max(0.0, -slopes[0], slopes[1])
            else:
                total += abs(np.mean(slopes))
        assert point.gradient[i, j] == pytest.approx(total, rel=1e-5, abs=1e-5)


@LOSSES
def test_a_fit_solves_its_order(loss):
    b = bound(loss=loss)
    order = Order([2, 0, 3, 1])
    fit = b.fit(order)
    point = fit.point()
    allowed = order.positions[:, None] < order.positions
    assert not point.weights[~allowed].any()
    assert fit.value == pytest.approx(point.value, rel=1e-9)
    scale = np.outer(point.row_scale, point.column_scale)
    assert (point.gradient <= b.tolerance * scale)[allowed].all()
    assert point.rest <= b.tolerance
    rng = np.random.default_rng(0)
    p = fit.parameters()
    for size in (1e-6, 1e-4):
        step = rng.standard_normal(p.first.shape) * allowed[:, None, :] * size
        near = Networks(
            p.first + step,
            p.biases + size * rng.standard_normal(p.biases.shape),
            p.output + size * rng.standard_normal(p.output.shape),
            p.intercepts + size * rng.standard_normal(p.intercepts.shape),
        )
        assert b.evaluate(near).value >= point.value - 1e-12


def test_a_certificate_fails_where_a_parameter_is_moved():
    """Of a unit in use: the biases of others mean nothing."""
    b = bound()
    fit = b.fit(Order([2, 0, 3, 1]))
    p = fit.parameters()
    for name in ("first", "biases", "output", "intercepts"):
        parts = {k: getattr(p, k).copy() for k in ("first", "biases", "output", "intercepts")}
        size = np.abs(parts[name]) * (p.output != 0.0 if name == "biases" else 1.0)
        parts[name][np.unravel_index(size.argmax(), size.shape)] *= 1.01
        moved = b.evaluate(Networks(**parts))
        residual = certify(moved, convex=False, tolerance=b.tolerance).max_residual
        assert residual > b.tolerance, name


def test_column_units_of_the_inputs_and_means_do_not_matter_to_the_fit():
    """With biases, shifting columns changes nothing."""
    X = table().X
    one, other = (
        ts.scores.MLP(**SMALL).bind(Dataset.from_table(Y)).fit(Order([0, 1, 2, 3]))
        for Y in (X, X + np.array([5.0, -3.0, 0.0, 100.0]))
    )
    assert one.point().value == pytest.approx(other.point().value, rel=1e-4)


# --- deltas and moves ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2))
def test_deltas_are_what_the_moves_bring(seed):
    b = bound(seed)
    fit = b.fit(Order(np.random.default_rng(seed).permutation(4)))
    fit.refresh()
    start, before = fit.snapshot(), fit.value
    for v in range(4):
        profile = fit.insertion_profile(v)
        for k in range(4):
            fit.insert(v, k)
            assert fit.value - before == pytest.approx(profile[k], abs=1e-7)
            point = fit.point()
            allowed = fit.order.positions[:, None] < fit.order.positions
            assert not point.weights[~allowed].any()
            fit.restore(start)
    assert fit.value == before


def test_screening_ranks_a_clear_case_right():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(300)
    y = 3.0 * np.tanh(x) + rng.standard_normal(300)
    z = rng.standard_normal(300)
    b = ts.scores.MLP(hidden=5, n_starts=1).bind(Dataset.from_table(np.column_stack([y, z, x])))
    fit = b.fit(Order([0, 1, 2]))
    fit.loose = True
    profile = fit.screened_profile(0, 2)
    assert profile[0] == np.inf
    assert profile.argmin() == 2
    assert profile[2] < -0.5
    assert fit.screened_profile(0, 1)[2] == np.inf


def test_missing_gradients_are_the_slopes_by_weights_that_are_not_there():
    b = bound(d=4, n=300)
    fit = b.fit(Order([3, 2, 1, 0]))
    steep = fit.missing_gradient()
    assert steep.any()
    everyone = np.arange(4)
    for j, node in enumerate(fit._nodes):
        network = b.nodes.starts.carried(node.parameters, everyone)
        by_a, _ = b.nodes.problem(j, everyone).smooth_gradient(network.first, network.output)
        steepest = np.maximum(np.abs(by_a[:, :4]).max(axis=0) - 0.01, 0.0) / b.table.deviations
        later = fit.order.positions > fit.order.positions[j]
        np.testing.assert_allclose(steep[later, j], steepest[later], rtol=1e-3, atol=1e-6)


def test_following_a_pull_puts_the_cause_first():
    rng = np.random.default_rng(0)
    z, x = rng.standard_normal((2, 400))
    y = 2.0 * np.tanh(z) + 3.0 * np.tanh(x + z) + 0.3 * rng.standard_normal(400)
    b = ts.scores.MLP(**SMALL).bind(Dataset.from_table(np.column_stack([z, y, x])))
    fit = b.fit(Order([0, 1, 2]))
    assert np.argwhere(fit.missing_gradient()).tolist() == [[2, 1]]
    assert sorted(follow_missing_edge(fit, rng, 1)) == [1, 2]
    assert fit.order == Order([0, 2, 1])


def test_fresh_starts_only_lower_the_score():
    b = bound(d=5)
    fit = b.fit(Order(range(5)))
    fit.loose = True
    fit.reorder(Order([1, 0, 2, 4, 3]))
    before = fit.value
    gain = fit.restart_nodes()
    assert gain >= 0.0
    assert fit.value == pytest.approx(before - gain)
    assert fit.restart_nodes() == 0.0


# --- from the outside ----------------------------------------------------------------------------


@pytest.mark.parametrize("search", [name for name in SEARCHES if name != "exact"])
@pytest.mark.parametrize("init", ["auto", "random"])
def test_every_search_goes_down_to_a_certified_point(search, init):
    X = table(3, d=5).X
    model = ts.Topo(ts.scores.MLP(**SMALL), search, init, random_state=0).fit(X)
    scores = [step.score for step in model.history_]
    assert all(later < earlier for earlier, later in pairwise(scores))
    assert model.score_ <= scores[-1] + 1e-6
    if search in ("auto", "paper"):
        assert model.certificate_.satisfied, model.certificate_
    assert model.certificate_.kind == "KKT point"
    again = ts.Topo(ts.scores.MLP(**SMALL), search, init, random_state=0).fit(X)
    np.testing.assert_array_equal(model.weights_, again.weights_)


def test_the_graph_of_a_clear_case_is_found_from_a_random_order():
    rng = np.random.default_rng(1)
    x = rng.standard_normal(400)
    y = 3.0 * np.tanh(2.0 * x) + rng.standard_normal(400)
    z = 2.0 * np.abs(y) + rng.standard_normal(400)
    other = rng.standard_normal(400)
    X = np.column_stack([z, other, y, x])
    model = ts.Topo("mlp", init=[0, 2, 1, 3]).fit(X)
    found = {(int(i), int(j)) for i, j in np.argwhere(model.adjacency_matrix_)}
    assert found == {(3, 2), (2, 0)}
    assert model.result_.pruned.rule
    assert model.threshold_ is None


@LOSSES
def test_predictions_are_those_of_the_networks(loss):
    b = bound(loss=loss)
    p = random_networks(b)
    X = np.random.default_rng(5).standard_normal((6, 4))
    predicted = b.predict(p, X)
    for j in range(4):
        for row in range(6):
            f = p.intercepts[j]
            for a in range(b.score.hidden):
                z = p.biases[a, j] + sum(
                    p.first[i, a, j] * (X[row, i] - b.table.mean[i]) for i in range(4)
                )
                f += p.output[a, j] / (1.0 + np.exp(-z))
            expected = 1.0 / (1.0 + np.exp(-f)) if loss == "logistic" else f + b.table.mean[j]
            assert predicted[row, j] == pytest.approx(expected)


def test_a_fitted_model_predicts_what_it_was_fitted_to():
    X = table(2, d=4, n=300).X
    model = ts.Topo(ts.scores.MLP(hidden=8), prune=None).fit(X)
    residual = X - model.predict(X)
    assert 0.5 * (residual**2).mean(axis=0).sum() == pytest.approx(model.loss_, rel=1e-9)


def test_descents_and_newton_take_turns_until_a_node_is_solved(monkeypatch):
    X = table(3, d=5, kind="ER2").X
    monkeypatch.setattr("toposwap.scores.mlp.solver._NEWTON_STEPS", 1)
    model = ts.Topo(ts.scores.MLP(**SMALL), "none", prune=None).fit(X)
    # An order's solution, so nothing but its own weights need be stationary.
    bound = ts.scores.MLP(**SMALL).bind(Dataset.from_table(X))
    point = bound.evaluate(model.result_.parameters)
    assert (point.gradient * (point.weights != 0.0)).max() < 1e-7


def test_time_budget_and_max_iter_give_the_best_so_far():
    X = table(1, d=6, kind="ER2").X
    score = ts.scores.MLP(**SMALL)
    quick = ts.Topo(score, init="random", random_state=0, time_budget=0.0, prune=None).fit(X)
    assert quick.status_ == "time limit"
    one = ts.Topo(score, init="random", random_state=0, max_iter=1, prune=None).fit(X)
    assert one.status_ == "iteration limit"
    whole = ts.Topo(score, init="random", random_state=0, prune=None).fit(X)
    assert whole.score_ <= one.score_ + 1e-9


def test_progress_shows_the_score_going_down():
    seen = []
    X = table(1, d=6, kind="ER2").X
    ts.Topo(
        ts.scores.MLP(**SMALL), init="random", random_state=0, progress=seen.append, prune=None
    ).fit(X)
    assert seen
    assert all(later.score < earlier.score for earlier, later in pairwise(seen))


def test_mixed_columns():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(300)
    y = (x + 0.5 * rng.standard_normal(300) > 0).astype(float)
    b = ts.scores.MLP(loss=["gaussian", "logistic"], **SMALL).bind(
        Dataset.from_table(np.column_stack([x, y]))
    )
    point = b.fit(Order([0, 1])).point()
    assert point.weights[0, 1] > 0.5
    predicted = b.predict(b.fit(Order([0, 1])).parameters(), np.array([[2.0, 0], [-2.0, 0]]))
    assert predicted[0, 1] > 0.9
    assert predicted[1, 1] < 0.1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hidden": 0}, "hidden: must be a whole number >= 1"),
        ({"n_starts": 1.5}, "n_starts: must be a whole number >= 1"),
        ({"l1": -1.0}, "l1: must be a number >= 0"),
        ({"l2": 0.0}, "l2: must be a number > 0"),
        ({"activation": "step"}, "activation: 'step' is not one of 'sigmoid'"),
        ({"bias": 2}, "bias: must be True or False"),
        ({"loss": "equal-variance"}, "loss: networks"),
        ({"loss": "no-such"}, "loss: 'no-such' is not one of"),
        ({"loss": "logistic"}, "the logistic loss is for two values"),
    ],
)
def test_refusals(settings, message):
    X = np.abs(np.round(table().X * 3))
    with pytest.raises(InputError, match=message):
        ts.scores.MLP(**settings).bind(Dataset.from_table(X))


@pytest.mark.parametrize(
    "loss", [make() for make in REGISTERED.values() if issubclass(make, ColumnLoss)], ids=repr
)
def test_networks_of_every_loss_are_certified_and_predict(loss):
    X = KINDS.get(loss.name, real_table)(0, 3, 150)
    model = ts.Topo(ts.scores.MLP(hidden=4, n_starts=1, loss=loss), prune=None).fit(X)
    assert model.certificate_.satisfied, model.certificate_
    # Residuals about their mean: a fit with an intercept predicts no worse than the mean does.
    errors = np.abs(model.predict(X) - X).mean(axis=0)
    assert (errors <= 1.1 * np.abs(X - X.mean(axis=0)).mean(axis=0)).all()


def test_more_refusals():
    X = table().X
    with pytest.raises(InputError, match="search='exact'"):
        ts.Topo(ts.scores.MLP(**SMALL), "exact").fit(X)
    with pytest.raises(InputError, match="weights do not determine the networks"):
        ts.check_kkt(np.zeros((4, 4)), X, score="mlp")
    with pytest.raises(InputError, match="needs the rows"):
        ts.Topo("mlp").fit_covariance(np.eye(3), 100)
    with pytest.warns(ts.ToposwapWarning, match="rows are few for 20 hidden units"):
        ts.Topo("mlp", "none").fit(X[:50])
