"""How sure each edge is: shares of classes, files, interruption, and the same answer for anyone."""

import os
import signal
import sys
import threading

import numpy as np
import pytest
from matplotlib import pyplot as plt

import toposwap as ts
from toposwap.certainty.counts import Counts, path_shares
from toposwap.certainty.resample import Resample
from toposwap.certainty.run import Step


def sample(d=8, n=200, seed=1, graph="ER1"):
    return ts.simulate.linear_dataset(d, n, graph, noise="gauss-NV", random_state=seed)


@pytest.fixture(scope="module")
def some():
    """A table and its confidence."""
    X = sample().X
    return X, ts.confidence(X, ts.Topo("bic"), n_resamples=20)


def same(a, b):
    assert (a.probabilities == b.probabilities).all()
    assert a.edges.equals(b.edges)
    for one, other in zip(a.resamples, b.resamples, strict=True):
        assert one.number == other.number
        assert (one.edges == other.edges).all()
        assert (one.weights == other.weights).all()
        assert (one.open == other.open).all()


def test_shares_are_those_of_the_classes(some):
    """Against counting the classes one by one."""
    _, found = some
    d = len(found.names)
    shares = np.zeros((d, d))
    for one in found.resamples:
        W = np.zeros((d, d), dtype=bool)
        W[one.edges[:, 0], one.edges[:, 1]] = True
        C = ts.metrics.cpdag(W)
        shares += np.where(C & C.T, 0.5, C)
    np.testing.assert_array_equal(found.probabilities, shares / found.done)
    assert found.done == 20
    assert (found.adjacent <= 1.0).all()
    assert (found.ancestors <= 1.0).all()


@pytest.mark.parametrize(
    "score", ["bic", "least-squares", pytest.param("logistic-bic", marks=pytest.mark.thorough)]
)
def test_the_same_for_any_number_of_threads(score):
    X = sample().X
    X = (X > 0.0).astype(float) if score == "logistic-bic" else X
    one = ts.confidence(X, ts.Topo(score), n_resamples=6, n_jobs=1)
    same(one, ts.confidence(X, ts.Topo(score), n_resamples=6, n_jobs=3))


def test_another_seed_draws_other_rows(some):
    X, found = some
    other = ts.confidence(X, ts.Topo("bic"), n_resamples=20, random_state=7)
    assert (other.resamples[0].weights.size != found.resamples[0].weights.size) or (
        other.resamples[0].weights != found.resamples[0].weights
    ).any()


def test_every_resample_obeys_what_is_known():
    known = ts.Knowledge(
        tiers=[["x5", "x6", "x7"], ["x0", "x1", "x2", "x3", "x4"]],
        required=["x5 -> x0"],
        forbidden=["x6 -> x1"],
    )
    found = ts.confidence(sample().X, ts.Topo("bic", knowledge=known), n_resamples=10)
    assert not found.probabilities[:5, 5:].any()
    assert found.probabilities[5, 0] == 1.0
    assert found.probabilities[6, 1] == 0.0
    assert found.consensus_[5, 0]
    # Directions that follow from what is known are not counted half each way.
    across = found.probabilities[5:, :5]
    assert (across * found.done == np.round(across * found.done)).all()


def test_interventions_hold_in_every_resample():
    """Where one of two columns was set in some rows, the direction is told."""
    rng = np.random.default_rng(0)
    x, set_to = rng.standard_normal(200), 2.0 * rng.standard_normal(100)
    x[100:] = set_to
    X = np.c_[x, x + rng.standard_normal(200)]
    done = [None] * 100 + ["x0"] * 100
    found = ts.confidence(X, ts.Topo("bic"), n_resamples=6, interventions=done)
    np.testing.assert_array_equal(found.probabilities, [[0.0, 1.0], [0.0, 0.0]])


def test_tables_with_gaps_are_resampled_with_their_gaps():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(200)
    X = np.c_[x, x + rng.standard_normal(200)]
    X[::7, 1] = np.nan
    found = ts.confidence(X, ts.Topo("bic", missing="em"), n_resamples=4)
    np.testing.assert_array_equal(found.probabilities, [[0.0, 0.5], [0.5, 0.0]])
    with pytest.raises(ts.InputError, match="gaps"):
        ts.evidence(ts.Topo("bic", missing="em").fit(X), X)


def test_a_true_graph_is_found_again():
    drawn = sample(d=6, n=2000, graph="ER1", seed=5)
    found = ts.confidence(drawn.X, ts.Topo("bic"), n_resamples=20)
    joined = (drawn.weights != 0.0) | (drawn.weights.T != 0.0)
    assert found.adjacent[joined].min() > 0.9
    assert np.mean(found.adjacent[~joined]) < 0.1
    assert ((found.consensus_ | found.consensus_.T) == joined).mean() > 0.9


def test_open_edges_lie_in_the_consensus_all_the_same():
    """Two columns: no direction is told, the edge is certain."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal(200)
    found = ts.confidence(np.c_[x, x + rng.standard_normal(200)], ts.Topo("bic"), n_resamples=10)
    np.testing.assert_array_equal(found.probabilities, [[0.0, 0.5], [0.5, 0.0]])
    assert found.consensus_.sum() == 1
    assert (found.consensus_ == (found.graph != 0.0)).all()
    assert found.consensus(turned=0.0).edges.sum() == 0


def test_paths_of_a_class_are_those_of_its_members():
    """a - b - c, all open: a -> b leaves b -> c alone, so that both have paths as often."""
    edges = np.array([[0, 1], [1, 2]], dtype=np.int32)
    graphs = [Resample(k, edges, np.ones(2), np.ones(2, dtype=bool)) for k in range(400)]
    shares = path_shares(graphs, 3)
    # Drawn edge by edge: the first either way, the second either way where it is still open.
    assert shares[0, 1] == shares[0, 2] == pytest.approx(0.375, abs=0.05)
    assert shares[2, 1] == shares[2, 0] == pytest.approx(0.375, abs=0.05)
    assert shares[1, 0] == 1.0 - shares[0, 1]


def test_what_is_kept_is_bounded(monkeypatch):
    monkeypatch.setattr("toposwap.certainty.counts.MOST_KEPT", 10)
    edges = np.array([[0, 1], [1, 2], [0, 2]], dtype=np.int32)
    counts = Counts(3)
    for number in (4, 0, 3, 1, 2):
        counts.add(Resample(number, edges, np.ones(3), np.zeros(3, dtype=bool)))
    assert counts.done == 5
    assert [one.number for one in counts.kept] == [0, 1, 2]
    assert counts.shares[0, 1] == 1.0


def test_stable_edges_come_with_the_bound_of_complementary_pairs(some):
    X, found = some
    stable = found.stable(0.9)
    q, pairs = found.probabilities.sum(), 8 * 7 / 2
    assert stable.expected_false == pytest.approx(q**2 / (0.8 * pairs))
    assert (stable.edges["frequency"] >= 0.9).all()
    other = ts.confidence(X, ts.Topo("bic"), n_resamples=4, method="bootstrap").stable()
    assert other.expected_false is None
    assert "bootstrap" in other.why


def test_frame_file_and_picture(some, tmp_path):
    _, found = some
    frame = found.edges
    assert (frame["direction"] >= frame["frequency"] / 2 - 1e-12).all()
    learned = frame[frame["learned"]]
    assert (learned["low"] <= learned["weight"]).all()
    assert (learned["evidence"] > 0.0).all()
    found.save(tmp_path / "c.npz")
    again = ts.load_confidence(tmp_path / "c.npz")
    same(found, again)
    assert repr(again) == repr(found)
    assert (again.ancestors == found.ancestors).all()
    assert (again.consensus_ == found.consensus_).all()
    found.draw(tmp_path / "c.svg")
    assert "<svg" in (tmp_path / "c.svg").read_text(encoding="utf-8")
    figure, axes = plt.subplots()
    assert found.plot(axes) is axes
    assert found.plot(most=3).figure is not figure
    plt.close("all")
    (tmp_path / "odd.npz").write_bytes(b"PK nothing")
    with pytest.raises(ts.InputError, match=r"Confidence\.save"):
        ts.load_confidence(tmp_path / "odd.npz")


def test_a_run_that_was_ended_goes_on(tmp_path, some):
    X, whole = some
    file = tmp_path / "run.jsonl"

    def stop(step):
        if step.done == 7:
            raise KeyboardInterrupt

    model = ts.Topo("bic")
    short = ts.confidence(X, model, n_resamples=20, progress=stop, store=file)
    assert short.interrupted
    assert 7 <= short.done < 20
    with file.open("ab") as sink:
        sink.write(b'{"number": 9, "ed')
    seen = []
    found = ts.confidence(X, model, n_resamples=20, progress=seen.append, store=file)
    assert seen[0].done > 7
    assert seen[-1] == Step(20, 20)
    same(whole, found)
    with pytest.raises(ts.InputError, match="another table"):
        ts.confidence(X + 1.0, model, n_resamples=20, store=file)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_ctrl_c_ends_with_what_has_been_done(some):
    X, _ = some

    def press(step):
        if step.done == 5:
            os.kill(os.getpid(), signal.SIGINT)

    found = ts.confidence(X, ts.Topo("bic"), n_resamples=5000, progress=press)
    assert found.interrupted
    assert 5 <= found.done < 5000
    assert "interrupted" in repr(found)


def test_resamples_that_cannot_be_learned_from_are_told():
    """A column that is constant in most halves."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 3))
    X[:, 2] = 0.0
    X[0, 2] = X[1, 2] = 1.0
    with pytest.warns(ts.ToposwapWarning, match="could not be learned from"):
        found = ts.confidence(X, ts.Topo("bic"), n_resamples=20)
    assert 0 < found.done < 20
    assert any("constant" in remark for remark in found.remarks)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_resamples": 0}, "n_resamples"),
        ({"method": "jackknife"}, "method"),
        ({"groups": [1, 2]}, "groups"),
        ({"groups": "nobody"}, "groups"),
        ({"model": 3}, "model"),
        ({"random_state": -1}, "random_state"),
        ({"client": 3}, "client"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"model": ts.Topo("basis"), "method": "bayesian"}, "whole numbers"),
        ({"model": ts.Topo("bdeu"), "method": "bayesian"}, "use method='half'"),
    ],
)
def test_what_cannot_be_is_refused(given, message):
    with pytest.raises(ts.InputError, match=message):
        ts.confidence(sample(d=3, n=50).X, **given)


def test_another_learner_is_resampled_too():
    found = ts.confidence(
        sample(d=4, n=100).X, ts.baselines.GolemEV(steps=20, random_state=0), n_resamples=2
    )
    assert found.done == 2


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_loses_a_worker_gives_the_same_answer(some):
    distributed = pytest.importorskip("distributed")
    X, whole = some
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as local:
        victim = next(iter(local.workers.values())).pid
        killed = threading.Event()

        def kill(step):
            if step.done >= 2 and not killed.is_set():
                killed.set()
                os.kill(victim, signal.SIGKILL)

        with distributed.Client(local, set_as_default=False) as client:
            found = ts.confidence(X, ts.Topo("bic"), n_resamples=20, client=client, progress=kill)
    assert killed.is_set()
    same(whole, found)


def test_no_edge_in_any_resample_is_an_answer_too():
    X = np.random.default_rng(0).standard_normal((60, 3))
    found = ts.confidence(X, ts.Topo("ebic"), n_resamples=3, n_jobs=1)
    assert not found.probabilities.any()
    assert found.edges.empty
    assert not found.consensus_.any()
