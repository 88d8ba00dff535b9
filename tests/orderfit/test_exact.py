"""Dynamic programming over sets against going through everything."""

from itertools import combinations, permutations

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from tables import binary_table

import toposwap as ts
from toposwap.core.admissible import Admissible
from toposwap.core.errors import InputError
from toposwap.core.order import Order
from toposwap.kernels.graphs.reachability import reachability
from toposwap.orderfit.exact import best_order, best_parents, members

SOME = examples(20)


def number_of(variables):
    return sum(1 << v for v in variables)


@SOME
@given(st.integers(0, 1000), st.integers(1, 5))
def test_best_order(seed, d):
    costs = np.random.default_rng(seed).standard_normal((d, 1 << d))

    def total(order):
        return sum(costs[v, number_of(order[:k])] for k, v in enumerate(order))

    digits = 1 << np.arange(d)
    found = best_order(d, lambda v, allowed: costs[v, allowed @ digits])
    assert total(list(found)) == pytest.approx(min(map(total, permutations(range(d)))))


@SOME
@given(st.integers(0, 1000), st.integers(1, 5))
def test_best_order_of_those_that_are_admissible(seed, d):
    rng = np.random.default_rng(seed)
    costs = rng.standard_normal((d, 1 << d))
    hidden = rng.permutation(d)
    before = reachability(np.triu(rng.random((d, d)) < 0.3, 1)[np.ix_(hidden, hidden)])
    np.fill_diagonal(before, val=False)
    admissible = Admissible(parents=rng.random((d, d)) < 0.7, before=before)

    def total(order):
        allowed = admissible.candidates(Order(order))
        return sum(costs[v, number_of(np.flatnonzero(allowed[:, v]))] for v in order)

    digits = 1 << np.arange(d)
    found = best_order(d, lambda v, allowed: costs[v, allowed @ digits], admissible)
    permitted = [order for order in permutations(range(d)) if admissible.obeys(Order(order))]
    assert admissible.obeys(found)
    assert total(list(found)) == pytest.approx(min(map(total, permitted)))


@SOME
@given(st.integers(0, 1000), st.integers(1, 5))
def test_best_parents(seed, d):
    rng = np.random.default_rng(seed)
    losses, node, price = rng.random(1 << d), int(rng.integers(d)), 0.2
    asked = []

    def loss(subset):
        asked.append(subset)
        return losses[subset]

    value, choice = best_parents(d, node, price, loss)
    assert len(set(asked)) == len(asked) == 1 << (d - 1)
    for subset in asked:
        inside = np.flatnonzero(members(subset, d)).tolist()
        every = [number_of(p) for k in range(len(inside) + 1) for p in combinations(inside, k)]
        assert value[subset] == min(losses[p] + price * p.bit_count() for p in every)
        assert choice[subset] in every
        assert losses[choice[subset]] + price * int(choice[subset]).bit_count() == value[subset]


def test_the_best_graph_of_logistic_bic():
    """Every order and set of parents of four columns, each fitted by scikit-learn."""
    from sklearn.linear_model import LogisticRegression

    X = binary_table(2, 4, 200)
    n = len(X)

    def local(v, parents):
        p = X[:, v].mean()
        loss = -(p * np.log(p) + (1 - p) * np.log(1 - p))
        if parents:
            model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
            f = model.fit(X[:, parents], X[:, v]).decision_function(X[:, parents])
            loss = np.mean(np.logaddexp(0.0, f) - X[:, v] * f)
        return loss + np.log(n) / n * len(parents)

    others = [[u for u in range(4) if u != v] for v in range(4)]
    known = {
        (v, p): local(v, list(p))
        for v in range(4)
        for k in range(4)
        for p in combinations(others[v], k)
    }
    best = min(
        sum(
            min(known[v, p] for m in range(k + 1) for p in combinations(sorted(order[:k]), m))
            for k, v in enumerate(order)
        )
        for order in permutations(range(4))
    )
    model = ts.Topo(score="logistic-bic", search="exact").fit(X)
    assert model.score_ == pytest.approx(best, abs=1e-8)
    assert model.status_ == "global minimum"
    assert model.certificate_.satisfied


def test_too_many_columns_for_every_set_of_parents():
    with pytest.raises(InputError, match=r"15 columns are too many \(at most 14\)"):
        ts.Topo(score="logistic-bic", search="exact").fit(binary_table(0, 15))
