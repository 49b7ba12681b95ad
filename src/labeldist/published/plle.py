"""PL-LE: a classifier for partial labels by label enhancement."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from labeldist import _validation as validation
from labeldist._constraints import ConstrainedEstimator
from labeldist._float_limits import TINY
from labeldist._threads import threads_for
from labeldist._typing import Array
from labeldist.published import GLLE
from labeldist.published._support_vector_regression import SupportVectorMixin
from labeldist.simplex import normalize


class PLLE(SupportVectorMixin, ClassifierMixin, ConstrainedEstimator):
    """Classifier for partial labels, by label enhancement (PL-LE).

    Each training row has a set of candidate classes, one of which is true. `GLLE` turns the
    candidate sets into degrees, which are set to zero outside the candidates and normalised to T.
    Multi-output support vector regression F = KB + 1bᵀ on these degrees minimises

        ½ tr(BᵀKB) + C Σ_i max(0, ‖t_i − f_i‖ − ε)².

    The predicted class is the one with the largest score.

    Parameters
    ----------
    smoothness : float, default=1.0
        Weight of the neighbour graph of `GLLE`. For 0 all candidates of a row have the same degree.
    C : float, default=1.0
        Weight of the residuals.
    epsilon : float, default=0.1
        ε. Rows with a residual below it have no effect. For ε = 0 the model is kernel ridge
        regression with the ridge 1/(2C).
    n_neighbors : int, default=10
        Number of neighbours of a row in the graph, whose width is their mean distance.
    bandwidth : float or "mean", default="mean"
        Width σ of the kernel exp(−‖x − y‖² / (2σ²)); ``"mean"`` is the mean distance of the
        training rows.
    scale : bool, default=True
        Whether to standardise the features.
    tol : float, default=1e-3
        Stop when no entry of the gradient of the loss differs from the coefficients B by more than
        this fraction of its largest entry.
    max_iter : int, default=100
        Maximum number of iterations of the regression.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in order: the sorted column names of the candidate sets, or the numbers of
        unnamed columns.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        T, the degrees of the candidates of the training rows.
    label_names_ : list of str
        The classes as text.
    dual_coef_, intercept_ : ndarray of shape (n_samples, n_classes) and (n_classes,)
        B, which is zero for rows with a residual of at most ε, and b.
    X_fit_ : ndarray of shape (n_samples, n_features)
        The standardised training rows.
    mean_, scale_ : ndarray of shape (n_features,)
        Mean and standard deviation of the features; 0 and 1 if ``scale=False``.
    bandwidth_ : float
        Width σ of the kernel.
    n_iter_ : int
        Number of iterations.

    See Also
    --------
    labeldist.published.GLLE : The label enhancement.
    LDSVR : The same regression for label distributions.

    Notes
    -----
    This is a reconstruction from the abstract of the paper and from memory: its method section was
    not available. The parts, GLLE and multi-output support vector regression, are from the
    paper. The restriction of the degrees to the candidates, the graph and all constants are ours.
    Code of a later, related method (PL-LEAF) adds a term that rewards candidates.

    References
    ----------
    N. Xu, J. Lv, X. Geng. Partial label learning via label enhancement. AAAI 2019.

    Examples
    --------
    >>> from labeldist.published import PLLE
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> candidates = [[1, 0, 0], [1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 1], [0, 0, 1]]
    >>> PLLE().fit(X, candidates).predict([[0.1], [5.1]])
    array([0, 2])
    """

    def __init__(
        self,
        smoothness: float = 1.0,
        C: float = 1.0,
        epsilon: float = 0.1,
        *,
        n_neighbors: int = 10,
        bandwidth: float | Literal["mean"] = "mean",
        scale: bool = True,
        tol: float = 1e-3,
        max_iter: int = 100,
    ) -> None:
        self.smoothness = smoothness
        self.C = C
        self.epsilon = epsilon
        self.n_neighbors = n_neighbors
        self.bandwidth = bandwidth
        self.scale = scale
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the classifier to features and candidate sets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples, n_classes) or (n_samples,)
            The candidate sets, 1 for the candidates of a row and 0 for the other classes. A single
            column contains the known classes of the rows, which are sets with one candidate.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        self._validate_params()
        X, candidates = self._check_features_and_candidates(X, y)
        enhancer = GLLE(
            self.smoothness,
            bandwidth=self.bandwidth,
            n_neighbors=self.n_neighbors,
            graph_width="mean",
            scale=self.scale,
            output="clip",
        )
        degrees = enhancer.fit_transform(X, candidates)
        degrees = np.where(candidates > 0, np.maximum(degrees, TINY), 0)
        self.label_distributions_ = normalize(degrees, name="y (the candidate sets)")
        with threads_for(len(X), len(X)):
            self._regress(X, self.label_distributions_, weight=2 * self.C, radius=self.epsilon)
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy of the predicted classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples,)
            The true classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        score : float
            The share of the rows whose class is predicted.
        """
        validation.check_rows(X=X, y=y, sample_weight=sample_weight)
        return float(super().score(X, y, sample_weight=sample_weight))

    def decision_function(self, X: Any) -> Array:
        """Return the scores of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The features.

        Returns
        -------
        ndarray of shape (n_samples, n_classes) or (n_samples,)
            The scores. For two classes, the score of the second minus the score of the first.
        """
        scores = self._class_scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> Any:
        """Predict a class for each row of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The features.

        Returns
        -------
        ndarray of shape (n_samples,)
            The classes with the largest scores.
        """
        scores = self._class_scores(X)
        return self.classes_[scores.argmax(axis=1)]

    def _class_scores(self, X: Any) -> Array:
        check_is_fitted(self)
        return self._scores(validation.validate_data(self, X, reset=False, dtype=np.float64))

    def _check_features_and_candidates(self, X: Any, y: Any) -> tuple[Array, Array]:
        """Return the features and a table of candidates, and set `classes_`."""
        validation.check_rows(X=X, y=y)
        X, table = validation.validate_data(self, X, y, multi_output=True, dtype=np.float64)
        if table.ndim == 2 and table.shape[1] > 1:
            candidates = validation.check_logical(validation.label_table(table))
            classes = column_classes(y, candidates.shape[1])
            order = np.argsort(classes)  # scorers of scikit-learn expect sorted classes
            self.classes_ = classes[order]
            candidates = candidates[:, order]
        else:
            known = column_or_1d(table, warn=True)
            check_classification_targets(known)
            self.classes_, position = np.unique(known, return_inverse=True)
            candidates = np.eye(len(self.classes_))[position]
        self.label_names_ = list(map(str, self.classes_))
        return X, candidates


def column_classes(y: Any, n_classes: int) -> Any:
    """Return the names of the columns of candidate sets, or their numbers if they have none."""
    if hasattr(y, "iloc") and y.columns.dtype.kind in "iu":
        return np.array(y.columns)
    names = validation.column_names(y)
    return np.arange(n_classes) if names is None else np.array(names)
