"""EnhancedLearner: an enhancer and a learner as one estimator, from tags to predictions."""

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

_EXAMPLES = {"enhancer": "BayesLE()", "learner": "BDLDLCV()"}


class EnhancedLearner(DistributionLearner):
    """Recover distributions from logical labels, then learn to predict them.

    A scikit-learn ``Pipeline`` cannot do this: it would hand the recovered distributions on as *features*. Here the
    enhancer sees the features and logical labels, and the learner the features and recovered distributions.

    Parameters
    ----------
    enhancer : label enhancer, default=None
        None is ``BayesLE()``. To search for its parameters, pass it: ``EnhancedLearner(BayesLE(), BDLDLCV())``.
    learner : distribution learner, default=None
        None is ``make_pipeline(KernelFeatures(), BDLDLCV())``.

    Attributes
    ----------
    enhancer_, learner_ : the fitted copies
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        What the enhancer recovered and the learner learned from.
    label_names_ : list of str
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    See Also
    --------
    labeldist.BayesLE : With a regressor it predicts new rows itself, by one joint model.

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
        "enhancer": "no_validation",  # `fit` says what it should be, with an example
        "learner": "no_validation",
    }

    def __init__(self, enhancer: Any = None, learner: Any = None) -> None:
        self.enhancer = enhancer
        self.learner = learner

    def fit(self, X: Any, y: Any) -> EnhancedLearner:
        """Enhance the logical labels `y` and learn from the result."""
        for role, part, method in (("enhancer", self.enhancer, "fit_transform"), ("learner", self.learner, "predict")):
            if part is not None and not hasattr(part, method):
                raise TypeError(f"{role} must be an estimator with {method}, such as {_EXAMPLES[role]}; got {part!r}.")
        enhancer, learner = self._parts()
        self.enhancer_, self.learner_ = clone(enhancer), clone(learner)
        self.enhancer_.fit(X, y)
        self.label_distributions_ = self.enhancer_.label_distributions_
        self.label_names_ = self.enhancer_.label_names_
        self.learner_.fit(X, self.label_distributions_)
        self.learner_.label_names_ = self.label_names_
        validate_data(self, X, skip_check_array=True)  # notes names and number of the features
        return self

    def predict(self, X: Any) -> Array:
        """Return a label distribution for each row of `X`."""
        check_is_fitted(self)
        return np.asarray(self.learner_.predict(X))

    def _parts(self) -> tuple[Any, Any]:
        """Return the enhancer and the learner, with the defaults in place of None."""
        from sklearn.pipeline import make_pipeline  # importing it takes longer than the rest of this module

        enhancer = BayesLE() if self.enhancer is None else self.enhancer
        learner = make_pipeline(KernelFeatures(), BDLDLCV()) if self.learner is None else self.learner
        return enhancer, learner

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        parts = [part for part in self._parts() if hasattr(part, "__sklearn_tags__")]
        tags.input_tags.sparse = all(get_tags(part).input_tags.sparse for part in parts)
        return tags
