"""The registry of pairs that the tests go through: every loss with every kind of penalty."""

from itertools import product

import numpy as np
from tables import suited_to

from toposwap.core.dataset import Dataset
from toposwap.losses import LOSSES
from toposwap.penalties import BIC, L1, MCP, NoPenalty, Ridge
from toposwap.scores import Penalized

PENALTIES = (NoPenalty(), L1(0.03), MCP(0.05, 8.0), Ridge(0.05), BIC())
PAIRS = [Penalized(loss, penalty) for loss, penalty in product(LOSSES, PENALTIES)]


def has_a_slope(score):
    """Whether coefficients are paid for by size, and not by the edge."""
    return not isinstance(score.penalty, BIC)


def problem(score, seed, d=5):
    """``score`` on a table made for it, and randomness."""
    data = Dataset.from_table(suited_to(score, seed, d))
    return score.bind(data), np.random.default_rng(seed + 1)


def name_of(score):
    """An id for parametrised tests."""
    return score.name
