"""Every penalty: its formula, its slope, its threshold, its settings."""

import copy
import pickle
from inspect import signature

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pairs import DIFFERENT

from toposwap.core.errors import InputError
from toposwap.penalties import (
    BIC,
    EBIC,
    L0,
    L1,
    MCP,
    PENALTIES,
    SCAD,
    NoPenalty,
    ProximalPenalty,
    Ridge,
)

EVERY = [make().bind(100, 10) for make in PENALTIES.values()] + [L0(0.2), MCP(0.3, 2.0)]
ALL = pytest.mark.parametrize("penalty", EVERY, ids=repr)
PROXIMAL = pytest.mark.parametrize(
    "penalty",
    [penalty for penalty in (*EVERY, *DIFFERENT) if isinstance(penalty, ProximalPenalty)],
    ids=repr,
)
sizes = st.floats(0.01, 3.0)


@ALL
@given(size=sizes, sign=st.sampled_from([-1.0, 1.0]))
def test_slope_is_the_derivative_of_the_value(penalty, size, sign):
    w = np.array([sign * size])
    step = 1e-6
    slope = (penalty.value(w + step) - penalty.value(w - step)) / (2 * step)
    assert penalty.slope(w)[0] == pytest.approx(slope, abs=1e-6)


@ALL
def test_zero_costs_nothing_and_has_no_slope(penalty):
    zero = np.zeros((3, 3))
    assert penalty.value(zero) == 0.0
    assert not penalty.slope(zero).any()


@ALL
def test_threshold_is_the_slope_at_zero(penalty):
    """Where it is infinite, the price is paid at once."""
    tiny = np.array([1e-9])
    if np.isinf(penalty.threshold):
        assert penalty.value(tiny) == penalty.weight > 0.0
    else:
        assert penalty.slope(tiny)[0] == pytest.approx(penalty.threshold, abs=1e-8)
    assert penalty.selects_edges == (penalty.threshold > 0.0)


@ALL
@given(a=sizes, b=sizes)
def test_convex_means_convex(penalty, a, b):
    a, b = np.array([-a]), np.array([b])
    if penalty.convex:
        middle = penalty.value((a + b) / 2)
        assert middle <= (penalty.value(a) + penalty.value(b)) / 2 + 1e-12


@PROXIMAL
@given(size=sizes)
def test_curvature_is_the_derivative_of_the_slope(penalty, size):
    w, step = np.array([size]), 1e-7
    slopes = [penalty.slope(w + sign * step)[0] for sign in (-1.0, 1.0)]
    curvatures = [penalty.curvature(w + sign * step)[0] for sign in (-1.0, 1.0)]
    if curvatures[0] == pytest.approx(curvatures[1]):
        assert penalty.curvature(w)[0] == pytest.approx((slopes[1] - slopes[0]) / 2e-7, abs=1e-5)


@PROXIMAL
@given(z=st.floats(-3.0, 3.0), curvature=st.floats(0.02, 3.0))
def test_the_proximal_step_against_a_grid(penalty, z, curvature):
    def objective(w):
        rho = np.array([penalty.value(np.array([t])) for t in np.atleast_1d(w)])
        return 0.5 * curvature * w**2 - z * w + rho

    best = penalty.proximal(z, curvature)
    far = 1.1 * abs(z) / curvature + 0.1
    coarse = np.linspace(-far, far, 401)
    assert objective(best)[0] <= objective(coarse).min() + 1e-12
    assert best == 0.0 or np.sign(best) == np.sign(z)


@PROXIMAL
@given(z=sizes)
def test_the_threshold_is_where_steps_begin(penalty, z):
    """With a curvature at which no penalty here is concave enough to jump."""
    step = penalty.proximal(z, 1e3)
    assert (step == 0.0) == (z <= penalty.threshold)


@PROXIMAL
def test_a_changed_setting_counts(penalty):
    for name in vars(penalty):
        other = copy.copy(penalty)
        setattr(other, name, 2.0 * getattr(penalty, name) + 0.1)
        W = np.linspace(0.01, 2.0, 20)
        assert other.value(W) != penalty.value(W)


@PROXIMAL
def test_settings_travel_between_processes(penalty):
    again = pickle.loads(pickle.dumps(penalty))
    assert repr(again) == repr(penalty)
    assert again.value(np.array([0.3])) == penalty.value(np.array([0.3]))


@given(w=st.floats(-2.0, 2.0))
def test_scad_is_fan_and_lis(w):
    weight, a = 0.3, 3.7
    size = abs(w)
    if size <= weight:
        expected = weight * size
    elif size <= a * weight:
        expected = (2 * a * weight * size - size**2 - weight**2) / (2 * (a - 1))
    else:
        expected = weight**2 * (a + 1) / 2
    assert SCAD(weight, a).value(np.array([w])) == pytest.approx(expected, abs=1e-15)


def test_scad_needs_room_between_its_parts():
    with pytest.raises(InputError, match="SCAD a: must be a number > 2"):
        SCAD(0.1, 2.0)


@given(w=st.floats(-0.2, 0.2))
def test_mcp_is_the_papers(w):
    weight, beta = 0.005, 10.0
    inside = weight * abs(w) - w**2 / (2 * beta)
    expected = inside if abs(w) <= beta * weight else beta * weight**2 / 2
    assert MCP().value(np.array([w])) == pytest.approx(expected, abs=1e-15)


def test_values_are_sums():
    W = np.array([[0.0, 2.0], [-1.0, 0.0]])
    assert L1(0.5).value(W) == 1.5
    assert Ridge(0.5).value(W) == 1.25
    assert L0(0.5).value(W) == 1.0
    assert NoPenalty().value(W) == 0.0


def test_criteria_work_out_their_weight():
    n, d = 500, 20
    assert BIC().bind(n, d).weight == pytest.approx(np.log(n) / n)
    assert BIC(1.0).bind(n, d).weight == pytest.approx(np.log(n) / (2 * n))
    expected = (2 * np.log(n) + 2 * np.log(d)) / (2 * n)
    assert EBIC().bind(n, d).weight == pytest.approx(expected)
    assert EBIC(gamma=0.0).bind(n, d).weight == BIC().bind(n, d).weight
    with pytest.raises(InputError, match=r"bind\(n, d\) first"):
        BIC().value(np.ones((2, 2)))


@pytest.mark.parametrize("wrong", [-0.1, np.nan, np.inf, "0.1", None, True])
@pytest.mark.parametrize(
    "make", [m for m in [*dict.fromkeys(PENALTIES.values()), L0] if signature(m).parameters]
)
def test_settings_are_checked(make, wrong):
    with pytest.raises(InputError, match="must be a number >= 0"):
        make(wrong)


def test_mcp_needs_a_reach():
    with pytest.raises(InputError, match="MCP beta: must be a number > 0"):
        MCP(0.1, 0.0)
