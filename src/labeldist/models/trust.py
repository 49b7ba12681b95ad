"""Which types a model file may hold: what skops trusts, the estimators of this library, and plain data."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, get_type_hints

from sklearn.base import BaseEstimator

from labeldist.extras import require

ROOMS = ("features", "enhancement", "learning")
"""Where estimators live."""

PLAIN = ("numpy.dtype", "builtins.object", "sklearn.compose._column_transformer.make_column_selector")
"""What skops leaves out although it only holds data: imputers keep a dtype, column transformers a selector."""


@cache
def trusted_types() -> frozenset[str]:
    """Return the names of the types that are loaded beside those that skops trusts by itself.

    These are all estimators of this library, the classes of this library that they declare to hold when fitted, the
    splitters of scikit-learn, which ``cv`` takes, and `PLAIN`. None of them does anything when it is built.
    """
    estimators = {kind for room in ROOMS for kind in _estimators_in(f"labeldist.{room}")}
    held = {kind for estimator in estimators for kind in get_type_hints(estimator).values() if _is_ours(kind)}
    return frozenset({*map(_name, estimators | held | _splitters()), *PLAIN})


def untrusted_types(archive: bytes) -> list[str]:
    """Return the names of the types in a skops archive that are not to be loaded."""
    found = require("skops.io", "app").get_untrusted_types(data=archive)
    return sorted(set(found) - trusted_types())


def _estimators_in(room: str) -> set[type]:
    modules = [import_module(f"{room}.{module.name}") for module in iter_modules(import_module(room).__path__)]
    return {
        kind
        for module in modules
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, BaseEstimator) and _is_ours(kind)
    }


def _splitters() -> set[type]:
    from sklearn import model_selection

    return {kind for kind in vars(model_selection).values() if isinstance(kind, type) and hasattr(kind, "split")}


def _is_ours(kind: Any) -> bool:
    return isinstance(kind, type) and kind.__module__.startswith("labeldist.")


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__name__}"
