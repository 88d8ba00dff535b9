r"""The classical scores of tables of categories.

With :math:`N_{jpx}` the rows in which column j has level x and its parents the configuration p, and
:math:`r_j` levels, :math:`q_j` configurations,

.. math:: n Q = - \sum_j \sum_p \sum_x N_{jpx} \log \frac{N_{jpx}}{N_{jp}}
                + \tfrac12 \text{factor} \log n \sum_j (r_j - 1) q_j
          \qquad \text{(categorical-bic)}

.. math:: n Q = - \sum_j \sum_p \Bigl( \log\frac{\Gamma(s/q_j)}{\Gamma(s/q_j + N_{jp})}
                + \sum_x \log\frac{\Gamma(s/(r_j q_j) + N_{jpx})}{\Gamma(s/(r_j q_j))} \Bigr)
          \qquad \text{(bdeu)}

the second being minus the logarithm of the probability of the data given the graph, where the
prior counts as much as s rows, evenly over all cells. Both are sums over columns, and the same for
all graphs of a Markov equivalence class.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.runtime.settings import checked
from toposwap.core.tables.codes import Coded
from toposwap.core.validation import columns, listed
from toposwap.scores.base import Score
from toposwap.scores.l0.bound import checked_max_parents

if TYPE_CHECKING:
    from toposwap.core.dataset import Dataset
    from toposwap.scores.categorical.bound import BoundCategorical

#: More levels than this are no categories.
_MOST_LEVELS = 1000
#: Rows that can be counted.
_MOST_ROWS = 2_000_000_000


class CategoricalScore(Score):
    """What the two scores share: every column is a category, whatever its numbers."""

    convex: ClassVar[bool] = False
    separable: ClassVar[bool] = True
    selects_edges: ClassVar[bool] = True
    equivalent: ClassVar[bool] = True
    weighs_rows: ClassVar[bool] = True
    takes_nominal: ClassVar[bool] = True
    uses_interventions: ClassVar[bool] = True
    continuous: ClassVar[bool] = False

    max_parents: int | None

    @property
    @abstractmethod
    def prior(self) -> float:
        """The equivalent sample size, 0 for none."""

    @abstractmethod
    def price(self, n: int) -> float:
        """What a parameter costs, in natural logarithms of odds."""

    @property
    def smoothing(self) -> float:
        """The equivalent sample size behind predicted probabilities."""
        return self.prior or 1.0

    def weighs_parts(self, data: Dataset) -> bool:  # noqa: ARG002 - whatever the data
        """Counts are whole numbers."""
        return False

    def bind(self, data: Dataset) -> BoundCategorical:
        """Count the columns of ``data``, each of which must have few different values."""
        from toposwap.scores.categorical.bound import BoundCategorical

        return BoundCategorical(self, data, coded_columns(data, self.name))


class BDeu(CategoricalScore):
    """The probability of the data given the graph, by a prior that is even over all cells.

    Parameters
    ----------
    equivalent_sample_size
        How many rows the prior counts for; more of them mean more edges.
    max_parents
        The most parents a column may have.
    """

    name: ClassVar[str] = "bdeu"

    def __init__(
        self, equivalent_sample_size: float = 10.0, max_parents: int | None = None
    ) -> None:
        self.equivalent_sample_size = checked(
            "BDeu equivalent_sample_size", equivalent_sample_size, positive=True
        )
        self.max_parents = checked_max_parents(max_parents)

    @property
    def prior(self) -> float:
        """As given."""
        return self.equivalent_sample_size

    def price(self, n: int) -> float:  # noqa: ARG002 - the prior is the price
        """Nothing: what a parameter costs is in the integrals."""
        return 0.0


class CategoricalBIC(CategoricalScore):
    """The likelihood of free conditional probabilities, and a price for each of them.

    Parameters
    ----------
    factor
        1 is Schwarz's criterion, log(n) / 2 a parameter; larger values ask for more evidence.
    max_parents
        The most parents a column may have.
    """

    name: ClassVar[str] = "categorical-bic"

    def __init__(self, factor: float = 1.0, max_parents: int | None = None) -> None:
        self.factor = checked("CategoricalBIC factor", factor)
        self.max_parents = checked_max_parents(max_parents)

    @property
    def prior(self) -> float:
        """None."""
        return 0.0

    def price(self, n: int) -> float:
        """Half the logarithm of the number of rows, times the factor."""
        return 0.5 * self.factor * float(np.log(n))


def coded_columns(data: Dataset, name: str) -> list[Coded]:
    """All columns as codes, or an error that names those that are no categories."""
    if data.held is None:
        raise InputError(f"score {name!r} counts rows, and only a covariance matrix is known")
    if data.interventions is not None and data.interventions.kind != "perfect":
        raise InputError(
            f"intervention_kind: nothing can be added to categories, so score {name!r} takes "
            "'perfect' interventions only"
        )
    weights = data.row_weights
    if weights is not None and ((weights != np.floor(weights)).any() or data.n > _MOST_ROWS):
        raise InputError(
            f"sample_weight: score {name!r} counts rows, so weights must be whole numbers that add "
            f"up to at most {_MOST_ROWS:.0e}: round them, or divide them first"
        )
    most = min(_MOST_LEVELS, max(2, len(data.held) // 2))
    many = []
    for j in range(data.d):
        few = len(np.unique(data.held[: 2 * most + 2, j])) <= most
        few = few and len(data.coded(j).levels) <= most
        if not few:
            many.append(data.names[j])
    if many:
        verb = "has" if len(many) == 1 else "have"
        raise InputError(
            f"{columns(len(many))} {listed(many)} {verb} more than {most} different values in "
            f"{len(data.held)} rows, which score {name!r} would take for categories: make few "
            "classes of them (pandas.cut), or choose another score"
        )
    return [data.coded(j) for j in range(data.d)]
