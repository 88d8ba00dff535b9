"""Losses and penalties of a user's own, in a file of theirs, and pairs that cannot be solved."""

import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tables import real_table

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.losses import ColumnLoss, HuberLoss
from toposwap.penalties import L1, Penalty
from toposwap.scores import MLP, Penalized

OWN = """
import math
import numpy as np
from toposwap.kernels.compiled import penalty_terms, proximal_step, row_terms
from toposwap.losses import RowLoss
from toposwap.penalties import ProximalPenalty

@row_terms
def log_cosh(eta, y, omega, parameters, slope, curvature):
    total = size = 0.0
    for i in range(y.size):
        r = (eta[i] - y[i]) / parameters[0]
        t = math.tanh(r)
        total += omega[i] * parameters[0] * (abs(r) + math.log1p(math.exp(-2.0 * abs(r))))
        slope[i] = omega[i] * t
        curvature[i] = omega[i] * (1.0 - t * t) / parameters[0]
        size += omega[i]
    return total, size

class LogCosh(RowLoss):
    name = "log-cosh"
    convex = True
    has_units = True
    terms = log_cosh

    @property
    def parameters(self):
        return (0.7,)

    def start(self, y, omega):
        return float(np.median(y))

@penalty_terms
def both(size, l1, ridge, _c):
    return l1 * size + 0.5 * ridge * size * size, l1 + ridge * size, ridge

@proximal_step
def both_step(z, curvature, l1, ridge, _c):
    return max(z - l1, 0.0) / (curvature + ridge)

class ElasticNet(ProximalPenalty):
    name = "elastic-net"
    convex = True
    selects_edges = True
    terms = both
    step = both_step
    numbers = (0.05, 0.02)
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """The module above, imported."""
    (tmp_path / "own_terms.py").write_text(OWN, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    import own_terms

    yield own_terms
    sys.modules.pop("own_terms")


def test_terms_in_a_file_of_the_users(own):
    X = real_table(0, 5, 200)
    for score in (
        Penalized(own.LogCosh(), own.ElasticNet()),
        Penalized("gaussian", own.ElasticNet()),
        Penalized(["gaussian", own.LogCosh(), "huber", own.LogCosh(), "gaussian"], "bic"),
        Penalized(own.LogCosh(), "scad"),
    ):
        model = ts.Topo(score, random_state=0).fit(X)
        assert model.certificate_.satisfied, (score, model.certificate_)
        assert model.adjacency_matrix_.any()


def test_one_node_of_the_users_terms_is_scipys(own):
    from scipy.optimize import minimize

    X = real_table(1, 4, 200)
    loss, penalty = own.LogCosh(), own.ElasticNet()
    bound = Penalized(loss, penalty).bind(ts.core.dataset.Dataset.from_table(X))
    w, b = bound.coefficients(0, bound.fit_node(0, np.arange(4) != 0, None))

    def objective(p):
        r = (p[0] + X[:, 1:] @ (p[1:4] - p[4:]) - X[:, 0]) / 0.7
        return np.mean(0.7 * np.logaddexp(r, -r)) + sum(
            0.05 * np.sum(part) + 0.01 * np.sum(part**2) for part in (p[1:4], p[4:])
        )

    bounds = [(None, None)] + [(0.0, None)] * 6
    end = minimize(objective, np.zeros(7), bounds=bounds, options={"ftol": 1e-15, "gtol": 1e-9})
    np.testing.assert_allclose(w[1:], end.x[1:4] - end.x[4:], atol=1e-5)
    assert b == pytest.approx(end.x[0], abs=1e-5)


@pytest.mark.thorough
def test_terms_typed_into_a_console():
    """There is no file then that a cache could belong to."""
    program = textwrap.dedent(OWN) + textwrap.dedent("""
        assert abs(ElasticNet().value(np.array([2.0])) - 0.14) < 1e-12
        assert LogCosh().value(np.zeros(3), np.ones(3)) > 0.0
        print("fine")
    """)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout == "fine\n", done.stderr


def test_formulas_work_in_several_threads_at_once():
    X = real_table(2, 6, 200)
    score = Penalized("huber", L1(0.05))

    def fit(_):
        return ts.Topo(score, random_state=0, n_jobs=1).fit(X).score_

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(fit, range(8)))) == 1


class NoStep(Penalty):
    """Complete as far as its abstract methods go."""

    name = "no-step"
    convex = False
    selects_edges = True
    threshold = 0.1

    def value(self, W):
        return float(np.sqrt(np.abs(W)).sum())

    def slope(self, W):
        return np.zeros_like(W)


class NoTerms(ColumnLoss):
    """The same for a loss."""

    name = "no-terms"
    convex = True
    from_moments = False

    def value(self, x, f):
        return float(np.abs(x - f).mean())

    def slope(self, x, f):
        return np.sign(f - x) / x.size


@pytest.mark.parametrize("loss", ["gaussian", "logistic", "equal-variance", "auto", "huber"])
def test_a_penalty_without_a_step_is_refused_before_the_search(loss):
    X = (real_table(0, 4, 100) > 0).astype(float) if loss == "logistic" else real_table(0, 4, 100)
    with pytest.raises(InputError, match=r"penalty: NoStep\(\) has neither a proximal step"):
        ts.Topo(Penalized(loss, NoStep())).fit(X)


@pytest.mark.parametrize("penalty", ["l1", "bic", "none"])
def test_a_loss_without_terms_is_refused_before_the_search(penalty):
    X = real_table(0, 4, 100)
    losses = ["gaussian", "gaussian", NoTerms(), "gaussian"]
    with pytest.raises(InputError, match=r"loss: NoTerms\(\) of column 'x2' is neither"):
        ts.Topo(Penalized(losses, penalty)).fit(X)
    with pytest.raises(InputError, match=r"loss: NoTerms\(\) of column 'x2' is neither"):
        ts.Topo(MLP(loss=losses)).fit(X)


def test_one_wild_row_moves_squares_and_not_hubers_loss():
    rng = np.random.default_rng(0)
    cause = rng.standard_normal(300)
    effect = 2.0 * cause + 0.5 * rng.standard_normal(300)
    X = np.column_stack([cause, effect])
    X[X[:, 0].argmax(), 1] = -300.0
    found = {
        loss: ts.Topo(Penalized(loss, "none"), "none", init=[0, 1]).fit(X).weights_[0, 1]
        for loss in ("least-squares", "huber")
    }
    assert found["huber"] == pytest.approx(2.0, abs=0.1)
    assert abs(found["least-squares"] - 2.0) > 1.0


@pytest.mark.parametrize("unit", [1e-6, 1e3, 1e12])
def test_hubers_loss_has_no_units(unit):
    X = real_table(3, 5, 200)
    plain = ts.Topo(Penalized(HuberLoss(), "bic"), random_state=0).fit(X)
    scaled = ts.Topo(Penalized(HuberLoss(), "bic"), random_state=0).fit(X * unit**0.5)
    np.testing.assert_array_equal(plain.weights_ != 0.0, scaled.weights_ != 0.0)
    assert scaled.score_ == pytest.approx(plain.score_, rel=1e-9)
    assert scaled.certificate_.satisfied
