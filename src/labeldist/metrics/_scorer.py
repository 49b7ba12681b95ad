"""Measures as scikit-learn scorers."""

from typing import Any

from numpy.typing import ArrayLike

from labeldist._compat import scorer_class
from labeldist._pipelines import attribute_of
from labeldist._validation import check_label_names, check_rows
from labeldist.metrics._measures import MEASURES
from labeldist.simplex import normalize


def mean_of_normalized(
    y_true: ArrayLike, y_pred: ArrayLike, *, measure: str, sample_weight: ArrayLike | None = None
) -> float:
    """Return the mean of a measure over rows, with true degrees divided by their row sums."""
    D_true = normalize(y_true, name="y")
    return MEASURES[measure].mean(D_true, y_pred, sample_weight=sample_weight)


class MeasureScorer(scorer_class()):  # type: ignore[misc]  # a class that mypy does not see
    """A scorer of scikit-learn that raises an error if labels or rows have another order."""

    def _score(self, method_caller: Any, estimator: Any, X: Any, y_true: Any, **kwargs: Any) -> Any:
        """Score predictions."""
        check_rows(X=X, y=y_true, sample_weight=kwargs.get("sample_weight"))
        known = attribute_of(estimator, "label_names_")
        if known is not None:
            check_label_names(y_true, known)
        return super()._score(method_caller, estimator, X, y_true, **kwargs)
