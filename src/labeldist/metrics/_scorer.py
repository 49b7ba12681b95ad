"""Measures as scikit-learn scorers."""

from typing import Any

from numpy.typing import ArrayLike
from sklearn.metrics import make_scorer

from labeldist._validation import check_label_names, check_rows
from labeldist.metrics._measures import MEASURES
from labeldist.simplex import normalize


def mean_of_normalized(
    y_true: ArrayLike, y_pred: ArrayLike, *, measure: str, sample_weight: ArrayLike | None = None
) -> float:
    """Return the mean of a measure over rows, after the true degrees are divided by their row sums."""
    return MEASURES[measure].mean(normalize(y_true, name="y"), y_pred, sample_weight=sample_weight)


Scorer: Any = type(make_scorer(mean_of_normalized))  # the class is private, its instances are not


class MeasureScorer(Scorer):  # type: ignore[misc]  # a class that mypy does not see
    """A scorer of scikit-learn that raises an error if labels or rows have another order than in the estimator."""

    def _score(self, method_caller: Any, estimator: Any, X: Any, y_true: Any, **kwargs: Any) -> Any:
        """Score the predictions of an estimator for X; scikit-learn calls it for one and for several scorers."""
        check_rows(X=X, y=y_true, sample_weight=kwargs.get("sample_weight"))
        learner = estimator
        while learner is not None and not hasattr(learner, "label_names_"):
            steps = getattr(learner, "steps", None)
            learner = steps[-1][1] if steps else getattr(learner, "best_estimator_", None)
        if learner is not None:
            check_label_names(y_true, learner.label_names_)
        return super()._score(method_caller, estimator, X, y_true, **kwargs)
