"""Residual variances of few edges are those of the whole product."""

import numpy as np

import toposwap as ts
from toposwap.core.parents_at_once import parents_at_once


def test_residual_variances_of_few_and_of_many_edges():
    sample = ts.simulate.linear_dataset(150, 300, "ER2", random_state=0)
    data = ts.Dataset.from_table(sample.X)
    few = sample.weights
    many = np.triu(np.random.default_rng(0).normal(size=few.shape), 1)
    for W in (few, many):
        left = data.rows - data.rows.mean(axis=0)
        expected = np.square(left - left @ W).mean(axis=0)
        np.testing.assert_allclose(data.residual_variances(W), expected, rtol=1e-10)


def test_every_node_comes_once_with_its_parents():
    rng = np.random.default_rng(1)
    present = rng.random((200, 200)) < 0.01
    nodes = rng.permutation(200)[:150]
    met = []
    for some, used in parents_at_once(present, nodes):
        met.extend(some.tolist())
        wanted = set(some.tolist()) | set(np.flatnonzero(present[:, some].any(axis=1)).tolist())
        assert set(used.tolist()) == wanted
    assert met == nodes.tolist()
