"""Contents of a page: items, labels, and versions of the degrees."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from labeldist._tables.kinds import word
from labeldist._typing import Array
from labeldist._validation import check_label_names, check_rows
from labeldist.exceptions import TableError
from labeldist.simplex import normalize

if TYPE_CHECKING:
    import pandas as pd

MAX_CHARACTERS = 2_000  # longer cells are cut
MIN_ITEMS_TO_PREDICT = 4  # with fewer there are no folds within the folds of a cross-validation
SHARES = "given labels, in equal shares"
Bounds = tuple[Array, Array]


@dataclass(frozen=True)
class Versions:
    """Versions of the degrees; the attributes are parameters of `labeldist.explorer.write_explorer`."""

    versions: dict[str, Array]
    logical: Any = None
    truth: str | None = None
    intervals: dict[str, Bounds] = field(default_factory=dict)


@dataclass(frozen=True)
class Contents(Versions):
    """Names of items and labels, the other columns of the table, and versions of the degrees, checked."""

    names: list[str] = field(default_factory=list)
    columns: Any = None
    labels: list[str] = field(default_factory=list)

    def take(self, rows: Any) -> Contents:
        """Return the items at the given positions."""
        versions = {name: D[rows] for name, D in self.versions.items()}
        logical = None if self.logical is None else self.logical[rows]
        bounds = {name: (lower[rows], upper[rows]) for name, (lower, upper) in self.intervals.items()}
        names, columns = [self.names[row] for row in rows], self.columns.iloc[rows]
        return Contents(versions, logical, self.truth, bounds, names, columns, self.labels)


def check_contents(
    frame: pd.DataFrame,
    label_names: Sequence[str],
    versions: Mapping[str, Any],
    *,
    logical: Any = None,
    truth: str | None = None,
    item: str | None = None,
    intervals: Mapping[str, Any] | None = None,
) -> Contents:
    """Check the parameters of `write_explorer`, and return them as contents of a page."""
    labels = [str(name) for name in label_names]
    shape = (len(frame), len(labels))
    if not all(shape) or not versions:
        got = f"{shape[0]} items, {shape[1]} labels and {len(versions)} versions"
        raise TableError(f"The page needs at least one item, label and version of the degrees; got {got}.")
    _check_known("truth", truth, versions)
    _check_known("item", item, frame.columns)
    checked = {}
    for key, degrees in versions.items():
        name = f"The version {key!r}"
        _check_names(name, degrees, frame, labels)
        checked[str(key)] = normalize(degrees, name=name)
        _check_shape(name, checked[str(key)], shape)
    if logical is not None:
        _check_names("logical", logical, frame, labels)
        logical = np.asarray(logical)
        _check_shape("logical", logical, shape)
        if not is_logical(logical):
            raise TableError("logical must hold 0 and 1 only. Pass degrees as a version.")
    bounds = {}
    for name, pair in (intervals or {}).items():
        _check_known("intervals", name, versions)
        for bound in pair:
            _check_names(f"A bound of {name!r}", bound, frame, labels)
            _check_shape(f"A bound of {name!r}", np.asarray(bound), shape)
        lower, upper = (np.asarray(bound, dtype=np.float64) for bound in pair)
        if not ((lower >= 0) & (lower <= upper) & (upper <= 1)).all():
            raise TableError(f"The bounds of {name!r} must lie between 0 and 1, and the lower below the upper.")
        bounds[str(name)] = lower, upper
    others = [column for column in frame.columns if str(column) not in labels and column != item]
    names = [f"Item {row}" for row in range(1, len(frame) + 1)] if item is None else cell_texts(frame[item])
    reference = None if truth is None else str(truth)
    return Contents(checked, logical, reference, bounds, names, frame[others], labels)


def cell_texts(column: pd.Series[Any]) -> list[str]:
    """Return cells as text: missing values are empty, fractions have twelve digits, dates have no midnight."""
    texts = [f"{x:.12g}" if isinstance(x, float) and x % 1 else word(x).removesuffix(" 00:00:00") for x in column]
    cut = (text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + "…" for text in texts)
    return ["" if missing else text for text, missing in zip(cut, column.isna(), strict=True)]


def _check_known(parameter: str, name: Any, known: Iterable[Any]) -> None:
    if name is not None and name not in known:
        raise TableError(f"{parameter} is {name!r}; it must be one of {', '.join(map(repr, known))}.")


def _check_names(name: str, table: Any, frame: Any, labels: list[str]) -> None:
    """Raise an error if a data frame has the labels or the items of the page in another order."""
    check_rows(**{"The table of items": frame, name: table})
    check_label_names(table, labels, name)


def _check_shape(name: str, values: Any, shape: tuple[int, int]) -> None:
    if values.shape != shape:
        raise TableError(f"{name} has shape {values.shape}; {shape[0]} items and {shape[1]} labels need {shape}.")


def is_logical(Y: Any) -> bool:
    """Return whether a table of labels holds 0 and 1 only."""
    return bool(np.isin(np.asarray(Y), (0, 1)).all())


def from_logical(
    X: Any, L: Any, enhancers: Iterable[Any], predicted: Mapping[str, Any], *, intervals: bool = False
) -> Versions:
    """Return what each enhancer recovers from logical labels, predictions, and the labels in equal shares.

    With `intervals`, the result has the 90 % intervals of the enhancers that have the method `interval`.
    """
    fitted = {f"recovered by {type(one).__name__}": one.fit(X, L) for one in enhancers}
    recovered = {name: one.label_distributions_ for name, one in fitted.items()}
    bounds = {name: one.interval(0.9) for name, one in fitted.items() if intervals and hasattr(one, "interval")}
    given = np.array(L, dtype=float)
    shares = np.where(given.any(axis=1, keepdims=True), given, 1.0)
    versions = {**recovered, **predicted, SHARES: normalize(shares)}
    return Versions(versions, logical=given.astype("u1"), intervals=bounds)


def from_degrees(name: str, D: Any, predicted: Mapping[str, Any]) -> Versions:
    """Return degrees as the truth, with predictions."""
    return Versions({name: normalize(D, name=name), **predicted}, truth=name if predicted else None)


def predict_out_of_fold(X: Any, D: Any, *, folds: int = 10, prepare: Any = None) -> dict[str, Array]:
    """Return cross-validated predictions of `BDLDLCV` after the transformer `prepare`; nothing for too few items."""
    from labeldist.learning import BDLDLCV
    from labeldist.learning._cross_validation import held_out, prepared

    n = len(D)
    if n < MIN_ITEMS_TO_PREDICT:
        return {}
    folds = min(folds, n // 2)
    n_training = n - math.ceil(n / folds)
    learner = prepared(prepare, BDLDLCV(cv=min(10, n_training), scale=prepare is None))
    return {"predicted by BDLDLCV, each item held out": held_out(learner, X, D, cv=folds, random_state=0)}
