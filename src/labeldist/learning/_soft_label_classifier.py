"""SoftLabelClassifier: any classifier with sample weights as a learner of label distributions."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from labeldist import _validation as validation
from labeldist._compat import HasMethods, _safe_indexing
from labeldist._float_limits import EPSILON
from labeldist._typing import Array
from labeldist.learning._boosting_libraries import (
    SoftTable,
    option_for_repeated_rows,
    plain_features,
    trees_of,
)
from labeldist.learning._learner import (
    ONLY_NAMES,
    DistributionLearner,
    SampleWeightMixin,
    check_weights,
)
from labeldist.simplex import to_distributions

# Histogram gradient boosting with early_stopping="auto" splits tables with more rows.
AUTO_EARLY_STOPPING = 10_000


class SoftLabelClassifier(SampleWeightMixin, DistributionLearner):
    """Fit a classifier to label distributions.

    The classifier sees each row once for every label with a positive degree, with the degree as its
    sample weight. A loss that is a weighted sum over rows, such as the log loss, is then the loss
    of the distributions.

    ``LGBMClassifier`` of LightGBM and ``XGBClassifier`` of XGBoost are fitted to the rows
    themselves, with a custom objective: gradient p − d; the scaling of the Hessian and the initial
    score come from the library. This takes less time and memory than repeated rows. With one-hot
    rows the result equals the one of the library, except for LightGBM's random choice of columns.

    Parameters
    ----------
    estimator : classifier or pipeline that ends in one
        A scikit-learn compatible classifier with ``predict_proba`` whose ``fit`` takes
        ``sample_weight``, for instance linear models, boosted trees and forests. The steps of a
        pipeline before the classifier are fitted to the original rows, and the rows are repeated
        after them; `X` is then what the first step accepts, such as a list of texts. A pandas data
        frame with columns of categories is passed on as it is, other features as an array.
        A classifier with early stopping or a parameter ``cv`` raises a ``ValueError``, because it
        would split its training rows, with copies of a row on both sides. The keys of
        ``class_weight`` are columns of `y`, and "balanced" weights are inverse to the sums of the
        degrees.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier. Its classes are positions in `present_`. None if a single label
        occurs. Of LightGBM and XGBoost, an object with the attribute `booster`.
    transformer_ : pipeline or None
        The fitted steps before the classifier.
    present_ : ndarray of int
        Columns of the labels that occur in the training data. All others are predicted with a
        degree of about zero.

    See Also
    --------
    SoftmaxRegression : The same model as with ``LogisticRegression(C=1 / ridge)``.

    Examples
    --------
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import SoftLabelClassifier
    >>> X, D = make_artificial(300, random_state=0)
    >>> boosting = HistGradientBoostingClassifier(max_iter=20, early_stopping=False, random_state=0)
    >>> SoftLabelClassifier(boosting).fit(X, D).score(X, D) > 0.8
    True
    """

    _constraints = {"estimator": [HasMethods(["fit", "predict_proba"])]}
    _squares_features = False

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        eval_set: tuple[Any, Any] | list[tuple[Any, Any]] | None = None,
    ) -> Self:
        """Fit the classifier to features and label distributions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples, n_labels)
            Non-negative degrees. Each row is divided by its sum.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows. In the loss, a row of weight w counts as w equal rows.
        eval_set : tuple of (X, y), or list of one such tuple, default=None
            Other rows, whose cross-entropy ends the training of ``LGBMClassifier`` and
            ``XGBClassifier`` if they have a parameter for early stopping.

        Returns
        -------
        self : object
            The fitted learner.
        """
        self._validate_params()
        X, D = self._check_features_and_distributions(X, y, sample_weight)
        weight = check_weights(sample_weight, D)
        degrees = D if weight is None else D * weight[:, None]
        present = np.flatnonzero(degrees.any(axis=0))
        transformer, classifier = _split_pipeline(clone(self.estimator))
        trees = trees_of(classifier)
        if trees is None:
            _check_classifier(classifier, int(np.count_nonzero(degrees)), eval_set)
        _set_class_weights(classifier, degrees, present)
        if transformer is not None:
            X = transformer.fit_transform(X, D, **validation.weights_for(transformer, weight))
        if len(present) < 2:
            self.estimator_ = None
        elif trees is None:
            self.estimator_ = _fit_repeated(classifier, X, degrees[:, present])
        else:
            held_out = None
            if eval_set is not None:
                if isinstance(eval_set, list):  # as the libraries require
                    if len(eval_set) != 1:
                        raise ValueError("eval_set must be a pair (X, y), or a list of one pair.")
                    eval_set = eval_set[0]
                X_other, D_other = self._check_features_and_distributions(*eval_set, reset=False)
                if transformer is not None:
                    X_other = transformer.transform(X_other)
                held_out = SoftTable(plain_features(X_other), D_other[:, present])
            table = SoftTable(plain_features(X), degrees[:, present])
            self.estimator_ = trees.fit(classifier, table, held_out)
        self.transformer_ = transformer
        self.present_ = present
        return self

    def predict(self, X: Any) -> Array:
        check_is_fitted(self)
        X = validation.validate_data(self, X, reset=False, **self._table_options(X))
        if self.transformer_ is not None:
            X = self.transformer_.transform(X)
        P = np.zeros((np.shape(X)[0], len(self.label_names_)))
        P[:, self.present_] = 1.0
        if self.estimator_ is not None:
            P[:, self.present_] = self.estimator_.predict_proba(X)
        return to_distributions(P, "clip", floor=EPSILON)

    def _table_options(self, X: Any) -> dict[str, Any]:
        if hasattr(self.estimator, "steps") or _has_categories(X):
            return ONLY_NAMES
        allow_nan = get_tags(self).input_tags.allow_nan
        return super()._table_options(X) | {"ensure_all_finite": "allow-nan" if allow_nan else True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        return tags


def _has_categories(X: Any) -> bool:
    """Return whether columns of a pandas data frame have categories, which an array cannot hold."""
    return hasattr(X, "iloc") and "category" in map(str, getattr(X, "dtypes", ()))


def _split_pipeline(estimator: Any) -> tuple[Any, Any]:
    """Return the steps before a classifier, None if there are none, and the classifier."""
    if not hasattr(estimator, "steps"):
        return None, estimator
    transformer = estimator[:-1] if len(estimator.steps) > 1 else None
    return transformer, estimator[-1]


def _fit_repeated(classifier: Any, X: Any, degrees: Array) -> Any:
    """Fit a classifier to rows that are repeated for each label, with the degrees as weights."""
    rows, classes = np.nonzero(degrees)
    return classifier.fit(_safe_indexing(X, rows), classes, sample_weight=degrees[rows, classes])


def _set_class_weights(classifier: Any, degrees: Array, present: Any) -> None:
    """Replace weights of columns by weights of classes, also in parts of a classifier."""
    sums = degrees.sum(axis=0)[present]
    balanced = sums.sum() / (len(sums) * sums)
    for name, weights in classifier.get_params().items():
        if not name.endswith("class_weight"):
            continue
        if weights in ("balanced", "balanced_subsample"):  # would count the repeated rows
            classifier.set_params(**{name: dict(enumerate(balanced))})
        elif isinstance(weights, dict):
            if not set(weights) <= set(range(degrees.shape[1])):
                raise ValueError(f"The keys of class_weight must be columns of y; got {weights}.")
            of_classes = {k: weights.get(column, 1) for k, column in enumerate(present)}
            classifier.set_params(**{name: of_classes})


def _check_classifier(classifier: Any, n_rows: int, eval_set: Any) -> None:
    """Raise if a classifier takes no weights, or if it or a part splits `n_rows` repeated rows."""
    name = type(classifier).__name__
    if eval_set is not None:
        given = f"{name}({option_for_repeated_rows(classifier)})"
        raise ValueError(f"eval_set is for LGBMClassifier and XGBClassifier, not for {given}.")
    if not has_fit_parameter(classifier, "sample_weight"):
        raise ValueError(f"{name}.fit takes no sample_weight.")
    parts = [part for part in classifier.get_params().values() if hasattr(part, "get_params")]
    for part in (classifier, *parts):
        advice = _how_to_avoid_a_split(part.get_params(deep=False), n_rows)
        if advice:
            name = type(part).__name__
            raise ValueError(f"{name} would split repeated copies of its rows. Use {advice}.")


def _how_to_avoid_a_split(parameters: dict[str, Any], n_rows: int) -> str:
    """Return other parameters for a classifier that would split its rows, or "" for any other."""
    stops = parameters.get("early_stopping")
    if stops is True or (stops == "auto" and n_rows > AUTO_EARLY_STOPPING):
        return "early_stopping=False"
    if stops is None and parameters.get("n_iter_no_change") is not None:
        return "n_iter_no_change=None"
    if parameters.get("cv", "prefit") != "prefit":
        return "fixed parameters instead of cv, and search the parameters of SoftLabelClassifier"
    return ""
