"""Scores on contingency tables: against brute force and pgmpy, and what must not matter to them."""

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from categories import brute_cost, column_of, frame_of
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import category_table

import toposwap as ts
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.order import Order
from toposwap.kernels.categorical.counting import cost_of, costs_with_one_more
from toposwap.scores import BDeu, CategoricalBIC

SCORES = [BDeu(), BDeu(0.3), CategoricalBIC(), CategoricalBIC(2.0)]
BOTH = pytest.mark.parametrize("score", SCORES, ids=repr)


def class_of(model, columns=slice(None)):
    return model.cpdag_[columns][:, columns]


@BOTH
def test_costs_against_brute_force(score):
    """Every node with every set of parents, alone and as one more, with weights of rows."""
    for seed, heavy in ((0, 1), (1, 40)):
        X = category_table(seed, 4, 120)
        times = np.random.default_rng(seed).integers(1, heavy + 1, len(X))
        data = Dataset.from_table(X, sample_weight=times)
        bound = score.bind(data)
        rule, work, _ = bound.counter()
        rows = np.repeat(X.astype(int), times, axis=0)
        for z in range(4):
            for k in range(4):
                for chosen in combinations([u for u in range(4) if u != z], k):
                    parents = np.array(chosen, dtype=np.int64)
                    cost = cost_of(rule, work, z, parents, k)
                    expected = brute_cost(rows, z, chosen, bound.sizes, score)
                    assert cost == pytest.approx(expected, rel=1e-9, abs=1e-6)
                    more = np.full(4, np.nan)
                    first = np.zeros(4, dtype=np.int64)
                    costs_with_one_more(rule, work, z, parents, k, np.inf, first, 1, -1, more)
                    for u in set(range(4)) - {z, *chosen}:
                        longer = np.append(parents, u)
                        assert more[u] == cost_of(rule, work, z, longer, k + 1)


def test_costs_against_pgmpy():
    estimators = pytest.importorskip("pgmpy.structure_score")
    X = category_table(3, 5, 300)
    table = frame_of(X).astype("category")
    bound = BDeu().bind(Dataset.from_table(table))
    theirs = estimators.BDeu(table, equivalent_sample_size=10)
    for z, chosen in ((0, ()), (1, (0,)), (2, (0, 1)), (4, (1, 2, 3))):
        edges = np.zeros((5, 5), dtype=bool)
        edges[list(chosen), z] = True
        local = theirs.local_score(f"c{z}", tuple(f"c{p}" for p in chosen))
        assert -bound.costs(edges)[z] == pytest.approx(local, rel=1e-9)


@BOTH
def test_equivalent_graphs_have_the_same_score(score):
    bound = score.bind(Dataset.from_table(category_table(5, 4)))
    chain = np.zeros((4, 4))
    chain[0, 1] = chain[1, 2] = chain[2, 3] = 1.0
    fork = np.zeros((4, 4))
    fork[1, 0] = fork[1, 2] = fork[2, 3] = 1.0
    value = bound.evaluate(chain).value
    assert bound.evaluate(chain.T).value == pytest.approx(value, rel=1e-14)
    assert bound.evaluate(fork).value == pytest.approx(value, rel=1e-14)


@BOTH
def test_the_proved_minimum_is_below_every_order(score):
    for seed in range(3):
        bound = score.bind(Dataset.from_table(category_table(seed, 4)))
        costs = [
            min(
                bound.costs(column_of(z, chosen))[z]
                for k in range(p + 1)
                for chosen in combinations(order[:p], k)
            )
            for order in permutations(range(4))
            for p, z in enumerate(order)
        ]
        best = np.reshape(costs, (-1, 4)).sum(axis=1).min()
        fit = bound.fit(Order(range(4)))
        assert bound.solve_exactly(fit)
        assert fit.value * bound.data.n == pytest.approx(best, rel=1e-9)


@settings(max_examples=15)
@given(seed=st.integers(0, 1000))
def test_names_of_levels_and_the_sequence_of_rows_and_columns_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    table = frame_of(category_table(seed, 6, 150))
    score = SCORES[seed % len(SCORES)]
    kinds = dict.fromkeys(table, "categorical")
    model = ts.Topo(score, kinds=kinds).fit(table)
    assert model.status_ == "global minimum"
    new_names = dict(zip("abcdefgh", rng.permutation(list("stuvwxyz")), strict=True))
    other = table.replace(new_names).iloc[rng.permutation(len(table))]
    columns = rng.permutation(6)
    again = ts.Topo(score, kinds=kinds).fit(other.iloc[:, columns])
    assert again.score_ == pytest.approx(model.score_, rel=1e-13)
    places = np.argsort(columns)
    # Several classes may have the best score.
    if not np.array_equal(class_of(again, places), model.cpdag_):
        bound = score.bind(Dataset.from_table(table))
        theirs = bound.evaluate(again.adjacency_matrix_[places][:, places]).value
        assert theirs == pytest.approx(model.score_, rel=1e-13)


def test_a_search_does_not_depend_on_labels_rows_or_threads():
    """More columns than are proved: the same way to the same optimum, to the last bit."""
    rng = np.random.default_rng(1)
    table = frame_of(category_table(7, 20, 200))
    model = ts.Topo("bdeu", n_restarts=6).fit(table)
    assert model.status_ == "local optimum of insertions and swaps"
    new_names = dict(zip("abcdefgh", rng.permutation(list("stuvwxyz")), strict=True))
    other = table.replace(new_names).iloc[rng.permutation(len(table))]
    for same in (
        ts.Topo("bdeu", n_restarts=6).fit(other),
        ts.Topo("bdeu", n_restarts=6, n_jobs=2).fit(table),
    ):
        np.testing.assert_array_equal(same.adjacency_matrix_, model.adjacency_matrix_)
        assert same.score_ == model.score_


@BOTH
def test_no_insertion_and_no_swap_improves_the_end(score):
    bound = score.bind(Dataset.from_table(category_table(2, 20, 150)))
    model = ts.Topo(score, n_restarts=2).fit(bound.data)
    fit = bound.fit(Order(model.causal_order_))
    fit.take_parents(Order(model.causal_order_), model.adjacency_matrix_ != 0.0)
    assert fit.value == pytest.approx(model.score_, rel=1e-12)
    for v in range(20):
        assert fit.insertion_profile(v).min() >= -fit.resolution
    assert fit.swap_changes(fit.swap_candidates()).min(initial=0.0) >= -fit.resolution


def test_whole_weights_are_repeated_rows():
    table = frame_of(category_table(4, 6, 100))
    times = np.random.default_rng(0).integers(0, 4, 100)
    for name in ("bdeu", "categorical-bic"):
        weighed = ts.Topo(name).fit(table, sample_weight=times)
        repeated = ts.Topo(name).fit(table.loc[np.repeat(table.index, times)])
        assert weighed.score_ == repeated.score_
        np.testing.assert_array_equal(weighed.adjacency_matrix_, repeated.adjacency_matrix_)
        with pytest.raises(InputError, match=r"sample_weight: score .* whole numbers"):
            ts.Topo(name).fit(table, sample_weight=times + 0.5)


def test_predictions():
    table = frame_of(category_table(8, 5, 400))
    model = ts.Topo("categorical-bic").fit(table)
    j = int(np.flatnonzero(model.adjacency_matrix_.any(axis=0))[0])
    parents = [f"c{i}" for i in np.flatnonzero(model.adjacency_matrix_[:, j])]
    name = f"c{j}"
    chances = model.level_probabilities(table, name)
    levels = sorted(set(table[name]))
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    # The frequencies among the rows with the same parents, but for a prior of one row.
    same = (table[parents] == table[parents].iloc[0]).all(axis=1)
    q = math.prod(table[p].nunique() for p in parents)
    counts = np.array([(table[name][same] == level).sum() for level in levels])
    expected = (counts + 1.0 / (q * len(levels))) / (same.sum() + 1.0 / q)
    np.testing.assert_allclose(chances[0], expected)
    assert model.predict(table)[0, j] == expected.argmax()
    observed = [
        model.level_probabilities(table, k)[
            np.arange(len(table)), [sorted(set(table[c])).index(v) for v in table[c]]
        ]
        for k, c in enumerate(table)
    ]
    assert model.log_likelihood(table) == pytest.approx(np.log(observed).sum(axis=0).mean())
    with pytest.raises(InputError, match="no curve; see level_probabilities"):
        model.edge_function(parents[0], name)
    with pytest.raises(InputError, match="column 'c0' holds 'unseen': its values are 'a'"):
        model.predict(table.assign(c0="unseen"))


def test_auto_chooses_and_tells():
    rng = np.random.default_rng(0)
    table = frame_of(category_table(9, 4, 300))
    table["rating"] = rng.integers(1, 6, 300)
    model = ts.Topo().fit(table)
    assert model.result_.score_name == "categorical-bic"
    assert "all 5 columns are categories" in model.result_.choices[0]
    assert any("'rating'" in line for line in model.result_.choices)
    assert "KKT point" not in str(model.summary())
    assert model.certificate_.kind == "permitted graph"
    assert model.certificate_.satisfied


def test_what_is_no_table_of_categories():
    table = frame_of(category_table(9, 3, 300)).assign(
        size=np.random.default_rng(0).standard_normal(300)
    )
    with pytest.raises(InputError, match=r"'size' has more than 150 different values.*pandas\.cut"):
        ts.Topo("bdeu").fit(table)
    with pytest.raises(InputError, match="only a covariance matrix is known"):
        ts.Topo("bdeu").fit_covariance(np.eye(3), 100)
    with pytest.raises(InputError, match="equivalent_sample_size: must be a number > 0"):
        BDeu(0.0)
