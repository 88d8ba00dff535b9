r"""Mean and triangular factor of rows that come in blocks and are not kept: one pass.

With a shift :math:`c` and scales :math:`D`, powers of two, taken from the first rows, the column
of ones goes through the same factorisation,

.. math:: A = \bigl[\, 1, \; (X - 1 c^\top) D^{-1} \,\bigr] = Q T ,

so that the first row of :math:`T` holds :math:`\sqrt n` times what the shift left of the means, and
the rest of it is :math:`\sqrt n R_0`. Another shift changes that row alone,
:math:`T_{0j} \mathrel{+}= T_{00} (c_j - c'_j) / D_j`, and another scale divides columns: two parts
of the data with origins of their own are merged by a QR of their triangles, one above the other.

Many rows are not rotated into :math:`T` one by one. With a triangle :math:`P` such that
:math:`A P^{-1}` is well conditioned, :math:`A^\top A = P^\top G P` with
:math:`G = (A P^{-1})^\top (A P^{-1})`, and :math:`T = \operatorname{chol}(G) P` has as many digits
as the QR has. The factor of the first rows is such a P; where these are well conditioned as they
are, P = I will do, and a block costs one product with itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.factor import power_of_two, retriangularise

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    #: d arrays (m,) of numbers of any type.
    Columns = Sequence[NDArray[Any]]

#: Columns up to which products are worth it; of more, a block has too few rows for its triangle.
_FEW = 256
#: Rows of a block over the number of columns, for the first of them to tell how columns depend.
_LONG = 8
#: A condition number whose square costs three digits of sixteen.
_TAME = 30.0
#: A pivot below this, over the size of its column, is no base to divide by.
_DEPENDENT = 1e-10
#: Mean square of the rows in the base's coordinates from which on the base no longer fits.
_DRIFTED = 1e3


@dataclass(eq=False)
class Moments:
    """The first two moments of the rows so far, to which :meth:`add` adds a block.

    Attributes
    ----------
    shift, scale
        c and D, (d,).
    triangle
        T, (d + 1, d + 1), upper triangular: the factor of the rows that are not in products.
    n
        Rows, or the sum of their weights.
    """

    shift: Floats
    scale: Floats
    triangle: Floats = field(repr=False)
    n: float = 0.0
    #: P with T = sqrt(rows of T) P, or None for I; and G of the rows after them, None while rows
    #: are rotated into T.
    _base: Floats | None = field(repr=False, default=None)
    _products: Floats | None = field(repr=False, default=None)
    _in_triangle: float = field(repr=False, default=0.0)

    @classmethod
    def beginning(cls, columns: Columns) -> Moments:
        """With shift and scale of d ``columns`` (m,) of finite numbers, which are not yet added."""
        low = np.array([float(x.min()) for x in columns])
        high = np.array([float(x.max()) for x in columns])
        mean = np.array([float(x.mean(dtype=np.float64)) for x in columns])
        # A column that is constant is zero after the shift, and shows it.
        shift = np.where(low == high, low, mean)
        scale = power_of_two(np.maximum(high - shift, shift - low))
        size = len(columns) + 1
        return cls(shift, scale, np.zeros((size, size), order="F"))

    @classmethod
    def of(cls, columns: Columns, weights: Floats | None = None) -> Moments:
        """The moments of one block of d ``columns`` (m,) of finite numbers."""
        moments = cls.beginning(columns)
        moments.add(columns, weights)
        return moments

    @property
    def d(self) -> int:
        """Number of columns."""
        return self.shift.size

    def add(self, columns: Columns, weights: Floats | None = None) -> bool:
        """Add the rows of d ``columns`` (m,), each as often as ``weights`` (m,) say.

        Any numbers, never changed. False, and nothing is added, where one of them is not finite.
        """
        block = self._shifted(columns, weights)
        count = float(len(block)) if weights is None else float(weights.sum())
        if self._products is not None:
            from scipy.linalg import blas

            if self._base is not None:
                block = blas.dtrsm(1.0, self._base, block, side=1, overwrite_b=1)
            product = blas.dsyrk(1.0, block, trans=1)
            largest = product.diagonal().max()
            if not np.isfinite(largest):
                return False
            if largest <= _DRIFTED * count:
                self._products += product
                self.n += count
                return True
            # These rows are unlike those before: their products would drown what was known.
            self._collect()
            block = self._shifted(columns, weights)
        else:
            # Infinities of both signs make none.
            with np.errstate(invalid="ignore"):
                total = block.sum()
            if not np.isfinite(total):
                return False
        self._rotate(block)
        self.n += count
        self._choose_base()
        return True

    def merge(self, other: Moments) -> None:
        """Add the rows of ``other``, which has the same columns and stays as it is."""
        self._collect()
        theirs = other.collected()
        # Their triangle about this shift, and then in these units; powers of two change no digit.
        theirs[0, 1:] += theirs[0, 0] * ((other.shift - self.shift) / other.scale)
        theirs[:, 1:] *= other.scale / self.scale
        self.triangle = np.asfortranarray(retriangularise(np.vstack([self.triangle, theirs])))
        self.n += other.n

    def collected(self) -> Floats:
        """T of all rows, (d + 1, d + 1), a copy."""
        self._collect()
        return self.triangle.copy()

    def mean(self) -> Floats:
        """The means, (d,)."""
        T = self.collected()
        return np.asarray(self.shift + self.scale * (T[0, 1:] / T[0, 0]))

    def factor(self, *, center: bool = True) -> tuple[Floats, Floats]:
        """R_0 (d, d) and its scale (d,); about zero instead of the means without ``center``.

        A column without variance has the scale 1 and a column of zeros.
        """
        T = self.collected()
        if center:
            inner = T[1:, 1:] / np.sqrt(self.n)
            size = np.sqrt(np.einsum("ij,ij->j", inner, inner))
        else:
            T[0, 1:] += T[0, 0] * (self.shift / self.scale)
            inner = retriangularise(T[:, 1:]) / np.sqrt(self.n)
            size = np.sqrt(np.einsum("ij,ij->j", inner, inner))
        unit = power_of_two(size)
        return np.asfortranarray(inner / unit), self.scale * unit

    def constant(self) -> NDArray[np.bool_]:
        """Columns whose variation is no more than the rounding of their own numbers, (d,)."""
        T = self.collected()
        deviation = self.scale * np.sqrt(np.einsum("ij,ij->j", T[1:, 1:], T[1:, 1:]) / self.n)
        return np.asarray(deviation <= 4.0 * np.finfo(float).eps * np.abs(self.mean()))

    # --- inside ----------------------------------------------------------------------------------

    def _shifted(self, columns: Columns, weights: Floats | None) -> Floats:
        """A of the rows, (m, d + 1), times the roots of the weights, a fresh array."""
        block = np.empty((len(columns[0]), self.d + 1), order="F")
        block[:, 0] = 1.0
        with np.errstate(over="ignore", invalid="ignore"):
            for j, given in enumerate(columns):
                column = block[:, j + 1]
                np.subtract(given, self.shift[j], out=column, dtype=np.float64)
                # The inverse of a power of two is exact.
                column *= 1.0 / self.scale[j]
            if weights is not None:
                block *= np.sqrt(weights)[:, None]
        return block

    def _rotate(self, block: Floats) -> None:
        """Merge A (m, d + 1) into the triangle; it is overwritten."""
        from scipy.linalg import lapack

        inner = min(self.d + 1, 16 if self.d < 400 else 32)
        self.triangle, *_, info = lapack.dtpqrt(
            0, inner, self.triangle, block, overwrite_a=1, overwrite_b=1
        )
        assert info == 0

    def _choose_base(self) -> None:
        """Products from here on, in coordinates in which the rows so far are well conditioned."""
        if self.d > _FEW or self.n < _LONG * (self.d + 1):
            return
        size = np.sqrt(np.einsum("ij,ij->j", self.triangle, self.triangle))
        if not (np.abs(self.triangle.diagonal()) > _DEPENDENT * size).all():
            return
        tame = np.linalg.cond(self.triangle / size) <= _TAME
        self._base = None if tame else np.asfortranarray(self.triangle / np.sqrt(self.n))
        self._products = np.zeros_like(self.triangle)
        self._in_triangle = self.n

    def _collect(self) -> None:
        """Bring what the products tell into the triangle."""
        if self._products is None:
            return
        from scipy.linalg import lapack

        total = np.triu(self._products)
        if self._base is None:
            total += self.triangle.T @ self.triangle
        else:
            total[np.diag_indices(self.d + 1)] += self._in_triangle
        root, info = lapack.dpotrf(total, clean=1)
        assert info == 0
        triangle = root if self._base is None else root @ self._base
        self.triangle = np.asfortranarray(triangle)
        self._base = self._products = None
