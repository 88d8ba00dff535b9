"""scikit-learn's contract of an estimator, kept without loading scikit-learn.

Its tools (``clone``, pipelines, grid searches, ``check_estimator``) ask an object for parameters,
tags and a fitted state; they do not ask what it is derived from. Loading scikit-learn takes ten
times as long as fitting a small table, so what it needs is imported when one of its tools asks.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from typing import Any, Self

from toposwap.core.errors import InputError

#: A representation longer than this is cut in the middle.
_LONGEST = 700


class Estimator:
    """Parameters are the arguments of ``__init__``, which stores each under its own name."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """The arguments of ``__init__``, sorted; scikit-learn asks under this name."""
        return sorted(_arguments(cls))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; ``deep``: those of estimators among them as ``name__parameter``.

        A class among them (``init=Notears``) has no parameters yet.
        """
        found: dict[str, Any] = {}
        for name in self._get_param_names():
            value = getattr(self, name)
            found[name] = value
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                found |= {f"{name}__{inner}": v for inner, v in value.get_params().items()}
        return found

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters by name, ``name__parameter`` for those of an estimator among them."""
        known = self._get_param_names()
        nested: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        for key, value in parameters.items():
            name, inside, inner = key.partition("__")
            if name not in known or (inside and not hasattr(getattr(self, name), "set_params")):
                raise InputError(
                    f"Invalid parameter {key!r} for estimator {self!r}. Valid parameters are: "
                    f"{known!r}."
                )
            if inside:
                nested[name][inner] = value
            else:
                setattr(self, name, value)
        for name, values in nested.items():
            getattr(self, name).set_params(**values)
        return self

    def __repr__(self) -> str:
        """The class and the parameters that are not at their default."""
        changed = []
        for name, default in _arguments(type(self)).items():
            shown = repr(getattr(self, name))
            if shown != repr(default):
                changed.append(f"{name}={' '.join(shown.split())}")
        text = f"{type(self).__name__}({', '.join(changed)})"
        if len(text) <= _LONGEST:
            return text
        return f"{text[: _LONGEST // 2]}...{text[-_LONGEST // 2 :]}"

    def __getstate__(self) -> dict[str, Any]:
        """What a pickled model holds: everything but the data, and what can be made of it again."""
        left_out = ("_data", "_evidence")
        return {name: value for name, value in vars(self).items() if name not in left_out}

    def _repr_html_(self) -> str:
        """The diagram of parameters that a notebook shows, as scikit-learn draws it."""
        from sklearn.utils import estimator_html_repr

        return str(estimator_html_repr(self))

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn may assume: numbers without gaps in, nothing of a target."""
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False))


def check_fitted(model: Any) -> None:
    """Raise scikit-learn's ``NotFittedError`` unless ``model`` has been fitted."""
    if not hasattr(model, "result_"):
        from sklearn.exceptions import NotFittedError

        raise NotFittedError(
            f"This {type(model).__name__} instance is not fitted yet. Call 'fit' with appropriate "
            "arguments before using this estimator."
        )


def _arguments(kind: type) -> dict[str, Any]:
    """The arguments of ``kind.__init__`` with their defaults."""
    signature = inspect.signature(kind.__init__)  # type: ignore[misc]
    return {
        name: parameter.default
        for name, parameter in signature.parameters.items()
        if name != "self" and parameter.kind is not parameter.VAR_KEYWORD
    }
