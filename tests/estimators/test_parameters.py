"""Parameters are stored, cloned, pickled and shown as scikit-learn does it."""

import pickle

import numpy as np
import pandas as pd
import pytest
from fits import NAMES, assert_same_fit, backwards, sample, table
from sklearn.base import clone

import toposwap as ts
from toposwap.search import PaperSearch


def test_parameters_are_stored_as_given():
    W = sample().weights
    given_ = {"search": PaperSearch(), "init": W, "prune": 0.1, "random_state": 3, "max_iter": 9}
    model = ts.Topo(**given_)
    parameters = model.get_params()
    for name, value in given_.items():
        assert parameters[name] is value
        assert getattr(model, name) is value
    before = dict(parameters)
    model.fit(table())
    assert all(model.get_params()[name] is value for name, value in before.items())
    assert model.set_params(prune=None, max_iter=2) is model
    assert (model.prune, model.max_iter) == (None, 2)
    with pytest.raises(ValueError, match="Invalid parameter"):
        model.set_params(lambda_=1)


def test_clone_is_unfitted_and_fits_the_same():
    model = ts.Topo(
        "least-squares", search=PaperSearch(5, 10), init=sample().weights, prune=0.2
    ).fit(table())
    copy = clone(model)
    assert not hasattr(copy, "weights_")
    assert copy.prune == 0.2
    np.testing.assert_array_equal(copy.init, model.init)
    assert_same_fit(copy.fit(table()), model)


def test_a_fitted_model_survives_pickling():
    frame = pd.DataFrame(table(), columns=NAMES)
    model = ts.Topo("least-squares", search="paper", init=backwards(), random_state=1).fit(frame)
    copy = pickle.loads(pickle.dumps(model))
    assert_same_fit(copy, model)
    assert copy.history_ == model.history_
    assert copy.feature_names_in_.tolist() == NAMES
    assert copy.names_ == model.names_
    assert copy.certificate_.worst == model.certificate_.worst
    assert list(copy.causal_graph_.edges) == list(model.causal_graph_.edges)
    order = copy.result_.order
    assert order == model.result_.order
    assert not order.variables.flags.writeable
    assert_same_fit(copy.fit(frame), model)


def test_repr_names_what_differs_from_the_default():
    assert repr(ts.Topo()) == "Topo()"
    assert "prune=0.1" in repr(ts.Topo("least-squares", prune=0.1, init=np.zeros((3, 3))))
