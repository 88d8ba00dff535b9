"""What holds for each learner in the registry, ours and those of other packages."""

import json
import sys
from functools import lru_cache
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

import toposwap as ts
from toposwap.baselines import BASELINES, Baseline, Notears
from toposwap.baselines.base import strongest_dag
from toposwap.baselines.peers.border import Peer
from toposwap.core.errors import MissingExtraError
from toposwap.core.graph import topological_order
from toposwap.report.record import record_of
from toposwap.report.text import as_text, report
from toposwap.scores import LeastSquares

#: Settings that keep a fit short.
SHORT = {
    "golem-ev": {"steps": 2000},
    "golem-nv": {"steps": 2000},
    "notears-mlp": {"hidden": 2, "max_iter": 2},
    "dagma": {"warm_iter": 1000, "max_iter": 1000},
}
MODULES = {"causal-learn": "causallearn"}
SAMPLE = ts.simulate.linear_dataset(5, 300, "ER1", random_state=1)
NAMES = ["rain", "wind", "sun", "yield", "price"]
FRAME = pd.DataFrame(SAMPLE.X, columns=NAMES)


def make(name):
    learner = BASELINES[name]
    if issubclass(learner, Peer):
        pytest.importorskip(MODULES.get(learner.package, learner.package))
    return learner(random_state=0, **SHORT.get(name, {}))


@lru_cache
def fitted(name):
    """The learner on the frame, fitted once for all tests that only look."""
    return make(name).fit(FRAME)


EVERY = pytest.mark.parametrize("name", list(BASELINES))


@EVERY
def test_interface_names_and_reproducibility(name):
    before = FRAME.copy()
    model = fitted(name)
    pd.testing.assert_frame_equal(FRAME, before)
    assert isinstance(model, Baseline)
    assert model.names_ == tuple(NAMES)
    assert list(model.feature_names_in_) == NAMES
    assert model.n_features_in_ == 5
    assert model.n_iter_ >= 1
    assert set(model.causal_graph_) == set(NAMES)
    assert sorted(model.causal_order_) == list(range(5))
    assert model.cpdag_.shape == (5, 5)
    assert model.status_
    assert name in model.history_[-1].move
    assert topological_order(model.weights_ != 0.0) is not None
    np.testing.assert_array_equal(np.tril(inner(model.weights_, model)), 0.0)
    kept = model.adjacency_matrix_ != 0.0
    np.testing.assert_array_equal(model.adjacency_matrix_[kept], model.weights_[kept])
    again = make(name).fit(FRAME)
    np.testing.assert_array_equal(again.weights_, model.weights_)
    # The same numbers without names, in the same places in memory.
    again.fit(FRAME.to_numpy())
    assert not hasattr(again, "feature_names_in_")
    np.testing.assert_array_equal(again.weights_, model.weights_)


def inner(weights, model):
    """In causal order only the upper triangle is in use."""
    return weights[np.ix_(model.causal_order_, model.causal_order_)]


@EVERY
def test_the_judgement_is_ours(name):
    model = fitted(name)
    if not model.linear:
        assert model.score_ > 0.0
        return
    point = LeastSquares().bind(ts.Dataset.from_table(FRAME)).evaluate(model.weights_)
    assert model.score_ == pytest.approx(point.value, rel=1e-12)
    certificate = ts.check_kkt(model.weights_, FRAME, score="least-squares")
    assert model.certificate_.satisfied == certificate.satisfied
    np.testing.assert_allclose(model.certificate_.matrix, certificate.matrix)


@EVERY
def test_as_a_start_it_never_gets_worse(name):
    model = fitted(name)
    order = ts.Topo("least-squares", init=model, search="none").fit(FRAME)
    refined = ts.refine(model.weights_, FRAME, score="least-squares")
    if model.linear:
        assert order.score_ <= model.score_ * (1 + 1e-12)
    assert refined.score_ <= order.score_ * (1 + 1e-12)
    assert refined.certificate_.satisfied


@EVERY
def test_it_can_be_reported(name):
    model = fitted(name)
    record = record_of(model, len(FRAME))
    assert record["search"] == name
    assert json.loads(json.dumps(record))["score"] == model.score_
    text = as_text(report(model, rows=len(FRAME)))
    assert name in text
    assert "score: least-squares" in text


@EVERY
def test_the_published_threshold_prunes(name):
    model = fitted(name)
    assert model.threshold_ == model.published_threshold
    sizes = np.abs(model.adjacency_matrix_[model.adjacency_matrix_ != 0.0])
    assert (sizes >= (model.threshold_ or 0.0)).all()


def test_pruning_is_a_parameter():
    everything = Notears(prune=None).fit(SAMPLE.X)
    np.testing.assert_array_equal(everything.adjacency_matrix_, everything.weights_)
    assert Notears(prune=1.5).fit(SAMPLE.X).threshold_ == 1.5
    with pytest.raises(ts.InputError, match="prune"):
        Notears(prune="some").fit(SAMPLE.X)


@EVERY
def test_nothing_is_printed(name, capsys):
    make(name).fit(SAMPLE.X)
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


@pytest.mark.parametrize("name", [n for n, c in BASELINES.items() if issubclass(c, Peer)])
def test_a_missing_package_is_one_line(name, monkeypatch):
    learner = BASELINES[name]
    root = MODULES.get(learner.package, learner.package)
    for module in [m for m in sys.modules if m.split(".")[0] == root]:
        monkeypatch.delitem(sys.modules, module)
    # None in sys.modules makes the import fail whether the package is there or not.
    monkeypatch.setitem(sys.modules, root, None)
    with pytest.raises(MissingExtraError) as error:
        learner().fit(SAMPLE.X)
    assert str(error.value) == (
        f'{name} needs the package {learner.package}: pip install "toposwap[peers]"'
    )


def test_registry_and_package_agree():
    assert all(learner.name == name for name, learner in BASELINES.items())
    assert {"notears", "golem-ev", "golem-nv", "kkts", "notears-mlp"} < set(BASELINES)


# --- starts --------------------------------------------------------------------------------------


def test_names_classes_estimators_and_fitted_ones_are_starts():
    fitted = Notears().fit(FRAME)
    scores = {
        ts.Topo("least-squares", init=init, search="none").fit(FRAME).score_
        for init in ("notears", Notears, Notears(), fitted, fitted.weights_)
    }
    assert len(scores) == 1
    # A fitted learner knows its columns by name.
    turned = FRAME[NAMES[::-1]]
    assert ts.Topo("least-squares", init=fitted, search="none").fit(turned).score_ == pytest.approx(
        scores.pop()
    )
    assert (
        ts.Topo("least-squares", init=ts.Topo("least-squares").fit(FRAME)).fit(FRAME).n_iter_ == 0
    )


def test_a_start_leaves_the_estimator_as_it_is():
    start = Notears()
    ts.Topo("least-squares", init=start).fit(FRAME)
    assert not hasattr(start, "weights_")


def test_bad_starts_are_named():
    with pytest.raises(ts.InputError, match=r"'notears'.*'flop'"):
        ts.Topo("least-squares", init="nofears").fit(FRAME)
    with pytest.raises(ts.InputError, match="other columns"):
        ts.Topo("least-squares", init=Notears().fit(SAMPLE.X)).fit(FRAME)
    with pytest.raises(ts.InputError, match="not fitted"):
        ts.Topo("least-squares", init=ts.Topo("least-squares")).fit(FRAME)


def test_strongest_dag_keeps_what_closes_no_cycle():
    W = np.array([[0.0, 2.0, 0.1], [0.5, 0.0, 1.0], [0.2, 0.0, 3.0]])
    kept, dropped = strongest_dag(W)
    np.testing.assert_array_equal(kept, [[0.0, 2.0, 0.1], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    assert dropped == 3


def test_found_weights_with_cycles_are_said_to_have_had_them():
    model = Notears().fit(SAMPLE.X)
    assert np.count_nonzero(model.raw_weights_) > np.count_nonzero(model.weights_)
    assert any("closed cycles" in choice for choice in model.result_.choices)


def test_rows_are_asked_for_where_they_are_needed():
    C = np.cov(SAMPLE.X.T, bias=True)
    assert BASELINES["golem-ev"](steps=10).fit_covariance(C, 300, NAMES).names_ == tuple(NAMES)
    needy = ["notears-mlp", *(["pc"] if find_spec("causallearn") else [])]
    for name in needy:
        with pytest.raises(ts.InputError, match="rows"):
            BASELINES[name]().fit_covariance(C, 300)
