"""The border to other packages: what goes out, what comes in, and what stays outside."""

from __future__ import annotations

import contextlib
import io
import random
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.baselines.base import Baseline, Found, regress_on_parents
from toposwap.core.errors import InputError, MissingExtraError
from toposwap.core.graph import consistent_extension
from toposwap.core.printable import printable
from toposwap.losses.base import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset


class Peer(Baseline):
    """A learner of another package."""

    #: The package that pip installs.
    package: str

    def module(self, name: str) -> Any:
        """Import a module of the package, or say what to install."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return import_module(name)
        except ImportError as error:
            raise MissingExtraError(self.package, "peers", f"{self.name}") from error

    @contextlib.contextmanager
    def running(self, rng: np.random.Generator) -> Iterator[None]:
        """Run the learner: silent, with seeds of its own, and failing in a sentence.

        Global seeds come from ``rng`` and are put back afterwards. Whatever it raises is an
        :class:`~toposwap.core.errors.InputError` that names the learner.
        """
        seed = int(rng.integers(2**31))
        python, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002 - theirs
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 - theirs
        try:
            with (
                contextlib.redirect_stdout(io.StringIO()),
                contextlib.redirect_stderr(io.StringIO()),
                warnings.catch_warnings(),
            ):
                warnings.simplefilter("ignore")
                yield
        except (InputError, MissingExtraError):
            raise
        except Exception as error:
            told = printable(str(error).strip().splitlines()[0]) if str(error).strip() else ""
            raise InputError(
                f"{self.name} (package {self.package}) failed on these data, "
                f"{type(error).__name__}: {told}; begin elsewhere, or drop columns that others "
                "determine"
            ) from error
        finally:
            random.setstate(python)
            np.random.set_state(numpy)  # noqa: NPY002 - theirs


def centred_rows(data: Dataset, name: str) -> NDArray[np.float64]:
    """A fresh copy of the rows less their means, (n, d)."""
    return np.ascontiguousarray(rows_of(data, name) - data.mean)


def from_class(data: Dataset, pdag: NDArray[np.bool_]) -> Found:
    """A learned class (d, d), both directions for an undirected edge, with least-squares weights.

    The DAG is a consistent extension of the class; the class itself is kept for evaluation.
    """
    dag, turned = consistent_extension(pdag)
    choices: tuple[str, ...] = ("directions: one DAG of the class that was learned",)
    if turned:
        choices += (f"the learned graph is no class of DAGs: {turned} of its arrows were turned",)
    return Found(regress_on_parents(data, dag), cpdag=pdag, choices=choices)
