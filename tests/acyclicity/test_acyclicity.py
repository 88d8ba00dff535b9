"""h in three forms: value, gradient, zero patterns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm

from toposwap.acyclicity import ACYCLICITIES
from toposwap.core.errors import InputError
from toposwap.core.graph import topological_order
from toposwap.core.order import Order
from toposwap.kernels.graphs.reachability import reachability

ALL = pytest.mark.parametrize("h", [cls() for cls in ACYCLICITIES.values()], ids=list(ACYCLICITIES))


@st.composite
def graphs(draw, acyclic=False):
    """A signed weight matrix with spectral radius of |W| below one half, or a DAG of any size."""
    d = draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    W = rng.standard_normal((d, d)) * (rng.random((d, d)) < draw(st.floats(0, 1)))
    if acyclic:
        label = rng.permutation(d)
        return np.triu(W, 1)[np.ix_(label, label)] * draw(st.sampled_from([1e-6, 1.0, 1e3]))
    return W / max(1.0, 2.0 * np.abs(W).sum(axis=1).max())


def literal(name, B):
    """The formulas as the paper writes them."""
    d = len(B)
    eye = np.eye(d)
    if name == "exponential":
        return np.trace(expm(B)) - d, expm(B).T
    if name == "polynomial":
        step = eye + B / d
        return (
            np.trace(np.linalg.matrix_power(step, d)) - d,
            np.linalg.matrix_power(step, d - 1).T,
        )
    return -np.linalg.slogdet(eye - B)[1], np.linalg.inv(eye - B).T


@ALL
@given(W=graphs())
def test_value_and_gradient_are_the_formulas(h, W):
    value, gradient = literal(h.name, np.abs(W))
    assert h.value(W) == pytest.approx(value, rel=1e-10, abs=1e-14)
    np.testing.assert_allclose(h.gradient(W), gradient, rtol=1e-10, atol=1e-14)


@ALL
@given(W=graphs(), seed=st.integers(0, 2**32))
def test_gradient_against_finite_differences(h, W, seed):
    B = np.abs(W)
    i, j = np.random.default_rng(seed).integers(len(B), size=2)
    # On both sides of an entry that is positive; B itself must stay non-negative.
    B[i, j] += 1e-3
    up, down = B.copy(), B.copy()
    up[i, j] += 1e-5
    down[i, j] -= 1e-5
    slope = (h.value(up) - h.value(down)) / 2e-5
    assert h.gradient(B)[i, j] == pytest.approx(slope, rel=1e-5, abs=1e-9)


@ALL
@given(W=st.one_of(graphs(), graphs(acyclic=True)))
def test_h_is_zero_iff_dag(h, W):
    assert (h.value(W) == 0.0) == (topological_order(W != 0.0) is not None)


@ALL
@given(W=st.one_of(graphs(), graphs(acyclic=True)))
def test_gradient_is_zero_iff_no_walk_back(h, W):
    np.testing.assert_array_equal(h.gradient(W) > 0.0, reachability(W != 0.0).T)


@ALL
@given(W=graphs(acyclic=True))
def test_a_known_order_changes_nothing(h, W):
    order = Order(topological_order(W != 0.0))
    np.testing.assert_allclose(h.gradient(W, order), h.gradient(W), rtol=1e-12)


@ALL
def test_tiny_cycles_count_and_huge_walks_do_not_become_nan(h):
    cycle = np.zeros((3, 3))
    cycle[0, 1] = cycle[1, 0] = 1e-170
    assert h.value(cycle) > 0.0
    d = 60
    path = np.triu(np.full((d, d), 1e12), 1)
    path[:, d // 2 :][: d // 2] = 0.0
    gradient = h.gradient(path)
    assert not np.isnan(gradient).any()
    np.testing.assert_array_equal(gradient > 0.0, reachability(path != 0.0).T)
    small = np.triu(np.full((d, d), 1e-200), 1)
    np.testing.assert_array_equal(h.gradient(small) > 0.0, reachability(small != 0.0).T)


@pytest.mark.parametrize("call", ["value", "gradient"])
def test_logdet_says_where_it_ends(call):
    outside = np.array([[0.0, 2.0], [1.0, 0.0]])
    with pytest.raises(InputError, match=r"spectral radius of \|W\| is 1.41"):
        getattr(ACYCLICITIES["logdet"](), call)(outside)


@ALL
def test_bad_matrices_are_refused(h):
    with pytest.raises(InputError, match="weights has shape"):
        h.value(np.zeros((2, 3)))
    with pytest.raises(InputError, match=r"weights.*nan"):
        h.gradient([[0.0, np.nan], [0.0, 0.0]])
