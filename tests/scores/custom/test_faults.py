"""What is wrong with a user's function is said in one line, before any search."""

import builtins
import re

import numpy as np
import pytest
from own_scores import cubic_of_a_node, cubic_start, nothing, squares, squares_of_a_node
from tables import real_table

import toposwap as ts
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError, MissingExtraError
from toposwap.scores import Differentiable, TorchMLP

DATA = Dataset.from_table(real_table(0, 3, n=30))


def refused(q, start, match, **settings):
    settings = {"backend": "numpy", **settings}
    with pytest.raises(InputError, match=match):
        Differentiable(q, start, **settings).bind(DATA)


def answer(value=0.0, gradient=None):
    return lambda W, X: (value, np.zeros_like(W) if gradient is None else gradient)


@pytest.mark.parametrize(
    ("q", "match"),
    [
        (lambda W, X: 1.0, r"pair \(value, gradient\), got float"),
        (answer(np.zeros(3)), r"one number, got shape \(3,\)"),
        (answer(np.nan), "value at the starting values is nan.*other starting values"),
        (answer(np.inf), "value at the starting values is inf"),
        (answer(0.0, np.full((3, 3), np.nan)), "gradient with respect to 'theta' is not finite"),
        (answer(0.0, np.zeros(3)), r"its gradient: must have shape \(3, 3\), got \(3,\)"),
        (lambda W, X: (squares(W, X)[0], -squares(W, X)[1]), "'theta' is not that of its value"),
        (lambda W, X: (squares(W, X)[0], 1.1 * squares(W, X)[1]), "value changes at a rate of"),
    ],
)
def test_functions_that_cannot_be_used(q, match):
    refused(q, nothing, match)


def test_a_wrong_gradient_is_named_by_array_and_node():
    def wrong(theta, X, j):
        value, gradient = cubic_of_a_node(theta, X, j)
        return value, {**gradient, "c": gradient["c"] + 0.1 * (j == 2)}

    refused(wrong, cubic_start, r"'c' is not that of its value \(node 2\)", separable=True)
    Differentiable(wrong, cubic_start, separable=True, backend="numpy", check_gradient=False).bind(
        DATA
    )


def test_a_steep_but_right_gradient_passes():
    def steep(W, X):
        value, gradient = squares(W, X)
        return 1e8 * value + 1e6, 1e8 * gradient

    Differentiable(steep, nothing, backend="numpy").bind(DATA)


@pytest.mark.parametrize(
    ("start", "blocks", "match"),
    [
        (np.zeros((2, 3)), None, r"no array has a shape \(3, 3, ...\).*blocks="),
        ({}, None, "dict of parameters is empty"),
        ({"W": "a"}, None, "start 'W': must be an array of numbers"),
        (np.full((3, 3), np.nan), None, "holds nan or inf"),
        ({"W": np.zeros((3, 3))}, "V", "no parameter is called 'V'; there are W"),
        ({"W": np.zeros((3, 3))}, {"W": (0, 0)}, r"axes \(0, 0\) of 'W'"),
        ({"W": np.zeros((3, 2, 3))}, "W", r"shape \(3, 2, 3\), must be two different ones"),
        ({"W": np.zeros((3, 3))}, 7, "blocks: must be the names"),
        ({"W": np.zeros((3, 3))}, [], "blocks: must be the names"),
    ],
)
def test_starting_values_that_cannot_be_used(start, blocks, match):
    refused(answer(), start, match, blocks=blocks)


def test_parameters_that_the_nodes_share_do_not_separate():
    start = {"W": np.zeros((3, 3)), "level": 0.0}
    refused(answer(), start, "'level': with separable=True.*separable=False", separable=True)


def test_a_gradient_with_other_arrays_is_refused():
    def q(theta, X, j):
        value, gradient = cubic_of_a_node(theta, X, j)
        return value, {"B": gradient["B"]}

    refused(q, cubic_start, "must be a dict with the arrays 'B', 'c'", separable=True)


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"backend": "jax"}, "backend: must be 'torch' or 'numpy'"),
        ({"tolerance": 0.0}, "tolerance: must be a number between 0 and 1"),
        ({"max_iter": 0}, "max_iter: must be a whole number >= 1"),
        ({"penalty": "bic"}, "L0 penalty, which no gradient sees"),
        ({"penalty": "l7"}, "penalty: 'l7' is not one of"),
    ],
)
def test_settings_that_make_no_sense(settings, match):
    with pytest.raises(InputError, match=match):
        Differentiable(squares, nothing, **settings)


def test_q_must_be_a_function():
    with pytest.raises(InputError, match="q: must be a function"):
        Differentiable(1.0, nothing)


def test_rows_are_needed():
    data = Dataset.from_covariance(np.eye(3), 10)
    with pytest.raises(InputError, match=re.escape("use fit(X)")):
        Differentiable(squares, nothing, backend="numpy").bind(data)


def test_a_search_cannot_prove_what_is_not_convex():
    score = Differentiable(squares_of_a_node, nothing, backend="numpy", separable=True)
    with pytest.raises(InputError, match="search='exact' proves a global minimum"):
        ts.Topo(score=score, search="exact").fit(real_table(0, 3))
    with pytest.raises(InputError, match="sum over variables"):
        ts.Topo(score=Differentiable(squares, nothing, backend="numpy"), search="exact").fit(
            real_table(0, 3)
        )


def test_q_must_have_a_value_where_edges_are_absent():
    """-log W_01 has none without the edge 0 -> 1; orders that forbid it are never taken."""

    def needs_an_edge(W, X):
        value, gradient = squares(W, X)
        gradient = gradient.copy()
        gradient[0, 1] -= 1.0 / W[0, 1]
        return value - np.log(W[0, 1]), gradient

    score = Differentiable(needs_an_edge, np.full((3, 3), 0.5), backend="numpy")
    X = real_table(0, 3)
    with pytest.raises(InputError, match=r"not finite for the order \[1, 0, 2\]"):
        ts.Topo(score=score, init=[1, 0, 2]).fit(X)
    model = ts.Topo(score=score, init=[0, 1, 2]).fit(X)
    assert model.causal_order_.index(0) < model.causal_order_.index(1)


def test_the_users_data_and_parameters_are_not_changed():
    X = real_table(0, 3)
    given, start = X.copy(), np.full((3, 3), 0.1)

    def rude(W, X):
        value, gradient = squares(W, X)
        W[:] = 7.0
        return value, gradient

    ts.Topo(score=Differentiable(rude, start, backend="numpy"), search="none").fit(X)
    np.testing.assert_array_equal(X, given)
    np.testing.assert_array_equal(start, np.full((3, 3), 0.1))


def test_a_solution_that_was_cut_short_is_not_certified():
    score = Differentiable(squares, nothing, backend="numpy", max_iter=1)
    model = ts.Topo(score=score, search="none").fit(real_table(0, 5))
    assert not model.certificate_.satisfied


@pytest.mark.parametrize("score", [Differentiable(squares, nothing), TorchMLP()], ids=repr)
def test_without_torch_one_line_tells_what_to_install(monkeypatch, score):
    real = builtins.__import__

    def without(name, *rest, **named):
        if name.split(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=re.escape('pip install "toposwap[torch]"')) as told:
        score.bind(DATA)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "error",
    [np.linalg.LinAlgError("Singular matrix"), OverflowError(), ZeroDivisionError()],
    ids=["singular", "overflow", "division"],
)
def test_numerical_errors_count_as_infinity(error):
    """A solver that steps where q has no number takes a shorter step; the end is the same."""

    def fragile(W, X):
        if np.abs(W).max() > 3.0:
            raise error
        return squares(W, X)

    plain, broken = (
        ts.Topo(Differentiable(q, nothing, backend="numpy"), "none", [0, 1, 2]).fit(DATA)
        for q in (squares, fragile)
    )
    assert broken.score_ == pytest.approx(plain.score_, rel=1e-9)
    assert broken.certificate_.satisfied


def test_other_errors_of_q_are_the_users_to_see():
    def wrong(W, X):
        raise KeyError("no such thing")

    with pytest.raises(KeyError, match="no such thing"):
        Differentiable(wrong, nothing, backend="numpy").bind(DATA)


def test_an_error_at_the_start_says_that_q_has_no_value_there():
    def never(W, X):
        raise np.linalg.LinAlgError("Singular matrix")

    refused(never, nothing, "value at the starting values is inf")
