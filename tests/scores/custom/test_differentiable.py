"""A user's own Q under every search, with the certificate of every other score."""

from itertools import pairwise, permutations

import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from own_scores import (
    cubic_of_a_node,
    cubic_start,
    nothing,
    pooled,
    squares,
    squares_of_a_node,
)
from scipy.optimize import minimize
from tables import real_table

import toposwap as ts
from toposwap.certificate import certify, violations
from toposwap.core.dataset import Dataset
from toposwap.core.graph import topological_order
from toposwap.core.order import Order
from toposwap.scores import Differentiable, LeastSquares, Penalized
from toposwap.search import SEARCHES, run
from toposwap.search.moves.update_sort import with_edge

JOINT = Differentiable(squares, nothing, backend="numpy", convex=True)
NODES = Differentiable(squares_of_a_node, nothing, backend="numpy", convex=True, separable=True)
LASSO = Differentiable(
    squares_of_a_node, nothing, backend="numpy", convex=True, separable=True, penalty="l1"
)
CUBIC = Differentiable(
    cubic_of_a_node, cubic_start, backend="numpy", convex=True, separable=True, penalty="l1"
)
POOLED = Differentiable(pooled, nothing, backend="numpy")
SPARSE_POOLED = Differentiable(pooled, nothing, backend="numpy", penalty=ts.penalties.L1(0.2))
EVERY = {
    "joint": JOINT,
    "nodes": NODES,
    "lasso": LASSO,
    "cubic": CUBIC,
    "pooled": POOLED,
    "sparse pooled": SPARSE_POOLED,
}
ALL = pytest.mark.parametrize("score", EVERY.values(), ids=list(EVERY))


def bound_to(score, seed, d=4):
    return score.bind(Dataset.from_table(real_table(seed, d, n=80)))


def random_parameters(bound, rng, size=0.3):
    problem = bound.problem
    vector = size * rng.standard_normal(problem.layout.p)
    vector[problem.layout.loops] = 0.0
    return vector


@ALL
@examples(6)
@given(seed=st.integers(0, 1000))
def test_gradient_of_every_block(score, seed):
    """Finite differences of Q, entry by entry, summed over the block."""
    bound, rng = bound_to(score, seed), np.random.default_rng(seed)
    layout = bound.problem.layout
    vector = random_parameters(bound, rng)
    point = bound.evaluate(layout.unpack(vector))
    slopes = np.zeros(layout.p)
    for k in np.flatnonzero(~layout.loops):
        ends = []
        for sign in (1.0, -1.0):
            moved = vector.copy()
            moved[k] += sign * 1e-6
            ends.append(bound.evaluate(layout.unpack(moved)).value)
        slopes[k] = abs(ends[0] - ends[1]) / 2e-6
    np.testing.assert_allclose(point.gradient, layout.per_edge(slopes), rtol=1e-4, atol=1e-5)
    rest = slopes[~layout.is_edge].max(initial=0.0) / bound.problem.rest_scale
    assert point.rest == pytest.approx(rest, rel=1e-4, abs=1e-6)
    size = layout.per_edge(np.abs(vector))
    np.testing.assert_allclose(np.abs(point.weights), size, rtol=1e-12)


@ALL
@examples(6)
@given(seed=st.integers(0, 1000))
def test_a_fit_solves_its_order(score, seed):
    """Against scipy on the free variables alone, where a kink is two bounded variables."""
    bound, rng = bound_to(score, seed), np.random.default_rng(seed)
    problem = bound.problem
    layout = problem.layout
    order = Order(rng.permutation(4))
    fit = bound.fit(order)
    allowed = order.positions[:, None] < order.positions
    free = np.flatnonzero(layout.free(allowed))
    solution = layout.pack(fit.parameters())
    assert not np.delete(solution, free).any()

    def q(halves):
        vector = np.zeros(layout.p)
        vector[free] = halves[: len(free)] - halves[len(free) :]
        value, gradient = 0.0, np.zeros(layout.p)
        for part in problem.parts:
            more, slope = problem.call(part, vector[part.places])
            value += more
            gradient[part.places] += slope
        kink = problem.kink[free]
        value += kink @ (halves[: len(free)] + halves[len(free) :])
        return value, np.concatenate([gradient[free] + kink, -gradient[free] + kink])

    begin = problem.starts[0, free]
    start = np.concatenate([np.maximum(begin, 0.0), np.maximum(-begin, 0.0)])
    reference = minimize(
        q,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * (2 * len(free)),
        options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-9},
    )
    assert fit.value == pytest.approx(reference.fun, rel=1e-8, abs=1e-8)
    assert fit.value == pytest.approx(fit.point().value, rel=1e-12)
    # Every allowed block is stationary, and so is the rest.
    point = fit.point()
    scale = np.outer(point.row_scale, point.column_scale)
    assert (point.gradient <= score.tolerance * scale)[allowed].all()
    assert point.rest <= score.tolerance


@ALL
@pytest.mark.parametrize("search", [name for name in SEARCHES if name != "exact"])
def test_every_search_goes_down_to_a_certified_point(score, search):
    for seed in range(2):
        bound, rng = bound_to(score, seed), np.random.default_rng(seed)
        fit = bound.fit(Order(rng.permutation(4)))
        history, status = run(SEARCHES[search](), fit, bound.data.names, rng=rng)
        assert status == SEARCHES[search].finished
        scores = [step.score for step in history]
        assert all(later < earlier for earlier, later in pairwise(scores))
        certificate = certify(
            fit.point(),
            convex=score.convex,
            separable=score.separable,
            tolerance=bound.tolerance,
        )
        if search in ("auto", "paper") or not score.selects_edges:
            assert certificate.satisfied, certificate


@pytest.mark.parametrize("name", ["joint", "nodes", "lasso", "cubic", "sparse pooled"])
@pytest.mark.thorough
def test_auto_finds_the_best_of_all_orders(name):
    score = EVERY[name]
    for seed in range(2):
        bound, rng = bound_to(score, seed), np.random.default_rng(seed)
        values = [bound.fit(Order(order)).value for order in permutations(range(4))]
        fit = bound.fit(Order(rng.permutation(4)))
        run(SEARCHES["auto"](), fit, bound.data.names, rng=rng)
        assert fit.value == pytest.approx(min(values), rel=1e-7)
        if score.separable:
            exact = bound.fit(Order(rng.permutation(4)))
            run(SEARCHES["exact"](), exact, bound.data.names, rng=rng)
            assert exact.value == pytest.approx(min(values), rel=1e-8)


@pytest.mark.parametrize(
    ("own", "ours"),
    [
        (JOINT, LeastSquares()),
        (NODES, LeastSquares()),
        (LASSO, Penalized("least-squares", "l1")),
        (
            Differentiable(
                squares_of_a_node, nothing, backend="numpy", separable=True, penalty="mcp"
            ),
            Penalized("least-squares", "mcp"),
        ),
        (
            Differentiable(squares, nothing, backend="numpy", penalty="ridge"),
            Penalized("least-squares", "ridge"),
        ),
    ],
    ids=repr,
)
@pytest.mark.parametrize("init", ["auto", "variance", "random", [2, 0, 3, 1], "weights"])
def test_same_answer_as_the_built_in_score(own, ours, init):
    X = real_table(3, 4, n=80)
    if init == "weights":
        init = np.triu(np.ones((4, 4)), 1)
    models = [
        ts.Topo(score=score, init=init, random_state=0, n_restarts=0).fit(X)
        for score in (own, ours)
    ]
    np.testing.assert_allclose(models[0].weights_, models[1].weights_, atol=1e-4)
    assert models[0].score_ == pytest.approx(models[1].score_, rel=1e-8)
    assert models[0].loss_ == pytest.approx(models[1].loss_, rel=1e-4)
    np.testing.assert_array_equal(models[0].weights_ == 0.0, models[1].weights_ == 0.0)
    assert models[0].certificate_.satisfied


@examples(8)
@given(st.integers(0, 1000), st.sampled_from(["lasso", "cubic", "sparse pooled"]))
def test_no_feasible_perturbation_lowers_a_certified_score(seed, name):
    """Of all entries of all blocks that keep the graph a DAG, and of the rest."""
    bound, rng = bound_to(EVERY[name], seed), np.random.default_rng(seed)
    layout = bound.problem.layout
    fit = bound.fit(Order(rng.permutation(4)))
    run(SEARCHES["auto"](), fit, bound.data.names, rng=rng)
    point = fit.point()
    assert certify(point, convex=False, tolerance=bound.tolerance).satisfied
    vector = layout.pack(fit.parameters())
    for _ in range(50):
        step = rng.standard_normal(layout.p) * (rng.random(layout.p) < rng.random())
        step[layout.loops] = 0.0
        moved = vector + 1e-4 * step
        if topological_order(layout.weights(moved) != 0.0) is not None:
            value = bound.evaluate(layout.unpack(moved)).value
            # A residual of 1e-6 allows for this much.
            assert value >= point.value - 1e-9 * max(1.0, abs(point.value))


def test_violations_of_a_separable_score_are_ways_down():
    found = 0
    for seed in range(12):
        bound, rng = bound_to(LASSO, seed, d=5), np.random.default_rng(seed)
        fit = bound.fit(Order(rng.permutation(5)))
        point = fit.point()
        for i, j in violations(point, bound.tolerance).tolist():
            found += 1
            order = with_edge(fit.order, point.weights, i, j)
            assert fit.delta(order) < 0.0
    assert found > 0


def test_a_weight_matrix_can_be_checked_where_it_says_it_all():
    def with_offset(theta, X):
        value, gradient = squares(theta["W"], X - theta["m"])
        R = (X - theta["m"]) @ (np.eye(len(theta["W"])) - theta["W"])
        slope = -(R @ (np.eye(len(theta["W"])) - theta["W"]).T).mean(axis=0)
        return value, {"W": gradient, "m": slope}

    score = Differentiable(
        with_offset, lambda X: {"W": nothing(X), "m": np.ones(X.shape[1])}, backend="numpy"
    )
    X = real_table(5, 4, n=80)
    model = ts.Topo(score=score).fit(X)
    assert ts.check_kkt(model.weights_, X, score=score).satisfied
    assert not ts.check_kkt(1.1 * model.weights_, X, score=score).satisfied
    plain = ts.Topo("least-squares").fit(X)
    assert model.score_ == pytest.approx(plain.score_, rel=1e-8)
    with pytest.raises(ts.InputError, match="2 numbers for each edge"):
        ts.check_kkt(model.weights_, X, score=CUBIC)


def test_what_a_user_may_give_as_parameters():
    bound = bound_to(JOINT, 0)
    W = np.triu(np.ones((4, 4)), 1)
    names = list(bound.data.names)
    np.testing.assert_array_equal(bound.as_parameters(W.tolist()), W)
    frame = pd.DataFrame(W, index=names, columns=names)
    np.testing.assert_array_equal(bound.as_parameters(frame.iloc[::-1]), W)
    with pytest.raises(ts.InputError):
        bound.as_parameters(np.ones((3, 3)))
    cubic = bound_to(CUBIC, 0)
    theta = {"B": np.ones((4, 4, 2)), "c": np.zeros(4)}
    np.testing.assert_array_equal(cubic.as_parameters(theta)["B"], theta["B"])
    with pytest.raises(ts.InputError, match=r"parameters 'c': must have shape \(4,\)"):
        cubic.as_parameters({**theta, "c": np.zeros(3)})


def test_blocks_may_stand_anywhere_in_an_array():
    """Axes (cause, effect) of an array (m, effect, cause) give the same as (cause, effect, m)."""

    def turned(theta, X, j):
        value, gradient = cubic_of_a_node({"B": theta["B"].T, "c": theta["c"]}, X, j)
        return value, {"B": gradient["B"].T, "c": gradient["c"]}

    def start(X):
        return {"c": np.zeros(X.shape[1]), "B": np.zeros((2, X.shape[1], X.shape[1]))}

    score = Differentiable(
        turned,
        start,
        blocks={"B": (2, 1)},
        backend="numpy",
        separable=True,
        convex=True,
        penalty="l1",
    )
    X = real_table(2, 4, n=80)
    models = [ts.Topo(score=s, search="exact").fit(X) for s in (score, CUBIC)]
    np.testing.assert_allclose(models[0].weights_, models[1].weights_, atol=1e-5)
    assert models[0].score_ == pytest.approx(models[1].score_, rel=1e-9)


def test_the_condition_of_the_theorem_is_told():
    X = real_table(1, 4, n=80)
    for score, condition in (
        (NODES, "separable"),
        (POOLED, "connected"),
        (
            Differentiable(pooled, nothing, backend="numpy", penalty=ts.penalties.L1(1.0)),
            "not connected",
        ),
    ):
        model = ts.Topo(score=score).fit(X)
        assert model.certificate_.condition == condition
        assert model.certificate_.satisfied
        assert ts.check_kkt(model.weights_, X, score=score).condition == condition


def test_predictions_are_the_users_own():
    predicting = Differentiable(squares, nothing, backend="numpy", predict=lambda W, X: X @ W)
    table = real_table(0, 4) + 5.0
    bound = predicting.bind(Dataset.from_table(table))
    W = bound.fit(Order(range(4))).parameters()
    mean = table.mean(axis=0)
    np.testing.assert_allclose(bound.predict(W, table), mean + (table - mean) @ W)
    with pytest.raises(NotImplementedError, match="predict="):
        bound_to(JOINT, 0).predict(W, table)
    short = Differentiable(squares, nothing, backend="numpy", predict=lambda W, X: X[0])
    with pytest.raises(ts.InputError, match="predict: must return a table of shape"):
        short.bind(bound.data).predict(W, table)


def test_a_flat_start_is_left_where_the_start_is_not_flat():
    """f = v * a x: at a = 0, v = 0 nothing has a gradient, but a node gets parents later on."""

    def product(theta, X, j):
        r = X[:, j] - theta["v"] * (X @ theta["a"])
        back = -X.T @ r / len(X)
        value = 0.5 * np.mean(r * r) + 0.005 * theta["v"] ** 2
        return value, {"a": theta["v"] * back, "v": theta["a"] @ back + 0.01 * theta["v"]}

    score = Differentiable(
        product,
        lambda X: {"a": np.full((X.shape[1], X.shape[1]), 0.1), "v": np.ones(X.shape[1])},
        separable=True,
        backend="numpy",
        penalty=ts.penalties.L1(0.01),
    )
    rng = np.random.default_rng(0)
    x = rng.standard_normal(300)
    X = np.column_stack([2.0 * x + rng.standard_normal(300), x])
    model = ts.Topo(score=score, init=[0, 1]).fit(X)
    assert model.causal_order_ == [1, 0]
