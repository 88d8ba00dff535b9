r"""How rows are drawn again, as weights: how often each counts in a resample.

Let :math:`t_u` say how often unit u (a row, or a group of rows) counts in the table, with
:math:`N = \sum_u t_u`. A method draws weights :math:`w_u \ge 0`, and

.. math:: \text{bootstrap: } w \sim \text{Multinomial}(N, t / N), \qquad
          \text{half: } w \sim \text{Hypergeometric}(N / 2 \text{ of } t), \qquad
          \text{bayesian: } w_u \propto \Gamma(t_u) .

All three scatter an estimate about that of the table as sampling scatters it about the truth. But a
score with a price per edge takes :math:`\sum_u w_u` for the number of rows, and rows that occur
twice are no new evidence: with :math:`\sum w = N` a statistic that is :math:`\chi^2` without an
edge becomes twice that. So weights that are not zeros and ones add up to N / 2, which is Kish's
effective number of rows, :math:`(\sum w)^2 / \sum w^2`, of the Bayesian bootstrap.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Method(ABC):
    """One way to draw weights; without settings."""

    name: ClassVar[str]
    #: Weights are whole numbers, which every score can do with.
    whole: ClassVar[bool] = True
    #: Resamples 2k and 2k + 1 have no row in common.
    pairs: ClassVar[bool] = False

    @abstractmethod
    def draw(self, times: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.float64]:
        """Weights (u,) of units that count ``times`` (u,) in the table."""

    def other_half(
        self, times: NDArray[np.int64], drawn: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The second of a pair, (u,): what the first, ``drawn``, has left."""
        raise NotImplementedError(f"resamples by {self.name} do not come in pairs")


class Bootstrap(Method):
    """As many rows as there are, drawn with replacement."""

    name: ClassVar[str] = "bootstrap"

    def draw(self, times: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.float64]:
        """Multinomial counts."""
        total = int(times.sum())
        return rng.multinomial(total, times / total).astype(np.float64)


class Half(Method):
    """Half of the rows, drawn without replacement; the next resample is the other half."""

    name: ClassVar[str] = "half"
    pairs: ClassVar[bool] = True

    def draw(self, times: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.float64]:
        """Counts of a draw of N // 2; of an odd number one row is in neither half."""
        total = int(times.sum())
        if total == times.size:
            chosen = np.zeros(total)
            chosen[rng.permutation(total)[: total // 2]] = 1.0
            return chosen
        return rng.multivariate_hypergeometric(times, total // 2).astype(np.float64)

    def other_half(
        self, times: NDArray[np.int64], drawn: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """All that was not drawn; of an odd number, one row less."""
        rest = times - drawn
        if times.sum() % 2:
            # Drawn by the numbers that were drawn already, so that no generator is asked again.
            left = np.flatnonzero(rest)
            rest[left[int(drawn @ np.arange(1, drawn.size + 1)) % left.size]] -= 1.0
        return rest


class Bayesian(Method):
    """Every row, with a random weight: Rubin's Bayesian bootstrap, on N / 2 effective rows."""

    name: ClassVar[str] = "bayesian"
    whole: ClassVar[bool] = False

    def draw(self, times: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.float64]:
        """Dirichlet weights that add up to half of the table."""
        drawn = rng.standard_gamma(times.astype(np.float64))
        return np.asarray(drawn * (0.5 * times.sum() / drawn.sum()))


class Fewer(Method):
    """Half as many rows as there are, drawn with replacement: m out of n."""

    name: ClassVar[str] = "m-out-of-n"

    def draw(self, times: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.float64]:
        """Multinomial counts that add up to N // 2."""
        total = int(times.sum())
        return rng.multinomial(total // 2, times / total).astype(np.float64)


METHODS: dict[str, Method] = {
    method.name: method for method in (Bootstrap(), Half(), Bayesian(), Fewer())
}
#: What ``method`` may be called; "auto" is what :func:`automatic` chooses.
NAMES = ("auto", *METHODS)


def automatic() -> Method:
    """The one that is calibrated best: docs/confidence.md has the figures."""
    return METHODS["half"]
