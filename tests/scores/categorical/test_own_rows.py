"""Rows in which something was set: each column counts those in which it was not."""

from itertools import combinations, permutations

import numpy as np
import pytest
from categories import brute_cost, column_of, frame_of
from tables import category_table

import toposwap as ts
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.order import Order
from toposwap.kernels.categorical.bit_sets import worth_it
from toposwap.kernels.categorical.counting import cost_of
from toposwap.scores import BDeu, CategoricalBIC

SCORES = [BDeu(), CategoricalBIC()]


def set_rows(n, d, seed=0):
    """Columns 0 and 1 are set in some rows each, together in a few."""
    targets = np.zeros((n, d), dtype=bool)
    targets[: n // 3, 0] = True
    targets[n // 4 : n // 2, 1] = True
    return targets[np.random.default_rng(seed).permutation(n)]


@pytest.mark.parametrize("score", SCORES, ids=repr)
def test_costs_are_those_of_the_rows_in_which_a_column_was_not_set(score):
    X, targets = category_table(1, 4, 120), set_rows(120, 4)
    bound = score.bind(Dataset.from_table(X, interventions=targets))
    for z in range(4):
        own = X[~targets[:, z]].astype(int)
        for k in range(4):
            for chosen in combinations([u for u in range(4) if u != z], k):
                expected = brute_cost(own, z, chosen, bound.sizes, score)
                if not score.prior:
                    # A parameter costs the same everywhere.
                    q = np.prod(bound.sizes[list(chosen)])
                    more = score.price(120) - score.price(len(own))
                    expected += more * (bound.sizes[z] - 1) * q
                found = bound.costs(column_of(z, chosen))[z]
                assert found == pytest.approx(expected, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("score", SCORES, ids=repr)
def test_the_proof_is_of_this_problem(score):
    data = Dataset.from_table(category_table(2, 4, 150), interventions=set_rows(150, 4))
    bound = score.bind(data)
    best = min(
        sum(
            min(
                bound.costs(column_of(z, chosen))[z]
                for k in range(p + 1)
                for chosen in combinations(order[:p], k)
            )
            for p, z in enumerate(order)
        )
        for order in permutations(range(4))
    )
    fit = bound.fit(Order(range(4)))
    assert bound.solve_exactly(fit)
    assert fit.value * data.n == pytest.approx(best, rel=1e-9)


def test_weights_are_repeated_rows_and_labels_do_not_matter():
    X, targets = category_table(3, 5, 90), set_rows(90, 5)
    times = np.random.default_rng(0).integers(1, 4, 90)
    table = frame_of(X)
    weighed = ts.Topo("bdeu").fit(table, sample_weight=times, interventions=targets)
    repeated = table.loc[np.repeat(np.arange(90), times)]
    twice = np.repeat(targets, times, axis=0)
    same = ts.Topo("bdeu").fit(repeated, interventions=twice)
    assert weighed.score_ == pytest.approx(same.score_, rel=1e-13)
    renamed = repeated.replace(dict(zip("abcdefgh", "hgfedcba", strict=True)))
    other = ts.Topo("bdeu").fit(renamed.iloc[::-1], interventions=twice[::-1])
    assert other.score_ == pytest.approx(same.score_, rel=1e-13)


def test_what_was_set_shows_the_direction():
    rng = np.random.default_rng(0)
    n = 600
    cause = rng.integers(0, 3, n)
    effect = np.where(rng.random(n) < 0.7, cause, rng.integers(0, 3, n))
    targets = [None] * 400 + ["effect"] * 200
    effect[400:] = rng.integers(0, 3, 200)
    table = frame_of(np.column_stack([effect, cause])).set_axis(["effect", "cause"], axis=1)
    model = ts.Topo().fit(table, interventions=targets)
    assert model.result_.score_name == "categorical-bic"
    assert sorted(model.causal_graph_.edges) == [("cause", "effect")]
    assert not (model.cpdag_ & model.cpdag_.T).any()
    chances = model.level_probabilities(table, "effect")
    watched = effect[:400] == cause[:400]
    assert chances[np.arange(400), cause[:400]].mean() == pytest.approx(watched.mean(), abs=0.02)
    with pytest.warns(ts.ToposwapWarning, match="'cause' was set from outside in every row"):
        always = ts.Topo("bdeu").fit(table, interventions=["cause"] * n)
    assert sorted(always.causal_graph_.edges) == [("cause", "effect")]
    with pytest.raises(InputError, match="'perfect' interventions only"):
        ts.Topo("bdeu", intervention_kind="shift").fit(table, interventions=targets)
    with pytest.raises(InputError, match="rows in which something was added has no model"):
        ts.Topo(intervention_kind="shift").fit(table, interventions=targets)


def test_bits_and_rows_count_the_same():
    """To the last bit; rows that repeat too often are not counted by bits."""
    X = category_table(5, 6, 300)
    for score in SCORES:
        by_bits = score.bind(Dataset.from_table(X))
        rule, work, _ = by_bits.counter()
        by_rows = rule._replace(words=np.zeros(2, dtype=np.int64))
        assert worth_it(rule, work, 0, 1.0, 2)
        assert not worth_it(by_rows, work, 0, 1.0, 2)
        for z, parents in ((0, ()), (1, (0,)), (2, (0, 1)), (5, (4, 2)), (3, (0, 1, 2))):
            chosen = np.array(parents, dtype=np.int64)
            found = cost_of(rule, work, z, chosen, chosen.size)
            assert found == cost_of(by_rows, work, z, chosen, chosen.size)
