"""Starts, weights and other arguments that cannot be used are refused by name."""

import warnings

import numpy as np
import pandas as pd
import pytest
from small import NAMES, D, frame, table

import toposwap as ts
from toposwap.core.errors import InputError, ToposwapWarning

# --- orders and weight matrices ------------------------------------------------------------------

BAD_INITS = {
    "twice the same": ([0, 1, 2, 2], r"order: not a permutation .* appear once \(missing: \[3\]"),
    "negative": ([0, 1, 2, -1], r"order: not a permutation .* \(missing: \[3\]"),
    "from one": ([1, 2, 3, 4], r"order: not a permutation .* \(missing: \[0\]"),
    "too short": ([0, 1, 2], "init: an order of 3 variables for 4 columns"),
    "too long": ([0, 1, 2, 3, 4], "init: an order of 5 variables for 4 columns"),
    "empty": ([], "order: one row of variables is needed"),
    "fractions": ([0.0, 1.0, 2.0, 3.0], "order: column positions must be integers"),
    "booleans": ([True, False, True, False], "order: column positions must be integers"),
    "order object of another size": (ts.Order([1, 0]), "init: an order of 2 variables for 4"),
    "unknown name": (["a", "b", "c", "e"], "no column is called 'e'; there are 'a', 'b'"),
    "name twice": (["a", "b", "c", "c"], "order: not a permutation"),
    "names and numbers": (["a", 1, 2, 3], "order: column positions must be integers"),
    "unknown word": ("best", "init: 'best' is not one of 'auto', 'variance', 'correlation'"),
    "number": (5, "init: expected a name, an order or a weight matrix, got int"),
    "nothing": (None, "init: expected a name, an order or a weight matrix, got NoneType"),
    "ragged": ([[1], [1, 2]], "init: expected a name, an order or a weight matrix"),
    "three dimensions": (np.zeros((4, 4, 4)), "init: expected a name, an order or a weight"),
    "matrix of another shape": (np.zeros((3, 3)), r"init: shape \(3, 3\) .* must be \(4, 4\)"),
    "matrix that is not square": (np.zeros((4, 3)), r"init: shape \(4, 3\) .* must be \(4, 4\)"),
    "matrix with NaN": (
        np.full((4, 4), np.nan),
        "init: NaN or infinity at the edge 'a' -> 'a'; set absent edges to 0",
    ),
}


@pytest.mark.parametrize("case", BAD_INITS)
def test_bad_start_is_refused(case):
    init, words = BAD_INITS[case]
    with pytest.raises(InputError, match=words):
        ts.Topo("least-squares", init=init).fit(frame())


def weights_with(value, dtype=np.float64):
    W = np.zeros((D, D), dtype=dtype)
    W[0, 1] = value
    return W


BAD_WEIGHTS = {
    "shape": (np.zeros((3, 3)), r"W: shape \(3, 3\) .* must be \(4, 4\) with W\[i, j\]"),
    "one dimension": (np.zeros(D), r"W: shape \(4,\) .* must be \(4, 4\)"),
    "an order": ([0, 1, 2, 3], r"W: shape \(4,\) .* must be \(4, 4\)"),
    "a word": ("auto", r"W: shape \(\) .* must be \(4, 4\)"),
    "nothing": (None, r"W: shape \(\) .* must be \(4, 4\)"),
    "NaN": (weights_with(np.nan), "W: NaN or infinity at the edge 'a' -> 'b'; set absent"),
    "infinity": (weights_with(-np.inf), "W: NaN or infinity at the edge 'a' -> 'b'; set absent"),
    "None": (weights_with(None, object), "W: NaN or infinity at the edge 'a' -> 'b'"),
    "masked": (
        np.ma.masked_array(np.ones((D, D)), mask=weights_with(1.0)),
        "W: NaN or infinity at the edge 'a' -> 'b'",
    ),
    "complex": (weights_with(1j, complex), "W: real numbers are needed, got complex128"),
    "text": (weights_with(1.0).astype(str), "W: real numbers are needed"),
    "objects": (weights_with({}, object), "W: not a matrix of numbers"),
    "ragged": ([[1.0], [1.0, 2.0]], "W: not a matrix of numbers"),
    "other names": (
        pd.DataFrame(weights_with(1.0), columns=list("abce"), index=list("abce")),
        "W: its columns .*'e'.* are not those of the data .*'d'",
    ),
    "rows called otherwise": (
        pd.DataFrame(weights_with(1.0), columns=NAMES, index=list("abce")),
        "W: its rows .*'e'.* are not called like its columns .*'d'",
    ),
}


@pytest.mark.parametrize("case", BAD_WEIGHTS)
def test_bad_weight_matrix_is_refused(case):
    W, words = BAD_WEIGHTS[case]
    with pytest.raises(InputError, match=words):
        ts.check_kkt(W, frame(), score="least-squares")
    with pytest.raises(InputError, match=words):
        ts.refine(W, frame(), score="least-squares")


# --- other arguments -----------------------------------------------------------------------------

BAD_PARAMETERS = [
    ({"search": "best"}, "search: 'best' is not one of 'auto', 'paper'"),
    ({"search": ts.search.AutoSearch}, "search: .* nor an object of type Search"),
    ({"score": "aic"}, "score: 'aic' is not one of 'auto'"),
    ({"acyclicity": 1}, "acyclicity: 1 is not one of 'logdet', 'exponential', 'polynomial'"),
    ({"random_state": -1}, "random_state: must be None, a whole number >= 0 or a .*Generator"),
    ({"random_state": "seed"}, "random_state: must be None, a whole number"),
    ({"max_iter": 0}, "max_iter: must be None or a whole number >= 1, got 0; search='none'"),
    ({"max_iter": 1.5}, "max_iter: must be None or a whole number >= 1"),
    ({"max_iter": True}, "max_iter: must be None or a whole number >= 1"),
    ({"search": "paper", "s_small": -1}, "s_small: must be a whole number >= 0, got -1"),
    ({"search": "paper", "s_0": 0.5}, "s_0: must be a whole number >= 0"),
    ({"search": "paper", "s_small": 5, "s_large": 2}, "s_large=2 must not be smaller than s_s"),
]


@pytest.mark.parametrize(("parameters", "words"), BAD_PARAMETERS)
def test_bad_parameter_is_refused(parameters, words):
    with pytest.raises(InputError, match=words):
        ts.Topo(**{"score": "least-squares", **parameters}).fit(table())


@pytest.mark.parametrize("tolerance", [-1.0, np.nan])
def test_bad_tolerance_is_refused(tolerance):
    with pytest.raises(InputError, match="tolerance: must be a number >= 0"):
        ts.check_kkt(np.zeros((D, D)), table(), score="least-squares", tolerance=tolerance)


def test_refine_takes_no_second_start():
    with pytest.raises(InputError, match="refine: W is the starting point"):
        ts.refine(np.zeros((D, D)), table(), score="least-squares", init="random")


@pytest.mark.parametrize("argument", ["s_small", "s_large"])
def test_too_large_a_search_space_is_clipped_and_said_once(argument):
    X = table(5, d=6)
    init = [5, 4, 3, 2, 1, 0]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = ts.Topo("least-squares", "paper", init, **{argument: 1000}).fit(X)
    assert [w.category for w in caught] == [ToposwapWarning]
    assert f"{argument}=1000 is more than the 15 pairs of 6 variables; 15 is used" in str(
        caught[0].message
    )
    clipped = ts.Topo("least-squares", "paper", init, **{argument: 15}).fit(X)
    assert model.causal_order_ == clipped.causal_order_
    np.testing.assert_array_equal(model.weights_, clipped.weights_)
