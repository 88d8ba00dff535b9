"""What is known is obeyed: by every score, search, start and pruning, or refused as impossible."""

import numpy as np
import pytest
from examples import seeds
from tables import suited_to

import toposwap as ts
from fuzz.knowledge import disobeyed, random_knowledge
from toposwap.metrics.meek import orient
from toposwap.scores import SCORES
from toposwap.search import SEARCHES

SMALL = {"mlp": lambda: ts.scores.MLP(hidden=3, n_starts=1)}
#: Scores with algebra of their own for required edges, and the cheap ones.
OFTEN = ("bic", "least-squares", "least-squares-l1", "gaussian-mcp", "equal-variance-l0", "basis")


def assert_obeys(model, known):
    for W in (model.weights_, model.adjacency_matrix_):
        assert not list(disobeyed(W, known, model.names_))


def fit_or_refusal(known, X, **settings):
    """The fitted model; None where what is known contradicts itself, and says so."""
    try:
        return ts.Topo(knowledge=known, **settings).fit(X)
    except ts.InputError as error:
        if "knowledge: " not in str(error) and "search='exact'" not in str(error):
            raise
        return None


@pytest.mark.filterwarnings("ignore::toposwap.ToposwapWarning")
@pytest.mark.parametrize("seed", seeds(4))
@pytest.mark.parametrize("name", SCORES)
def test_every_score_obeys_or_names_the_contradiction(name, seed):
    score = SMALL.get(name, SCORES[name])()
    X = suited_to(score, seed)
    d = X.shape[1]
    rng = np.random.default_rng([seed, 7])
    known = random_knowledge(rng, [f"x{k}" for k in range(d)])
    model = fit_or_refusal(known, X, score=score, n_restarts=1)
    if model is not None:
        assert_obeys(model, known)
        assert model.certificate_.satisfied or model.status_ == "not certified"


@pytest.mark.filterwarnings("ignore::toposwap.ToposwapWarning")
@pytest.mark.parametrize("seed", seeds(6))
@pytest.mark.parametrize("search", SEARCHES)
def test_every_search_and_start_obeys(search, seed):
    rng = np.random.default_rng([seed, 11])
    d = int(rng.integers(3, 8))
    X = ts.simulate.linear_dataset(d, 150, "ER1", random_state=seed).X
    known = random_knowledge(rng, [f"x{k}" for k in range(d)])
    starts = ("random", rng.permutation(d), rng.standard_normal((d, d)), "notears", "auto")
    for name, init in zip(OFTEN, (*starts, "random"), strict=True):
        for prune in ("auto", "bic") if name == "least-squares" else ("auto",):
            model = fit_or_refusal(known, X, score=name, search=search, init=init, prune=prune)
            if model is not None:
                assert_obeys(model, known)


def test_a_start_that_is_against_it_is_mended_and_said_so():
    X = ts.simulate.linear_dataset(5, 200, "ER2", random_state=0).X
    known = {"tiers": [["x0"], ["x4"]]}
    with pytest.warns(ts.ToposwapWarning, match="against what is known"):
        model = ts.Topo("least-squares", init=[4, 3, 2, 1, 0], knowledge=known).fit(X)
    assert model.causal_order_.index(0) < model.causal_order_.index(4)
    W = np.zeros((5, 5))
    W[4, 0] = 1.0
    with pytest.warns(ts.ToposwapWarning, match="against what is known"):
        refined = ts.refine(W, X, score="bic", knowledge=known)
    assert refined.causal_order_.index(0) < refined.causal_order_.index(4)


@pytest.mark.parametrize(
    "score",
    [
        "bic",
        ts.scores.Penalized("gaussian", ts.penalties.L1(0.2)),
        "least-squares",
        "basis-bic",
        "basis-mcp",
    ],
)
def test_a_required_edge_that_explains_nothing_is_kept(score):
    X = np.random.default_rng(1).standard_normal((400, 4))
    model = ts.Topo(score, knowledge={"required": ["x3 -> x0", "x2 -> x0"]}).fit(X)
    assert (model.adjacency_matrix_ != 0.0)[[2, 3], 0].all()
    assert np.count_nonzero(model.adjacency_matrix_) == 2
    assert model.certificate_.satisfied
    assert model.result_.against == ((2, 0), (3, 0))


@pytest.mark.filterwarnings("ignore::toposwap.ToposwapWarning")
def test_required_parents_that_determine_each_other():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((200, 5))
    X[:, 1] = X[:, 0] + 1e-6 * rng.standard_normal(200)
    X[:, 4] += X[:, 0]
    known = {"required": ["x0 -> x4", "x1 -> x4", "x2 -> x4"]}
    for name in ("bic", "ebic", "equal-variance-l0"):
        model = ts.Topo(name, knowledge=known).fit(X)
        assert (model.adjacency_matrix_[:3, 4] != 0.0).all()
        assert model.score_ <= model.history_[-1].score + 1e-9


# --- the minimum ---------------------------------------------------------------------------------


def exact(X, known, names=None):
    data = ts.Dataset.from_table(X, names=names)
    return ts.Topo("bic", search="exact", knowledge=known).fit(data)


@pytest.mark.parametrize("seed", seeds(8))
def test_more_knowledge_never_lowers_the_minimum(seed):
    rng = np.random.default_rng([seed, 3])
    X = ts.simulate.linear_dataset(5, 120, "ER2", random_state=seed).X
    names = [f"x{k}" for k in range(5)]
    less, more = (random_knowledge(rng, names) for _ in range(2))
    try:
        both = less.and_also(ts.Knowledge(**(more.as_dict() | {"tiers": [], "closed_tiers": []})))
        scores = [exact(X, known).score_ for known in (None, less, both)]
    except ts.InputError:
        return
    assert scores[0] <= scores[1] + 1e-9
    assert scores[1] <= scores[2] + 1e-9


@pytest.mark.parametrize("seed", seeds(6))
def test_the_names_of_columns_do_not_matter(seed):
    rng = np.random.default_rng([seed, 5])
    X = ts.simulate.linear_dataset(5, 100, "ER2", random_state=seed).X
    names = list("abcde")
    known = random_knowledge(rng, names)
    turned = rng.permutation(5)
    try:
        one = exact(X, known, names)
    except ts.InputError:
        with pytest.raises(ts.InputError):
            exact(X[:, turned], known, [names[v] for v in turned])
        return
    other = exact(X[:, turned], known, [names[v] for v in turned])
    assert other.score_ == pytest.approx(one.score_, abs=1e-9)
    assert_obeys(other, known)


@pytest.mark.parametrize("seed", seeds(8))
def test_the_exact_search_is_brute_force(seed):
    """Over all DAGs of four nodes that obey."""
    from knowledge_brute_force import DAGS, best_bic

    rng = np.random.default_rng([seed, 9])
    X = ts.simulate.linear_dataset(4, 60, "ER1", random_state=seed).X
    known = random_knowledge(rng, [f"x{k}" for k in range(4)])
    allowed = [A for A in DAGS if not any(disobeyed(A, known, [f"x{k}" for k in range(4)]))]
    if not allowed:
        return
    assert exact(X, known).score_ == pytest.approx(best_bic(X, allowed), abs=1e-8)


# --- the certificate -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["least-squares", "least-squares-l1", "gaussian-l1"])
def test_no_feasible_step_lowers_a_certified_score(name):
    rng = np.random.default_rng(4)
    X = ts.simulate.linear_dataset(6, 200, "ER2", random_state=4).X
    known = ts.Knowledge(
        tiers=[["x0", "x3"], ["x1"]], required=["x5 -> x2"], forbidden=["x0 -> x4", "x2 -> x4"]
    )
    model = ts.Topo(name, knowledge=known).fit(X)
    assert ts.check_kkt(model.weights_, X, score=name, knowledge=known).satisfied
    bound = SCORES[name]().bind(ts.Dataset.from_table(X))
    bound.admissible = model.result_.admissible
    here = bound.evaluate(model.weights_).value
    permitted = bound.candidates(model.result_.order)
    for _ in range(100):
        step = 1e-4 * rng.standard_normal((6, 6)) * permitted
        assert bound.evaluate(model.weights_ + step).value >= here - 1e-12


def test_check_kkt_refuses_what_is_against_the_knowledge():
    X = ts.simulate.linear_dataset(5, 300, "ER2", random_state=3).X
    model = ts.Topo("bic").fit(X)
    assert ts.check_kkt(model.weights_, X, score="bic").satisfied
    i, j = (int(v) for v in np.argwhere(model.weights_)[0])
    absent = next((a, b) for a, b in np.argwhere(model.weights_ == 0.0).tolist() if a != b)
    for known, satisfied in (
        ({"required": [(i, j)]}, True),
        ({"ancestors": [(i, j)]}, True),
        ({"forbidden": [(i, j)]}, False),
        ({"tiers": [[j], [i]]}, False),
        ({"not_ancestors": [(i, j)], "tiers": [[i], [j]]}, False),
    ):
        assert ts.check_kkt(model.weights_, X, score="bic", knowledge=known).satisfied is satisfied
    sparse = np.where(np.arange(25).reshape(5, 5) == 5 * i + j, model.weights_, 0.0)
    unmet = ts.check_kkt(sparse * 0.0, X, score="bic", knowledge={"ancestors": [absent]}).unmet
    assert unmet == (absent,)
    with pytest.raises(ts.InputError, match="against what is known"):
        ts.check_kkt(ts.Order([1, 0, 2, 3, 4]), X, knowledge={"tiers": [["x0"], ["x1"]]})


# --- the equivalence class -----------------------------------------------------------------------


def test_the_class_is_narrowed_by_what_is_known():
    rng = np.random.default_rng(0)
    a = rng.standard_normal(500)
    b = a + rng.standard_normal(500)
    c = b + rng.standard_normal(500)
    X = np.column_stack([a, b, c])
    free = ts.Topo("bic").fit(X)
    assert (free.cpdag_ == free.cpdag_.T).all()
    model = ts.Topo("bic", knowledge={"tiers": [["x0"], ["x1"]]}).fit(X)
    assert np.argwhere(model.cpdag_).tolist() == [[0, 1], [1, 2]]
    assert model.score_ == pytest.approx(free.score_)


@pytest.mark.parametrize("seed", seeds(40))
def test_meeks_rules_with_knowledge_are_brute_force(seed):
    """The directions that all members of the class with these orientations share."""
    from knowledge_brute_force import CLASSES, DAGS

    rng = np.random.default_rng(seed)
    dag = DAGS[int(rng.integers(len(DAGS)))]
    members = CLASSES[ts.metrics.cpdag(dag).tobytes()]
    told = dag & (rng.random(dag.shape) < 0.3)
    agreeing = [A for A in members if not (told & ~A).any()]
    expected = np.any(agreeing, axis=0)
    np.testing.assert_array_equal(orient(ts.metrics.cpdag(dag), told), expected)
