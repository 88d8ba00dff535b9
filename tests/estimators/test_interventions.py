"""Rows in which variables were set from outside: each node against a fit on its own rows."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from sklearn.linear_model import Lasso
from tables import binary_table, count_table, mixed_table

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.core.registry import resolve
from toposwap.losses import GaussianLoss, LogisticLoss, PoissonLoss
from toposwap.scores import SCORES, Score

D, N = 5, 240
W = np.zeros((D, D))
W[0, 1], W[1, 2], W[0, 3], W[2, 4], W[3, 4] = 1.0, -0.8, 0.7, 1.0, 0.5
#: Two targets at once among them.
ROWS = [None] * 120 + ["x1"] * 40 + [["x2", "x3"]] * 40 + [4] * 40
TARGETS = np.zeros((N, D), dtype=bool)
TARGETS[120:160, 1] = TARGETS[160:200, [2]] = TARGETS[160:200, [3]] = TARGETS[200:, 4] = True
KINDS = ("perfect", "shift")
REAL = ("bic", "ebic", "equal-variance-l0", "least-squares", "least-squares-l1", "gaussian-mcp")


def linear(kind="perfect", seed=0):
    return ts.simulate.linear_sem(
        W, N, "gauss-NV", random_state=seed, interventions=ROWS, intervention_kind=kind
    )


def other(score):
    make = {"logistic": binary_table, "poisson": count_table, "auto": mixed_table}
    X = make[score.split("-")[0]](0)
    rng = np.random.default_rng(5)
    targets = rng.random(X.shape) < 0.15
    names = [np.flatnonzero(t).tolist() or None for t in targets]
    return X, targets, names


def regression(X, targets, j, parents, kind):
    """The rows and columns that node j is regressed on."""
    own = ~targets[:, j] if kind == "perfect" else np.ones(len(X), dtype=bool)
    columns = [np.ones(own.sum()), *(X[own, i] for i in parents)]
    if kind == "shift" and targets[:, j].any():
        columns.insert(1, targets[own, j].astype(float))
    return X[own, j], np.column_stack(columns), own.mean()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("score", ["bic", "ebic", "equal-variance-l0", "least-squares"])
def test_nodes_are_regressions_on_their_rows(score, kind):
    X = linear(kind)
    model = ts.Topo(score, intervention_kind=kind).fit(X, interventions=ROWS)
    assert model.certificate_.satisfied
    left, shares, edges = np.zeros(D), np.zeros(D), model.weights_ != 0.0
    if score == "least-squares":
        places = model.result_.order.positions
        edges = places[:, None] < places
    for j in range(D):
        parents = np.flatnonzero(edges[:, j])
        y, design, shares[j] = regression(X, TARGETS, j, parents, kind)
        fit = sm.OLS(y, design).fit()
        left[j] = fit.ssr
        weights = fit.params[design.shape[1] - parents.size :]
        np.testing.assert_allclose(model.weights_[parents, j], weights, atol=1e-9)
        # Predictions are those of rows in which nothing was done.
        np.testing.assert_allclose(
            model.result_.predictor(X)[:, j], fit.params[0] + X[:, parents] @ weights, atol=1e-9
        )
    loss = model.loss_
    if score == "least-squares":
        assert loss == pytest.approx(left.sum() / (2 * N))
    elif score == "equal-variance-l0":
        assert loss == pytest.approx(0.5 * shares.sum() * np.log(left.sum()))
    else:
        assert loss == pytest.approx(0.5 * shares @ np.log(left))
    if score == "bic":
        assert model.score_ - loss == pytest.approx(edges.sum() * np.log(N) / N)


@pytest.mark.parametrize("kind", KINDS)
def test_a_penalty_counts_against_the_loss_over_its_rows(kind):
    X = linear(kind)
    score = ts.scores.Penalized("least-squares", ts.penalties.L1(0.1))
    model = ts.Topo(score, intervention_kind=kind).fit(X, interventions=ROWS)
    places = model.result_.order.positions
    for j in range(D):
        parents = np.flatnonzero(places < places[j])
        if not parents.size:
            continue
        y, design, share = regression(X, TARGETS, j, parents, kind)
        # What pays no penalty is taken out first.
        free, paid = design[:, : -parents.size], design[:, -parents.size :]
        take = np.eye(len(y)) - free @ np.linalg.pinv(free)
        lasso = Lasso(alpha=0.1 / share, fit_intercept=False, tol=1e-12, max_iter=100_000)
        reference = lasso.fit(take @ paid, take @ y).coef_
        np.testing.assert_allclose(model.weights_[parents, j], reference, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("score", ["logistic-bic", "poisson-bic", "auto-bic"])
def test_likelihoods_are_those_of_statsmodels(score, kind):
    X, targets, names = other(score)
    model = ts.Topo(score, intervention_kind=kind).fit(X, interventions=names)
    assert model.certificate_.satisfied
    losses = model.result_.predictor.losses
    total = 0.0
    for j, loss in enumerate(losses):
        parents = np.flatnonzero(model.weights_[:, j])
        y, design, share = regression(X, targets, j, parents, kind)
        if isinstance(loss, GaussianLoss):
            fit = sm.OLS(y, design).fit()
            total += 0.5 * share * np.log(fit.ssr)
        elif isinstance(loss, LogisticLoss):
            fit = sm.Logit((y == y.max()).astype(float), design).fit(disp=0, tol=1e-12)
            total += -fit.llf / len(X)
        else:
            assert isinstance(loss, PoissonLoss)
            fit = sm.GLM(y, design, family=sm.families.Poisson()).fit(tol=1e-12)
            eta = design @ fit.params
            total += np.sum(np.exp(eta) - y * eta) / len(X)
        weights = fit.params[design.shape[1] - parents.size :]
        np.testing.assert_allclose(model.weights_[parents, j], weights, atol=1e-5)
        assert model.result_.predictor.intercepts[j] == pytest.approx(fit.params[0], abs=1e-5)
    assert model.loss_ == pytest.approx(total, rel=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("score", [*REAL, "equal-variance-l1", "least-squares-ridge", "huber-bic"])
def test_deltas_and_certificates(score, kind):
    X = linear(kind)
    data = ts.Dataset.from_table(X, interventions=ROWS, intervention_kind=kind)
    bound = _bound(score, data)
    order = ts.Order(np.random.default_rng(1).permutation(D))
    fit = bound.fit(order)
    pairs = fit.all_pairs()
    profile = fit.insertion_profile(2)
    exact = score not in ("gaussian-mcp", "equal-variance-l0", "equal-variance-l1", "huber-bic")
    for k in range(D):
        if exact:
            there = bound.fit(order.insert(2, k)).value
            assert profile[k] == pytest.approx(there - fit.value, abs=1e-7)
    if exact and score not in ("bic", "ebic"):
        there = bound.fit(order.swap(*pairs[3])).value
        assert fit.swap_changes(pairs)[3] == pytest.approx(there - fit.value, abs=1e-7)
    copied = fit.copy()
    copied.insert(2, 0)
    assert fit.order == order
    copied.restore(fit.snapshot())
    assert copied.value == pytest.approx(fit.value, rel=1e-9)
    point = bound.evaluate(fit.parameters())
    assert point.value == pytest.approx(fit.value, rel=1e-9)
    # At its own order a solution is stationary in the edges that the order allows.
    relative = np.where(bound.candidates(order), point.relative, 0.0)
    assert relative.max() <= 1e-8


def _bound(score, data):
    return resolve("score", score, SCORES, Score).bind(data)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("score", ["bic", "least-squares"])
def test_the_proof_is_of_this_problem(score, kind):
    X = linear(kind, seed=3)
    settings = {"intervention_kind": kind, "score": score}
    best = ts.Topo(search="exact", **settings).fit(X, interventions=ROWS)
    assert best.status_ == "global minimum"
    found = ts.Topo(search="insertion", **settings).fit(X, interventions=ROWS)
    assert found.score_ >= best.score_ - 1e-9
    listed = _bound(score, ts.Dataset.from_table(X, interventions=ROWS, intervention_kind=kind))
    every = [listed.fit(ts.Order(np.random.default_rng(s).permutation(D))).value for s in range(60)]
    assert best.score_ <= min(every) + 1e-9


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("score", [*REAL, "logistic-bic", "poisson-l1"])
def test_weights_are_repeated_rows(score, kind):
    if score in REAL:
        X, names = linear(kind), ROWS
    else:
        X, _, names = other(score)
    w = np.random.default_rng(2).integers(0, 3, len(X))
    repeated = np.repeat(np.arange(len(X)), w)
    one = ts.Topo(score, intervention_kind=kind).fit(X, sample_weight=w, interventions=names)
    two = ts.Topo(score, intervention_kind=kind).fit(
        X[repeated], interventions=[names[k] for k in repeated]
    )
    assert one.score_ == pytest.approx(two.score_, rel=1e-8)
    np.testing.assert_allclose(one.weights_, two.weights_, atol=1e-6)


@pytest.mark.parametrize("score", REAL)
def test_refine_and_check(score):
    X = linear()
    model = ts.Topo(score).fit(X, interventions=ROWS)
    same = {"score": score, "interventions": ROWS}
    assert ts.check_kkt(model.weights_, X, **same)
    better = ts.refine(model.weights_, X, **same)
    assert better.score_ <= model.score_ + 1e-9 * abs(model.score_)
    # Without them it is another problem.
    assert not ts.check_kkt(model.weights_, X, score=score)
    held = ts.Dataset.from_table(X, interventions=TARGETS)
    assert ts.Topo(score).fit(held).score_ == pytest.approx(model.score_)


def test_directions_of_two_columns():
    rng = np.random.default_rng(0)
    a = rng.standard_normal(400)
    b = a + rng.standard_normal(400)
    a[200:] = rng.standard_normal(200)
    names = [None] * 200 + ["a"] * 200
    table = pd.DataFrame({"b": b, "a": a})
    plain = ts.Topo("bic").fit(table)
    assert (plain.cpdag_ & plain.cpdag_.T).any()
    # a was set without any consequence for b: so b is the cause.
    model = ts.Topo("bic").fit(table, interventions=names)
    assert list(model.causal_graph_.edges) == [("b", "a")]
    assert not (model.cpdag_ & model.cpdag_.T).any()


def test_what_was_always_set_is_a_root():
    X = linear()
    always = TARGETS.copy()
    always[:, 4] = True
    for score in ("bic", "least-squares", "gaussian-l1", "equal-variance-l0"):
        with pytest.warns(ts.ToposwapWarning, match="'x4' was set from outside in every row"):
            model = ts.Topo(score).fit(X, interventions=always)
        assert not model.weights_[:, 4].any()
        assert model.certificate_.satisfied
        assert np.isfinite(model.score_)
    with pytest.raises(InputError, match="x3 -> x4 is required, but x4 was set from outside"):
        ts.Topo("bic", knowledge={"required": ["x3 -> x4"]}).fit(X, interventions=always)
    with pytest.raises(InputError, match="nothing is left to learn"):
        ts.Topo("bic").fit(X, interventions=np.ones_like(TARGETS))


def test_a_column_that_does_not_vary_where_its_effect_was_not_set():
    X = linear()
    X[:120, 3] = 1.0
    with pytest.raises(InputError, match="'x3' does not vary in the 120 rows"):
        ts.Topo("bic").fit(X, interventions=[None] * 120 + [["x1", "x3"]] * 120)
    names = [None] * 120 + ["x1"] * 120
    for score in ("bic", "gaussian-l1", "least-squares"):
        with pytest.warns(ts.ToposwapWarning, match="'x3' does not vary in the rows that count"):
            model = ts.Topo(score).fit(X, interventions=names)
        assert model.weights_[3, 1] == 0.0
        assert model.certificate_.satisfied


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["x1"], "1 entries for 240 rows"),
        (["y1"] * N, "no column is called 'y1'"),
        ([7] * N, "position 7"),
        ("x1", "an entry for each row"),
        (np.ones((N, 3)), "each of the 5 variables"),
        ([1.5] * N, "got float"),
    ],
)
def test_what_cannot_be_meant(given, words):
    with pytest.raises(InputError, match=words):
        ts.Topo("bic").fit(linear(), interventions=given)


def test_forms_that_mean_the_same():
    X = linear()
    score = ts.Topo("bic").fit(X, interventions=ROWS).score_
    text = [
        "" if r is None else "x2; x3" if isinstance(r, list) else f"x{str(r)[-1]}" for r in ROWS
    ]
    frame = pd.DataFrame(TARGETS, columns=[f"x{k}" for k in range(D)])[
        ["x3", "x0", "x1", "x4", "x2"]
    ]
    for given in (text, pd.Series(text).replace("", None), TARGETS, TARGETS.astype(int), frame):
        assert ts.Topo("bic").fit(X, interventions=given).score_ == pytest.approx(score)
    nothing = ts.Topo("bic").fit(X, interventions=[None] * N)
    assert nothing.score_ == ts.Topo("bic").fit(X).score_
    assert nothing.result_.environments is None


def test_what_cannot_use_them_says_so():
    X = linear()
    with pytest.raises(InputError, match="score 'basis' cannot use them"):
        ts.Topo("basis").fit(X, interventions=ROWS)
    with pytest.raises(InputError, match="notears cannot use them; Topo"):
        ts.baselines.Notears().fit(X, interventions=ROWS)
    with pytest.raises(InputError, match="intervention_kind: must be 'perfect' or 'shift'"):
        ts.Topo("bic", intervention_kind="soft").fit(X)
    with pytest.raises(InputError, match="interventions: give it to Dataset"):
        ts.Topo("bic").fit(ts.Dataset.from_table(X), interventions=ROWS)
    started = ts.Topo("least-squares", init="notears").fit(X, interventions=ROWS)
    assert started.certificate_.satisfied


def test_a_shift_without_a_finite_size():
    X, _, _ = other("logistic-bic")
    names = [None] * len(X)
    ones = np.flatnonzero(X[:, 1] == X[:, 1].max())[:5]
    for k in ones:
        names[k] = 1
    with pytest.raises(InputError, match="use intervention_kind='perfect'"):
        ts.Topo("logistic-bic", intervention_kind="shift").fit(X, interventions=names)
    assert ts.Topo("logistic-bic").fit(X, interventions=names).certificate_.satisfied


@pytest.mark.parametrize("score", ["bic", "least-squares", "gaussian-l1"])
def test_together_with_knowledge(score):
    X = linear()
    known = {"forbidden": ["x0 -> x1"], "required": ["x1 -> x3"], "tiers": [["x0"], ["x3", "x4"]]}
    model = ts.Topo(score, knowledge=known).fit(X, interventions=ROWS)
    assert model.weights_[0, 1] == 0.0
    assert model.weights_[1, 3] != 0.0
    assert model.certificate_.satisfied
    assert ts.check_kkt(model.weights_, X, score=score, knowledge=known, interventions=ROWS)


def test_resampled_rows_keep_what_was_set_in_them():
    X, w = linear(), np.random.default_rng(4).integers(0, 3, N).astype(float)
    whole = ts.Dataset.from_table(X, interventions=ROWS)
    again = ts.Dataset.from_table(X, sample_weight=w, interventions=ROWS)
    model = ts.Topo("bic").fit(whole.reweighted(w))
    assert model.result_.environments is not None
    assert model.score_ == pytest.approx(ts.Topo("bic").fit(again).score_)


@pytest.mark.parametrize("score", ["huber-ebic", "blocks-bic", "logistic-bic", "logistic-l1"])
def test_a_column_with_one_value_where_it_was_not_set(score):
    """Its own rows tell nothing about its causes, and some losses have no unit there."""
    x = np.tile([0.0, 1.0], 20)
    table = np.column_stack([x, np.where(np.arange(40) < 20, 1.0, x), np.repeat(x[:20], 2)])
    targets = [None] * 20 + [1] * 20
    with pytest.raises(ts.InputError, match="'x1'"):
        ts.Topo(score).fit(table, interventions=targets)
