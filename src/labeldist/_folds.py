"""Folds of cross-validations."""

from numbers import Integral
from typing import Any


def splitter_of(cv: Any, random_state: Any, *, most: int | None = None) -> Any:
    """Return shuffled folds for an int, at most `most` of them, and the splitter of another `cv`.

    `cv` is an int, a splitter of scikit-learn, or an iterable of training and test rows.
    """
    from sklearn.model_selection import KFold, check_cv  # a slow import

    if not isinstance(cv, Integral):
        return check_cv(cv)
    n_folds = int(cv) if most is None else min(int(cv), most)
    return KFold(n_folds, shuffle=True, random_state=random_state)
