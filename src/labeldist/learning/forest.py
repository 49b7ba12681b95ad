"""A forest for label distributions: the mean of the rows that share a leaf, over many random trees."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Literal

from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from labeldist.learning.base import DistributionLearner, check_weights
from labeldist.learning.trees import Trees
from labeldist.simplex import Array, normalize


class DistributionForest(DistributionLearner):
    """Extremely randomised trees whose leaves hold distributions.

    A tree splits the rows where their distributions differ most, by the variance over all labels; its answer is the
    mean of the training distributions in a leaf, and the forest's the mean over its trees. Units of the features do
    not count.

    Parameters
    ----------
    n_trees : int, default=100
    min_leaf : int, default=3
        The fewest rows in a leaf.
    max_features : {"sqrt"}, float or int, default="sqrt"
        How many features are looked at for a split: the square root of their number, a share, or so many.
    random_state : int, RandomState instance or None, default=None
        How features and thresholds are drawn.

    Attributes
    ----------
    trees_ : Trees
        What was grown, as arrays.
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
        "n_trees": [Interval(Integral, 1, None, closed="left")],
        "min_leaf": [Interval(Integral, 1, None, closed="left")],
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
        n_trees: int = 100,
        *,
        min_leaf: int = 3,
        max_features: Literal["sqrt"] | float = "sqrt",
        random_state: Any = None,
    ) -> None:
        self.n_trees = n_trees
        self.min_leaf = min_leaf
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
            How much a row counts in splits and means; `min_leaf` counts rows.
        """
        self._validate_params()
        X, D = self._check_features_and_distributions(X, y, accept_sparse=True)
        from sklearn.ensemble import ExtraTreesRegressor  # a tenth of a second that only a forest need wait for

        forest = ExtraTreesRegressor(
            self.n_trees,
            min_samples_leaf=self.min_leaf,
            max_features=self.max_features,
            random_state=self.random_state,
        )
        # Of a single column scikit-learn wants no table.
        forest.fit(X, D if D.shape[1] > 1 else D[:, 0], sample_weight=check_weights(sample_weight, X))
        self.trees_ = Trees.of([tree.tree_ for tree in forest.estimators_])
        return self

    def predict(self, X: Any) -> Array:
        """Return a label distribution for each row of `X`."""
        check_is_fitted(self)
        X = self._check_new_features(X, accept_sparse=True)
        return normalize(self.trees_.mean_distributions(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
