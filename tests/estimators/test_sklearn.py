"""scikit-learn's own checks of an estimator."""

import warnings

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import toposwap as ts

#: Checks that cannot apply, and why. Strict: one that begins to pass must leave the list.
_SCORE_IS_A_PARAMETER = (
    "takes the attribute `score` for a method that rates predictions; here it is the parameter "
    "that says what Q is"
)
NOT_APPLICABLE = dict.fromkeys(
    (
        "check_fit_score_takes_y",
        "check_n_features_in_after_fitting",
        "check_pipeline_consistency",
    ),
    _SCORE_IS_A_PARAMETER,
) | {
    "check_sample_weight_equivalence_on_dense_data": "has twice as many columns as rows, of which "
    "least squares has no one solution; see tests/estimators/test_sample_weights.py"
}

ESTIMATORS = [
    ts.Topo("least-squares"),
    ts.Topo("least-squares", search="paper", init="random", greedy=True, random_state=0),
    ts.Topo("least-squares", search="insertion", prune=None, center=False),
    ts.baselines.Notears(max_iter=2),
    ts.baselines.GolemEV(steps=20),
    ts.baselines.KKTS(init=None),
]


def every_check(test):
    """One test for each of scikit-learn's checks of each estimator.

    It begins by warning that the classes keep its contract without being derived from its own.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Estimator .* does not inherit from")
        return parametrize_with_checks(ESTIMATORS, expected_failed_checks=lambda _: NOT_APPLICABLE)(
            test
        )


@every_check
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("method", ["transform", "fit_transform", "predict_proba"])
def test_nothing_is_promised_that_is_not_done(method):
    assert not hasattr(ts.Topo("least-squares"), method)


def test_target_is_ignored():
    X = ts.simulate.linear_dataset(5, 60, "ER1", random_state=0).X
    with_y = ts.Topo("least-squares").fit(X, np.arange(60))
    np.testing.assert_array_equal(with_y.weights_, ts.Topo("least-squares").fit(X).weights_)
