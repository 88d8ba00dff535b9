r"""Calling a function that somebody else wrote: value and gradient, checked.

With ``backend="numpy"`` the function returns :math:`Q` and :math:`\partial Q/\partial\Theta`; with
``backend="torch"`` it returns Q as a tensor, and the gradient comes from automatic differentiation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError, MissingExtraError
from toposwap.core.runtime.clock import standstill

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.scores.custom.layout import Part

#: Value and gradient (q,) of a part at its entries (q,).
Call = Callable[["Part", "NDArray[np.float64]"], tuple[float, "NDArray[np.float64]"]]

#: Values (b,) and gradients (b, q) of the parts ``which`` (b,) at their entries (b, q).
Batch = Callable[
    ["NDArray[np.int64]", "NDArray[np.float64]"],
    tuple["NDArray[np.float64]", "NDArray[np.float64]"],
]

#: Finite differences may be off by this, relative to the gradient, before it is called wrong.
_AGREEMENT = 1e-3
_STEPS = (1e-5, 1e-4, 1e-6)
#: What the functions of ``math`` say where they have no value.
_DOMAIN_ERRORS = ("math domain error", "math range error", "expected a positive input")


def import_torch(purpose: str) -> Any:
    """The module torch, or a line saying how to get it."""
    try:
        # Loading it takes seconds, the first time, which are no part of any search.
        with standstill():
            import torch
    except ImportError:
        raise MissingExtraError("torch", "torch", purpose) from None
    return torch


def checked_device(torch: Any, device: str) -> Any:
    """``device`` as torch has it, if it can be used here."""
    try:
        found = torch.device(device)
        torch.zeros(1, dtype=torch.float64, device=found)
    except (RuntimeError, AssertionError, TypeError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"device: {device!r} cannot be used here ({reason}); device='cpu' always can"
        ) from None
    return found


def is_numerical(error: Exception) -> bool:
    """Whether ``error`` says that Q has no number at a point, rather than that its code is wrong.

    A matrix that is singular or not positive definite, an overflow, a division by zero, a logarithm
    of nothing: a solver takes a shorter step then, as it does where Q is infinite.
    """
    if isinstance(error, ArithmeticError | np.linalg.LinAlgError):
        return True
    # torch's has a type of its own, and math.log(0) that of any wrong value.
    return type(error).__name__ == "_LinAlgError" or str(error) in _DOMAIN_ERRORS


def numpy_call(q: Any, X: NDArray[np.float64]) -> Call:
    """``q`` returns value and gradient."""

    def call(part: Part, vector: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        # A copy: what the user's function does to its argument is its own affair.
        # Far out a trial step may overflow; the solver then takes a shorter one.
        try:
            with np.errstate(all="ignore"):
                answer = q(part.unpack(vector.copy()), X, *part.arguments)
        except Exception as error:
            if not is_numerical(error):
                raise
            return np.inf, np.zeros_like(vector)
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise InputError(
                "q: with backend='numpy' it must return a pair (value, gradient), got "
                f"{type(answer).__name__}; a torch function needs backend='torch'"
            )
        value, gradient = answer
        if np.ndim(value) != 0 or np.iscomplexobj(value):
            raise InputError(f"q: the value must be one number, got shape {np.shape(value)}")
        return float(value), part.pack(gradient, "q: its gradient")

    return call


def torch_call(q: Any, X: NDArray[np.float64], device: str) -> Call:
    """``q`` returns a tensor with one number; torch differentiates it."""
    torch = import_torch("a score with backend='torch'")
    place = checked_device(torch, device)
    data = torch.tensor(X, dtype=torch.float64, device=place)

    def call(part: Part, vector: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        theta = part.unpack(vector)
        arrays = theta if isinstance(theta, Mapping) else {"": theta}
        leaves = {
            name: torch.tensor(array, dtype=torch.float64, device=place, requires_grad=True)
            for name, array in arrays.items()
        }
        try:
            with torch.enable_grad():
                value = q(leaves[""] if part.alone else dict(leaves), data, *part.arguments)
        except Exception as error:
            if not is_numerical(error):
                raise
            return np.inf, np.zeros_like(vector)
        if not isinstance(value, torch.Tensor) or value.numel() != 1:
            shape = tuple(value.shape) if isinstance(value, torch.Tensor) else type(value).__name__
            raise InputError(
                f"q: must return a tensor with one number, got {shape}; value and gradient in "
                "NumPy need backend='numpy'"
            )
        if not value.requires_grad:
            raise InputError(
                "q: its value does not depend on the parameters through torch operations, so it "
                "has no gradient; do not leave torch (.item(), .numpy(), .detach()) inside it"
            )
        slopes = torch.autograd.grad(value, list(leaves.values()), allow_unused=True)
        flat = [
            np.zeros(leaf.numel()) if slope is None else slope.reshape(-1).cpu().numpy()
            for slope, leaf in zip(slopes, leaves.values(), strict=True)
        ]
        return float(value.detach().cpu()), np.concatenate(flat)

    return call


def one_by_one(call: Call, parts: list[Part]) -> Batch:
    """A batch is as many calls."""

    def batch(
        which: NDArray[np.int64], x: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        answers = [call(parts[k], row) for k, row in zip(which.tolist(), x, strict=True)]
        return np.array([value for value, _ in answers]), np.array([g for _, g in answers])

    return batch


def refuse_bad_start(part: Part, value: float, gradient: NDArray[np.float64]) -> None:
    """The solver needs a number to begin with."""
    of = f" of node {part.arguments[0]}" if part.arguments else ""
    if not np.isfinite(value):
        raise InputError(
            f"q: its value{of} at the starting values is {value}; it must be finite there: choose "
            "other starting values, or look for log(0) and 0/0"
        )
    if not np.isfinite(gradient).all():
        name = next(n for n, at in part.spans() if not np.isfinite(gradient[at]).all())
        raise InputError(
            f"q: its gradient{of} with respect to {name!r} is not finite at the starting values "
            "(a square root or logarithm at zero, perhaps): choose others"
        )


def check_gradient(call: Call, part: Part, vector: NDArray[np.float64]) -> None:
    """Hold the gradient against finite differences, one direction for each array."""
    _, gradient = call(part, vector)
    for name, at in part.spans():
        direction = np.zeros_like(vector)
        # Any direction with no symmetry of its own will do.
        direction[at] = np.cos(1.0 + np.arange(at.stop - at.start) * 1.7)
        direction[part.loops] = 0.0
        said = float(gradient @ direction)
        size = float(np.abs(gradient) @ np.abs(direction))
        errors = []
        for step in _STEPS:
            up, down = (call(part, vector + sign * step * direction)[0] for sign in (1.0, -1.0))
            if not np.isfinite(up) or not np.isfinite(down):
                continue
            seen = (up - down) / (2.0 * step)
            rounding = 1e-15 * max(abs(up), abs(down)) / step
            allowance = _AGREEMENT * max(size, abs(seen)) + 100.0 * rounding
            errors.append((abs(seen - said) / allowance, seen))
            if errors[-1][0] <= 1.0:
                break
        else:
            if errors:
                _, seen = min(errors)
                of = f" (node {part.arguments[0]})" if part.arguments else ""
                raise InputError(
                    f"q: its gradient with respect to {name!r} is not that of its value{of}: along "
                    f"a test direction the value changes at a rate of {seen:.6g}, and the gradient "
                    f"says {said:.6g}; correct one of the two (check_gradient=False skips this)"
                )
