"""Hard tables for every pair of a loss and a penalty: solved and certified, or refused.

Who must solve a table is said case by case; the rest may refuse it, for the right reason.
"""

import numpy as np
import pytest
from pairs import PAIRS, holds_back, name_of
from tables import binary_table, count_table, suited_to

from toposwap.certificate import certify
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.order import Order
from toposwap.losses import LOSSES
from toposwap.penalties import BIC, L1
from toposwap.scores import Penalized
from toposwap.search import SEARCHES, run

EVERY = pytest.mark.parametrize("score", PAIRS, ids=name_of)


def of(*losses):
    """Pairs with one of ``losses``."""
    scores = [score for score in PAIRS if score.loss.name in losses]
    return pytest.mark.parametrize("score", scores, ids=name_of)


def solve(score, X):
    """A certified solution with finite weights."""
    bound = score.bind(Dataset.from_table(X))
    rng = np.random.default_rng(0)
    fit = bound.fit(Order(rng.permutation(X.shape[1])))
    run(SEARCHES["auto"](), fit, bound.data.names, rng=rng)
    point = bound.evaluate(fit.parameters())
    assert np.isfinite(point.weights).all()
    assert np.isfinite(point.value)
    assert certify(point, convex=score.convex, tolerance=bound.tolerance).satisfied
    return point.weights


def solve_or_refuse(score, X, must):
    """Solve where it ``must`` be; elsewhere separation may be the reason to refuse."""
    refusal = None
    try:
        solve(score, X)
    except InputError as error:
        refusal = str(error)
    assert refusal is None or (not must and "told apart perfectly by other columns" in refusal)


@of("logistic", "auto")
def test_separable_classes(score):
    X = binary_table(0, 4)
    X[:, 1] = X[:, 0] * X[:, 2]
    solve_or_refuse(score, X, holds_back(score))


@of("logistic", "auto")
@pytest.mark.parametrize("ones", [1, 3])
def test_rare_classes(score, ones):
    X = binary_table(0, 4)
    X[:, 2] = 0.0
    X[:ones, 2] = 1.0
    solve_or_refuse(score, X, holds_back(score))


@of("poisson", "auto")
@pytest.mark.parametrize("counts", [1, 5])
def test_nearly_all_zero_counts(score, counts):
    X = count_table(0, 4)
    X[:, 1] = 0.0
    X[:counts, 1] = 2.0
    solve_or_refuse(score, X, holds_back(score))


@of("poisson", "auto")
def test_zeros_told_apart(score):
    X = count_table(0, 4)
    X[X[:, 0] < 1.0, 1] = 0.0
    solve_or_refuse(score, X, holds_back(score))


@EVERY
def test_perfectly_correlated_columns(score):
    """No likelihood has a bound where a Gaussian column is known from its copy."""
    X = suited_to(score, 0)
    X[:, 4] = X[:, 3] if score.loss.discrete else 3.0 - 2.0 * X[:, 3]
    if score.penalty.name == "none" or score.loss.name in ("gaussian", "auto"):
        with pytest.raises(InputError, match="columns 'x3', 'x4' depend linearly on other columns"):
            solve(score, X)
        return
    solve_or_refuse(score, X, holds_back(score) or score.loss.name != "logistic")


# Where a perfect fit is worth any price, the price of the way there has to be high enough.
WIDE = {
    "gaussian": (L1(2.0), BIC()),
    "logistic": (L1(0.1), BIC(4.0)),
    "poisson": (L1(0.1), BIC()),
    "auto": (L1(2.0), BIC(4.0)),
}
OTHERWISE = (L1(0.3), BIC())


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", [0, 1], ids=["l1", "l0"])
def test_fewer_rows_than_columns(loss, kind):
    score = Penalized(loss, WIDE.get(loss, OTHERWISE)[kind])
    X = suited_to(score, 0, 24)[:20]
    X = X[:, X.std(axis=0) > 0.0]
    assert X.shape[0] < X.shape[1]
    edges = np.count_nonzero(solve(score, X))
    assert 0 < edges < 20 * 19


@EVERY
def test_a_column_without_variation_is_refused_by_name(score):
    X = suited_to(score, 0)
    X[:, 2] = 1.0
    with pytest.raises(InputError, match="'x2'"):
        solve(score, X)
