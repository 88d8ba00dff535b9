"""Parents at a price, against regressions from scratch."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap.kernels.additive import group_l0


@st.composite
def problems(draw):
    d, m = draw(st.integers(2, 5)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = d * m + 30
    U = rng.standard_normal((n, d * m)) + rng.standard_normal((n, 1))
    for i in range(1, d):
        U[:, i * m] += 2.0 * U[:, rng.integers(i) * m]
    for i in range(d):
        part = slice(i * m, (i + 1) * m)
        U[:, part] = np.linalg.qr(U[:, part])[0]
    sizes = rng.integers(1, m + 1, d)
    allowed = rng.random(d) < 0.8
    return U, sizes, allowed, draw(st.sampled_from([0.002, 0.02, 0.1])), rng


def left(U, sizes, node, parents):
    m = U.shape[1] // sizes.size
    y = U[:, node * m]
    columns = [U[:, i * m : i * m + sizes[i]] for i in np.flatnonzero(parents)]
    if not columns:
        return y @ y
    A = np.hstack(columns)
    rest = y - A @ np.linalg.lstsq(A, y, rcond=None)[0]
    return rest @ rest


def value(U, sizes, node, parents, price):
    return 0.5 * np.log(left(U, sizes, node, parents)) + price * sizes[parents].sum()


@given(problems())
def test_no_addition_and_no_removal_pays(problem):
    U, sizes, allowed, price, rng = problem
    d = sizes.size
    node = int(rng.integers(d))
    allowed[node] = False
    required = allowed & (rng.random(d) < 0.2)
    start = required | (allowed & (rng.random(d) < 0.5))
    parents, worth = start.copy(), np.empty(d)
    variance = group_l0.select(
        U.T @ U, sizes, node, allowed, required, price, len(U) // 2, parents, worth
    )
    assert parents[required].all()
    assert not (parents & ~allowed).any()
    assert variance == pytest.approx(left(U, sizes, node, parents), rel=1e-6)
    best = value(U, sizes, node, parents, price)
    assert best <= value(U, sizes, node, start, price) + 1e-9
    for i in range(d):
        if i == node:
            continue
        other = parents.copy()
        other[i] = not other[i]
        change = value(U, sizes, node, other, price) - best
        if allowed[i] and not required[i]:
            assert change >= -1e-8
        if not parents[i]:
            assert worth[i] == pytest.approx(-change, abs=1e-6)


def test_no_more_coefficients_than_allowed():
    rng = np.random.default_rng(0)
    U = np.linalg.qr(rng.standard_normal((40, 12)))[0]
    gram = U.T @ U
    gram[0, 3:] = gram[3:, 0] = 0.1
    parents, worth = np.zeros(4, dtype=bool), np.empty(4)
    allowed = np.array([False, True, True, True])
    group_l0.select(
        gram, np.full(4, 3), 0, allowed, np.zeros(4, dtype=bool), 0.0, 7, parents, worth
    )
    assert parents.sum() == 2
