"""Where searches begin: rules that follow the data, and surrogates that lead to better orders."""

import numpy as np
import pytest

import toposwap as ts
from toposwap.baselines.start import starting_order
from toposwap.core.dataset import Dataset
from toposwap.core.order import Order
from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.pruning import own_pruner
from toposwap.scores import SCORES
from toposwap.search import AutoSearch, Context, run
from toposwap.search.screened import ScreenedSearch
from toposwap.search.start import STARTS, automatic_fit
from toposwap.search.surrogates import bound_surrogates


def table(d=8, n=300, seed=0):
    return ts.simulate.linear_dataset(d, n, "ER2", noise="gauss-NV", random_state=seed).X


def test_the_least_correlated_come_first_whatever_the_units():
    X = table()
    rng = np.random.default_rng(0)
    squares = np.square(np.corrcoef(X.T)).sum(axis=1)
    for units in (1.0, np.array([1e-6, 1, 1e3, 1, 1e-3, 1, 1e6, 1])):
        order, remark = starting_order("correlation", Dataset.from_table(X * units), rng)
        assert remark is None
        np.testing.assert_array_equal(order.variables, np.argsort(squares, kind="stable"))


@pytest.mark.parametrize(
    ("score", "rule"),
    [("bic", "correlation"), ("gaussian-mcp", "correlation"), ("least-squares", "variance")],
)
def test_auto_is_what_the_score_suggests(score, rule):
    X = table()
    by_rule, by_default = (
        ts.Topo(score=score, search="none", init=init).fit(X).causal_order_
        for init in (rule, "auto")
    )
    assert by_rule == by_default


@pytest.mark.thorough
def test_a_surrogate_is_followed_only_down():
    followed = 0
    for seed in range(6):
        bound = SCORES["gaussian-mcp"]().bind(Dataset.from_table(table(seed=seed)))
        rng = np.random.default_rng(seed)
        fit = bound.fit(Order(rng.permutation(bound.data.d)))
        history, _ = run(AutoSearch(), fit, bound.data.names, rng=rng)
        guided = [step for step in history if step.space == "surrogate"]
        followed += len(guided)
        assert all(step.score < history[0].score for step in guided)
    assert followed > 0


def test_from_the_best_order_a_surrogate_leads_nowhere():
    bound = SCORES["gaussian-l1"]().bind(Dataset.from_table(table()))
    rng = np.random.default_rng(0)
    fit = bound.fit(Order(rng.permutation(bound.data.d)))
    run(AutoSearch(n_restarts=5), fit, bound.data.names, rng=rng)
    again = bound.fit(fit.order)
    history, _ = run(AutoSearch(n_restarts=0), again, bound.data.names, rng=rng)
    assert [step.space for step in history] == ["start"]


def networks(d=10, n=200, seed=0):
    X = ts.simulate.nonlinear_dataset(d, n, "ER2", random_state=seed).X
    return ts.scores.MLP(hidden=9, n_starts=1).bind(Dataset.from_table(X))


def begun_by_itself(bound, deadline=NEVER):
    rng = np.random.default_rng(0)
    return automatic_fit(bound, rng, deadline, pruner=own_pruner(bound))


def told(bound, **facts):
    return Context(bound.data.names, np.random.default_rng(0), pruner=own_pruner(bound), **facts)


@pytest.fixture
def ten_are_many(monkeypatch):
    monkeypatch.setattr("toposwap.scores.mlp.bound._MANY", 9)


@pytest.mark.usefixtures("ten_are_many")
def test_many_columns_are_first_searched_with_coarser_networks():
    bound = networks()
    ((coarse, restarts),) = bound_surrogates(bound)
    assert restarts == bound.data.d // 5
    assert coarse.score.hidden < bound.score.hidden
    assert coarse.score.l1 > bound.score.l1
    assert bound.score.hidden == 9
    proposed, begun = STARTS[bound.strategy.start](bound.data), begun_by_itself(bound).fit
    # What the coarse networks gain is gained by the score itself.
    assert coarse.fit(begun.order).value < coarse.fit(proposed).value
    assert begun.value < 0.99 * bound.fit(proposed).value


@pytest.mark.usefixtures("ten_are_many")
def test_so_are_orders_that_somebody_gives():
    bound = networks()
    given = bound.fit(Order(np.random.default_rng(0).permutation(10)))
    first = next(AutoSearch(n_restarts=0).moves(given, told(bound)))
    assert first.space == "coarse"
    # But not twice.
    begun = begun_by_itself(bound)
    assert begun.surrogates_followed
    context = told(bound, surrogates_followed=True)
    first = next(AutoSearch(n_restarts=0).moves(begun.fit, context))
    assert first.space != "coarse"


@pytest.mark.usefixtures("ten_are_many")
def test_coarser_networks_use_the_time_budget_up():
    bound = networks()
    begun = begun_by_itself(bound, Deadline(0.0)).fit
    assert begun.order == STARTS["additive"](bound.data)


def test_few_columns_are_not():
    bound = networks()
    assert list(bound_surrogates(bound)) == []
    assert begun_by_itself(bound).fit.order == STARTS["additive"](bound.data)


@pytest.mark.usefixtures("ten_are_many")
def test_coarser_networks_show_their_steps_and_ctrl_c_keeps_the_best_of_them():
    steps = []

    def impatient(step):
        steps.append(step)
        if len(steps) == 3:
            raise KeyboardInterrupt

    bound = networks()
    X = bound.data.rows
    model = ts.Topo(bound.score, progress=impatient, random_state=0).fit(X)
    assert [step.space for step in steps] == ["coarse"] * 3
    assert steps[0].score > steps[1].score > steps[2].score
    assert model.status_ == "interrupted"
    assert model.certificate_.satisfied
    unchanged = ts.Topo(bound.score, "none", list(STARTS["additive"](bound.data))).fit(X)
    assert model.score_ < unchanged.score_


@pytest.mark.thorough
def test_far_moves_follow_near_ones_and_find_what_these_cannot(monkeypatch):
    falls = []
    descend = ScreenedSearch._descend

    def watched(self, fit, visits, reach, names, deadline):
        before = fit.value
        moves = list(descend(self, fit, visits, reach, names, deadline))
        falls.append((reach, before - fit.value))
        return iter(moves)

    monkeypatch.setattr(ScreenedSearch, "_descend", watched)
    bound = networks()
    search = ScreenedSearch(n_restarts=0, reach=2)
    for seed in range(3):
        fit = bound.fit(Order(np.random.default_rng(seed).permutation(10)))
        with fit.roughly():
            list(search.rough_moves(fit, told(bound), NEVER))
    assert [reach for reach, _ in falls] == [2, 9] * 3
    assert max(fall for reach, fall in falls if reach == 9) > 0.01 * fit.value
    assert min(fall for _, fall in falls) >= 0.0


@pytest.mark.usefixtures("ten_are_many")
@pytest.mark.thorough
def test_coarse_networks_go_to_the_order_of_their_pruned_graph_if_it_pays():
    ((coarse, _),) = bound_surrogates(networks(n=500, seed=1))
    pruner, search = own_pruner(coarse), ScreenedSearch()
    went = []
    for seed in range(4):
        fit = coarse.fit(Order(np.random.default_rng(seed).permutation(10)))
        with fit.roughly():
            pruned = pruner.order(coarse, fit.parameters(), fit.order)
            before, change = fit.value, fit.delta(pruned)
            assert list(search._follow_pruning(fit, told(coarse), Deadline(0.0))) == []
            moves = list(search._follow_pruning(fit, told(coarse), NEVER))
            went.append(len(moves) == 1)
            assert went[-1] == (change < -fit.resolution)
            assert (fit.order == pruned) == (went[-1] or change == 0.0)
            assert fit.value == pytest.approx(before + change * went[-1])
    assert any(went)


def test_levels_need_rows():
    data = ts.Dataset.from_covariance(np.eye(3), 50)
    with pytest.raises(ts.InputError, match="'entropy' looks at the levels of columns"):
        ts.Topo("bic", init="entropy").fit(data)
