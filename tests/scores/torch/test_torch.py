"""Scores that torch differentiates: the same as their NumPy versions, and networks."""

import numpy as np
import pytest
from own_scores import network_of_a_node, nothing, pooled
from tables import binary_table, real_table
from toy_scores import NodewiseLeastSquares

import toposwap as ts
from toposwap.certificate import certify
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.order import Order
from toposwap.losses import GaussianLoss, LogisticLoss, Mixed
from toposwap.scores import Differentiable, TorchMLP
from toposwap.search import SEARCHES, run

torch = pytest.importorskip("torch")


def curved_table(seed, d=3, n=100):
    """Each column bends the ones before it."""
    rng = np.random.default_rng(seed)
    X = np.zeros((n, d))
    for j in range(d):
        X[:, j] = np.sin(1.5 * X[:, :j]).sum(axis=1) * 2.0 + 0.5 * rng.standard_normal(n)
    return X[:, rng.permutation(d)]


def torch_pooled(W, X):
    d = len(W)
    total = ((X - X @ W) ** 2).sum()
    left = torch.eye(d, dtype=X.dtype) - W
    return d / 2 * torch.log(total) - torch.linalg.slogdet(left).logabsdet


# --- own functions -------------------------------------------------------------------------------


def test_torch_and_numpy_give_the_same():
    X = real_table(2, 4, n=80)
    penalty = ts.penalties.L1(0.1)
    models = [
        ts.Topo(score=score, init="random", random_state=1).fit(X)
        for score in (
            Differentiable(torch_pooled, nothing, penalty=penalty),
            Differentiable(pooled, nothing, backend="numpy", penalty=penalty),
        )
    ]
    assert models[0].score_ == pytest.approx(models[1].score_, rel=1e-9)
    np.testing.assert_allclose(models[0].weights_, models[1].weights_, atol=1e-5)
    assert models[0].certificate_.satisfied


@pytest.mark.parametrize(
    ("q", "match"),
    [
        (lambda W, X: X @ W, "tensor with one number, got"),
        (lambda W, X: 1.0, "tensor with one number, got float"),
        (lambda W, X: (W.detach() ** 2).sum(), "no gradient; do not leave torch"),
        (lambda W, X: torch.log((W * W).sum()), "value at the starting values is -inf"),
        (lambda W, X: torch.sqrt((W * W).sum()), "gradient with respect to 'theta' is not finite"),
        (lambda W, X: ((W.detach() + 2.0 * W) ** 2).sum(), "is not that of its value"),
    ],
)
def test_torch_functions_that_cannot_be_used(q, match):
    with pytest.raises(InputError, match=match):
        Differentiable(q, nothing).bind(Dataset.from_table(real_table(0, 3)))


@pytest.mark.parametrize(
    "score",
    [Differentiable(torch_pooled, nothing, device="nowhere"), TorchMLP(device="nowhere")],
    ids=repr,
)
def test_a_device_that_is_not_there(score):
    with pytest.raises(InputError, match=r"device: 'nowhere' cannot be used here.*device='cpu'"):
        score.bind(Dataset.from_table(real_table(0, 3)))


# --- networks ------------------------------------------------------------------------------------


def as_numpy(bound, l2=0.001, l1=0.01):
    """The same networks through a NumPy function and its own gradient."""
    start = bound.problem.layout.unpack(bound.problem.starts[0])
    return Differentiable(
        lambda theta, X, j: network_of_a_node(theta, X, j, l2),
        start,
        blocks={"A1": (2, 0)},
        separable=True,
        backend="numpy",
        penalty=ts.penalties.L1(l1),
        tolerance=1e-5,
    ).bind(bound.data)


def test_one_hidden_layer_is_the_formula():
    """Value, gradient in every block and solution, against the NumPy version."""
    data = Dataset.from_table(curved_table(0), center=False)
    bound = TorchMLP(hidden=4, bias=False).bind(data)
    other = as_numpy(bound)
    layout = bound.problem.layout
    rng = np.random.default_rng(0)
    for _ in range(3):
        parameters = layout.unpack(np.where(layout.loops, 0.0, rng.standard_normal(layout.p)))
        ours, theirs = bound.evaluate(parameters), other.evaluate(parameters)
        assert ours.value == pytest.approx(theirs.value, rel=1e-12)
        np.testing.assert_allclose(ours.gradient, theirs.gradient, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(ours.weights, np.abs(parameters["A1"]).sum(axis=1).T, rtol=1e-12)
        assert ours.rest == pytest.approx(theirs.rest, rel=1e-9)
        first = 0.01 * np.abs(parameters["A1"]).sum()
        assert ours.penalty == pytest.approx(first, rel=1e-12)
    order = Order([2, 0, 1])
    assert bound.fit(order).value == pytest.approx(other.fit(order).value, rel=1e-6)


@pytest.mark.parametrize(
    ("settings", "table"),
    [
        ({}, curved_table(1)),
        ({"hidden": (4, 3), "activation": "tanh", "bias": False}, curved_table(1)),
        ({"loss": "gaussian"}, curved_table(1)),
        ({"loss": "logistic"}, binary_table(1, 3, 60)),
        ({"activation": torch.sin, "l1": 0.0}, curved_table(1)),
    ],
    ids=["plain", "deep", "gaussian", "logistic", "own activation"],
)
def test_gradient_of_every_block(settings, table):
    bound = TorchMLP(**{"hidden": 3, **settings}).bind(Dataset.from_table(table))
    problem = bound.problem
    rng = np.random.default_rng(0)
    vector = np.where(problem.layout.loops, 0.0, rng.standard_normal(problem.layout.p))
    for part in problem.parts:
        here = vector[part.places]
        _, gradient = problem.call(part, here)
        for k in np.flatnonzero(~part.loops):
            step = np.zeros_like(here)
            step[k] = 1e-6
            ends = [problem.call(part, here + sign * step)[0] for sign in (1.0, -1.0)]
            assert gradient[k] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-4, abs=1e-8)


def test_the_compiled_networks_have_the_same_objective():
    """One hidden layer: the fast path's Q at the same parameters."""
    fast = pytest.importorskip("toposwap.scores.mlp.score")
    data = Dataset.from_table(curved_table(7))
    for bias in (True, False):
        bound = TorchMLP(hidden=4, bias=bias).bind(data)
        theta = bound.problem.layout.unpack(bound.problem.starts[0])
        biases = theta["b1"].T if bias else np.zeros((4, 3))
        intercepts = theta["c"] if bias else np.zeros(3)
        networks = fast.Networks(
            first=np.ascontiguousarray(theta["A1"].transpose(2, 1, 0)),
            biases=np.ascontiguousarray(biases),
            output=np.ascontiguousarray(theta["v"].T),
            intercepts=intercepts,
        )
        theirs = fast.MLP(hidden=4, bias=bias).bind(data).evaluate(networks)
        ours = bound.evaluate(theta)
        assert ours.value == pytest.approx(theirs.value, rel=1e-9)
        np.testing.assert_allclose(ours.gradient, theirs.gradient, rtol=1e-7, atol=1e-10)
        np.testing.assert_allclose(ours.weights, theirs.weights, rtol=1e-12)


def test_losses_by_column():
    """1/(2n) ||x - f||^2, 1/2 log ||x - f||^2 and 1/n sum log(1 + exp f) - x f."""
    X = np.column_stack([curved_table(2, 2, 60), binary_table(2, 3, 60)[:, 0]])
    data = Dataset.from_table(X)
    score = TorchMLP(
        3, loss=Mixed([GaussianLoss(), GaussianLoss(), LogisticLoss()]), l1=0, l2=0, bias=True
    )
    bound = score.bind(data)
    theta = bound.problem.layout.unpack(bound.problem.starts[0])
    Z = X - X.mean(axis=0)
    f = [
        1 / (1 + np.exp(-Z @ A.T - b)) @ v + c
        for A, b, v, c in zip(theta["A1"], theta["b1"], theta["v"], theta["c"], strict=True)
    ]
    expected = sum(0.5 * np.log(np.sum((Z[:, j] - f[j]) ** 2)) for j in range(2))
    expected += np.mean(np.logaddexp(0.0, f[2]) - X[:, 2] * f[2])
    assert bound.evaluate(theta).value == pytest.approx(expected, rel=1e-12)
    predicted = bound.predict(theta, X)
    np.testing.assert_allclose(predicted[:, 0], f[0] + X[:, 0].mean())
    np.testing.assert_allclose(predicted[:, 2], 1 / (1 + np.exp(-f[2])))
    with pytest.raises(InputError, match="networks have no loss 'poisson'"):
        TorchMLP(loss="poisson").bind(Dataset.from_table(np.abs(np.round(X * 3))))


def test_a_batch_is_what_its_nodes_are():
    bound = TorchMLP(hidden=3).bind(Dataset.from_table(curved_table(3)))
    wanted = [
        (0, np.array([False, True, True]), None),
        (2, np.array([True, False, False]), None),
        (0, np.array([False, False, True]), None),
    ]
    for (node, allowed, _), fit in zip(wanted, bound.fit_nodes(wanted), strict=True):
        alone = bound.fit_node(node, allowed, None)
        assert fit.value == pytest.approx(alone.value, rel=1e-7)
        assert not fit.parameters[bound.problem.parts[node].cause == node].any()


def test_large_batches_are_taken_in_turns(monkeypatch):
    data = Dataset.from_table(curved_table(3))
    values = []
    for activations, entries in ((4_000_000, 200_000), (700, 30)):
        monkeypatch.setattr("toposwap.scores.torch.networks._LARGEST_BATCH", activations)
        monkeypatch.setattr("toposwap.scores.custom.problem._LARGEST_BATCH", entries)
        values.append(TorchMLP(hidden=3).bind(data).fit(Order([0, 1, 2])).value)
    assert values[0] == pytest.approx(values[1], rel=1e-7)


@pytest.mark.parametrize("search", ["none", "insertion", "paper", "auto"])
def test_networks_under_every_search(search):
    bound = TorchMLP(hidden=3).bind(Dataset.from_table(curved_table(4)))
    rng = np.random.default_rng(0)
    fit = bound.fit(Order([2, 1, 0]))
    history, status = run(SEARCHES[search](), fit, bound.data.names, rng=rng)
    assert status == SEARCHES[search].finished
    assert history[-1].score <= history[0].score
    assert fit.value == pytest.approx(fit.point().value, rel=1e-10)
    certificate = certify(fit.point(), convex=False, tolerance=bound.tolerance)
    if search in ("paper", "auto"):
        assert certificate.satisfied
    with pytest.raises(InputError, match="search='exact' proves"):
        run(SEARCHES["exact"](), fit, bound.data.names, rng=rng)


@pytest.mark.thorough
def test_a_curved_pair_is_told_apart_and_repeated():
    rng = np.random.default_rng(5)
    x = rng.uniform(-3.0, 3.0, 200)
    X = np.column_stack([3.0 * np.sin(x) + 0.3 * rng.standard_normal(200), x])
    score = TorchMLP(hidden=6, loss="gaussian", n_starts=2, l1=0.001)
    models = [ts.Topo(score=score, init=[0, 1]).fit(X) for _ in range(2)]
    assert models[0].causal_order_ == [1, 0]
    assert models[0].score_ == models[1].score_
    np.testing.assert_array_equal(models[0].weights_, models[1].weights_)


def test_more_starts_are_no_worse():
    data = Dataset.from_table(curved_table(6))
    values = [TorchMLP(hidden=3, n_starts=k).bind(data).fit(Order([0, 1, 2])).value for k in (1, 3)]
    assert values[1] <= values[0] + 1e-9


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"hidden": 0}, "hidden: must be a whole number"),
        ({"hidden": ()}, "hidden: must be a whole number"),
        ({"activation": "step"}, "activation: 'step' is not one of"),
        ({"l1": -1}, "l1: must be a number >= 0"),
        ({"l2": "a"}, "l2: must be a number >= 0"),
        ({"n_starts": 0}, "n_starts: must be a whole number >= 1"),
        ({"tolerance": 2.0}, "tolerance: must be a number between 0 and 1"),
        ({"loss": "cauchy"}, "loss: 'cauchy' is not one of"),
    ],
)
def test_settings_that_make_no_sense(settings, match):
    with pytest.raises(InputError, match=match):
        TorchMLP(**settings)


def test_asking_together_changes_no_price():
    """The deltas of a score that batches are those of one that does not."""
    data = Dataset.from_table(real_table(1, 5))
    plain = NodewiseLeastSquares().bind(data)
    together = NodewiseLeastSquares().bind(data)
    together.batches = True
    fits = [bound.fit(Order([3, 1, 4, 0, 2])) for bound in (plain, together)]
    pairs = fits[0].all_pairs()
    for v in range(5):
        np.testing.assert_array_equal(*(fit.insertion_profile(v) for fit in fits))
    np.testing.assert_array_equal(*(fit.swap_changes(pairs) for fit in fits))
    assert fits[0].delta(Order(range(5))) == fits[1].delta(Order(range(5)))


@pytest.mark.parametrize("scales", [[1e-77, 1, 1e77], [1e-150] * 3, [1e150] * 3], ids=repr)
def test_columns_of_extreme_scale_are_refused(scales):
    X = np.random.default_rng(0).standard_normal((40, 3)) * scales
    with pytest.raises(InputError, match=r"standard deviations below 1e-20 or above 1e\+20 in"):
        ts.Topo(TorchMLP(2)).fit(X)
