"""SoftLabelClassifier: any classifier with sample weights as a learner of label distributions."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted, has_fit_parameter

from labeldist import _validation as validation
from labeldist._compat import HasMethods, _safe_indexing
from labeldist._typing import EPSILON, Array
from labeldist.learning._learner import DistributionLearner, SampleWeightMixin, check_weights
from labeldist.simplex import to_distributions

AUTO_EARLY_STOPPING = 10_000  # histogram gradient boosting with early_stopping="auto" splits more rows than this


class SoftLabelClassifier(SampleWeightMixin, DistributionLearner):
    """Fit a classifier to label distributions.

    The classifier sees each row once for every label with a positive degree, with the degree as its sample weight. A
    loss that is a weighted sum over rows, such as the log loss, is then that of the distributions.

    Parameters
    ----------
    estimator : classifier or pipeline that ends in one
        A scikit-learn compatible classifier with ``predict_proba`` whose ``fit`` takes ``sample_weight``, for instance
        linear models, boosted trees and forests. The steps of a pipeline before the classifier are fitted to the
        original rows, and the rows are repeated after them; `X` is then whatever the first step accepts, such as a list
        of texts. Classifiers that split their training rows, for early stopping or cross-validation, are errors,
        because copies of a row would be on both sides. The keys of ``class_weight`` are columns of `y`, and "balanced"
        weights are inverse to the sums of the degrees.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier. Its classes are positions in `present_`. None if a single label occurs.
    transformer_ : pipeline or None
        The fitted steps before the classifier.
    present_ : ndarray of int
        Columns of the labels that occur in the training data. All others are predicted with a degree of about zero.

    See Also
    --------
    SoftmaxRegression : Equals this class with ``LogisticRegression(C=1 / ridge)``, for two labels ``C=2 / ridge``.

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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        self._validate_params()
        if hasattr(self.estimator, "steps"):
            X, D = self._check_labels(X, y, sample_weight)
        else:
            if any(str(kind).lower().startswith("categor") for kind in getattr(X, "dtypes", ())):
                advice = "Pass the classifier in a pipeline, make_pipeline(classifier), which receives X as it is"
                raise ValueError(f"X has columns of categories, which would be converted to numbers. {advice}.")
            X, D = self._check_features_and_distributions(X, y, sample_weight)
        weight = check_weights(sample_weight, D)
        degrees = D if weight is None else D * weight[:, None]
        steps, classifier = None, clone(self.estimator)
        if hasattr(classifier, "steps"):
            steps, classifier = classifier[:-1] if len(classifier.steps) > 1 else None, classifier.steps[-1][1]
        rows, columns = np.nonzero(degrees)
        present, classes = np.unique(columns, return_inverse=True)
        _check_classifier(classifier, len(rows))
        for name, class_weight in classifier.get_params().items():
            if name.rpartition("__")[2] != "class_weight":
                continue
            if class_weight in ("balanced", "balanced_subsample"):  # classifiers would count the repeated rows
                sums = degrees.sum(axis=0)[present]
                class_weight = dict(zip(present.tolist(), sums.sum() / (len(sums) * sums), strict=True))
            if isinstance(class_weight, dict):
                if not set(class_weight) <= set(range(D.shape[1])):
                    raise ValueError(f"The keys of class_weight must be columns of y, 0, 1, …; got {class_weight}.")
                classifier.set_params(**{name: {k: class_weight.get(j, 1) for k, j in enumerate(present)}})
        if steps is not None:
            X = steps.fit_transform(X, D, **validation.weights_for(steps, weight))
        if len(present) > 1:
            classifier.fit(_safe_indexing(X, rows), classes, sample_weight=degrees[rows, columns])
        self.transformer_, self.estimator_ = steps, classifier if len(present) > 1 else None
        self.present_ = present
        return self

    def _check_labels(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Array]:
        """Validate the labels alone, because the first step of a pipeline may take texts or tables of words."""
        validation.check_rows(X=X, y=y, sample_weight=sample_weight)
        validation.check_rows_are_equally_long(y)
        D = validation.as_distributions(validation.label_table(y), name="y (the label distributions)")
        check_consistent_length(X, D)
        validation.validated(self, X, skip_check_array=True)  # sets the number and the names of the features
        self.label_names_ = validation.label_names(y, D.shape[1])
        return X, D

    def predict(self, X: Any) -> Array:
        check_is_fitted(self)
        validation.check_feature_order(self, X)
        if hasattr(self.estimator, "steps"):
            validation.validated(self, X, skip_check_array=True, reset=False)
        else:
            X = validation.validated(self, X, reset=False, **self._table_options())
        if self.transformer_ is not None:
            X = self.transformer_.transform(X)
        P = np.zeros((np.shape(X)[0], len(self.label_names_)))
        P[:, self.present_] = 1.0 if self.estimator_ is None else self.estimator_.predict_proba(X)
        return to_distributions(P, "clip", floor=EPSILON)

    def _table_options(self) -> dict[str, Any]:
        allow_nan = get_tags(self).input_tags.allow_nan
        return super()._table_options() | {"ensure_all_finite": "allow-nan" if allow_nan else True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags


def _check_classifier(classifier: Any, n_rows: int) -> None:
    """Raise an error if a classifier takes no weights, or if it or a part would split `n_rows` repeated rows."""
    name = type(classifier).__name__
    if not has_fit_parameter(classifier, "sample_weight"):
        raise ValueError(f"{name}.fit takes no sample_weight, so {name} cannot learn from distributions.")
    for part in (classifier, *classifier.get_params().values()):
        if hasattr(part, "get_params") and not isinstance(part, type):
            _check_not_splitting(part, n_rows)


def _check_not_splitting(classifier: Any, n_rows: int) -> None:
    name, parameters = type(classifier).__name__, classifier.get_params(deep=False)
    stops = parameters.get("early_stopping")
    if stops is True or (stops == "auto" and n_rows > AUTO_EARLY_STOPPING):
        advice = "early_stopping=False"
    elif parameters.get("n_iter_no_change") is not None and "early_stopping" not in parameters:
        advice = "n_iter_no_change=None"
    elif parameters.get("cv", "prefit") != "prefit":
        advice = "fixed parameters instead of cv, and search them with SoftLabelClassifier inside the search"
    elif parameters.get("oob_score"):
        advice = "oob_score=False"
    elif parameters.get("probability"):
        advice = "LogisticRegression after KernelFeatures instead of probability=True"
    else:
        return
    raise ValueError(f"{name} would split its training rows, and copies of a row would be on both sides. Use {advice}.")
