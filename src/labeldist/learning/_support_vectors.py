"""Multi-output support vector regression: LDSVR for label distributions, and PLLE for partial labels."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal, Self

import numpy as np
from scipy.special import expit, logit
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from labeldist import _validation as validation
from labeldist._compat import NON_NEGATIVE, ConstrainedEstimator, Interval
from labeldist._kernels.kernels import gaussian_between, gaussian_kernel
from labeldist._solvers.low_rank import row_blocks
from labeldist._solvers.multi_output_svr import solve_multi_output_svr
from labeldist._solvers.scaling import mean_and_scale, standardise
from labeldist._threads import threads_for
from labeldist._typing import TINY, Array
from labeldist.enhancement import GLLE
from labeldist.learning._learner import DistributionLearner, report_convergence
from labeldist.simplex import normalize

SLOPE = 4.0  # the sigmoid is a contraction by 1/4, so degrees differ by at most a fourth of the scores' difference


class SupportVectorMixin:
    """Kernel scores KB + 1bᵀ by multi-output support vector regression on standardised features."""

    _constraints = {"epsilon": NON_NEGATIVE}

    bandwidth: float | Literal["mean"]
    scale: bool
    tol: float
    max_iter: int

    def _regress(self, X: Array, T: Array, *, weight: float, radius: float) -> None:
        """Fit the scores to the targets T, and set the attributes."""
        self.mean_, self.scale_ = mean_and_scale(X, scale=self.scale)
        with threads_for(len(X), len(X)):
            self.X_fit_ = self._standardised(X)
            kernel, self.bandwidth_ = gaussian_kernel(self.X_fit_, self.bandwidth)
            options: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter}
            solution = solve_multi_output_svr(kernel, T, weight=weight, radius=radius, **options)
        self.dual_coef_, self.intercept_ = solution.B, solution.b
        report_convergence(self, solution.n_iter, solution.converged, "use a smaller C")

    def _scores(self, X: Array) -> Array:
        scores = np.empty((len(X), len(self.intercept_)))
        with threads_for(len(X), len(self.X_fit_)):
            for rows in row_blocks(len(X), len(self.X_fit_)):
                K = gaussian_between(self._standardised(X[rows]), self.X_fit_, self.bandwidth_)
                scores[rows] = K @ self.dual_coef_ + self.intercept_
        return scores

    def _standardised(self, X: Array) -> Array:
        return standardise(X.astype(np.float64), self.mean_, self.scale_)


class LDSVR(SupportVectorMixin, DistributionLearner):
    """Support vector regression for label distributions (LDSVR).

    A kernel model F = KB + 1bᵀ is fitted to the targets T = log(D / (1 − D)). With the length of the residual of a
    row, u_i = ‖t_i − f_i‖, it minimises

        ½ tr(BᵀKB) + C Σ_i max(0, u_i/4 − ε)².

    The prediction is the sigmoid of the scores, divided by its sum over the labels. K is a Gaussian kernel.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the residuals.
    epsilon : float, default=0.01
        ε. Rows with a residual below it have no effect. u_i/4 is an upper bound of the distance between the true and
        the predicted degrees before normalisation. For ε = 0 the model is kernel ridge regression with the ridge 8/C.
    bandwidth : float or "mean", default="mean"
        Width σ of the kernel exp(−‖x − y‖² / (2σ²)); ``"mean"`` is the mean distance of the training rows.
    floor : float, default=0.01
        Degrees are clipped to [floor, 1 − floor], because the targets of 0 and 1 are infinite.
    scale : bool, default=True
        Whether to standardise the features.
    tol : float, default=1e-3
        Stop when no entry of the gradient of the loss differs from the coefficients B by more than this fraction of
        its largest entry. At the minimum they are equal.
    max_iter : int, default=100
        Maximum number of iterations. Each factorises the kernel matrix of the rows outside the tube.

    Attributes
    ----------
    dual_coef_, intercept_ : ndarray of shape (n_samples, n_labels) and (n_labels,)
        B, which is zero for rows with u_i/4 ≤ ε, and b.
    X_fit_ : ndarray of shape (n_samples, n_features)
        The standardised training rows.
    mean_, scale_ : ndarray of shape (n_features,)
    bandwidth_, n_iter_ : float, int
        σ, and the number of iterations.

    See Also
    --------
    PTSVM : Support vector machines for pairs of labels.
    labeldist.features.KernelFeatures : Kernel features for linear learners, also for many rows.

    Notes
    -----
    The formula is that of the paper. Its solver, iteratively reweighted least squares with a line search, is used with
    larger weights, which halve the number of iterations. The minimum is the one for the weights
    a_i = C(u_i − 4ε)/(8u_i) of the gradient; the paper prints 4u_i, which would be the minimum for 2C.

    The paper does not state how it treats degrees of 0 and 1; `floor` is ours. The published ε is 0.1. On Yeast_cold,
    SBU_3DFE, Natural_Scene and Movie 0.01 gave better predictions in less time: where degrees vary little, most rows
    have a residual below 0.1. Memory grows as n², time as n³. PyLDL fits one independent regression per label, which
    is the baseline S-SVR of the paper.

    References
    ----------
    X. Geng, P. Hou. Pre-release prediction of crowd opinion on movies by label distribution learning. IJCAI 2015.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import LDSVR
    >>> X, D = make_artificial(300, random_state=0)
    >>> LDSVR().fit(X, D).score(X, D) > 0.9
    True
    """

    _constraints = {"floor": [Interval(Real, 0, 0.5, closed="neither")]}
    _accepts_sparse = False

    def __init__(
        self,
        C: float = 1.0,
        epsilon: float = 0.01,
        *,
        bandwidth: float | Literal["mean"] = "mean",
        floor: float = 0.01,
        scale: bool = True,
        tol: float = 1e-3,
        max_iter: int = 100,
    ) -> None:
        self.C, self.epsilon = C, epsilon
        self.bandwidth, self.floor, self.scale, self.tol, self.max_iter = bandwidth, floor, scale, tol, max_iter

    def _fit(self, X: Array, D: Array) -> None:
        T = logit(np.clip(D, self.floor, 1 - self.floor))
        self._regress(X, T, weight=2 * self.C / SLOPE**2, radius=SLOPE * self.epsilon)

    def _predict(self, X: Array) -> Array:
        return normalize(expit(self._scores(X)))


class PLLE(SupportVectorMixin, ClassifierMixin, ConstrainedEstimator):
    """Classifier for partial labels, by label enhancement (PL-LE).

    Each training row has a set of candidate classes, one of which is true. `GLLE` turns the candidate sets into
    degrees, which are set to zero outside the candidates and normalised to T. Multi-output support vector regression
    F = KB + 1bᵀ on these degrees minimises

        ½ tr(BᵀKB) + C Σ_i max(0, ‖t_i − f_i‖ − ε)².

    The predicted class is the one with the largest score.

    Parameters
    ----------
    smoothness : float, default=1.0
        Weight of the neighbour graph of `GLLE`. For 0 all candidates of a row have the same degree.
    C : float, default=1.0
        Weight of the residuals.
    epsilon : float, default=0.1
        ε. Rows with a residual below it have no effect. For ε = 0 the model is kernel ridge regression with the ridge
        1/(2C).
    n_neighbors : int, default=10
        Number of neighbours of a row in the graph, whose width is their mean distance.
    bandwidth, scale, tol, max_iter : as in `LDSVR`

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in order: the sorted column names of the candidate sets, or the numbers of unnamed columns.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        T, the degrees of the candidates of the training rows.
    label_names_ : list of str
    dual_coef_, intercept_, X_fit_, mean_, scale_, bandwidth_, n_iter_ : as in `LDSVR`

    See Also
    --------
    labeldist.enhancement.GLLE : The label enhancement.
    LDSVR : The same regression for label distributions.

    Notes
    -----
    This is a reconstruction from the abstract of the paper and from memory: its method section was not available. The
    parts, GLLE and multi-output support vector regression, are those of the paper. The restriction of the degrees to
    the candidates, the graph and all constants are ours. Code of a later, related method (PL-LEAF) adds a term that
    rewards candidates.

    References
    ----------
    N. Xu, J. Lv, X. Geng. Partial label learning via label enhancement. AAAI 2019.

    Examples
    --------
    >>> from labeldist.learning import PLLE
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
        self.smoothness, self.C, self.epsilon, self.n_neighbors = smoothness, C, epsilon, n_neighbors
        self.bandwidth, self.scale, self.tol, self.max_iter = bandwidth, scale, tol, max_iter

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the classifier to features and candidate sets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples, n_classes) or (n_samples,)
            The candidate sets, 1 for the candidates of a row and 0 for the other classes. A single column contains the
            known classes of the rows, which are sets with one candidate.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        self._validate_params()
        X, candidates = self._check_features_and_candidates(X, y)
        graph: dict[str, Any] = {"n_neighbors": self.n_neighbors, "graph_width": "mean"}
        enhancer = GLLE(self.smoothness, bandwidth=self.bandwidth, scale=self.scale, output="clip", **graph)
        degrees = enhancer.fit_transform(X, candidates)
        degrees = np.where(candidates > 0, np.maximum(degrees, TINY), 0)
        self.label_distributions_ = normalize(degrees, name="y (the candidate sets)")
        self._regress(X, self.label_distributions_, weight=2 * self.C, radius=self.epsilon)
        return self

    def decision_function(self, X: Any) -> Array:
        """Return the scores of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The features.

        Returns
        -------
        ndarray of shape (n_samples, n_classes) or (n_samples,)
            The scores. For two classes, the score of the second minus that of the first.
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
        scores = self._class_scores(X)  # before `classes_`, because it raises an error if the model is not fitted
        return self.classes_[scores.argmax(axis=1)]

    def _class_scores(self, X: Any) -> Array:
        check_is_fitted(self)
        validation.check_feature_order(self, X)
        return self._scores(validation.validated(self, X, reset=False, dtype=np.float64))

    def _check_features_and_candidates(self, X: Any, y: Any) -> tuple[Array, Array]:
        """Return the features and a table of candidates, and set `classes_`."""
        validation.check_rows_are_equally_long(y)
        validation.check_rows(X=X, y=y)
        X, table = validation.validated(self, X, y, multi_output=True, dtype=np.float64)
        if table.ndim == 2 and table.shape[1] > 1:
            candidates = validation.check_logical(validation.label_table(table))
            has_numbers = hasattr(y, "iloc") and y.columns.dtype.kind in "iu"
            names = y.columns if has_numbers else validation.column_names(y)
            classes: Any = np.arange(candidates.shape[1]) if names is None else np.array(names)
            order = np.argsort(classes)  # scorers of scikit-learn expect sorted classes
            self.classes_, candidates = classes[order], candidates[:, order]
        else:
            classes = column_or_1d(table, warn=True)
            check_classification_targets(classes)
            self.classes_, position = np.unique(classes, return_inverse=True)
            candidates = np.eye(len(self.classes_))[position]
        self.label_names_ = [str(name) for name in self.classes_]
        return X, candidates
