"""The measures as scikit-learn scorers, for ``cross_val_score``, ``GridSearchCV`` and the like."""

from typing import Any

from labeldist.metrics.measures import MEASURES


def get_scorer(name: str) -> Any:
    """Return the measure `name` as a scikit-learn scorer, for which higher is always better.

    As everywhere in scikit-learn, a measure for which lower is better comes out with its sign turned.

    >>> from labeldist.metrics import get_scorer
    >>> get_scorer("kl_divergence")
    make_scorer(kl_divergence, greater_is_better=False, response_method='predict')
    """
    if name not in MEASURES:
        raise ValueError(f"Unknown measure {name!r}; choose from {', '.join(MEASURES)}.")
    # Imported here: the measures themselves need NumPy alone, and need not wait for scikit-learn.
    from sklearn.metrics import make_scorer

    measure = MEASURES[name]
    return make_scorer(measure.mean, greater_is_better=measure.higher_is_better)
