"""Objects of other packages, made by these packages themselves, in and out."""

import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import toposwap as ts
from toposwap.intervention.linear import adjusted_effect

NAMES = ["rain", "soil", "the crop", "heat"]


@pytest.fixture(scope="module")
def table():
    """rain -> soil -> the crop <- rain and heat -> the crop, noise that is not normal."""
    rng = np.random.default_rng(0)
    n = 500
    rain, heat = rng.exponential(1.0, n), rng.exponential(1.0, n)
    soil = 1.5 * rain + rng.exponential(1.0, n)
    crop = 0.8 * soil - 0.5 * rain + 2.0 * heat + rng.exponential(1.0, n)
    return pd.DataFrame({"rain": rain, "soil": soil, "the crop": crop, "heat": heat})


TRUE = np.array([[0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 1, 0]], dtype=bool)


def quiet(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()


@pytest.fixture(scope="module")
def lingam_model(table):
    lingam = pytest.importorskip("lingam")
    return quiet(lambda: lingam.DirectLiNGAM().fit(table))


def test_lingam_is_transposed(table, lingam_model):
    theirs = lingam_model.adjacency_matrix_
    assert ts.metrics.shd(TRUE.astype(float), lingam_model) <= 2
    assert ts.check_kkt(lingam_model, table, score="least-squares").max_residual < 0.05
    given = ts.refine(lingam_model, table, score="least-squares", search="none")
    right = ts.refine(theirs.T, table, score="least-squares", search="none")
    assert given.score_ == right.score_
    started = ts.Topo("least-squares", search="none", init=lingam_model).fit(table)
    assert started.score_ == right.score_
    model = ts.Topo("least-squares").fit(table)
    assert ts.interop.to_lingam(model) == pytest.approx(model.adjacency_matrix_.T)


def test_lingams_own_total_effect_is_ours(table, lingam_model):
    order = lingam_model._causal_order
    x, y = order[0], order[-1]
    theirs = quiet(lambda: lingam_model.estimate_total_effect(table.to_numpy(), x, y))
    ours = ts.effect(lingam_model, table, x, y, method="adjustment")
    assert ours.value == pytest.approx(theirs, abs=4.0 * ours.standard_error + 0.05)


def test_a_raw_matrix_of_lingam_is_noticed(table, lingam_model):
    theirs = lingam_model.adjacency_matrix_
    with pytest.warns(ts.ToposwapWarning, match="far better transposed"):
        ts.check_kkt(theirs, table, score="least-squares")
    with pytest.warns(ts.ToposwapWarning, match="far better transposed"):
        ts.refine(theirs, table, score="least-squares", search="none")
    with warnings.catch_warnings():
        warnings.simplefilter("error", ts.ToposwapWarning)
        ts.check_kkt(theirs.T, table, score="least-squares")


def test_several_matrices_of_lingam_are_refused(table):
    lingam = pytest.importorskip("lingam")
    model = quiet(lambda: lingam.VARLiNGAM(lags=1).fit(table.to_numpy()))
    with pytest.raises(ts.InputError, match="several matrices"):
        ts.refine(model, table)
    with pytest.raises(ts.InputError, match="not fitted"):
        ts.refine(lingam.DirectLiNGAM(), table)


def test_causal_learn_in_and_out(table):
    pytest.importorskip("causallearn")
    from causallearn.search.ConstraintBased.PC import pc
    from causallearn.search.ScoreBased.GES import ges

    found = quiet(lambda: pc(table.to_numpy(), node_names=NAMES, show_progress=False))
    shuffled = table[["heat", "the crop", "soil", "rain"]]
    model = ts.refine(found, shuffled, search="none")
    assert model.score_ == ts.refine(found.G, shuffled, search="none").score_
    assert ts.check_kkt(found, table).satisfied
    record = quiet(lambda: ges(table.to_numpy()))
    assert ts.metrics.compare_classes(TRUE.astype(float), record).shd <= 2
    with pytest.raises(ts.InputError, match="end marks"):
        ts.refine(found.G.graph, table)
    with pytest.raises(ts.InputError, match="end marks"):
        ts.metrics.shd(TRUE.astype(float), found.G.graph)
    back = ts.interop.to_causal_learn(pd.DataFrame(TRUE.astype(float), NAMES, NAMES))
    assert [node.get_name() for node in back.get_nodes()] == NAMES
    assert (ts.interop.any_graph(back).edges == TRUE).all()
    assert (back.graph == ts.interop.to_marks(TRUE.astype(float))).all()
    either = np.array([[0, 1.0], [1.0, 0]])
    assert (ts.interop.to_causal_learn(either).graph == [[0, -1], [-1, 0]]).all()
    assert (ts.interop.from_marks(np.array([[0, -1], [1, 0]])) == [[0, 1], [0, 0]]).all()
    with pytest.raises(ts.InputError, match="circles or edges with two arrowheads"):
        ts.interop.from_marks(np.array([[0, 1], [1, 0]]))


def test_dagma(table):
    dagma = pytest.importorskip("dagma.linear")
    X = table.to_numpy().copy()
    model = dagma.DagmaLinear("l2")
    with pytest.raises(ts.InputError, match="not fitted"):
        ts.refine(model, table)
    W = quiet(lambda: model.fit(X.copy(), lambda1=0.02, T=2))
    one = ts.refine(model, table, score="least-squares", search="none")
    assert one.score_ == ts.refine(W, table, score="least-squares", search="none").score_


def test_castle(table):
    castle = pytest.importorskip("castle.algorithms")
    model = castle.DirectLiNGAM()
    quiet(lambda: model.learn(table.to_numpy(), columns=NAMES))
    shuffled = table[["heat", "the crop", "soil", "rain"]]
    given = ts.refine(model, shuffled, score="least-squares", search="none")
    frame = pd.DataFrame(np.asarray(model.weight_causal_matrix), NAMES, NAMES)
    assert given.score_ == ts.refine(frame, shuffled, score="least-squares", search="none").score_
    assert ts.metrics.shd(pd.DataFrame(TRUE.astype(float), NAMES, NAMES), model) <= 3
    with pytest.raises(ts.InputError, match="learned nothing"):
        ts.refine(castle.PC(), table)


def test_pgmpy_in_and_out(table):
    pytest.importorskip("pgmpy")
    from pgmpy.base import DAG, PDAG

    known = ts.Knowledge(tiers=[["rain", "heat"], ["soil"], ["the crop"]])
    model = ts.Topo(knowledge=known).fit(table)
    dag = ts.interop.to_pgmpy(model)
    assert isinstance(dag, DAG)
    assert set(dag.nodes) == set(NAMES)
    assert ts.metrics.shd(model, dag) == 0
    assert ts.check_kkt(DAG(dag.edges()), table, knowledge=known).satisfied
    network = quiet(lambda: ts.interop.to_linear_gaussian(model))
    assert quiet(network.check_model)
    drawn = quiet(lambda: network.simulate(20_000, seed=0))[NAMES]
    assert drawn.mean().to_numpy() == pytest.approx(table.mean().to_numpy(), abs=0.1)
    assert drawn.cov().to_numpy() == pytest.approx(table.cov().to_numpy(), rel=0.1, abs=0.15)
    weights = ts.interop.any_graph(network)
    place = [weights.names.index(name) for name in NAMES]
    ours = model._linear_numbers()[1]
    assert weights.matrix[np.ix_(place, place)] == pytest.approx(ours)
    either = ts.interop.to_pgmpy(pd.DataFrame([[0, 1.0], [1.0, 0]], ["a", "b"], ["a", "b"]))
    assert isinstance(either, PDAG)
    assert (ts.interop.any_graph(either).edges == [[False, True], [True, False]]).all()


def test_networkx_has_all_numbers(table):
    model = ts.Topo().fit(table)
    graph = ts.interop.to_networkx(model)
    assert list(graph.nodes) == NAMES
    for i, j in np.argwhere(model.adjacency_matrix_):
        told = graph.edges[NAMES[i], NAMES[j]]
        assert told["weight"] == model.adjacency_matrix_[i, j]
        assert told["standard_error"] > 0.0
        assert isinstance(told["open"], bool)
        assert abs(told["standardised"]) < 5.0
    assert graph.nodes["rain"]["mean"] == pytest.approx(table["rain"].mean())
    assert graph.nodes["rain"]["noise_deviation"] > 0.0
    assert nx.parse_gml("\n".join(nx.generate_gml(graph))).number_of_nodes() == 4
    assert ts.metrics.shd(graph, model) == 0
    started = ts.Topo(search="none", init=graph).fit(table)
    assert started.score_ == pytest.approx(model.score_)
    # Nobody adds nodes without edges, or all names.
    part = nx.DiGraph([("rain", "soil")])
    assert ts.effect(part, table, "rain", "soil").value == pytest.approx(1.5, abs=0.1)
    assert ts.refine(part, table, score="least-squares", search="none").status_ == "given order"
    with pytest.raises(ts.InputError, match="are not the columns"):
        ts.refine(nx.DiGraph([("rain", "moon")]), table)


def test_fitted_models_are_taken(table):
    model = ts.Topo("least-squares").fit(table)
    assert ts.check_kkt(model, table, score="least-squares").satisfied
    assert ts.refine(model, table, score="least-squares").score_ == pytest.approx(model.score_)
    shuffled = table[["heat", "the crop", "soil", "rain"]]
    assert ts.check_kkt(model, shuffled, score="least-squares").satisfied
    curves = ts.Topo("basis").fit(table)
    assert ts.check_kkt(curves, table, score="basis").satisfied


def test_dagitty_text(table):
    graph = pd.DataFrame(0.0, index=NAMES, columns=NAMES)
    graph.loc["rain", "the crop"] = 0.5
    assert ts.interop.to_dagitty(graph, "rain", "the crop") == (
        'dag {\n  "rain" [exposure]\n  "soil"\n  "the crop" [outcome]\n  "heat"\n'
        '  "rain" -> "the crop" [beta=0.5]\n}\n'
    )
    graph.loc["the crop", "rain"] = 0.5
    assert '"rain" -- "the crop"' in ts.interop.to_dagitty(graph)


def test_dagitty_text_is_read_by_pgmpy(table):
    base = pytest.importorskip("pgmpy.base")
    text = ts.interop.to_dagitty(pd.DataFrame(TRUE.astype(float), list("abcd"), list("abcd")))
    # Its reader takes names without quotes only.
    read = quiet(lambda: base.DAG.from_dagitty(text.replace('"', "")))
    assert set(read.edges()) == {("a", "b"), ("a", "c"), ("b", "c"), ("d", "c")}


@pytest.fixture
def dowhy(monkeypatch):
    """DoWhy 0.12 asks networkx for a function that has another name by now."""
    dowhy = pytest.importorskip("dowhy")
    if not hasattr(nx.algorithms, "d_separated"):
        monkeypatch.setattr(nx.algorithms, "d_separated", nx.is_d_separator, raising=False)
    return dowhy


@pytest.mark.parametrize("cause", ["soil", "rain", "heat"])
def test_dowhy_estimates_the_same_effect(dowhy, table, cause):
    known = ts.Knowledge(tiers=[["rain", "heat"], ["soil"], ["the crop"]])
    model = ts.Topo(knowledge=known).fit(table)
    theirs = quiet(lambda: ts.interop.to_dowhy(model, table, cause, "the crop"))
    estimand = quiet(lambda: theirs.identify_effect(proceed_when_unidentifiable=True))
    settings = {"method_name": "backdoor.linear_regression", "effect_modifiers": []}
    try:
        estimate = quiet(lambda: theirs.estimate_effect(estimand, **settings))
    except KeyError as error:
        pytest.skip(f"DoWhy looks a Series up by position, which pandas 3 no longer does: {error}")
    ours = model.effect(cause, "the crop")
    assert ours.interval[0] < estimate.value < ours.interval[1]
    # On the same adjustment set it is the same number.
    place = list(table.columns).index
    chosen = [place(name) for name in estimand.get_backdoor_variables()]
    data = ts.Dataset.from_table(table)
    same = adjusted_effect(data, place(cause), place("the crop"), chosen)
    assert same.value == pytest.approx(estimate.value)


def test_dowhys_structural_models_answer_alike(dowhy, table):
    from dowhy import gcm

    model = ts.Topo().fit(table)
    theirs = quiet(lambda: ts.interop.to_gcm(model, table))
    rows = table.head(20)
    do = {"soil": lambda _old: 2.0}
    moved = quiet(lambda: gcm.counterfactual_samples(theirs, do, observed_data=rows))
    ours = model.counterfactual(rows, do={"soil": 2.0})
    assert ours[NAMES].to_numpy() == pytest.approx(moved[NAMES].to_numpy(), abs=1e-8)


def test_what_holds_no_graph_is_refused():
    with pytest.raises(ts.InputError, match="no graph is known in this"):
        ts.interop.to_lingam(object())
    with pytest.raises(ts.InputError, match="needs noise and intercepts"):
        ts.interop.to_linear_gaussian(TRUE.astype(float))
    pytest.importorskip("dowhy")
    with pytest.raises(ts.InputError, match="DAGs only"):
        ts.interop.to_gcm(np.array([[0, 1.0], [1.0, 0]]))
