"""The tables lose no graph that obeys what is known, and admit none that does not."""

from itertools import permutations

import numpy as np
import pytest
from knowledge_brute_force import DAGS

import toposwap as ts
from fuzz.knowledge import disobeyed, random_knowledge
from toposwap.core.order import Order
from toposwap.kernels.graphs.reachability import reachability

NAMES = list("abcd")


REACHED = [reachability(A) for A in DAGS]
ORDERS = [Order(list(order)) for order in permutations(range(4))]


def admitted(told):
    """For each DAG whether some order that is permitted has its edges among its candidates."""
    found = np.zeros(len(DAGS), dtype=bool)
    for order in filter(told.obeys, ORDERS):
        found |= ~(DAGS & ~told.candidates(order)).any(axis=(1, 2))
    if told.required is not None:
        found &= ~(told.required & ~DAGS).any(axis=(1, 2))
    return found & [not told.unmet_paths(reached) for reached in REACHED]


def agree(known):
    wanted = [not any(disobeyed(A.astype(float), known, NAMES)) for A in DAGS]
    if not any(wanted):
        with pytest.raises(ts.InputError):
            known.on(NAMES)
        return False
    told = known.on(NAMES)
    assert admitted(told).tolist() == wanted, known
    return True


@pytest.mark.parametrize("seed", range(30))
def test_tables_admit_exactly_the_graphs_that_obey(seed):
    agree(random_knowledge(np.random.default_rng(seed), NAMES))


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(30, 1000))
def test_tables_admit_exactly_the_graphs_that_obey_again(seed):
    agree(random_knowledge(np.random.default_rng(seed), NAMES))


@pytest.mark.parametrize(
    "said",
    [
        {"not_ancestors": ["a -> b", "b -> a"]},
        {"not_ancestors": ["a -> b", "b -> c", "c -> a"]},
        {"not_ancestors": ["a -> b"], "tiers": [["a"], ["b"]]},
        {"not_ancestors": ["a -> b"], "tiers": [["c"], ["d"]]},
        {"not_ancestors": ["a -> b", "a -> c", "d -> c"]},
        {"roots": ["a", "b"], "leaves": ["c"], "not_ancestors": ["a -> c"]},
        {"roots": ["a"], "leaves": ["a"]},
        {"roots": ["b"], "tiers": [["a"], ["b"], ["c"]]},
        {"ancestors": ["a -> b"], "forbidden": ["a -> b"]},
        {"ancestors": ["a -> b", "c -> b"], "forbidden": ["a -> b", "c -> b"]},
        {"ancestors": ["a -> b"], "forbidden": ["a -> b", "a -> c", "d -> b"]},
        {"ancestors": ["a -> b"], "not_ancestors": ["c -> b", "a -> d"]},
        {"required": ["a -> b"], "not_ancestors": ["a -> c"]},
        {"allowed": ["a -> b", "b -> c"], "required": ["c -> d"]},
        {"tiers": [["a", "b"], ["c"]], "closed_tiers": [0], "ancestors": ["a -> d"]},
    ],
)
def test_sentences_that_need_care(said):
    assert agree(ts.Knowledge(**said))


@pytest.mark.parametrize(
    "said",
    [
        {"leaves": ["c"], "not_ancestors": ["a -> c"]},
        {"roots": ["a"], "not_ancestors": ["a -> c"]},
    ],
)
def test_roots_and_leaves_stand_where_paths_want_them(said):
    """At the ends they would leave a pair without a path that the order can see to."""
    known = ts.Knowledge(**said)
    told = known.on(NAMES)
    assert not told.no_paths
    assert told.before[2, 0]
    assert agree(known)


@pytest.mark.parametrize(
    ("said", "only_orders"),
    [
        ({"tiers": [["a", "b"], ["c"]]}, True),
        ({"roots": ["a"]}, True),
        ({"roots": ["a"], "leaves": ["b"]}, True),
        ({"required": ["a -> b"]}, True),
        ({"not_ancestors": ["a -> b"]}, True),
        ({"tiers": [["a", "b"], ["c"]], "closed_tiers": [0]}, False),
        ({"forbidden": ["a -> b"]}, False),
    ],
)
def test_what_the_order_sees_to_needs_no_table_of_edges(said, only_orders):
    told = ts.Knowledge(**said).on(NAMES)
    assert told.only_orders is only_orders
    assert (told.parents is None) is only_orders


def test_nothing_known_admits_everything():
    assert not ts.Knowledge()
    assert ts.Knowledge(tiers=[[], []]).on(NAMES).everything
    assert ts.Knowledge(forbidden=["a -> b"], tiers=[["b"], ["a"]]).on(NAMES).only_orders
