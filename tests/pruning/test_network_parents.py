"""Which inputs of a network are kept."""

import numpy as np
import pytest
from scipy.special import expit

import toposwap as ts
from toposwap.core.dataset import Dataset
from toposwap.pruning.network_parents import _without_penalties, criterion, edge_norms, refitted
from toposwap.pruning.networks import NetworkPruner
from toposwap.report.text import as_text, summary


def table(n=600, seed=0):
    """x2 leans on x0 strongly and on x1 a little; x3 on nothing."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    X[:, 2] += 3.0 * np.tanh(X[:, 0]) + 0.2 * X[:, 1]
    return X


def network(loss, seed=1):
    """A node with three inputs and two units, each with a weight that is not in use."""
    rng = np.random.default_rng(seed)
    X = table()
    X[:, 2] = X[:, 2] > 0 if loss == "logistic" else X[:, 2]
    losses = ["least-squares", "least-squares", loss, "least-squares"]
    bound = ts.scores.MLP(hidden=2, loss=losses).bind(Dataset.from_table(X))
    problem = bound.nodes.problem(2, np.array([0, 1, 3]))
    # Large enough to be far from linear, where tangents are nearly dependent.
    A, v = 3.0 * rng.standard_normal((2, 4)), rng.standard_normal(3)
    A[0, 1] = A[1, 2] = 0.0
    return problem, A, v, (A != 0.0)


def at(problem, A, v, active, change):
    """F with the parameters in use changed, (n,)."""
    A = A.copy()
    count = np.count_nonzero(active)
    A[active] += change[:count]
    return problem.forward(A, v + change[count:])[1]


def numeric_jacobian(problem, A, v, active, h=1e-6):
    size = np.count_nonzero(active) + v.size
    steps = h * np.eye(size)
    return np.array(
        [(at(problem, A, v, active, e) - at(problem, A, v, active, -e)) / (2.0 * h) for e in steps]
    )


@pytest.mark.parametrize("loss", ["least-squares", "gaussian"])
def test_the_step_without_penalties_is_a_regression_on_the_tangents(loss):
    problem, A, v, active = network(loss)
    assert problem.loss.loss.name == loss
    value, gain, rank = _without_penalties(problem, A, v, active)
    J = numeric_jacobian(problem, A, v, active)
    r = problem.y - problem.forward(A, v)[1]
    beyond = r - J.T @ np.linalg.lstsq(J.T, r, rcond=None)[0]
    assert rank == len(J)
    assert value == pytest.approx(0.5 * np.mean(r**2), rel=1e-12)
    assert value - gain == pytest.approx(0.5 * np.mean(beyond**2), rel=1e-6)


def test_the_step_of_a_logistic_loss_is_one_of_iterated_regressions():
    problem, A, v, active = network("logistic")
    assert problem.loss.loss.name == "logistic"
    _, gain, _ = _without_penalties(problem, A, v, active)
    J = numeric_jacobian(problem, A, v, active)
    p = expit(problem.forward(A, v)[1])
    g, H = J @ (problem.y - p) / p.size, (J * (p * (1.0 - p))) @ J.T / p.size
    assert gain == pytest.approx(0.5 * g @ np.linalg.solve(H, g), rel=1e-5)


def test_parameters_that_do_the_same_are_counted_once():
    problem, A, v, active = network("least-squares")
    A[1], v[1] = A[0], v[0]
    active[1] = active[0]
    _, _, rank = _without_penalties(problem, A, v, active)
    assert rank == np.count_nonzero(active[0]) + 1 + 1  # a unit's weights, its output, the mean


def test_a_parent_that_the_penalty_left_out_is_found():
    score = ts.scores.MLP(hidden=10, l1=0.2, l2=0.05)
    model = ts.Topo(score, "none", [0, 1, 3, 2]).fit(table())
    assert model.weights_[1, 2] == 0.0
    np.testing.assert_array_equal(np.argwhere(model.adjacency_matrix_), [[0, 2], [1, 2]])
    found = np.count_nonzero(model.weights_)
    told = " ".join(as_text(summary(model)).split())
    assert f"{found - 1} of the solution's {found} dropped, 1 added" in told


@pytest.mark.parametrize("seed", range(3))
def test_of_noise_nothing_is_kept(seed):
    X = np.random.default_rng(seed).standard_normal((400, 5))
    model = ts.Topo(ts.scores.MLP(hidden=8), "none", list(range(5))).fit(X)
    assert not model.adjacency_matrix_.any()


@pytest.mark.filterwarnings("ignore:.*rows are few")
def test_few_rows_tell_little():
    found = 0
    for seed in range(8):
        X = np.random.default_rng(seed).standard_normal((12 + 4 * seed, 4))
        model = ts.Topo(ts.scores.MLP(hidden=6), "none", list(range(4)))
        found += np.count_nonzero(model.fit(X).adjacency_matrix_)
    assert found <= 2


def test_a_network_with_more_weights_than_the_rows_can_tell_is_passed_over():
    X = table(n=60)
    bound = ts.scores.MLP(hidden=30).bind(Dataset.from_table(X))
    inputs = np.array([0, 1, 3])
    begun = bound.nodes.starts.started(2, inputs, 0)
    begun.output[:] = 1.0
    fit = bound.nodes.as_fit(0.0, begun)
    assert criterion(bound.nodes, 2, fit, 3) == np.inf


def test_ctrl_c_while_pruning_keeps_the_solution(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(NetworkPruner, "prune", interrupted)
    with pytest.warns(ts.ToposwapWarning, match="pruning was interrupted"):
        model = ts.Topo(ts.scores.MLP(hidden=5), "none", [0, 1, 3, 2]).fit(table())
    assert not model.result_.pruned.refitted
    assert model.threshold_ == 0.3
    assert model.certificate_.satisfied


def settled(bound, node, inputs):
    return bound.nodes.settled(
        node, bound.nodes.starts.started(node, np.array(inputs, dtype=np.intp), 0)
    )


@pytest.mark.parametrize(
    ("node", "inputs", "of_l1", "of_l2"),
    [(5, range(2), 0.1, 0.03), (5, range(5), 0.3, 0.09), (7, range(7), 0.5, 0.5)],
)
def test_what_is_kept_is_fitted_with_penalties_by_the_number_of_inputs(node, inputs, of_l1, of_l2):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((500, node + 1))
    X[:, node] += 2.0 * np.tanh(X[:, :node]).sum(axis=1)
    score = ts.scores.MLP(hidden=8, l1=0.05, l2=0.02)
    data = Dataset.from_table(X)
    bound = score.bind(data)
    other = refitted(bound.nodes, node, settled(bound, node, inputs)).parameters
    softer = ts.scores.MLP(hidden=8, l1=of_l1 * 0.05, l2=of_l2 * 0.02).bind(data)
    value = softer.nodes.problem(node, np.asarray(inputs)).value
    end = softer.nodes.polished(node, other).parameters
    assert value(other.first, other.output) == pytest.approx(value(end.first, end.output), rel=1e-4)
    assert bound.score.l1 == 0.05


def test_fitting_what_is_kept_loses_no_edge():
    # A tenth of this l1 costs more than either explains.
    X = table()
    weak = ts.scores.MLP(hidden=8, l1=1e-3).bind(Dataset.from_table(X))
    strong = ts.scores.MLP(hidden=8, l1=5.0).bind(Dataset.from_table(X))
    fit = settled(weak, 2, [0, 1])
    assert (edge_norms(fit) > 0.0).all()
    assert refitted(strong.nodes, 2, fit) is fit


def test_few_inputs_predict_new_rows_better_with_part_of_the_penalties():
    gains = []
    for seed in range(4):
        sample = ts.simulate.nonlinear_dataset(6, 3000, "ER1", random_state=seed)
        bound = ts.scores.MLP(hidden=10, l1=0.01, l2=0.01).bind(Dataset.from_table(sample.X[:1000]))
        for node in np.flatnonzero(sample.adjacency.any(axis=0)):
            inputs = np.flatnonzero(sample.adjacency[:, node])
            fit = settled(bound, node, inputs)
            errors = []
            for network in (fit, refitted(bound.nodes, node, fit)):
                nodes = [settled(bound, j, []) for j in range(6)]
                nodes[node] = network
                predicted = bound.predictor(bound.assemble(nodes))(sample.X[1000:])[:, node]
                errors.append(np.mean((sample.X[1000:, node] - predicted) ** 2))
            gains.append(errors[0] - errors[1])
    assert len(gains) > 5
    assert np.mean(gains) > 0.0
    assert np.mean(np.array(gains) > 0.0) > 0.7
