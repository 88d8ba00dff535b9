"""Networks of many nodes as one batch of tensors."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.validation import named
from toposwap.losses import GaussianLoss, LeastSquaresLoss, LogisticLoss, Loss
from toposwap.losses.base import rows_of
from toposwap.losses.logistic import zeros_and_ones
from toposwap.scores.custom.bound import OwnNodes
from toposwap.scores.custom.function import checked_device, import_torch
from toposwap.scores.densities import Densities

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.scores.torch.score import TorchMLP

#: Numbers of hidden activations held at once; more nodes than that are computed in turns.
_LARGEST_BATCH = 4_000_000
#: Standard deviations beyond which products of columns, weights and slopes are no numbers.
_SMALLEST, _LARGEST = 1e-20, 1e20


class BoundNetworks(OwnNodes):
    """Networks on given data; nodes are asked for together."""

    batches = True


class Networks:
    """The smooth part of Q_j for many nodes j, with gradients."""

    #: Shapes of the arrays of one node, in the order they are packed.
    shapes: Mapping[str, tuple[int, ...]]

    def __init__(self, score: TorchMLP, data: Dataset) -> None:
        self.torch: Any = import_torch("the score 'torch-mlp'")
        self.score, self.data = score, data
        self.device = checked_device(self.torch, score.device)
        rows = rows_of(data, score.name)
        _refuse_sizes(data)
        self.losses = score.loss.columns(data)
        self._kinds = np.array([_kind(loss, data.names[j]) for j, loss in enumerate(self.losses)])
        # Without biases the origin matters: then columns are taken as they are.
        self.mean = data.mean if score.bias else np.zeros(data.d)
        centred = rows - self.mean
        # A column of zeros and ones is predicted as it is.
        coded = np.apply_along_axis(zeros_and_ones, 0, rows)
        targets = np.where(self._kinds == _LOGISTIC, coded, centred)
        self.X = self._tensor(centred)
        self.targets = self._tensor(targets.T)
        self._activate = activation(self.torch, score.activation)

    def random(self, rng: np.random.Generator) -> dict[str, NDArray[np.float64]]:
        """Starting values of all nodes: weights uniform up to 1 / sqrt(inputs)."""
        d = self.data.d
        arrays: dict[str, NDArray[np.float64]] = {}
        inputs = d
        for k, width in enumerate(self.score.hidden, start=1):
            bound = 1.0 / math.sqrt(inputs)
            arrays[f"A{k}"] = rng.uniform(-bound, bound, (d, width, inputs))
            if k == 1:
                # Columns of any unit reach the first layer at the same size.
                arrays["A1"] /= self.data.deviations * self.data.scale
            if self.score.bias:
                arrays[f"b{k}"] = rng.uniform(-bound, bound, (d, width))
            inputs = width
        bound = 1.0 / math.sqrt(inputs)
        arrays["v"] = rng.uniform(-bound, bound, (d, inputs))
        if self.score.bias:
            arrays["c"] = np.zeros(d)
        return arrays

    def batch(
        self, which: NDArray[np.int64], x: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Q_j without its kinks for the nodes ``which`` (b,) at ``x`` (b, q), and gradients."""
        torch = self.torch
        size = max(1, _LARGEST_BATCH // (self.data.n * max(self.score.hidden)))
        values, gradients = np.empty(len(which)), np.empty_like(x)
        for first in range(0, len(which), size):
            at = slice(first, first + size)
            leaf = self._tensor(x[at]).requires_grad_()
            with torch.enable_grad():
                value = self._values(leaf, which[at])
                (slope,) = torch.autograd.grad(value.sum(), leaf)
            values[at] = value.detach().cpu().numpy()
            gradients[at] = slope.cpu().numpy()
        return values, gradients

    def predictor(self, parameters: Mapping[str, NDArray[np.float64]]) -> NetworkPredictor:
        """Parameters with what it takes to use them."""
        odds = self._kinds == _LOGISTIC
        shift = np.where(odds, 0.0, self.mean)
        model = NetworkPredictor(self.score, parameters, self.mean, shift, odds)
        rows = rows_of(self.data, self.score.name)
        return replace(model, densities=Densities.of_rows(self.losses, rows, model.outputs(rows)))

    # --- inside ----------------------------------------------------------------------------------

    def _values(self, x: Any, which: NDArray[np.int64]) -> Any:
        """Q_j without its kinks, (b,), for parameters x (b, q) of the nodes ``which`` (b,)."""
        torch = self.torch
        arrays, at = {}, 0
        for name, shape in self.shapes.items():
            size = math.prod(shape)
            arrays[name] = x[:, at : at + size].reshape(-1, *shape)
            at += size
        output = outputs(arrays, self.X, self._activate)
        target = self.targets[torch.as_tensor(which, device=self.device)]
        kinds = self._kinds[which]
        value = torch.zeros(len(which), dtype=torch.float64, device=self.device)
        for kind in np.unique(kinds).tolist():
            rows = torch.as_tensor(np.flatnonzero(kinds == kind), device=self.device)
            f, t = output[rows], target[rows]
            if kind == _LOGISTIC:
                loss = (torch.nn.functional.softplus(f) - t * f).mean(dim=1)
            elif kind == _GAUSSIAN:
                loss = 0.5 * torch.log(((t - f) ** 2).sum(dim=1))
            else:
                loss = 0.5 * ((t - f) ** 2).mean(dim=1)
            value = value.index_add(0, rows, loss)
        paid = [
            (array**2).flatten(1).sum(dim=1)
            for name, array in arrays.items()
            if name[0] in ("A", "v")
        ]
        return value + 0.5 * self.score.l2 * sum(paid)

    def _tensor(self, array: NDArray[np.float64]) -> Any:
        return self.torch.tensor(array, dtype=self.torch.float64, device=self.device)


@dataclass(frozen=True, eq=False, repr=False)
class NetworkPredictor:
    """Networks without their data.

    Attributes
    ----------
    score
        The settings.
    parameters
        Of all nodes.
    mean, shift
        What is taken off the inputs and added to the outputs, (d,) each.
    odds
        Columns (d,) of zeros and ones, whose outputs are logarithms of odds.
    densities
        The columns' distributions at the outputs; unknown while they are worked out.
    """

    score: TorchMLP
    parameters: Mapping[str, NDArray[np.float64]]
    mean: NDArray[np.float64]
    shift: NDArray[np.float64]
    odds: NDArray[np.bool_]
    densities: Densities | None = None

    def log_density(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log p of each row of ``X`` (m, d) at the networks' outputs, (m,)."""
        assert self.densities is not None
        return self.densities(X, self.outputs(X))

    def __call__(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """The expected value of each column of ``X`` (m, d), (m, d)."""
        f = self.outputs(X)
        return np.where(self.odds, np.exp(-np.logaddexp(0.0, -f)), f)

    def outputs(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the networks say, in the units of the columns or as logarithms of odds, (m, d)."""
        torch = import_torch("the score 'torch-mlp'")
        arrays = {name: torch.tensor(array) for name, array in self.parameters.items()}
        with torch.no_grad():
            inputs = torch.tensor(X - self.mean, dtype=torch.float64)
            f = outputs(arrays, inputs, activation(torch, self.score.activation)).numpy().T
        return f + self.shift

    def standardised(
        self, weights: NDArray[np.float64], deviations: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """w_ij sd_i, (d, d): what the first layer feels of a deviation of the cause."""
        return weights * deviations[:, None]


def outputs(arrays: Mapping[str, Any], X: Any, activate: Any) -> Any:
    """Outputs of the nodes in a batch, (b, m), for inputs X (m, d)."""
    layer, k = X, 1
    while f"A{k}" in arrays:
        layer = layer @ arrays[f"A{k}"].transpose(1, 2)
        if f"b{k}" in arrays:
            layer = layer + arrays[f"b{k}"][:, None, :]
        layer, k = activate(layer), k + 1
    output = (layer @ arrays["v"][:, :, None])[:, :, 0]
    return output + arrays["c"][:, None] if "c" in arrays else output


def activation(torch: Any, name: Any) -> Any:
    """The function that ``name`` stands for, if it is not one already."""
    if callable(name):
        return name
    return getattr(torch, name, None) or getattr(torch.nn.functional, name)


def _refuse_sizes(data: Dataset) -> None:
    deviations = data.deviations * data.scale
    beyond = (deviations < _SMALLEST) | (deviations > _LARGEST)
    if beyond.any():
        raise InputError(
            f"standard deviations below {_SMALLEST:.0e} or above {_LARGEST:.0e} in "
            f"{named(data.names, beyond)}: the score 'torch-mlp' solves networks in the units of "
            "the data; use other units, or score='mlp'"
        )


_SQUARES, _GAUSSIAN, _LOGISTIC = 0, 1, 2


def _kind(loss: object, column: str) -> int:
    known: tuple[type[Loss], ...] = (LeastSquaresLoss, GaussianLoss, LogisticLoss)
    if isinstance(loss, LogisticLoss) and not loss.intercept:
        raise InputError(
            f"loss: {loss!r} has no intercept, and whether networks have is their own setting: use "
            "bias=False"
        )
    for kind, one in enumerate(known):
        if isinstance(loss, one):
            return kind
    raise InputError(
        f"column {column!r}: networks have no loss {getattr(loss, 'name', loss)!r}; use "
        "'least-squares', 'gaussian' or 'logistic'"
    )
