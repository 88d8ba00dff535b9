"""What does not fit into memory is refused before it is begun."""

import numpy as np
import pytest

import toposwap as ts
from toposwap.core.runtime import memory


def test_there_is_memory():
    assert memory.memory_bytes() > 1e8


def test_a_table_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "memory_bytes", lambda: 1e5)
    X = np.random.default_rng(0).normal(size=(60, 40))
    with pytest.raises(ts.InputError, match=r"40 columns need about"):
        ts.Topo("bic").fit(X)
    ts.Topo("bic").fit(X[:, :5])
