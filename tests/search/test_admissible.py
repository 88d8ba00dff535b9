"""Every score, under every search, keeps to the edges and orders that are permitted."""

import numpy as np
import pytest
from precedences import random_admissible
from tables import suited_to

import toposwap as ts
from toposwap.assess import assess
from toposwap.core.dataset import Dataset
from toposwap.core.order import Order
from toposwap.pruning import resolve_pruner
from toposwap.scores import SCORES
from toposwap.search import SEARCHES, run
from toposwap.search.start import automatic_fit

#: Scores with kernels of their own where only orders are ruled out.
BY_FACTOR = ("least-squares", "basis", "bic")
SMALL = {"mlp": lambda: ts.scores.MLP(hidden=3, n_starts=1)}


def bound_under(name, seed, *, parents=True):
    """A score on a table of its kind; without ``parents`` only orders are ruled out."""
    rng = np.random.default_rng(seed)
    score = SMALL.get(name, SCORES[name])()
    bound = score.bind(Dataset.from_table(suited_to(score, seed)))
    d = bound.data.d
    bound.admissible = random_admissible(rng, d, parents=parents).check(d)
    return bound, rng


def assert_obeys(bound, order, weights):
    assert bound.admissible.obeys(order)
    assert not (weights != 0.0)[~bound.candidates(order)].any()


@pytest.mark.parametrize("search", ["auto", "paper", "insertion", "none"])
@pytest.mark.parametrize(
    ("name", "parents"),
    [*((name, True) for name in SCORES), *((name, False) for name in BY_FACTOR)],
)
def test_searches_and_pruning_keep_to_what_is_permitted(name, parents, search):
    bound, rng = bound_under(name, 3, parents=parents)
    first = automatic_fit(bound, rng)
    run(SEARCHES[search](), first.fit, bound.data.names, rng=rng)
    order, parameters = first.fit.order, first.fit.parameters()
    assessment = assess(bound, parameters)
    assert_obeys(bound, order, assessment.point.weights)
    if search == "auto":
        assert assessment.certificate.satisfied
    pruned = resolve_pruner("auto", bound).prune(bound, parameters, order, rng=rng)
    assert_obeys(bound, pruned.order, pruned.weights)


@pytest.mark.parametrize(
    ("name", "parents"),
    [*((name, True) for name in SCORES if name != "mlp"), *((name, False) for name in BY_FACTOR)],
)
def test_profiles_are_the_deltas_of_permitted_places_and_infinite_elsewhere(name, parents):
    bound, rng = bound_under(name, 5, parents=parents)
    fit = bound.fit(bound.admissible.nearest(Order(rng.permutation(bound.data.d))))
    for v in range(bound.data.d):
        places = list(bound.positions(fit.order, v))
        profile = fit.insertion_profile(v)
        assert np.flatnonzero(np.isfinite(profile)).tolist() == places
        assert profile[fit.order.positions[v]] == 0.0
    pairs = fit.all_pairs()
    permitted = [bound.admissible.obeys(fit.order.swap(int(i), int(j))) for i, j in pairs]
    np.testing.assert_array_equal(np.isfinite(fit.swap_changes(pairs)), permitted)


@pytest.mark.parametrize("parents", [True, False])
@pytest.mark.parametrize("name", ["least-squares", "bic", "least-squares-l1", "basis"])
def test_the_exact_search_finds_the_best_that_is_permitted(name, parents):
    bound, rng = bound_under(name, 8, parents=parents)
    fit = automatic_fit(bound, rng).fit
    run(SEARCHES["exact"](), fit, bound.data.names, rng=rng)
    assert_obeys(bound, fit.order, fit.point().weights)
    for _ in range(20):
        other = bound.fit(bound.admissible.nearest(Order(rng.permutation(bound.data.d))))
        assert fit.value <= other.value + 1e-9 * abs(other.value)
