"""Renaming, reflecting and rescaling the columns changes the answer in the same way, and no other.

With columns permuted by P (the starting order along with them), signs S and a common factor c, the
data X P S c have deltas c^2 times those of X, weights S P' W P S, and so on.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toposwap as ts
from toposwap.core.order import Order
from toposwap.scores import LeastSquares

SEARCHES = ("auto", "insertion", "paper")


class Change:
    """Column k of the new data is sign[k] * factor * column old[k] of the old."""

    def __init__(self, old, sign, factor):
        self.old, self.sign, self.factor = np.asarray(old), np.asarray(sign, float), factor
        self.new = np.argsort(self.old)

    def data(self, X):
        return X[:, self.old] * self.sign * self.factor

    def order(self, order):
        return self.new[np.asarray(list(order))].tolist()

    def weights(self, W):
        return W[np.ix_(self.old, self.old)] * self.sign * self.sign[:, None]

    def score(self, Q):
        # One factor at a time: the square of 1e-150 is still a number, times a small Q it is not.
        return Q * self.factor * self.factor


@st.composite
def factors(draw):
    """Powers of two, which change no digit, and any others."""
    if draw(st.booleans()):
        return 2.0 ** draw(st.integers(-330, 330))
    return draw(st.floats(1.0, 10.0)) * 10.0 ** draw(st.integers(-100, 99))


@st.composite
def cases(draw):
    """Data in random position, a starting order, and a change."""
    seed, d = draw(st.integers(0, 2**32)), draw(st.integers(3, 9))
    rng = np.random.default_rng(seed)
    mixing = np.eye(d) + np.triu(rng.uniform(-1, 1, (d, d)), 1)
    X = (rng.standard_normal((60, d)) @ mixing + rng.uniform(-2, 2, d))[:, rng.permutation(d)]
    change = Change(
        draw(st.permutations(range(d))),
        draw(st.lists(st.sampled_from([-1, 1]), min_size=d, max_size=d)),
        draw(factors()),
    )
    return X, rng.permutation(d).tolist(), change


def close(actual, expected):
    """Equal up to rounding errors of the largest entry."""
    expected = np.asarray(expected)
    atol = 1e-11 * np.abs(expected).max()
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=atol)


@given(cases())
def test_deltas(case):
    X, start, change = case
    here, there = (
        LeastSquares().bind(ts.Dataset.from_table(data)).fit(Order(order))
        for data, order in ((X, start), (change.data(X), change.order(start)))
    )
    assert there.value == pytest.approx(change.score(here.value), rel=1e-11)
    for v in range(len(start)):
        close(
            there.insertion_profile(int(change.new[v])),
            change.score(here.insertion_profile(v)),
        )
    pairs = here.all_pairs()
    close(there.swap_changes(change.new[pairs]), change.score(here.swap_changes(pairs)))
    close(there.point().weights, change.weights(here.point().weights))
    close(
        there.point().gradient,
        change.score(here.point().gradient[np.ix_(change.old, change.old)]),
    )


@pytest.mark.parametrize("search", SEARCHES)
@given(case=cases())
def test_search(search, case):
    X, start, change = case
    here = ts.Topo("least-squares", search=search, init=start).fit(X)
    changed = change.data(X)
    kept = changed.copy()
    there = ts.Topo("least-squares", search=search, init=change.order(start)).fit(changed)
    np.testing.assert_array_equal(changed, kept)
    assert there.causal_order_ == change.order(here.causal_order_)
    assert there.score_ == pytest.approx(change.score(here.score_), rel=1e-11)
    close(there.weights_, change.weights(here.weights_))
    assert there.status_ == here.status_
    assert there.n_iter_ == here.n_iter_
    for one, two in zip(here.history_, there.history_, strict=True):
        assert two.score == pytest.approx(change.score(one.score), rel=1e-11)
        assert (two.space, two.candidates) == (one.space, one.candidates)
    # Both are zero up to rounding; what they are measured by is in the next test.
    assert here.certificate_.satisfied
    assert there.certificate_.satisfied
    assert there.certificate_.max_residual < 1e-12


@given(cases(), st.floats(0.1, 1.0))
def test_certificate(case, density):
    """At points that are not stationary, with and without cycles."""
    X, start, change = case
    d = len(start)
    rng = np.random.default_rng(d)
    W = rng.uniform(-2, 2, (d, d)) * (rng.random((d, d)) < density)
    np.fill_diagonal(W, 0.0)
    here = ts.check_kkt(W, X, score="least-squares")
    there = ts.check_kkt(change.weights(W), change.data(X), score="least-squares")
    assert there.satisfied == here.satisfied
    assert there.max_residual == pytest.approx(here.max_residual, rel=1e-9)
    # As sets: (i, j) and (j, i) tie where neither has a parent.
    assert set(there.worst) == set(change.new[list(here.worst)])
    # Entries of K are weights where the graph has a walk back, else gradients, which scale.
    K = here.matrix[np.ix_(change.old, change.old)]
    is_weight = np.abs(change.weights(W)) == K
    close(there.matrix[is_weight], K[is_weight])
    if not is_weight.all():
        close(there.matrix[~is_weight], change.score(K[~is_weight]))


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("exponent", [-498, -1, 7, 498])
def test_a_power_of_two_changes_no_digit(search, exponent):
    X = ts.simulate.linear_dataset(8, 100, "ER2", random_state=0).X
    here = ts.Topo("least-squares", search=search).fit(X)
    there = ts.Topo("least-squares", search=search).fit(np.ldexp(X, exponent))
    assert there.causal_order_ == here.causal_order_
    assert there.score_ == np.ldexp(here.score_, 2 * exponent)
    np.testing.assert_array_equal(there.weights_, here.weights_)
    # K of tiny data is rounded to the smallest doubles.
    expected = pytest.approx(here.certificate_.max_residual, rel=1e-6)
    assert there.certificate_.max_residual == expected


@given(cases())
def test_good_start(case):
    """The default start follows the columns without being told to."""
    X, _, change = case
    here = ts.Topo("least-squares", search="none").fit(X)
    there = ts.Topo("least-squares", search="none").fit(change.data(X))
    assert there.causal_order_ == change.order(here.causal_order_)


@given(cases())
def test_start_from_weights(case):
    X, start, change = case
    d = len(start)
    W = np.triu(np.random.default_rng(d).uniform(0.5, 2.0, (d, d)), 1)[np.ix_(start, start)]
    here = ts.refine(W, X, score="least-squares")
    there = ts.refine(change.weights(W), change.data(X), score="least-squares")
    assert there.causal_order_ == change.order(here.causal_order_)
    close(there.weights_, change.weights(here.weights_))
