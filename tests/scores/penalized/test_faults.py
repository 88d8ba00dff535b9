"""Tables that break naive solvers: solved with finite weights, or refused by name."""

import numpy as np
import pytest
from tables import binary_table, count_table, mixed_table, real_table

from toposwap.certificate import certify
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.order import Order
from toposwap.penalties import BIC, L1, MCP, NoPenalty, Ridge
from toposwap.scores import SCORES, Penalized
from toposwap.scores.penalized.solved_nodes import Coefficients
from toposwap.search import SEARCHES, run


def learned(score, X, names=None):
    bound = score.bind(Dataset.from_table(X, names=names))
    rng = np.random.default_rng(0)
    fit = bound.fit(Order(rng.permutation(X.shape[1])))
    run(SEARCHES["auto"](), fit, bound.data.names, rng=rng)
    point = bound.evaluate(fit.parameters())
    assert np.isfinite(point.weights).all()
    assert np.isfinite(point.value)
    certificate = certify(point, convex=score.convex, tolerance=bound.tolerance)
    assert certificate.satisfied, certificate
    return point


def separated_table():
    """'b' is 1 exactly where 'a' and 'c' are."""
    X = binary_table(0, 3)
    X[:, 1] = X[:, 0] * X[:, 2]
    return X


@pytest.mark.parametrize("penalty", [L1(0.01), L1(1e-4), Ridge(0.01)], ids=repr)
def test_separated_classes_have_finite_weights_with_a_penalty(penalty):
    learned(Penalized("logistic", penalty), separated_table())


@pytest.mark.parametrize("penalty", [NoPenalty(), MCP(0.005, 10.0), BIC()], ids=repr)
def test_separated_classes_are_refused_by_name_without(penalty):
    bound = Penalized("logistic", penalty).bind(
        Dataset.from_table(separated_table(), names=["a", "b", "c"])
    )
    with pytest.raises(InputError, match="column 'b': its classes are told apart perfectly"):
        bound.fit(Order([0, 2, 1]))


def test_quasi_separation_by_a_single_column():
    """Where 'a' is 0, 'b' is never 1: the odds ratio is infinite."""
    X = binary_table(1, 2)
    X[X[:, 0] == 0.0, 1] = 0.0
    learned(SCORES["logistic-l1"](), X)
    bound = SCORES["logistic"]().bind(Dataset.from_table(X))
    with pytest.raises(InputError, match=r"column 'x1'.*l1 or ridge penalty"):
        bound.fit(Order([0, 1]))


def test_certain_predictions_are_not_separation():
    """A slope on a long-tailed column is certain about some rows and has a finite solution."""
    rng = np.random.default_rng(0)
    cause = 3.0 * rng.standard_t(2, 500)
    effect = (rng.random(500) < 1 / (1 + np.exp(-np.clip(cause, -500, 500)))).astype(float)
    assert np.abs(cause).max() > 30.0
    score = Penalized(["gaussian", "logistic"], "none")
    fit = score.bind(Dataset.from_table(np.column_stack([cause, effect]))).fit(Order([0, 1]))
    assert 0.5 < fit.point().weights[0, 1] < 2.0


@pytest.mark.parametrize("ones", [1, 2, 5])
def test_rare_classes(ones):
    X = binary_table(0, 4)
    X[:, 2] = 0.0
    X[:ones, 2] = 1.0
    learned(SCORES["logistic-l1"](), X)
    learned(Penalized("logistic", Ridge(0.01)), X)


def test_nearly_all_zero_counts():
    X = count_table(0, 4)
    X[:, 1] = 0.0
    X[3, 1] = 1.0
    learned(SCORES["poisson-l1"](), X)


def test_zeros_told_apart_perfectly():
    """No counts at all where 'x0' is 0: log-linear coefficients run away without a penalty."""
    X = count_table(0, 2)
    X[:, 0] = np.arange(len(X)) % 2
    X[X[:, 0] == 0.0, 1] = 0.0
    learned(SCORES["poisson-l1"](), X)
    bound = Penalized("poisson", "none").bind(Dataset.from_table(X))
    with pytest.raises(InputError, match="column 'x1': its zeros are told apart perfectly"):
        bound.fit(Order([0, 1]))


def test_large_counts_do_not_overflow():
    rng = np.random.default_rng(0)
    a = rng.poisson(300, 200)
    X = np.column_stack([a, rng.poisson(a), rng.poisson(5, 200)]).astype(float)
    learned(SCORES["poisson-l1"](), X)


COPIES = {
    "least-squares-l1": real_table,
    "logistic-l1": binary_table,
    "poisson-l1": count_table,
}


@pytest.mark.parametrize("name", COPIES)
def test_copies_of_a_column_are_shared_out(name):
    X = COPIES[name](0, 4)
    X[:, 3] = X[:, 0]
    learned(SCORES[name](), X)


@pytest.mark.parametrize(
    ("loss", "penalty"), [("least-squares", "none"), ("gaussian", "none"), ("gaussian", "l1")]
)
def test_copies_of_a_column_are_refused_by_name(loss, penalty):
    X = real_table(0, 4)
    X[:, 3] = 2.0 * X[:, 0]
    with pytest.raises(InputError, match="columns 'x0', 'x3' depend linearly on other columns"):
        Penalized(loss, penalty).bind(Dataset.from_table(X))


@pytest.mark.parametrize(
    "score",
    [
        Penalized("least-squares", L1(0.3)),
        Penalized("gaussian", L1(2.0)),
        Penalized("least-squares", MCP(0.3, 3.0)),
        Penalized("least-squares", Ridge(0.3)),
        Penalized("gaussian", "bic"),
    ],
    ids=repr,
)
def test_fewer_rows_than_columns(score):
    learned(score, np.random.default_rng(0).standard_normal((12, 20)))


@pytest.mark.parametrize("table", [binary_table, count_table], ids=["logistic", "poisson"])
@pytest.mark.thorough
def test_fewer_rows_than_columns_discrete(table):
    loss = "logistic" if table is binary_table else "poisson"
    X = table(0, 30, 25)
    X = X[:, X.std(axis=0) > 0.0]
    learned(Penalized(loss, L1(0.1)), X)


def test_fewer_rows_than_columns_needs_a_penalty():
    X = real_table(0, 10, 8)
    with pytest.raises(InputError, match="8 rows are too few for 10 columns without a penalty"):
        Penalized("gaussian", "none").bind(Dataset.from_table(X))
    bound = Penalized("gaussian", L1(1e-6)).bind(Dataset.from_table(X))
    with pytest.raises(InputError, match=r"column 'x[6-9]' is fitted exactly by other"):
        bound.fit(Order(range(10)))


@pytest.mark.parametrize("name", ["gaussian-mcp", "gaussian-l1", "least-squares-l1"])
def test_shifting_columns_changes_nothing(name):
    X = real_table(0)
    plain, shifted = learned(SCORES[name](), X), learned(SCORES[name](), X + 1e3)
    np.testing.assert_allclose(shifted.weights, plain.weights, atol=1e-7)


def test_intercepts_are_fitted():
    """f = b + X w: the mean prediction is the mean of the column, for every loss."""
    X = mixed_table(0)
    bound = Penalized("auto", L1(0.02)).bind(Dataset.from_table(X))
    fit = bound.fit(Order(range(5)))
    W, b, _ = fit.parameters()
    f = b + X @ W
    means = [1 / (1 + np.exp(-f[:, 0])), np.exp(f[:, 1]), *f[:, 2:].T]
    np.testing.assert_allclose([mean.mean() for mean in means], X.mean(axis=0), atol=1e-8)
    assert bound.evaluate(Coefficients(W, b)).rest < 1e-9
    wrong = b.copy()
    wrong[0] += 0.1
    point = bound.evaluate(Coefficients(W, wrong))
    assert point.rest > 1e-3
    assert not certify(point, convex=False, tolerance=1e-8)
    assert bound.choices[0].startswith("loss: logistic for 'x0'; poisson for 'x1'")


def test_the_callers_table_is_left_alone():
    for name, table in COPIES.items():
        X = table(0)
        copy = X.copy()
        learned(SCORES[name](), X)
        np.testing.assert_array_equal(X, copy)


def test_unknown_names():
    with pytest.raises(InputError, match="loss: 'cauchy' is not one of"):
        Penalized("cauchy", "l1")
    with pytest.raises(InputError, match="penalty: 'l3' is not one of"):
        Penalized("gaussian", "l3")
