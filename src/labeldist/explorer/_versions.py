"""What there is to show of a table, when nobody says it: recovered, given and predicted degrees."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from labeldist._typing import Array
from labeldist.simplex import normalize

SHARES = "given labels, in equal shares"
FEWEST_ITEMS = 4
"""Of fewer items nothing can be learned on one part and predicted on another, with folds inside the folds."""


@dataclass(frozen=True)
class Shown:
    """Versions of the degrees, with what `labeldist.explorer.write_explorer` has to know of them."""

    versions: dict[str, Array]
    logical: Any = None
    truth: str | None = None
    intervals: dict[str, tuple[Array, Array]] = field(default_factory=dict)


def is_logical(Y: Any) -> bool:
    """Whether a table of labels holds 0 and 1 only."""
    return bool(np.isin(np.asarray(Y), (0, 1)).all())


def from_logical(
    X: Any, L: Any, enhancers: Iterable[Any], predicted: Mapping[str, Any], *, intervals: bool = False
) -> Shown:
    """Show what each enhancer recovers from logical labels, what was predicted, and the given labels themselves.

    These become degrees in equal shares; an item that was given no label has all of them. With `intervals`, show the
    90 % intervals of the enhancers that have them.
    """
    fitted = {f"recovered by {type(one).__name__}": one.fit(X, L) for one in enhancers}
    recovered = {name: one.label_distributions_ for name, one in fitted.items()}
    bounds = {name: one.interval(0.9) for name, one in fitted.items() if intervals and hasattr(one, "interval")}
    given = np.array(L, dtype=float)
    shares = given.copy()
    shares[~given.any(axis=1)] = 1
    versions = {**recovered, **predicted, SHARES: normalize(shares)}
    return Shown(versions, logical=given.astype("u1"), intervals=bounds)


def from_degrees(name: str, D: Any, predicted: Mapping[str, Any]) -> Shown:
    """Show degrees under their name, as what is true, beside what was predicted."""
    return Shown({name: normalize(D, name=name), **predicted}, truth=name if predicted else None)


def predict_out_of_fold(X: Any, D: Any, *, folds: int = 10, prepare: Any = None) -> dict[str, Array]:
    """Predict each item by a `BDLDLCV` that has not seen it; nothing where there are too few items to learn from.

    `prepare` is a transformer that makes numbers of the features, such as
    `labeldist._tables.preparation.prepare_columns` returns; it does not see the item either.
    """
    from labeldist.learning import BDLDLCV
    from labeldist.learning._folds import held_out, prepared

    n = len(D)
    if n < FEWEST_ITEMS:
        return {}
    folds = min(folds, n // 2)
    training_items = n - math.ceil(n / folds)
    learner = prepared(prepare, BDLDLCV(cv=min(10, training_items), scale=True))
    return {"predicted by BDLDLCV, each item held out": held_out(learner, X, D, cv=folds, random_state=0)}
