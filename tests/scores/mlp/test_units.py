"""Networks on columns of any scale: the same Q whatever units it is solved in."""

import warnings

import numpy as np
import pytest

import toposwap as ts
from toposwap.core.dataset import Dataset
from toposwap.core.order import Order
from toposwap.scores.mlp import table as tables
from toposwap.scores.mlp.loss import NodeLoss
from toposwap.scores.mlp.score import Networks

SMALL = {"hidden": 4, "n_starts": 1}
#: Powers of two, so that dividing by them changes no digit.
SCALES = 2.0 ** np.array([-3, 2, 0, 5])


def chain(n=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    X[:, 1] += X[:, 0]
    X[:, 2] += 0.5 * X[:, 1] ** 2 + X[:, 0]
    X[:, 3] -= X[:, 2]
    return X


def bound(X, monkeypatch=None, **settings):
    """With ``monkeypatch`` every column counts as one of no ordinary size."""
    if monkeypatch is not None:
        monkeypatch.setattr(tables, "_SMALL", np.inf)
    return ts.scores.MLP(**{**SMALL, **settings}).bind(Dataset.from_table(X))


def random_networks(d, h, *, bias):
    rng = np.random.default_rng(1)
    first = rng.standard_normal((d, h, d)) * (rng.random((d, 1, d)) < 0.6)
    first[np.arange(d), :, np.arange(d)] = 0.0
    biases, output = rng.standard_normal((2, h, d))
    return Networks(first, bias * biases, output, bias * rng.standard_normal(d))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("loss", ["least-squares", "gaussian", "huber"])
def test_q_and_its_derivatives_do_not_depend_on_the_units_they_are_computed_in(
    loss, bias, monkeypatch
):
    X = chain() * SCALES
    plain = bound(X, loss=loss, bias=bias)
    scaled = bound(X, monkeypatch, loss=loss, bias=bias)
    assert (plain.table.sizes == 1.0).all()
    assert (scaled.table.sizes != 1.0).any()
    p = random_networks(4, 4, bias=bias)
    one, other = plain.evaluate(p), scaled.evaluate(p)
    assert one.value == pytest.approx(other.value, rel=1e-12)
    assert one.penalty == other.penalty
    np.testing.assert_allclose(one.gradient, other.gradient, rtol=1e-9)
    np.testing.assert_allclose(one.relative, other.relative, rtol=1e-9)
    np.testing.assert_allclose(one.row_scale, other.row_scale)
    np.testing.assert_allclose(one.column_scale, other.column_scale)
    for j in range(4):
        values = [b.nodes.node_of(p, j).value for b in (plain, scaled)]
        assert values[0] == pytest.approx(values[1], rel=1e-12)
    networks = scaled.assemble([scaled.nodes.node_of(p, j) for j in range(4)])
    np.testing.assert_array_equal(networks.first, p.first)
    np.testing.assert_array_equal(networks.output, p.output)
    np.testing.assert_array_equal(networks.intercepts, p.intercepts)
    np.testing.assert_array_equal(plain.predict(p, X), scaled.predict(p, X))


@pytest.mark.parametrize("loss", ["least-squares", "gaussian"])
def test_a_solution_in_other_units_is_one_in_those_of_the_data(loss, monkeypatch):
    X = chain() * SCALES
    fit = bound(X, monkeypatch, loss=loss).fit(Order(range(4)))
    p, value = fit.parameters(), fit.value
    monkeypatch.undo()
    point = bound(X, loss=loss).evaluate(p)
    assert point.value == pytest.approx(value, rel=1e-12)
    allowed = np.triu(np.ones((4, 4), dtype=bool), 1)
    assert point.relative[allowed].max() < 1e-7


def test_columns_of_ordinary_size_are_taken_as_they_are():
    X = chain()
    table = bound(X).table
    assert (table.sizes == 1.0).all()
    np.testing.assert_array_equal(table.targets, X.T - X.mean(axis=0)[:, None])


def test_the_penalties_of_a_node_by_their_formula():
    sizes = np.array([1e-8, 1.0, 1e8, 1.0])
    b = bound(chain() * sizes, l1=0.02, l2=0.003)
    D = b.table.sizes
    for j in range(4):
        own = b.nodes.penalties[j]
        held = 0.003 / D**2 / D[j] ** 2 > 1e12
        np.testing.assert_allclose(own.l1[:4][~held], (0.02 / D / D[j] ** 2)[~held])
        np.testing.assert_allclose(own.decay[:4][~held], (0.003 / D**2 / D[j] ** 2)[~held])
        assert own.ridge == 0.003
        assert own.l1[4] == own.decay[4] == 0.0
        # Squares that leave nothing of a weight hold it as a kink does.
        assert (own.l1[:4][held] == 1e30).all()
        assert not own.decay[:4][held].any()


@pytest.mark.parametrize(
    "scales",
    [
        [1e-4, 1, 1e4, 1],
        [1e-77, 1, 1e77, 1],
        [1e-100, 1, 1, 1e100],
        [1e-150, 1, 1e150, 1],
        [1e150, 1, 1e-150, 1],
        [1e-150] * 4,
        [1e150] * 4,
    ],
    ids=repr,
)
def test_columns_of_any_scale_are_solved_and_certified(scales):
    X = chain() * scales
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ts.ToposwapWarning)
        model = ts.Topo(ts.scores.MLP(hidden=8, n_starts=2), random_state=0).fit(X)
        predicted = model.predict(X)
    assert model.status_ == "converged"
    assert model.certificate_.satisfied
    assert 0.0 < model.score_ < np.inf
    assert np.isfinite(model.weights_).all()
    assert np.isfinite(model.certificate_.matrix).all()
    assert np.isfinite(predicted).all()
    assert (((X - predicted) / scales).var(axis=0) <= 1.01 * (X / scales).var(axis=0)).all()


@pytest.mark.parametrize("scales", [[1e-77, 1, 1e77, 1], [1e-150] * 4, [1e150] * 4], ids=repr)
@pytest.mark.parametrize("loss", ["gaussian", "huber"])
def test_other_losses_end_with_numbers_too(loss, scales):
    score = ts.scores.MLP(loss=loss, **SMALL)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ts.ToposwapWarning)
        model = ts.Topo(score, random_state=0).fit(chain() * scales)
    assert np.isfinite(model.score_)
    assert np.isfinite(model.weights_).all()


def test_a_common_power_of_two_changes_nothing_but_what_the_penalties_mean():
    """Squares grow with its square and weights fall with it, so l1 does with its cube."""
    X, factor = chain() * 2.0**40, 2.0**20
    fits = []
    for scale in (1.0, factor):
        score = ts.scores.MLP(l1=1e33 * scale**3, **SMALL)
        with pytest.warns(ts.ToposwapWarning, match="in these units"):
            fits.append(ts.Topo(score, random_state=0, prune=None).fit(X * scale))
    one, other = fits
    assert one.weights_.any()
    assert one.causal_order_ == other.causal_order_
    np.testing.assert_array_equal(one.weights_, other.weights_ * factor)
    assert one.score_ * factor**2 == pytest.approx(other.score_, rel=1e-14)
    assert one.certificate_.max_residual == other.certificate_.max_residual


def test_a_certificate_of_extreme_columns_fails_where_a_weight_is_moved():
    """Though its derivative in the units of the data is no number."""
    b = bound(chain() * 1e150)
    p = b.fit(Order(range(4))).parameters()
    moved = Networks(1.05 * p.first, p.biases, p.output, p.intercepts)
    present = p.weights != 0.0
    assert b.evaluate(p).relative[present].max() < 1e-7
    assert b.evaluate(moved).relative[present].max() > 1e-4


@pytest.mark.parametrize("loss", [ts.losses.GaussianLoss(), ts.losses.LeastSquaresLoss()])
def test_a_perfect_fit_has_finite_terms(loss):
    y = np.float32([1.0, -2.0, 3.0])
    value, slope, curvature, coupling = NodeLoss(loss).terms(y, y.copy())
    assert np.isfinite([value, curvature, coupling]).all()
    assert not slope.any()
