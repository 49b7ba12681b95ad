"""EnhancedLearner: label enhancement followed by label distribution learning."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from labeldist._typing import Array
from labeldist.enhancement._bayes_le import BayesLE
from labeldist.features import KernelFeatures
from labeldist.learning._bdldl_cv import BDLDLCV
from labeldist.learning._learner import DistributionLearner

_DEFAULTS = {"enhancer": "BayesLE()", "learner": "make_pipeline(KernelFeatures(), BDLDLCV())"}
_METHODS = {"enhancer": "fit_transform", "learner": "predict"}


class EnhancedLearner(DistributionLearner):
    """Recover distributions from logical labels, then learn to predict them.

    The enhancer is fitted to the features and the logical labels, and the learner to the features and the recovered
    distributions. A ``Pipeline`` cannot do this: it would pass the recovered distributions on as features.

    Parameters
    ----------
    enhancer : label enhancer, default=None
        None stands for ``BayesLE()``. Pass an enhancer to set or search its parameters.
    learner : distribution learner, default=None
        None stands for ``make_pipeline(KernelFeatures(), BDLDLCV())``. Pass a learner to set or search its parameters.

    Attributes
    ----------
    enhancer_ : label enhancer
        The fitted enhancer.
    learner_ : distribution learner
        The fitted learner.
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        The recovered distributions of the training rows.
    label_names_ : list of str
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X is a data frame

    See Also
    --------
    labeldist.BayesLE : With a regressor, it predicts new rows itself, by one joint model.

    Examples
    --------
    >>> from labeldist import EnhancedLearner
    >>> from labeldist.datasets import binarize, make_artificial
    >>> X, D = make_artificial(200, random_state=0)
    >>> model = EnhancedLearner().fit(X, binarize(D))
    >>> model.predict(X[:2]).shape
    (2, 3)
    """

    _parameter_constraints: dict[str, Any] = {  # noqa: RUF012  # scikit-learn's name and form
        "enhancer": "no_validation",  # `fit` raises an error with an example
        "learner": "no_validation",
    }

    def __init__(self, enhancer: Any = None, learner: Any = None) -> None:
        self.enhancer = enhancer
        self.learner = learner

    def fit(self, X: Any, y: Any) -> EnhancedLearner:
        """Recover distributions from logical labels and fit the learner to them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples, n_labels)
            Logical labels, 0 or 1.

        Returns
        -------
        self : EnhancedLearner
            The fitted learner.
        """
        for role, method in _METHODS.items():
            part = getattr(self, role)
            if part is not None and not hasattr(part, method):
                raise TypeError(f"{role} must be an estimator with {method}, such as {_DEFAULTS[role]}; got {part!r}.")
        enhancer, learner = map(clone, self._parts())
        enhancer.fit(X, y)
        learner.fit(X, enhancer.label_distributions_)
        learner.label_names_ = enhancer.label_names_
        validate_data(self, X, skip_check_array=True)  # sets the number and the names of the features
        self.enhancer_, self.learner_ = enhancer, learner
        self.label_distributions_, self.label_names_ = enhancer.label_distributions_, enhancer.label_names_
        return self

    def predict(self, X: Any) -> Array:
        check_is_fitted(self)
        return np.asarray(self.learner_.predict(X))

    def set_params(self, **params: Any) -> EnhancedLearner:
        for name in params:
            role, _, nested = name.partition("__")
            if nested and role in _DEFAULTS and params.get(role, getattr(self, role)) is None:
                raise ValueError(
                    f"Cannot set {name}, because {role} is None. Pass an estimator, such as the default "
                    f"{role}={_DEFAULTS[role]}, to set its parameters."
                )
        super().set_params(**params)
        return self

    def _parts(self) -> tuple[Any, Any]:
        """Return the enhancer and the learner, with the defaults in place of None."""
        from sklearn.pipeline import make_pipeline  # a slow import

        enhancer = BayesLE() if self.enhancer is None else self.enhancer
        learner = make_pipeline(KernelFeatures(), BDLDLCV()) if self.learner is None else self.learner
        return enhancer, learner

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        parts = [part for part in self._parts() if hasattr(part, "__sklearn_tags__")]
        tags.input_tags.sparse = all(get_tags(part).input_tags.sparse for part in parts)
        return tags
