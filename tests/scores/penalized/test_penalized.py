"""Every loss with every penalty: derivatives, deltas, searches, certificates."""

from dataclasses import replace
from itertools import pairwise, permutations

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from pairs import PAIRS, has_a_slope, name_of, problem
from tables import suited_to

import toposwap as ts
from toposwap.certificate import certify
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.graph import topological_order
from toposwap.core.order import Order
from toposwap.orderfit.separable import SeparableFit
from toposwap.search import SEARCHES, run

SHAPED = [score for score in PAIRS if has_a_slope(score)]
EVERY = pytest.mark.parametrize("score", PAIRS, ids=name_of)
SOLVED = pytest.mark.parametrize("score", SHAPED, ids=name_of)
SOME = examples(15)
seeds = st.integers(0, 1000)


def written_out(score, X, W, b):
    """Q from the rows and the formulas of the two parts."""
    F = b + X @ W
    if score.loss.separable:
        losses = score.loss.columns(Dataset.from_table(X))
        loss = sum(losses[j].value(X[:, j], F[:, j]) for j in range(X.shape[1]))
    else:
        loss = score.loss.value(X, F)
    return loss + score.penalty.bind(*X.shape).value(W)


@SOLVED
@SOME
@given(seed=seeds)
def test_value_and_gradient(score, seed):
    """Against the rows, and against differences of the value."""
    bound, rng = problem(score, seed)
    d = bound.data.d
    W = rng.uniform(0.1, 0.4, (d, d)) * rng.choice([-1, 1], (d, d))
    np.fill_diagonal(W, 0.0)
    point = bound.evaluate(W)
    expected = written_out(score, bound.data.rows, W, bound.intercepts(W))
    assert point.value == pytest.approx(expected, rel=1e-10)
    assert point.penalty == pytest.approx(score.penalty.value(W))
    for i, j in rng.integers(d, size=(6, 2)):
        if i == j:
            continue
        step = np.zeros((d, d))
        step[i, j] = 1e-5
        slope = (bound.evaluate(W + step).value - bound.evaluate(W - step).value) / 2e-5
        size = point.row_scale[i] * point.column_scale[j]
        assert point.gradient[i, j] == pytest.approx(abs(slope), rel=1e-5, abs=1e-7 * size)


@SOLVED
@SOME
@given(seed=seeds)
def test_what_a_node_uses_and_wants(score, seed):
    """Other changes leave the solution as it is, exactly."""
    bound, rng = problem(score, seed)
    d = bound.data.d
    node = int(rng.integers(d))
    allowed = (rng.random(d) < 0.5) & (np.arange(d) != node)
    fit = bound.fit_node(node, allowed, None)
    for u in set(range(d)) - {node}:
        other = allowed.copy()
        other[u] = not allowed[u]
        matters = fit.support[u] if allowed[u] else fit.violating[u]
        again = bound.fit_node(node, other, fit)
        if matters:
            assert (again.parameters[0] != fit.parameters[0]).any()
        else:
            assert again.value == pytest.approx(fit.value, rel=1e-12, abs=1e-14)
            np.testing.assert_allclose(again.parameters[0], fit.parameters[0], atol=1e-9)


@EVERY
@pytest.mark.parametrize("search", ["auto", "paper", "insertion", "none"])
def test_searches_go_down_to_a_certified_point(score, search):
    for seed in range(2):
        bound, rng = problem(score, seed, d=6)
        fit = bound.fit(Order(rng.permutation(6)))
        history, status = run(SEARCHES[search](), fit, bound.data.names, rng=rng)
        values = [step.score for step in history]
        assert status == SEARCHES[search].finished
        assert all(later < earlier for earlier, later in pairwise(values))
        point = bound.evaluate(fit.parameters())
        assert point.value == pytest.approx(fit.value, rel=1e-9)
        certificate = certify(point, convex=score.convex, tolerance=bound.tolerance)
        assert certificate.satisfied or search in ("insertion", "none"), certificate
        assert certificate.kind == ("local minimum" if score.convex else "KKT point")


@EVERY
@pytest.mark.parametrize("init", ["auto", "variance", "random", "order", "weights"])
def test_every_start(score, init):
    X = suited_to(score, 0)
    order = [3, 1, 4, 0, 2]
    W = np.zeros((5, 5))
    W[order[:-1], order[1:]] = 0.5
    start = {"order": order, "weights": W}.get(init, init)
    model = ts.Topo(score=score, init=start, prune=None, random_state=0).fit(X)
    assert model.certificate_.satisfied, model.certificate_
    assert model.loss_ <= model.score_
    assert ts.check_kkt(model.weights_, X, score=score).satisfied


@EVERY
@SOME
@given(seed=seeds)
def test_the_certificate_notices_perturbations(score, seed):
    bound, rng = problem(score, seed)
    fit = bound.fit(Order(rng.permutation(5)))
    run(SEARCHES["auto"](), fit, bound.data.names, rng=rng)
    W = bound.evaluate(fit.parameters()).weights
    edges = np.argwhere(W)
    if len(edges):
        i, j = edges[rng.integers(len(edges))]
        moved = W.copy()
        moved[i, j] *= 1.001
        assert not certify(bound.evaluate(moved), convex=score.convex, tolerance=bound.tolerance)
        # Without the edge, a penalty that is not convex may have another stationary point.
        if score.penalty.convex:
            gone = W.copy()
            gone[i, j] = 0.0
            assert not certify(bound.evaluate(gone), convex=score.convex, tolerance=1e-8)
    # An absent edge that the order allows, a little present.
    free = np.argwhere((fit.order.positions[:, None] < fit.order.positions) & (W == 0.0))
    if len(free):
        i, j = free[rng.integers(len(free))]
        added = W.copy()
        added[i, j] = 1e-3
        assert not certify(bound.evaluate(added), convex=score.convex, tolerance=bound.tolerance)


@EVERY
@examples(5)
@given(seed=seeds)
def test_no_small_step_leads_down_from_a_certified_point(score, seed):
    """To first order, along 50 directions that keep the graph a DAG."""
    bound, rng = problem(score, seed)
    fit = bound.fit(Order(rng.permutation(5)))
    run(SEARCHES["auto"](), fit, bound.data.names, rng=rng)
    point = bound.evaluate(fit.parameters())
    for _ in range(50):
        step = rng.standard_normal((5, 5)) * (rng.random((5, 5)) < rng.random())
        np.fill_diagonal(step, 0.0)
        moved = point.weights + 1e-6 * step
        if topological_order(moved != 0.0) is not None:
            assert bound.evaluate(moved).value >= point.value - 1e-10 * abs(point.value)


def provable(score):
    """Whether the best of all orders can be known."""
    one_solution = score.convex or score.penalty.name == "none"
    by_subsets = not has_a_slope(score) and score.separable
    return one_solution or by_subsets


@EVERY
@pytest.mark.thorough
def test_brute_force_over_orders(score):
    """All 120 of them, fitted from scratch."""
    bound, rng = problem(score, 1)
    best = min(bound.fit(Order(order)).value for order in permutations(range(5)))
    close = 1e-9 * abs(best)
    exact = bound.fit(Order(rng.permutation(5)))
    if provable(score):
        run(SEARCHES["exact"](), exact, bound.data.names, rng=rng)
        # From scratch a choice of parents need not be the best one.
        assert exact.value <= best + close
        assert exact.value >= best - close or not has_a_slope(score)
    else:
        with pytest.raises(InputError, match="search='exact'"):
            run(SEARCHES["exact"](), exact, bound.data.names, rng=rng)
    values = []
    # With several solutions a node, one start in three may end elsewhere.
    for _ in range(3 if provable(score) else 10):
        fit = bound.fit(Order(rng.permutation(5)))
        run(SEARCHES["auto"](), fit, bound.data.names, rng=rng)
        values.append(fit.value)
    assert min(values) <= best + close
    if provable(score):
        assert min(values) >= exact.value - close


@EVERY
@SOME
@given(seed=seeds)
def test_deltas_are_what_refitting_every_node_costs(score, seed):
    """The tables leave out only nodes that would stay what they are.

    Where a node may have several solutions, it is refitted from the one it has.
    """
    bound, rng = problem(score, seed)
    fit = bound.fit(Order(rng.permutation(5)))
    pairs = fit.all_pairs()
    changes = fit.swap_changes(pairs)
    for (i, j), change in zip(pairs.tolist(), changes, strict=True):
        order = fit.order.swap(i, j)
        if score.convex:
            value = bound.fit(order).value
        elif isinstance(fit, SeparableFit):
            positions = order.positions
            nodes = [fit._solve(v, positions < positions[v], fit._nodes[v]) for v in range(5)]
            value = bound.evaluate(bound.assemble(nodes)).value
        else:
            here = fit.snapshot()
            fit.swap(i, j)
            value = fit.value
            fit.restore(here)
        assert value - fit.value == pytest.approx(change, abs=1e-8 * max(abs(fit.value), 1.0))


@EVERY
@SOME
@given(seed=seeds)
def test_moves_cost_what_they_were_priced_at(score, seed):
    bound, rng = problem(score, seed, d=6)
    fit = bound.fit(Order(rng.permutation(6)))
    for _ in range(5):
        before = fit.value
        v = int(rng.integers(6))
        profile = fit.insertion_profile(v)
        k = int(profile.argmin())
        if profile[k] < 0.0:
            fit.insert(v, k)
            assert kept(score, fit.value, before + profile[k])
            continue
        pairs = fit.all_pairs()
        changes = fit.swap_changes(pairs)
        best = int(changes.argmin())
        if changes[best] < 0.0:
            fit.swap(*pairs[best].tolist())
            assert kept(score, fit.value, before + changes[best])


def kept(score, value, promised):
    """A delta is exact; a score that does not separate may promise less than a move brings."""
    exact = value == pytest.approx(promised, rel=1e-10)
    return exact or (not score.separable and value < promised)


@EVERY
def test_snapshots_bring_everything_back(score):
    bound, rng = problem(score, 0, d=6)
    fit = bound.fit(Order(rng.permutation(6)))
    order, value, W = fit.order, fit.value, fit.point().weights.copy()
    snapshot = fit.snapshot()
    for _ in range(4):
        fit.insert(int(rng.integers(6)), int(rng.integers(6)))
    fit.restore(snapshot)
    assert fit.order == order
    assert fit.value == value
    np.testing.assert_array_equal(fit.point().weights, W)


def test_a_remembered_minimum_that_is_worse_than_the_present_one_is_not_taken():
    """What a concave penalty ends at depends on where it starts: more parents never cost more."""
    X = ts.simulate.linear_dataset(5, 300, "ER2", random_state=1).X
    fit = ts.scores.Penalized("gaussian", "mcp").bind(Dataset.from_table(X)).fit(Order(range(5)))
    other = Order([1, 0, 2, 3, 4])
    honest = fit.delta(other)
    for key, node in fit._memory.items():
        if key[0] == 0:
            fit._memory[key] = replace(node, value=node.value + 1.0)
    assert fit.delta(other) == pytest.approx(honest, abs=1e-12)
