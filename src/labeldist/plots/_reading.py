"""Input of the displays: label distributions with the names of their rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from labeldist import _validation as validation
from labeldist._extras import require
from labeldist._typing import Array
from labeldist.metrics._measures import check_pair
from labeldist.models._inspection import attribute_of, predict_distributions
from labeldist.plots._display import EXTRA, Display
from labeldist.simplex import check_distributions, normalize

if TYPE_CHECKING:
    import pandas as pd

Names = Sequence[object] | None


def read_rows(D: Any, label_names: Names = None, item_names: Names = None) -> pd.DataFrame:
    """Return distributions with the given names, or those of a data frame, or numbers."""
    values = check_distributions(D)
    n, c = values.shape
    if not n:
        raise ValueError("D has no rows.")
    labels = validation.label_names(D, c) if label_names is None else check_names("label_names", label_names, c)
    items = _row_names(D, n) if item_names is None else check_names("item_names", item_names, n)
    return require("pandas", EXTRA).DataFrame(values, items, labels)


def read_pair(D_true: Any, D_pred: Any, label_names: Names = None, item_names: Names = None) -> tuple[Any, Array]:
    """Return true distributions as a data frame with the names of either table, and predicted distributions."""
    true, predicted = check_pair(D_true, D_pred)
    n, c = true.shape
    if label_names is None:
        label_names = validation.column_names(D_true) or validation.label_names(D_pred, c)
    if item_names is None:
        item_names = _row_names(D_true if hasattr(D_true, "iloc") else D_pred, n)
    return read_rows(true, label_names, item_names), predicted


def read_predictions(estimator: Any, X: Any) -> pd.DataFrame:
    """Return what a fitted learner or enhancer predicts for the rows of `X`."""
    D = predict_distributions(estimator, X)
    labels = validation.column_names(D) or attribute_of(estimator, "label_names_")
    return read_rows(D, labels, _row_names(D if hasattr(D, "iloc") else X, len(D)))


def read_truth_and_predictions(estimator: Any, X: Any, y: Any) -> tuple[pd.DataFrame, Array]:
    """Return true distributions, normalised as for `fit`, and what a fitted estimator predicts for `X`."""
    validation.check_label_names(y, attribute_of(estimator, "label_names_") or [])
    predicted = read_predictions(estimator, X)
    labels = validation.column_names(y) or list(predicted.columns)
    items = list(predicted.index) if hasattr(X, "iloc") else _row_names(y, len(y))
    return read_pair(normalize(y, name="y"), predicted.to_numpy(), labels, items)


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
        y : array-like or data frame of shape (n_samples, n_labels), default=None
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
