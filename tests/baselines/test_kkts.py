"""KKTS: irreducible sets, the paper's lemma about them, and its three-node example."""

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from tables import real_table

import toposwap as ts
from toposwap.acyclicity import Polynomial
from toposwap.baselines import KKTS
from toposwap.baselines.kkts import AbsentEdges


def population(W):
    return ts.Dataset.from_covariance(ts.simulate.population_covariance(W), n=1000)


def literally_irreducible(state):
    """The definition: (i, j) in Z implies [grad h(|W*(Z)|)]_ij > 0."""
    gradient = Polynomial().gradient(state.weights)
    return bool((gradient[state.absent] > 0.0).all())


@pytest.mark.parametrize(("d", "i0", "j0"), [(3, 0, 1), (5, 1, 3), (4, 0, 3)])
def test_irreducibility_is_not_necessary(d, i0, j0):
    """The paper's lemma: the global minimum is there at once, and Z is reducible for long."""
    true = np.zeros((d, d))
    true[i0, j0] = 1.0
    absent = np.ones((d, d), dtype=bool)
    absent[i0, j0] = False
    state = AbsentEdges(population(true), absent)
    removed = 0
    while not state.irreducible():
        np.testing.assert_allclose(state.weights, true, atol=1e-12)
        assert not literally_irreducible(state)
        # Already a KKT point although Z is reducible.
        assert ts.check_kkt(state.weights, state.data, score="least-squares").satisfied
        i, j = np.argwhere(state.reducible())[0]
        state.absent[i, j] = False
        state.solve(int(j))
        removed += 1
    np.testing.assert_allclose(state.weights, true, atol=1e-12)
    last = np.eye(d, dtype=bool)
    last[j0, i0] = True
    np.testing.assert_array_equal(state.absent, last)
    assert removed == d * d - d - 2
    # The search itself ends at the same set.
    searched = AbsentEdges(population(true), absent)
    searched.reduce()
    np.testing.assert_array_equal(searched.absent, last)


def test_three_nodes_from_the_empty_graph_end_reversed():
    """|ab| < |a| < |(a^2 + 1) b|: without turning edges every edge points the wrong way."""
    a, b = 1.0, -0.55
    true = np.zeros((3, 3))
    true[0, 1], true[1, 2] = a, b
    model = KKTS(init=None, reverse=False).fit(population(true))
    expected = np.zeros((3, 3))
    expected[1, 0] = a / (a**2 + 1)
    expected[2, 1] = (a**2 * b + b) / ((a * b) ** 2 + b**2 + 1)
    np.testing.assert_allclose(model.weights_, expected, atol=1e-12)
    assert model.certificate_.satisfied
    assert model.irreducible_
    # Refining finds the truth from there.
    np.testing.assert_allclose(
        ts.refine(model.weights_, population(true), score="least-squares").weights_,
        true,
        atol=1e-12,
    )


@given(seed=st.integers(0, 2**32), cyclic=st.booleans())
@examples(25)
def test_ends_irreducible_and_at_a_local_minimum(seed, cyclic):
    X = real_table(seed)
    start = np.random.default_rng(seed).standard_normal((5, 5)) if cyclic else None
    model = KKTS(init=start, start_threshold=0.0).fit(X)
    assert model.irreducible_
    assert model.certificate_.satisfied
    assert ((model.weights_ != 0.0) <= ~model.absent_).all()


def test_turning_edges_lowers_the_score():
    X = ts.simulate.linear_dataset(10, 500, "ER2", random_state=0).X
    without, with_ = KKTS(init=None, reverse=False).fit(X), KKTS(init=None).fit(X)
    assert with_.score_ < without.score_
    assert with_.certificate_.satisfied
    assert without.certificate_.satisfied


def test_penalty_and_starts():
    X = ts.simulate.linear_dataset(6, 300, "ER1", random_state=0).X
    sparse = KKTS(init="notears", lambda1=0.1).fit(X)
    dense = KKTS(init="notears").fit(X)
    assert np.count_nonzero(sparse.weights_) < np.count_nonzero(dense.weights_)
    judged = ts.check_kkt(
        sparse.weights_, X, score=ts.scores.Penalized("least-squares", ts.penalties.L1(0.1))
    )
    assert judged.satisfied
    assert "irreducible" in sparse.result_.choices[-1]
    for init in ("auto", [0, 1, 2, 3, 4, 5]):
        with pytest.raises(ts.InputError, match="KKTS begins"):
            KKTS(init=init).fit(X)
    with pytest.raises(ts.InputError, match="lambda1"):
        KKTS(lambda1=-1.0).fit(X)
