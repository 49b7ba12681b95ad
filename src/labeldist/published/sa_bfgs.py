"""SA-BFGS, the maximum entropy model of label distributions, fitted by L-BFGS."""

from __future__ import annotations

from labeldist.learning._learner import SampleWeightMixin
from labeldist.published._softmax_learners import PenalisedSoftmax


class SABFGS(SampleWeightMixin, PenalisedSoftmax):
    """Maximum entropy model of label distributions, fitted by a quasi-Newton method (SA-BFGS).

    P = softmax(XW) minimises the cross-entropy −ΣD log P, which is the Kullback-Leibler divergence
    from D to P plus a constant. The search is limited-memory BFGS in coordinates in which the
    features are uncorrelated.

    Parameters
    ----------
    fit_intercept : bool, default=False
        Whether to fit an intercept. The published model has none.
    tol : float, default=1e-4
        Stop when the largest entry of the gradient is at most this fraction of its value at W = 0.
    max_iter : int, default=1000
        Maximum number of iterations.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients Wᵀ.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts (zero if ``fit_intercept=False``).
    n_iter_ : int
        Number of iterations.

    See Also
    --------
    SAIIS : The same model, fitted by iterative scaling.
    labeldist.learning.SoftmaxRegression : The same model with an intercept and a ridge penalty.

    References
    ----------
    X. Geng. Label distribution learning. IEEE Transactions on Knowledge and Data Engineering 28(7),
    2016.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import SABFGS
    >>> X, D = make_artificial(500, random_state=0)
    >>> SABFGS().fit(X, D).predict([[0.5, 0.1, 0.2]]).round(2)
    array([[0.38, 0.32, 0.3 ]])
    """

    def __init__(
        self, *, fit_intercept: bool = False, tol: float = 1e-4, max_iter: int = 1000
    ) -> None:
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
