"""Random graphs, and data from structural equation models on them.

>>> from toposwap.simulate import linear_dataset
>>> sample = linear_dataset(20, 1000, kind="ER2", random_state=0)
>>> sample.X.shape, sample.weights.shape
((1000, 20), (20, 20))
"""

from __future__ import annotations

from toposwap.simulate.discrete import (
    LAWS,
    DiscreteSample,
    discrete_dataset,
    discrete_law,
    discrete_sem,
)
from toposwap.simulate.graphs import GRAPH_KINDS, dag, graph_kind
from toposwap.simulate.interventions import intervention_targets
from toposwap.simulate.linear import (
    NOISES,
    LinearSample,
    edge_weights,
    linear_dataset,
    linear_sem,
    noise_law,
    population_covariance,
)
from toposwap.simulate.mixed import MixedSample, mixed_dataset, mixed_sem
from toposwap.simulate.nonlinear import (
    MECHANISMS,
    NonlinearSample,
    mechanism,
    nonlinear_dataset,
    nonlinear_sem,
)

__all__ = [
    # graphs
    "dag",
    # linear models on them
    "edge_weights",
    "linear_sem",
    "population_covariance",
    "linear_dataset",
    "LinearSample",
    # 0/1 columns and counts
    "discrete_sem",
    "discrete_dataset",
    "DiscreteSample",
    # columns of several kinds
    "mixed_sem",
    "mixed_dataset",
    "MixedSample",
    # nonlinear models
    "nonlinear_sem",
    "nonlinear_dataset",
    "NonlinearSample",
    # rows in which something is set from outside
    "intervention_targets",
    # what can be chosen by name, and how to add to it
    "GRAPH_KINDS",
    "graph_kind",
    "NOISES",
    "noise_law",
    "LAWS",
    "discrete_law",
    "MECHANISMS",
    "mechanism",
]
