"""Orders as objects."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toposwap as ts


@given(st.integers(0, 2**32), st.integers(1, 9))
def test_moves_of_an_order(seed, d):
    rng = np.random.default_rng(seed)
    variables = rng.permutation(d).tolist()
    order = ts.Order(variables)
    v, w, k = (int(x) for x in rng.integers(d, size=3))
    assert list(order) == variables == [order[k] for k in range(d)]
    assert [order.positions[x] for x in variables] == list(range(d))
    rest = [x for x in variables if x != v]
    assert list(order.insert(v, k)) == [*rest[:k], v, *rest[k:]]
    exchange = {v: w, w: v}
    assert list(order.swap(v, w)) == [exchange.get(x, x) for x in variables]
    assert order == ts.Order(variables)
    assert hash(order) == hash(ts.Order(variables))
    assert (order.swap(v, w) == order) == (v == w)
    assert list(order) == variables
    with pytest.raises(ValueError, match="read-only"):
        order.variables[0] = 0
