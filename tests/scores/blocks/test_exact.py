"""All graphs of few columns, and rows in which something was set."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

import toposwap as ts
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.scores import Blocks


def table_of(n=120, seed=0):
    rng = np.random.default_rng(seed)
    region = rng.choice(list("nes"), n)
    income = rng.standard_normal(n) + 1.5 * (region == "n")
    plan = np.where(rng.random(n) < 0.6, np.where(income > 0.5, "gold", "plus"), "none")
    loyal = rng.random(n) < np.where(plan == "gold", 0.8, 0.3)
    return pd.DataFrame({"region": region, "income": income, "plan": plan, "loyal": loyal})


def best_of_all(bound, d=4):
    """The least sum over nodes, by every order and every set of parents before each node."""
    least = {}
    for v in range(d):
        for subset in range(1 << d):
            if not subset >> v & 1:
                parents = (subset >> np.arange(d)) & 1 == 1
                own = bound.shares[v] * bound.nodes[v].fit(parents).value
                least[v, subset] = own + bound.prices[parents, v].sum()
    totals = []
    for order in permutations(range(d)):
        total, before = 0.0, 0
        for v in order:
            total += min(least[v, s] for s in range(1 << d) if s & ~before == 0)
            before |= 1 << v
        totals.append(total)
    return min(totals)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("was_set", [False, True])
def test_the_proof_against_brute_force(seed, was_set):
    table = table_of(seed=seed)
    targets = np.zeros((120, 4), dtype=bool)
    targets[::3, 1], targets[1::4, 2] = was_set, was_set
    data = Dataset.from_table(table, interventions=targets)
    model = ts.Topo("blocks-bic", search="exact").fit(table, interventions=targets)
    assert model.status_ == "global minimum"
    assert model.certificate_.satisfied
    assert model.score_ == pytest.approx(best_of_all(Blocks().bind(data)), rel=1e-9)
    assert ts.Topo("blocks-bic").fit(table, interventions=targets).score_ >= model.score_ - 1e-9


def test_the_proof_obeys_what_is_known():
    table = table_of(300)
    known = ts.Knowledge(forbidden=[("region", "income")], required=[("income", "loyal")])
    model = ts.Topo("blocks-bic", search="exact", knowledge=known).fit(table)
    edges = set(model.causal_graph_.edges)
    assert ("income", "loyal") in edges
    assert ("region", "income") not in edges
    assert model.score_ >= ts.Topo("blocks-bic", search="exact").fit(table).score_ - 1e-9


def test_many_columns_are_not_proved():
    wide = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 13)))
    with pytest.raises(InputError, match="13 columns are too many"):
        ts.Topo("blocks-bic", search="exact").fit(wide.assign(k=["a", "b"] * 25).iloc[:, 1:])


def test_a_node_is_fitted_to_the_rows_in_which_it_was_not_set():
    table = table_of(400)
    own = np.arange(400) % 3 != 0
    targets = np.zeros((400, 4), dtype=bool)
    targets[~own, 1], targets[~own, 2] = True, True
    bound = Blocks().bind(Dataset.from_table(table, interventions=targets))
    alone = Blocks().bind(Dataset.from_table(table[own]))
    parents = np.array([True, False, False, True])
    for j in (1, 2):
        mine, theirs = bound.nodes[j].fit(parents), alone.nodes[j].fit(parents)
        # The ridge is of all the rows, in units of the columns over all of them.
        assert mine.value == pytest.approx(theirs.value, abs=1e-3)
    model = ts.Topo("blocks-bic").fit(table, interventions=targets)
    assert model.certificate_.satisfied
    _, chances = model.chances(table, "plan")
    assert np.allclose(chances.sum(axis=1), 1.0)
    means = model.predict(table)[:, 1]
    assert means[own].mean() == pytest.approx(table["income"][own].mean(), abs=1e-6)


def test_a_level_that_was_only_set():
    table = table_of(300)
    targets = np.zeros((300, 4), dtype=bool)
    targets[:50, 2] = True
    table.loc[:49, "plan"] = np.where(np.arange(50) < 25, "vip", "gold")
    model = ts.Topo("blocks-bic").fit(table, interventions=targets)
    assert model.certificate_.satisfied
    assert np.isfinite(model.predict(table)).all()
    with pytest.raises(InputError, match="'perfect' interventions only"):
        ts.Topo("blocks-bic", intervention_kind="shift").fit(table, interventions=targets)
