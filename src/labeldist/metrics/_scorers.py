"""The measures as scikit-learn scorers, for ``cross_val_score``, ``GridSearchCV`` and the like."""

from typing import Any

from numpy.typing import ArrayLike

from labeldist.metrics._measures import MEASURES
from labeldist.simplex import normalize


def get_scorer(name: str) -> Any:
    """Return the measure `name` as a scikit-learn scorer, for which higher is always better.

    As everywhere in scikit-learn, a measure for which lower is better comes out with its sign turned. True degrees are
    divided by their row sums first, as learners do when they are fitted.

    >>> from labeldist.metrics import get_scorer
    >>> get_scorer("kl_divergence")
    make_scorer(mean_of_normalized, greater_is_better=False, response_method='predict', measure=kl_divergence)
    """
    if name not in MEASURES:
        raise ValueError(f"Unknown measure {name!r}; choose from {', '.join(MEASURES)}.")
    # Imported here: the measures themselves need NumPy alone, and need not wait for scikit-learn.
    from sklearn.metrics import make_scorer

    measure = MEASURES[name]
    return make_scorer(mean_of_normalized, measure=name, greater_is_better=measure.higher_is_better)


def mean_of_normalized(
    y_true: ArrayLike, y_pred: ArrayLike, *, measure: str, sample_weight: ArrayLike | None = None
) -> float:
    """Return the mean of a measure over rows, the true degrees being divided by their row sums first."""
    return MEASURES[measure].mean(normalize(y_true, name="y"), y_pred, sample_weight=sample_weight)
