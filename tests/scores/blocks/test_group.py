"""Penalties on the lengths of blocks: against other solvers, brute force, and what they promise."""

from itertools import pairwise, permutations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

import toposwap as ts
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.order import Order
from toposwap.kernels.blocks.group_gaussian import descend_gaussian
from toposwap.kernels.blocks.group_quadratic import descend_blocks
from toposwap.scores import GroupBlocks


def table_of(n=200, seed=0):
    rng = np.random.default_rng(seed)
    region = rng.choice(list("nes"), n)
    plan = np.where(rng.random(n) < 0.6, np.where(region == "n", "gold", "plus"), "none")
    loyal = rng.random(n) < np.where(plan == "gold", 0.8, 0.3)
    income = rng.standard_normal(n) + 1.5 * (region == "n") + loyal
    return pd.DataFrame({"region": region, "plan": plan, "loyal": loyal, "income": income})


def check_stationary(x, slope, starts, kinks, concavity):
    """The gradient of each block is what the penalty's slope allows."""
    for (a, b), kink in zip(pairwise(starts.tolist()), kinks, strict=False):
        length = np.linalg.norm(x[a:b])
        if length == 0.0:
            assert np.linalg.norm(slope[a:b]) <= kink + 1e-9
        else:
            rho = max(kink - concavity * length, 0.0) / length
            np.testing.assert_allclose(slope[a:b], -rho * x[a:b], atol=1e-8)


@pytest.mark.parametrize("concavity", [0.0, 0.2])
def test_a_quadratic_with_blocks(concavity):
    """Against its conditions: the gradient is what the penalty's slope allows."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((12, 6))
    H, g = A.T @ A, rng.standard_normal(6) * 8.0
    starts, kinks = np.array([0, 2, 5, 6]), np.array([1.0, 6.0, 0.0])
    bounds = np.array([np.linalg.eigvalsh(H[a:b, a:b])[-1] for a, b in ((0, 2), (2, 5), (5, 6))])
    x, slope = np.zeros(6), g.copy()
    sweeps = descend_blocks(H, starts, kinks, concavity, bounds, x, slope, 1e-12, 5000)
    assert sweeps < 5000
    np.testing.assert_allclose(slope, g + H @ x, atol=1e-9)
    check_stationary(x, slope, starts[:4], kinks, concavity)


@pytest.mark.parametrize(("concavity", "spread"), [(0.0, 1.0), (0.3, 1.0), (0.0, 1e-3)])
def test_a_number_with_blocks(concavity, spread):
    """Against the conditions of the whole problem; with columns that nearly repeat others too."""
    rng = np.random.default_rng(1)
    starts = np.array([0, 2, 5, 6, 7])
    F = rng.standard_normal((7, 7)) / np.sqrt(7.0)
    F[:, 5] = F[:, 0] + spread * F[:, 5]
    y, gram, share = F[:, 6].copy(), F.T @ F, 0.8
    curvatures = np.array(
        [np.linalg.eigvalsh(gram[a:b, a:b])[-1] for a, b in pairwise(starts.tolist())]
    )
    kinks, allowed = np.array([0.1, 0.4, 0.0, 1.0]), np.array([True, True, True, False])
    x = np.zeros(7)
    sweeps = descend_gaussian(
        F, gram, y, starts, allowed, kinks, concavity, curvatures, share, 1e-12, x, 1e-12, 100_000
    )
    assert sweeps < 100_000
    assert x[6] == 0.0
    residual = y - F @ x
    slope = -share * (F.T @ residual) / (residual @ residual)
    check_stationary(x, slope, starts[:4], kinks, concavity)


def test_a_multinomial_node_against_scipy():
    """The length of a block as the root of a sum that is never zero, made ever smaller."""
    bound = GroupBlocks(weight=0.03).bind(Dataset.from_table(table_of()))
    node, kinks = bound.nodes[1], bound.kinks[:, 1]
    allowed = np.array([True, False, True, True])
    found = bound.fit_node(1, allowed, None)
    start = np.concatenate([np.zeros(node.q * len(bound.design.Z)), node.start])
    mask = np.repeat(allowed, bound.design.sizes)[:, None]

    def smooth(x):
        theta = x[: -node.start.size].reshape(-1, node.q) * mask
        terms = node.evaluate(theta, x[-node.start.size :])
        lengths = np.sqrt(np.add.reduceat(np.square(theta).sum(1), bound.design.starts[:-1]) + 1e-9)
        return terms.value + float(kinks @ lengths)

    least = minimize(smooth, start, method="L-BFGS-B", options={"maxfun": 40_000})
    # The root adds at most 3e-5 times the kinks.
    assert found.value <= least.fun + 1e-7
    assert found.value == pytest.approx(least.fun, abs=2e-5)


def test_the_proof_against_brute_force():
    table = table_of().drop(columns="income")
    bound = GroupBlocks(weight=0.05).bind(Dataset.from_table(table))
    best = min(bound.fit(Order(order)).value for order in permutations(range(3)))
    model = ts.Topo(GroupBlocks(weight=0.05), search="exact").fit(table)
    assert model.status_ == "global minimum"
    assert model.score_ == pytest.approx(best, rel=1e-9)
    with pytest.raises(InputError, match="may have several local ones"):
        ts.Topo("blocks-lasso", search="exact").fit(table_of())


@pytest.mark.parametrize("name", ["blocks-lasso", "blocks-mcp"])
def test_certified_and_obedient(name):
    table = table_of(400)
    known = ts.Knowledge(forbidden=[("region", "plan")], required=[("income", "region")])
    for knowledge in (None, known):
        model = ts.Topo(name, knowledge=knowledge).fit(table)
        assert model.certificate_.satisfied
        assert model.status_ == "converged"
        if knowledge is not None:
            edges = set(model.causal_graph_.edges)
            assert ("region", "plan") not in edges
            assert ("income", "region") in edges
    assert "penalty weight" in model.result_.choices[0]
    targets = np.zeros((400, 4), dtype=bool)
    targets[:100, 1] = True
    assert ts.Topo(name).fit(table, interventions=targets).certificate_.satisfied
    none = ts.Topo(GroupBlocks(name.split("-")[1], weight=5.0)).fit(table)
    assert not none.adjacency_matrix_.any()


def test_what_the_penalty_cannot_be():
    with pytest.raises(InputError, match="penalty: must be 'mcp' or 'lasso'"):
        ts.Topo(GroupBlocks("l1")).fit(table_of())
    with pytest.raises(InputError, match="beta: must be a number > 1"):
        ts.Topo(GroupBlocks("mcp", beta=1.0)).fit(table_of())


def test_a_category_of_one_value_is_refused():
    table = table_of().assign(plan=1.0)
    with pytest.raises(InputError, match="'plan' is constant"):
        ts.Topo("blocks-mcp", center=False, kinds={"plan": "categorical"}).fit(table)
