"""EnhancedLearner: label enhancement followed by label distribution learning."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import clone
from sklearn.utils import get_tags

from labeldist._compat import HasMethods
from labeldist._validation import validated
from labeldist.enhancement._bayes_le import BayesLE
from labeldist.features import KernelFeatures
from labeldist.learning._bdldl_cv import BDLDLCV
from labeldist.learning._learner import NestedLearner


class EnhancedLearner(NestedLearner):
    """Recover distributions from logical labels, then learn to predict them.

    The enhancer is fitted to the features and the logical labels, and the learner to the features and the recovered
    distributions.

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

    _constraints = {"enhancer": [HasMethods(["fit_transform"]), None], "learner": [HasMethods(["predict"]), None]}

    def __init__(self, enhancer: Any = None, learner: Any = None) -> None:
        self.enhancer = enhancer
        self.learner = learner

    def set_params(self, **params: Any) -> Self:
        for part in {name.partition("__")[0] for name in params if "__" in name} & {"enhancer", "learner"}:
            if params.get(part, getattr(self, part)) is None:
                raise ValueError(f"{part} is None, so its parameters cannot be set. Pass an estimator as {part} first.")
        return super().set_params(**params)

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
        enhancer, learner = map(clone, self._parts())
        enhancer.fit(X, y)
        learner.fit(X, enhancer.label_distributions_)
        learner.label_names_ = enhancer.label_names_
        validated(self, X, skip_check_array=True)  # sets the number and the names of the features
        self.enhancer_, self.learner_ = enhancer, learner
        self.label_distributions_, self.label_names_ = enhancer.label_distributions_, enhancer.label_names_
        return self

    def _parts(self) -> tuple[Any, Any]:
        """Return the enhancer and the learner, with the defaults in place of None."""
        from sklearn.pipeline import make_pipeline  # a slow import

        learner = make_pipeline(KernelFeatures(), BDLDLCV()) if self.learner is None else self.learner
        return BayesLE() if self.enhancer is None else self.enhancer, learner

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = all(get_tags(part).input_tags.sparse for part in self._parts())
        return tags
