"""Where fits of networks begin, and what is said about the data before."""

import numpy as np
import pytest

import toposwap as ts
from toposwap.core.dataset import Dataset


def test_weak_inputs_wake_networks_that_have_none():
    """Units at random cost more than this signal is worth, and nearly always die at once."""
    score = ts.scores.MLP(hidden=40, l1=0.003, l2=0.001)
    one = np.array([0])
    awake = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x = rng.standard_normal(1000)
        y = 0.5 * (x > 1.0) + rng.standard_normal(1000)
        bound = score.bind(Dataset.from_table(np.column_stack([x, y])))
        nothing = bound.nodes.cold_fits(1, one[:0], range(1))[0]
        fit = bound.nodes.warm_fit(1, one, nothing)
        assert fit.value <= nothing.value
        awake += bool(fit.support[0])
    assert awake >= 20


def test_units_are_begun_for_new_inputs_only():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 4))
    X[:, 3] += X[:, 0] + X[:, 1] * X[:, 2]
    bound = ts.scores.MLP(hidden=10).bind(Dataset.from_table(X))
    fit = bound.nodes.cold_fits(3, np.array([0, 1]), range(1))[0]
    same = bound.nodes.starts.carried(fit.parameters, np.array([0]))
    assert bound.nodes.starts.reinitialised(3, same, fit) is same
    more = bound.nodes.starts.carried(fit.parameters, np.array([0, 1, 2]))
    begun = bound.nodes.starts.reinitialised(3, more, fit)
    changed = (begun.first != more.first).any(axis=1)
    assert changed.any()
    # Those that were idle, and each of them looks at what is new.
    assert not more.first[changed, :3].any()
    assert begun.first[changed, 2].all()
    np.testing.assert_array_equal(begun.output, more.output)


def test_units_that_make_the_penalties_meaningless_are_named():
    X = np.random.default_rng(0).standard_normal((200, 4)) * [1.0, 1e-3, 1e5, 5.0]

    def remarks(**settings):
        return ts.scores.MLP(hidden=4, **settings).bind(Dataset.from_table(X)).remarks

    large, small = remarks()
    assert "'x2': in these units the penalties weigh nothing" in large
    assert "'x1': in these units the penalties cost more than any cause explains" in small
    assert remarks(loss="gaussian") == remarks(l1=0.0) == ()


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_other_units_are_polished_all_the_same(scale):
    sample = ts.simulate.nonlinear_dataset(4, 300, "ER1", random_state=0)
    X = sample.X * [1.0, scale, 1.0, 1.0]
    with pytest.warns(ts.ToposwapWarning, match="in these units the penalties"):
        model = ts.Topo(ts.scores.MLP(hidden=4), random_state=0).fit(X)
    assert model.certificate_.satisfied
