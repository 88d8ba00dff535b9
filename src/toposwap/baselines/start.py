"""Other learners as starting points: a name, a class, an estimator, a fitted one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toposwap.baselines.base import Baseline
from toposwap.core.errors import InputError
from toposwap.estimators.base import DagLearner
from toposwap.search.start import INITS

if TYPE_CHECKING:
    import numpy as np

    from toposwap.core.dataset import Dataset


def resolve_start(init: Any, data: Dataset, rng: np.random.Generator) -> Any:
    """Return the weights (d, d) if ``init`` stands for a learner, else ``init`` as it is."""
    from toposwap.baselines import BASELINES

    if isinstance(init, str) and init not in INITS:
        if init not in BASELINES:
            known = ", ".join(map(repr, (*INITS, *BASELINES)))
            raise InputError(
                f"init: {init!r} is not one of {known}, an order, a weight matrix or a learner"
            )
        init = BASELINES[init]
    if isinstance(init, type) and issubclass(init, Baseline):
        init = init()
        # Made here, it has no seed of its own: what it draws comes from ``rng``.
        init.random_state = None
    if not isinstance(init, DagLearner):
        return init
    if not hasattr(init, "result_"):
        if not isinstance(init, Baseline):
            raise InputError(f"init: {type(init).__name__} is not fitted; fit it first")
        return init.weights_on(data, rng)
    if sorted(init.names_) != sorted(data.names):
        raise InputError(
            f"init: this {type(init).__name__} was fitted to other columns than those of the data"
        )
    columns = [init.names_.index(name) for name in data.names]
    return init.weights_[columns][:, columns]
