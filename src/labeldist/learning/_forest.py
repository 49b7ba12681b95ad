"""A forest for label distributions: the mean of the rows that share a leaf, over many random trees."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from labeldist._compat import Interval, StrOptions
from labeldist._solvers.scaling import divide_columns, largest_by_column, mean_and_scale
from labeldist._typing import Array
from labeldist._validation import random_generator
from labeldist.learning._learner import DistributionLearner, check_weights
from labeldist.learning._trees import Trees
from labeldist.simplex import normalize

LARGEST = float(np.finfo(np.float32).max)


class DistributionForest(DistributionLearner):
    """Extremely randomised trees whose leaves hold distributions.

    A tree splits the rows where their distributions differ most, by the variance over all labels; its answer is the
    mean of the training distributions in a leaf, and the forest's the mean over its trees. Units of the features do
    not count, nor does a shift: features are standardised first, since trees see single precision.

    Parameters
    ----------
    n_estimators : int, default=100
    min_samples_leaf : int, default=3
        The fewest rows in a leaf.
    max_features : {"sqrt"}, float or int, default="sqrt"
        How many features are looked at for a split: the square root of their number, a share, or so many.
    random_state : int, RandomState instance or None, default=None
        How features and thresholds are drawn.

    Attributes
    ----------
    trees_ : Trees
        What was grown, as arrays, on standardised features.
    mean_, scale_ : ndarray of shape (n_features,)
        What standardises a feature: its mean and deviation; for sparse features 0 and the largest size of a number.
    label_names_ : list of str
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    Notes
    -----
    On the Yeast sets, whose features say little, it is mostly what ``choose_learner`` chooses: see
    ``benchmarks/choice.py``.

    References
    ----------
    P. Geurts, D. Ernst, L. Wehenkel. Extremely randomized trees. Machine Learning 63 (1), 2006.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import DistributionForest
    >>> X, D = make_artificial(500, random_state=0)
    >>> DistributionForest(random_state=0).fit(X, D).score(X, D) > 0.9
    True
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "max_features": [
            StrOptions({"sqrt"}),
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
        ],
        "random_state": ["random_state"],
    }

    trees_: Trees

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        min_samples_leaf: int = 3,
        max_features: Literal["sqrt"] | float = "sqrt",
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DistributionForest:
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples, n_labels)
            Non-negative degrees; each row is divided by its sum.
        sample_weight : array-like of shape (n_samples,), default=None
            How much a row counts in splits and means; `min_samples_leaf` counts rows.
        """
        self._validate_params()
        X, D = self._check_features_and_distributions(X, y, accept_sparse=True, squares=False)
        from sklearn.ensemble import ExtraTreesRegressor  # a tenth of a second that only a forest need wait for

        forest = ExtraTreesRegressor(
            self.n_estimators,
            min_samples_leaf=self.min_samples_leaf,
            max_features=self.max_features,
            random_state=random_generator(self.random_state),
        )
        self.mean_, self.scale_ = _standards(X)
        target = D if D.shape[1] > 1 else D[:, 0]  # of a single column scikit-learn wants no table
        forest.fit(self._standardised(X), target, sample_weight=check_weights(sample_weight, X))
        self.trees_ = Trees.of([tree.tree_ for tree in forest.estimators_])
        return self

    def predict(self, X: Any) -> Array:
        """Return a label distribution for each row of `X`."""
        check_is_fitted(self)
        X = self._check_new_features(X, accept_sparse=True)
        return normalize(self.trees_.mean_distributions(self._standardised(X)))

    def _standardised(self, X: Any) -> Any:
        """Return features in single precision; beyond its range they are as far from every threshold as they can be."""
        with np.errstate(over="ignore"):
            if self.mean_.any():  # it has learned from dense rows
                X = (X if isinstance(X, np.ndarray) else X.toarray()) - self.mean_
            Z = divide_columns(X, self.scale_)
        numbers = Z if isinstance(Z, np.ndarray) else Z.data
        np.clip(numbers, -LARGEST, LARGEST, out=numbers)
        return Z.astype(np.float32)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _standards(X: Any) -> tuple[Array, Array]:
    if not sparse.issparse(X):
        return mean_and_scale(X)
    largest = largest_by_column(X)
    return np.zeros_like(largest), np.where(largest > 0, largest, 1.0)
