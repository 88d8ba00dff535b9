"""Every registered loss with every registered penalty, which the generic tests go through."""

from inspect import signature
from itertools import product

import numpy as np
from examples import THOROUGH
from tables import suited_to

from toposwap.core.dataset import Dataset
from toposwap.losses import LOSSES
from toposwap.penalties import PENALTIES, EdgePenalty
from toposwap.scores import Penalized

#: The weight of a penalty by size: enough to leave edges out of the tables of the tests, not all.
WEIGHT = 0.04


def set_for_tests(make):
    """A penalty that matters on small tables; one of edges as it is."""
    if issubclass(make, EdgePenalty) or not signature(make).parameters:
        return make()
    return make(WEIGHT)


def different():
    """A penalty of each kind: those that come to the same once n and d are known are one."""
    kinds = {}
    for make in PENALTIES.values():
        penalty = set_for_tests(make)
        kinds.setdefault(type(penalty.bind(100, 10)), penalty)
    return tuple(kinds.values())


DIFFERENT = different()
ALL_PAIRS = [Penalized(loss, penalty) for loss, penalty in product(LOSSES, DIFFERENT)]


def covering():
    """Every loss and every penalty at least once, each loss with one penalty or two."""
    losses = list(LOSSES)
    longest = max(len(losses), len(DIFFERENT))
    places = {(k % len(losses), k % len(DIFFERENT)) for k in range(longest)}
    return [score for k, score in enumerate(ALL_PAIRS) if divmod(k, len(DIFFERENT)) in places]


PAIRS = ALL_PAIRS if THOROUGH else covering()


def has_a_slope(score):
    """Whether coefficients are paid for by size, and not by the edge."""
    return not isinstance(score.penalty, EdgePenalty)


def holds_back(score):
    """Whether the penalty grows without end, so that no coefficient does."""
    return has_a_slope(score) and score.penalty.unbounded


def problem(score, seed, d=5):
    """``score`` on a table made for it, and randomness."""
    data = Dataset.from_table(suited_to(score, seed, d))
    return score.bind(data), np.random.default_rng(seed + 1)


def name_of(score):
    """An id for parametrised tests."""
    return score.name
