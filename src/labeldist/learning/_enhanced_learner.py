"""EnhancedLearner: label enhancement followed by label distribution learning."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import clone
from sklearn.utils import get_tags

from labeldist._compat import HasMethods
from labeldist._validation import validate_data
from labeldist.enhancement._bayes_le.estimator import BayesLE
from labeldist.features import KernelFeatures
from labeldist.learning._bdldl_cv import BDLDLCV
from labeldist.learning._learner import NestedLearner


class EnhancedLearner(NestedLearner):
    """Recover distributions from logical labels, then learn to predict them.

    The enhancer is fitted to the features and the logical labels, and the learner to the features
    and the recovered distributions.

    Parameters
    ----------
    enhancer : label enhancer, default=None
        None stands for ``BayesLE()``. Pass an enhancer to set or search its parameters.
    learner : distribution learner, default=None
        None stands for ``make_pipeline(KernelFeatures(), BDLDLCV())``. Pass a learner to set or
        search its parameters.

    Attributes
    ----------
    enhancer_ : label enhancer
        The fitted enhancer.
    learner_ : distribution learner
        The fitted learner.
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        The recovered distributions of the training rows.

    See Also
    --------
    labeldist.BayesLE : With a regressor, it predicts new rows itself, by one joint model.

    Examples
    --------
    >>> from labeldist import EnhancedLearner
    >>> from labeldist.datasets import binarize, make_artificial
    >>> X, D = make_artificial(200, random_state=0)
    >>> model = EnhancedLearner().fit(X, binarize(D))
    >>> model.predict(X[:1]).round(1)
    array([[0.2, 0.4, 0.4]])
    """

    _constraints = {
        "enhancer": [HasMethods(["fit_transform"]), None],
        "learner": [HasMethods(["predict"]), None],
    }

    def __init__(self, enhancer: Any = None, learner: Any = None) -> None:
        self.enhancer = enhancer
        self.learner = learner

    def fit(self, X: Any, y: Any) -> Self:
        """Recover distributions from logical labels and fit the learner to them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples, n_labels)
            Logical labels, 0 or 1.

        Returns
        -------
        self : object
            The fitted learner.
        """
        self._validate_params()
        validate_data(self, X, skip_check_array=True)  # sets number and names of the features
        enhancer, learner = self._parts()
        enhancer = clone(enhancer).fit(X, y)
        learner = clone(learner).fit(X, enhancer.label_distributions_)
        learner.label_names_ = enhancer.label_names_
        self.enhancer_ = enhancer
        self.learner_ = learner
        self.label_distributions_ = enhancer.label_distributions_
        self.label_names_ = enhancer.label_names_
        return self

    def _parts(self) -> tuple[Any, Any]:
        """Return the enhancer and the learner, with the defaults instead of None."""
        from sklearn.pipeline import make_pipeline  # a slow import

        enhancer = self.enhancer
        learner = self.learner
        if enhancer is None:
            enhancer = BayesLE()
        if learner is None:
            learner = make_pipeline(KernelFeatures(), BDLDLCV())
        return enhancer, learner

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = all(get_tags(part).input_tags.sparse for part in self._parts())
        return tags
