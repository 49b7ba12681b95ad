"""What pictures are drawn from: distributions with the names of their rows and columns, given or predicted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from labeldist import _validation as labels
from labeldist._typing import Array
from labeldist.metrics._measures import check_pair
from labeldist.models._inspection import attribute_of, predict_distributions
from labeldist.plots._canvas import Display
from labeldist.simplex import check_distributions, normalize


@dataclass(frozen=True)
class NamedRows:
    """Distributions, and what their rows and columns are called."""

    values: Array
    label_names: list[str]
    item_names: list[str]

    def take(self, rows: NDArray[np.intp]) -> NamedRows:
        """Return some of the rows, in the order that is given."""
        return replace(self, values=self.values[rows], item_names=[self.item_names[row] for row in rows])


def read_rows(
    D: Any,
    *,
    label_names: Sequence[object] | None = None,
    item_names: Sequence[object] | None = None,
    name: str = "D",
) -> NamedRows:
    """Return distributions with names: those given, or a data frame's columns and index, or numbers."""
    values = check_distributions(D, name=name)
    if not len(values):
        raise ValueError(f"{name} has no rows: there is nothing to draw.")
    n, c = values.shape
    if label_names is None:
        label_names = labels.label_names(D, c)
    if item_names is None:
        item_names = index_of(D, n)
    return NamedRows(values, check_names("label_names", label_names, c), check_names("item_names", item_names, n))


def read_pair(
    D_true: Any,
    D_pred: Any,
    *,
    label_names: Sequence[object] | None = None,
    item_names: Sequence[object] | None = None,
) -> tuple[NamedRows, Array]:
    """Return true distributions with names, which either table may have, and the predicted ones."""
    true, predicted = check_pair(D_true, D_pred)
    if label_names is None:
        label_names = labels.column_names(D_true) or labels.label_names(D_pred, true.shape[1])
    if item_names is None:
        item_names = index_of(D_true if hasattr(D_true, "iloc") else D_pred, len(true))
    return read_rows(true, label_names=label_names, item_names=item_names), predicted


def read_predictions(
    estimator: Any,
    X: Any,
    *,
    label_names: Sequence[object] | None = None,
    item_names: Sequence[object] | None = None,
) -> NamedRows:
    """Return what a fitted learner predicts, or an enhancer recovers, for the rows of `X`, with its label names."""
    D = predict_distributions(estimator, X)
    if label_names is None and labels.column_names(D) is None:  # a frame, after set_output, has them
        label_names = attribute_of(estimator, "label_names_")
    if item_names is None and not hasattr(D, "iloc"):
        item_names = index_of(X, len(D))
    return read_rows(D, label_names=label_names, item_names=item_names, name="The prediction")


def read_truth_and_predictions(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    label_names: Sequence[object] | None = None,
    item_names: Sequence[object] | None = None,
) -> tuple[NamedRows, Array]:
    """Return true distributions, which may be counts as for `fit`, with names, and what the estimator predicts."""
    labels.check_label_names(y, attribute_of(estimator, "label_names_") or [])
    label_names = labels.column_names(y) if label_names is None else label_names
    predicted = read_predictions(estimator, X, label_names=label_names, item_names=item_names)
    true, values = check_pair(normalize(y, name="y"), predicted.values)
    named = replace(predicted, values=true)
    if item_names is None and not hasattr(X, "iloc"):
        named = replace(named, item_names=[str(name) for name in index_of(y, len(true))])
    return named, values


class DisplayOfRows(Display):
    """Base of the pictures of distributions, which an estimator may predict."""

    from_distributions: ClassVar[Callable[..., Any]]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        label_names: Sequence[object] | None = None,
        item_names: Sequence[object] | None = None,
        **options: Any,
    ) -> Self:
        """Draw what a fitted learner predicts, or an enhancer recovers, for the rows of `X`.

        Parameters
        ----------
        estimator : fitted learner, or enhancer with ``transform``
        X : array-like or data frame of shape (n_samples, n_features)
        label_names, item_names : list of str, default=None
            None for the labels that `estimator` has seen, and the index of `X`.
        **options
            Those of `from_distributions`.
        """
        table = read_predictions(estimator, X, label_names=label_names, item_names=item_names)
        display: Self = cls.from_distributions(
            table.values, label_names=table.label_names, item_names=table.item_names, **options
        )
        return display


class DisplayOfPairs(Display):
    """Base of the pictures of predicted distributions beside the true ones."""

    from_predictions: ClassVar[Callable[..., Any]]
    names_items: ClassVar[bool]
    """Whether items have names in the picture; `from_predictions` takes ``item_names`` then."""

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, label_names: Sequence[object] | None = None, **options: Any
    ) -> Self:
        """Draw what a fitted learner predicts for `X` against the true distributions `y`.

        Parameters
        ----------
        estimator : fitted learner
        X : array-like or data frame of shape (n_samples, n_features)
        y : array-like or data frame of shape (n_samples, n_labels)
            Non-negative degrees; each row is divided by its sum.
        label_names : list of str, default=None
            None for the labels that `estimator` has seen.
        **options
            Those of `from_predictions`. Where it takes ``item_names``, None is the index of `X`.
        """
        item_names = options.pop("item_names", None) if cls.names_items else None
        true, predicted = read_truth_and_predictions(estimator, X, y, label_names=label_names, item_names=item_names)
        if cls.names_items:
            options["item_names"] = true.item_names
        display: Self = cls.from_predictions(true.values, predicted, label_names=true.label_names, **options)
        return display


def index_of(table: Any, n_rows: int) -> list[object]:
    """Return the index of a pandas data frame, and for anything else the numbers of its rows."""
    return list(table.index) if hasattr(table, "iloc") else list(range(n_rows))


def check_names(role: str, names: Sequence[object], n: int) -> list[str]:
    """Return names as strings, or say how many there must be."""
    if isinstance(names, str) or len(names) != n:
        raise ValueError(f"{role} must be a list of {n} names; got {names!r}.")
    return [str(name) for name in names]


def check_option(name: str, value: object, options: Sequence[str]) -> None:
    """Refuse what is none of the options."""
    if value not in options:
        raise ValueError(f"{name} must be one of {', '.join(options)}; got {value!r}.")


def check_count(name: str, value: int) -> None:
    """Refuse what is not a number of things to draw."""
    if value < 1:
        raise ValueError(f"{name} must be at least 1; got {value!r}.")
