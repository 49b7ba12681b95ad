"""Contents of a page: items, labels, and versions of the degrees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from labeldist.app.tables.column_selection import check_order
from labeldist.app.text import word
from labeldist.app.types import Array
from labeldist.exceptions import TableError
from labeldist.simplex import normalize

if TYPE_CHECKING:
    import pandas as pd

MAX_CHARACTERS = 2_000  # longer cells are cut
FOLDS = 10  # of the cross-validated predictions, and of the choice of parameters within them
FEW_FOLDS = 3  # of tables with more than `MANY_ITEMS`, where more folds take long and change little
MANY_ITEMS = 5_000
MIN_ITEMS_TO_PREDICT = 2 * FOLDS
SHARES = "given labels, in equal shares"
Bounds = tuple[Array, Array]


@dataclass(frozen=True)
class Versions:
    """Versions of the degrees: some parameters of `labeldist.app.explorer.write_explorer`.

    `votes` are counts of votes, and `estimate` is the version that is estimated from them.
    """

    versions: dict[str, Array]
    logical: Any = None
    truth: str | None = None
    intervals: dict[str, Bounds] = field(default_factory=dict)
    votes: Any = None
    estimate: str | None = None


@dataclass(frozen=True, kw_only=True)
class Contents(Versions):
    """Names of items and labels, other columns of the table, and versions of the degrees."""

    names: list[str]
    columns: Any
    labels: list[str]


def check_contents(
    frame: pd.DataFrame,
    label_names: Sequence[str],
    versions: Mapping[str, Any],
    *,
    item: str | None = None,
    intervals: Mapping[str, Any] | None = None,
    logical: Any = None,
    votes: Any = None,
    **names: str | None,
) -> Contents:
    """Check the parameters of `write_explorer`, and return them as contents of a page.

    `names` are those of the versions `truth` and `estimate`.
    """
    labels = [str(name) for name in label_names]
    if not versions:
        raise TableError("The page needs at least one version of the degrees.")
    check = partial(_check_table, frame=frame, labels=labels)
    checked = {}
    for key, degrees in versions.items():
        name = f"The version {key!r}"
        checked[key] = normalize(check(name, degrees), name=name)
    bounds = {}
    for key, (lower, upper) in (intervals or {}).items():
        name = f"A bound of {key!r}"
        bounds[key] = (check(name, lower), check(name, upper))
    numbered = [f"Item {row}" for row in range(1, len(frame) + 1)]
    others = [column for column in frame.columns if str(column) not in labels and column != item]
    return Contents(
        versions=checked,
        logical=check("logical", logical),
        intervals=bounds,
        votes=check("votes", votes),
        names=numbered if item is None else cell_texts(frame[item]),
        columns=frame[others],
        labels=labels,
        **names,
    )


def _check_table(name: str, table: Any, frame: Any, labels: list[str]) -> Any:
    """Return a table as an array, or None; raise an error if its rows are not the items.

    The same holds for its columns and the labels, and for another order of rows or columns.
    """
    if table is None:
        return None
    check_order(name, table, frame, labels)
    values = np.asarray(table)
    shape = (len(frame), len(labels))
    if values.shape != shape:
        raise TableError(f"{name} must have one row per item, {shape}; it has {values.shape}.")
    return values


def cell_texts(column: pd.Series[Any]) -> list[str]:
    """Return cells as text.

    Missing values are empty, fractions have twelve digits, and dates have no midnight.
    """
    texts = []
    for cell, is_missing in zip(column, column.isna(), strict=True):
        if is_missing:
            text = ""
        elif isinstance(cell, float) and cell % 1:
            text = f"{cell:.12g}"
        else:
            text = word(cell).removesuffix(" 00:00:00")
        if len(text) > MAX_CHARACTERS:
            text = text[: MAX_CHARACTERS - 1] + "…"
        texts.append(text)
    return texts


def from_logical(
    X: Any,
    L: Any,
    enhancers: Iterable[Any],
    predicted: Mapping[str, Any],
    callback: Callable[[int, int, str], Any] = lambda *_: None,
) -> Versions:
    """Return what enhancers recover from logical labels, predictions, and equal shares.

    A `BayesLE` has 90 % intervals, and calls ``callback(done, total, name)``.
    """
    from labeldist.enhancement import BayesLE

    versions = {}
    bounds = {}
    for enhancer in enhancers:
        name = f"recovered by {type(enhancer).__name__}"
        if isinstance(enhancer, BayesLE):
            enhancer.fit(X, L, callback=callback)
            bounds[name] = enhancer.interval(0.9)
        else:
            enhancer.fit(X, L)
        versions[name] = enhancer.label_distributions_
    given = np.array(L, dtype=float)
    shares = np.where(given.any(axis=1, keepdims=True), given, 1.0)
    versions |= {**predicted, SHARES: normalize(shares)}
    return Versions(versions, logical=given.astype("u1"), intervals=bounds)


def from_degrees(name: str, D: Any, predicted: Mapping[str, Any]) -> Versions:
    """Return degrees as the truth, with predictions."""
    return Versions({name: normalize(D, name=name), **predicted}, truth=name if predicted else None)


def from_votes(name: str, counts: Array, enhancer: Any, predicted: Mapping[str, Any]) -> Versions:
    """Return the estimate of a fitted `VoteLE`, shares of votes as the truth, and predictions."""
    estimate = f"estimated by {type(enhancer).__name__}"
    shares = normalize(counts, name=name)
    return Versions(
        {estimate: enhancer.label_distributions_, name: shares, **predicted},
        truth=name if predicted else None,
        intervals={estimate: enhancer.interval(0.9)},
        votes=counts,
        estimate=estimate,
    )


def predict_out_of_fold(X: Any, D: Any, prepare: Any) -> dict[str, Array]:
    """Return cross-validated predictions of `BDLDLCV` after a transformer, if any.

    Too few items are not predicted.
    """
    from sklearn.model_selection import KFold, cross_val_predict
    from sklearn.pipeline import make_pipeline

    from labeldist.learning import BDLDLCV

    if len(D) < MIN_ITEMS_TO_PREDICT:
        return {}
    n_folds = FOLDS if len(D) <= MANY_ITEMS else FEW_FOLDS
    learner = BDLDLCV(cv=n_folds, scale=prepare is None)
    if prepare is not None:
        learner = make_pipeline(prepare, learner)
    folds = KFold(n_folds, shuffle=True, random_state=0)
    P = cross_val_predict(learner, X, D, cv=folds)
    return {"predicted by BDLDLCV, each item held out": P}
