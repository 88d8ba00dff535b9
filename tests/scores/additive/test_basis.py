"""Additive models: Q by its definition, independent solvers, awkward columns, and pruning."""

import numpy as np
import pytest
from curves import additive_table
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

import toposwap as ts
from toposwap.certificate import certify
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.graph import topological_order
from toposwap.core.order import Order
from toposwap.metrics import compare
from toposwap.scores import Basis, GroupBasis, LeastSquares, surrogate_order
from toposwap.scores.additive.score import surrogate
from toposwap.search import AutoSearch, run

SETTINGS = [
    Basis(),
    Basis("polynomials", n_functions=4),
    Basis("fourier", n_functions=5, smoothness=0.0),
    Basis(n_functions=4, smoothness=1e-3, ridge=0.2),
]
SPARSE = [GroupBasis(), GroupBasis("lasso", weight=0.1), GroupBasis("mcp", 0.2, 2.0, "fourier", 4)]
ALL = pytest.mark.parametrize("score", [*SETTINGS, *SPARSE], ids=repr)
DENSE = pytest.mark.parametrize("score", SETTINGS, ids=repr)


def bound_to(score, seed, **shape):
    X, A = additive_table(seed, **shape)
    return score.bind(Dataset.from_table(X)), X, A


def functions_of(bound, X):
    """Phi of every column, (n, d, m), through the expansions alone."""
    Phi = np.zeros((len(X), bound.data.d, bound.size))
    for j, expansion in enumerate(bound.design.expansions):
        Phi[:, j, : expansion.size] = expansion(X[:, j])
    return Phi


@ALL
@given(seed=st.integers(0, 100))
@examples(10)
def test_q_is_its_definition(score, seed):
    bound, X, _ = bound_to(score, seed, d=4, n=100)
    rng = np.random.default_rng(seed)
    d, m = 4, bound.size
    theta = (
        rng.standard_normal((d, m, d))
        * (rng.random((d, 1, d)) < 0.7)
        * bound.design.present[:, :, None]
    )
    theta[np.arange(d), :, np.arange(d)] = 0.0
    Phi = functions_of(bound, X)
    left = X - X.mean(axis=0) - np.einsum("nir,irj->nj", Phi, theta)
    loss = np.sum(left**2) / (2 * len(X))
    if isinstance(score, Basis):
        rho = bound.design.roughness
        curve = (score.smoothness * rho + score.ridge)[:, :, None]
        penalty = 0.5 * np.sum(curve * theta**2)
    else:
        length = np.linalg.norm(theta, axis=1)
        kink = bound.weight * np.sqrt(bound.design.present.sum(axis=1))[:, None]
        penalty = np.sum(kink * length)
        if score.penalty == "mcp":
            flat = 0.5 * score.beta * kink**2
            bent = kink * length - length**2 / (2 * score.beta)
            penalty = np.sum(np.where(length > score.beta * kink, flat, bent))
    point = bound.evaluate(theta)
    assert point.value == pytest.approx(loss + penalty, rel=1e-9)
    assert point.penalty == pytest.approx(penalty, rel=1e-9)
    np.testing.assert_allclose(point.weights, np.abs(theta).sum(axis=1))


@DENSE
def test_a_node_is_a_penalised_regression(score):
    """Solved by stacking the penalty's rows under the data, with NumPy alone."""
    bound, X, _ = bound_to(score, 1, d=4, n=120)
    order = Order([2, 0, 3, 1])
    theta = bound.fit(order).parameters()
    Phi = functions_of(bound, X)
    for k, j in enumerate(order):
        before = list(order)[:k]
        assert not theta[[i for i in range(4) if i not in before], :, j].any()
        if not before:
            continue
        chosen = Phi[:, before].reshape(len(X), -1)
        weights = (score.smoothness * bound.design.roughness[before] + score.ridge).ravel()
        rows = np.vstack([chosen / np.sqrt(len(X)), np.diag(np.sqrt(weights))])
        y = np.concatenate([(X[:, j] - X[:, j].mean()) / np.sqrt(len(X)), np.zeros(weights.size)])
        expected = np.linalg.lstsq(rows, y, rcond=None)[0]
        np.testing.assert_allclose(theta[before, :, j].ravel(), expected, atol=1e-8)


def test_with_lines_alone_it_is_least_squares():
    X, _ = additive_table(3)
    data = Dataset.from_table(X)
    lines, plain = Basis(n_functions=1).bind(data), LeastSquares().bind(data)
    order = Order(np.random.default_rng(0).permutation(6))
    one, two = lines.fit(order), plain.fit(order)
    assert one.value == pytest.approx(two.value, rel=1e-12)
    deviations = X.std(axis=0)
    np.testing.assert_allclose(
        one.parameters()[:, 0], two.parameters() * deviations[:, None], atol=1e-10
    )
    for v in range(6):
        np.testing.assert_allclose(
            one.insertion_profile(v), two.insertion_profile(v), atol=1e-10 * one.value
        )
    assert all(fit.bound.solve_exactly(fit) for fit in (one, two))
    assert one.order == two.order


@ALL
def test_no_feasible_perturbation_lowers_a_certified_score(score):
    """200 directions of the blocks that keep the graph a DAG."""
    bound, _, _ = bound_to(score, 5, d=4, n=150)
    rng = np.random.default_rng(0)
    fit = bound.fit(Order(rng.permutation(4)))
    run(AutoSearch(), fit, bound.data.names, rng=rng)
    theta = fit.parameters()
    point = bound.evaluate(theta)
    assert certify(point, convex=score.convex, tolerance=bound.tolerance).satisfied
    for _ in range(200):
        edges = (rng.random((4, 4)) < rng.random()) & ~np.eye(4, dtype=bool)
        step = rng.standard_normal(theta.shape) * edges[:, None, :]
        moved = theta + 1e-5 * step * bound.design.present[:, :, None]
        if topological_order(np.abs(moved).sum(axis=1) != 0.0) is not None:
            assert bound.evaluate(moved).value >= point.value * (1 - 1e-13)


@ALL
def test_a_perturbed_solution_is_not_certified(score):
    bound, _, _ = bound_to(score, 5, d=4, n=150)
    fit = bound.fit(surrogate_order(bound.data))
    theta = fit.parameters()
    i, r, j = np.argwhere(theta)[0]
    theta[i, r, j] += 1e-3
    certificate = certify(bound.evaluate(theta), convex=True, tolerance=bound.tolerance)
    assert not certificate.satisfied
    assert certificate.worst[1] == j
    # Nor is a cycle, however good.
    theta[j, 0, i] = 1e-3
    assert not certify(bound.evaluate(theta), convex=True, tolerance=1e-4).satisfied


@pytest.mark.parametrize("score", ["basis", "basis-mcp"])
@pytest.mark.parametrize("mechanism_seed", [0, 1, 2])
def test_curves_that_lines_cannot_see_are_found(score, mechanism_seed):
    X, A = additive_table(mechanism_seed, d=8, n=800)
    model = ts.Topo(score).fit(X)
    assert model.certificate_.satisfied
    assert compare(A, model.adjacency_matrix_).shd <= 2
    assert compare(A, ts.Topo("bic").fit(X).adjacency_matrix_).shd > 3


# --- pruning, starting orders, blocks in the common machinery ------------------------------------


def test_pruning_keeps_what_matters_and_fits_it_again():
    X, A = additive_table(7, d=7, n=600)
    model = ts.Topo("basis").fit(X)
    kept = model.adjacency_matrix_ != 0.0
    assert (kept <= (model.weights_ != 0.0)).all()
    assert compare(A, model.adjacency_matrix_).shd <= 1
    assert model.threshold_ is None
    bound = Basis().bind(Dataset.from_table(X))
    point = bound.evaluate(model.result_.pruned.parameters)
    # Stationary where there is an edge.
    scale = np.outer(point.row_scale, point.column_scale)
    assert (point.gradient <= 1e-9 * scale)[kept].all()
    assert point.value > model.score_
    # By number it is a threshold on the 1-norms, as for any score.
    by_size = ts.Topo("basis", prune=0.5).fit(X)
    assert not by_size.result_.pruned.refitted
    np.testing.assert_array_equal(
        by_size.adjacency_matrix_, np.where(model.weights_ >= 0.5, model.weights_, 0.0)
    )


def test_independent_columns_stay_unconnected():
    """At the stated level: one in a hundred nodes may have a superfluous parent."""
    found = 0
    for seed in range(10):
        X = np.random.default_rng(seed).standard_normal((300, 10))
        found += np.count_nonzero(ts.Topo("basis").fit(X).adjacency_matrix_)
    assert found <= 4


@pytest.mark.parametrize("search", ["auto", "paper", "insertion"])
@pytest.mark.parametrize("score", ["basis", "basis-lasso"])
def test_renaming_reflecting_and_common_units_change_nothing(score, search):
    X, _ = additive_table(2, d=6, n=200)
    rng = np.random.default_rng(0)
    start = rng.permutation(6)
    here = ts.Topo(score, search, start).fit(X)
    for factor in (1.0, 1e-100, 1e100):
        old, sign = rng.permutation(6), rng.choice([-1.0, 1.0], 6)
        new = np.argsort(old)
        there = ts.Topo(score, search, new[start]).fit(X[:, old] * sign * factor)
        assert there.causal_order_ == new[here.causal_order_].tolist()
        assert there.score_ == pytest.approx(here.score_ * factor**2, rel=1e-8)
        assert there.n_iter_ == here.n_iter_
        for mine, theirs in (
            (here.weights_, there.weights_),
            (here.adjacency_matrix_, there.adjacency_matrix_),
        ):
            np.testing.assert_allclose(
                theirs, mine[np.ix_(old, old)] * factor, rtol=1e-5, atol=1e-6 * factor
            )


def test_the_same_seed_gives_the_same_result():
    X, _ = additive_table(4)
    one, two = (ts.Topo("basis", init="random", random_state=3).fit(X) for _ in range(2))
    np.testing.assert_array_equal(one.result_.parameters, two.result_.parameters)
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


def test_surrogate_order_is_a_local_minimum_and_cheap_data_are_enough():
    X, A = additive_table(6, d=8, n=500)
    data = Dataset.from_table(X)
    order = surrogate_order(data)
    fit = surrogate(data).fit(order)
    assert min(fit.insertion_profile(v).min() for v in range(8)) >= -fit.resolution
    assert fit.swap_changes(fit.all_pairs()).min() >= -fit.resolution
    assert (order.positions[:, None] < order.positions)[A].mean() > 0.9
    several = surrogate_order(data, np.random.default_rng(0), n_starts=4)
    assert fit.delta(several) <= fit.resolution
    # Also where there are fewer rows than columns, or one column twice.
    few = Dataset.from_table(np.random.default_rng(0).standard_normal((6, 9)))
    twins = Dataset.from_table(np.column_stack([X, X[:, 3]]))
    assert len(surrogate_order(few)) == len(surrogate_order(twins)) == 9


def test_blocks_in_check_kkt_and_refine():
    X, _ = additive_table(8, d=5, n=200)
    model = ts.Topo("basis", search="none", init="random", random_state=0).fit(X)
    theta = model.result_.parameters
    certificate = ts.check_kkt(theta, X, score="basis")
    assert certificate.satisfied
    np.testing.assert_allclose(certificate.matrix, model.certificate_.matrix)
    assert ts.check_kkt(model.causal_order_, X, score="basis").satisfied
    assert ts.check_kkt(Order(range(5)), X, score="least-squares").satisfied
    with pytest.raises(InputError, match=r"weights do not determine.*\(5, 8, 5\).*\(5, 5\)"):
        ts.check_kkt(model.weights_, X, score="basis")
    bad = theta.copy()
    bad[0, 0, 1] = np.nan
    with pytest.raises(InputError, match="parameters: NaN"):
        ts.check_kkt(bad, X, score="basis")
    for start in (model.weights_, theta, model.causal_order_):
        assert ts.refine(start, X, score="basis").score_ <= model.score_
    with pytest.raises(InputError, match=r"W: shape \(5, 8, 5\)"):
        ts.refine(theta, X, score="least-squares")


def test_coefficients_of_functions_that_do_not_exist_are_refused():
    X, _ = additive_table(8, d=3, n=200)
    X[:, 1] = X[:, 1] > 0
    theta = ts.Topo("basis").fit(X).result_.parameters.copy()
    assert not theta[1, 1:].any()
    theta[1, 3, 0] = 1.0
    with pytest.raises(InputError, match="column 'x1' has only 1 functions"):
        ts.check_kkt(theta, X, score="basis")


def test_a_table_that_is_not_centred_keeps_its_means_in_the_residuals():
    X, _ = additive_table(9, d=4, n=150)
    data = Dataset.from_table(X + 1.0, center=False)
    bound = Basis(n_functions=3).bind(data)
    fit = bound.fit(Order(range(4)))
    point = bound.evaluate(fit.parameters())
    assert point.value == pytest.approx(fit.value, rel=1e-10)
    fitted = bound.predict(fit.parameters(), X + 1.0)
    loss = np.sum((X + 1.0 - fitted) ** 2) / (2 * len(X))
    assert point.value - point.penalty == pytest.approx(loss, rel=1e-9)
