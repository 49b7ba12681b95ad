"""Input of the displays: label distributions with the names of their rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from labeldist import _validation as validation
from labeldist._typing import Array
from labeldist.metrics._measures import check_pair
from labeldist.models._inspection import attribute_of, predict_distributions
from labeldist.plots._display import Display
from labeldist.simplex import check_distributions, normalize

Names = Sequence[object] | None


@dataclass(frozen=True)
class NamedRows:
    """Label distributions, one row per item and one column per label, with names."""

    values: Array
    label_names: list[str]
    item_names: list[str]

    def take(self, rows: NDArray[np.intp]) -> NamedRows:
        """Return the rows at the given positions, in that order."""
        return replace(self, values=self.values[rows], item_names=[self.item_names[row] for row in rows])

    def rename(self, label_names: Names, item_names: Names) -> NamedRows:
        """Return the same rows with other names; None keeps the names."""
        n, c = self.values.shape
        labels = self.label_names if label_names is None else check_names("label_names", label_names, c)
        items = self.item_names if item_names is None else check_names("item_names", item_names, n)
        return NamedRows(self.values, labels, items)


def read_rows(D: Any, label_names: Names = None, item_names: Names = None) -> NamedRows:
    """Return distributions with the given names, or those of a data frame, or numbers."""
    if not isinstance(D, NamedRows):
        values = check_distributions(D)
        if not len(values):
            raise ValueError("D has no rows.")
        n, c = values.shape
        D = NamedRows(values, validation.label_names(D, c), _row_names(D, n))
    return D.rename(label_names, item_names)


def read_pair(D_true: Any, D_pred: Any, label_names: Names = None, item_names: Names = None) -> tuple[NamedRows, Array]:
    """Return true distributions, with the names of either table, and predicted distributions."""
    if isinstance(D_true, NamedRows):  # from_estimator has read both
        return D_true.rename(label_names, item_names), D_pred
    true, predicted = check_pair(D_true, D_pred)
    n, c = true.shape
    labels = validation.column_names(D_true) or validation.label_names(D_pred, c)
    items = _row_names(D_true if hasattr(D_true, "iloc") else D_pred, n)
    return NamedRows(true, labels, items).rename(label_names, item_names), predicted


def read_predictions(estimator: Any, X: Any) -> NamedRows:
    """Return what a fitted learner predicts, or an enhancer recovers, for the rows of `X`."""
    D = predict_distributions(estimator, X)
    values = check_distributions(D, name="The prediction")
    n, c = values.shape
    labels = validation.column_names(D) or attribute_of(estimator, "label_names_") or validation.label_names(None, c)
    return NamedRows(values, list(labels), _row_names(D if hasattr(D, "iloc") else X, n))


def read_truth_and_predictions(estimator: Any, X: Any, y: Any) -> tuple[NamedRows, Array]:
    """Return true distributions, normalised as for `fit`, and what a fitted estimator predicts for `X`."""
    validation.check_label_names(y, attribute_of(estimator, "label_names_") or [])
    predicted = read_predictions(estimator, X)
    true, values = check_pair(normalize(y, name="y"), predicted.values)
    labels = validation.column_names(y) or predicted.label_names
    items = predicted.item_names if hasattr(X, "iloc") else _row_names(y, len(true))
    return NamedRows(true, labels, items), values


class DisplayOfRows(Display):
    """Base class of the displays of distributions or predictions."""

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any = None, **options: Any) -> Self:
        """Draw what a fitted estimator predicts for the rows of `X`.

        Parameters
        ----------
        estimator : fitted learner, or fitted enhancer with ``transform``
        X : array-like or data frame of shape (n_samples, n_features)
            Its index names the items.
        y : array-like or data frame of shape (n_samples, n_labels)
            True degrees, for displays with `from_predictions`. Each row is divided by its sum.
        **options
            Parameters of `from_predictions` if there is `y`, else of `from_distributions`.

        Returns
        -------
        display
        """
        display: Any = cls
        if y is None:
            return display.from_distributions(read_predictions(estimator, X), **options)
        return display.from_predictions(*read_truth_and_predictions(estimator, X, y), **options)


def _row_names(table: Any, n_rows: int) -> list[str]:
    """Return the index of a pandas object as text, else the row numbers."""
    return [str(name) for name in (table.index if hasattr(table, "iloc") else range(n_rows))]


def check_names(parameter: str, names: Sequence[object], n: int) -> list[str]:
    """Return names as text, or raise an error if they are not `n` names."""
    if isinstance(names, str) or len(names) != n:
        raise ValueError(f"{parameter} must be a list of {n} names; got {names!r}.")
    return [str(name) for name in names]


def check_option(parameter: str, value: object, options: Sequence[str]) -> None:
    """Raise an error if the value of a parameter is not one of the options."""
    if value not in options:
        raise ValueError(f"{parameter} must be one of {', '.join(options)}; got {value!r}.")
