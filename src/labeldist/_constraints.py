"""Base class of all estimators, and the constraints of their parameters."""

from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.base import BaseEstimator

from labeldist._compat import Interval, StrOptions

POSITIVE = [Interval(Real, 0, None, closed="neither")]
NON_NEGATIVE = [Interval(Real, 0, None, closed="left")]
COUNT = [Interval(Integral, 1, None, closed="left")]
WIDTH = [StrOptions({"mean"}), *POSITIVE]

CONSTRAINTS: dict[str, list[Any]] = {
    "C": POSITIVE,
    "bandwidth": WIDTH,
    "correlation": NON_NEGATIVE,
    "cv": [Interval(Integral, 2, None, closed="left"), "cv_object"],
    "fit_intercept": ["boolean"],
    "graph_width": WIDTH,
    "low_rank": NON_NEGATIVE,
    "max_iter": COUNT,
    "min_samples_leaf": COUNT,
    "n_clusters": COUNT,
    "n_estimators": COUNT,
    "n_neighbors": COUNT,
    "random_state": ["random_state"],
    "reconstruction": NON_NEGATIVE,
    "ridge": NON_NEGATIVE,
    "scale": ["boolean"],
    "smoothness": NON_NEGATIVE,
    "tol": POSITIVE,
}
"""Constraints of the parameters that several estimators have, by name."""


class ConstrainedEstimator(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Base class of the estimators.

    A class states the constraints of its parameters in `_constraints` and inherits the others.
    """

    _constraints = CONSTRAINTS
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        stated: dict[str, list[Any]] = {}
        for base in reversed(cls.__mro__):
            stated.update(vars(base).get("_constraints", {}))
        names = cls._get_param_names()
        cls._parameter_constraints = {name: stated[name] for name in names if name in stated}
