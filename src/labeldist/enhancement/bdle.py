"""BD-LE: label enhancement by the bidirectional loss."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from labeldist.enhancement.kernel_base import KernelEnhancer
from labeldist.exceptions import warn
from labeldist.simplex import Array, OutputMap
from labeldist.solvers.bidirectional import EnhancementLoss
from labeldist.solvers.lbfgs import minimize_lbfgs


class BDLE(KernelEnhancer):
    """Bidirectional label enhancement (BD-LE).

    A kernel model maps features to labels and, with the same coefficients, labels back to features, while a
    neighbour graph keeps the scores of similar rows similar:

        min over W of  ‖ΦW − L‖² + α‖Φ − LWᵀ‖² + λ tr((ΦW)ᵀ S (ΦW)),

    where Φ = [K, 1] is the kernel matrix beside a column of ones, L are the logical labels and S is the Laplacian of
    the graph. The minimiser solves a Sylvester equation, so it is computed, not searched for. Its scores ΦW become
    distributions by softmax.

    Parameters
    ----------
    reconstruction : float, default=1e-3
        α, the weight of the way back from labels to features. 0 gives the unidirectional method, UD-LE.
    smoothness : float, default=1e-3
        λ, the weight of the neighbour graph.
    kernel : {"rbf", "linear"} or callable, default="rbf"
        A callable takes two arrays of rows and returns the matrix of their kernel values.
    bandwidth : float or "mean", default="mean"
        s in exp(−‖x − y‖² / (2s²)) of the rbf kernel; ``"mean"`` is the mean distance between training rows.
    n_neighbors : int or None, default=None
        Neighbours of each row in the graph; None is one more than there are labels, as published.
    graph_width : float or "mean", default=1.0
        The same as `bandwidth` for the weights of the graph, where ``"mean"`` is the mean distance between neighbours.
        1.0 is the published width. With many independent features it lets nearly all weights vanish, of which a
        warning tells.
    scale : bool, default=True
        Whether to standardise the features first.
    solver : {"auto", "exact", "lbfgs"}, default="auto"
        ``"exact"`` solves the Sylvester equation; ``"lbfgs"`` searches for the same minimum as the paper does, at many
        times the cost. ``"auto"`` is ``"exact"``.
    output : {"softmax", "clip", "project"}, default="softmax"
        How scores become distributions; see `labeldist.simplex.to_distributions`. Softmax, as published, suits labels
        of which several are on at once; where one is on at a time it is flat, and ``"project"`` is the better choice.
    temperature : float, default=1.0
        Scores are multiplied by it before softmax, so that larger is more pointed; it counts for softmax only.
    floor : float, default=0.0
        Degrees below it are raised to it before a row is divided by its sum.
    random_state : int, RandomState or None, default=None
        Where ``solver="lbfgs"`` starts: at zero if None, else at a draw from the standard normal distribution.

    Attributes
    ----------
    label_distributions_ : ndarray of shape (n_samples, n_labels)
        The recovered distributions of the training rows.
    label_names_ : list of str
    dual_coef_ : ndarray of shape (n_samples, n_labels)
        W but for its last row: the weight of each training row's kernel value.
    intercept_ : ndarray of shape (n_labels,)
        The last row of W.
    X_fit_ : ndarray of shape (n_samples, n_features)
        The training rows, standardised if `scale`.
    mean_, scale_ : ndarray of shape (n_features,)
        What standardises a feature; 0 and 1 if not `scale`.
    bandwidth_ : float or None
        The kernel's s; None for a kernel without one.
    solver_ : str
        The solver that was used.
    residual_ : float
        How well W solves its equation: the relative residual of the Sylvester equation, or the relative gradient that
        L-BFGS stopped at.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had column names

    Notes
    -----
    Memory grows as n², time as n³: 2,000 rows take a second or two, 8,000 most of a minute. Beyond, fit on a sample and
    `transform` the rest.

    With α = 0 the coefficients are not unique and the ones of minimum norm are taken, zero for rows that repeat others;
    the training rows' distributions do not depend on that choice, those of new rows do.

    The penalty of a row of W includes the intercept's: the column of ones is a feature like the others, in the
    published loss and here.

    References
    ----------
    X. Liu, J. Zhu, Q. Zheng, Z. Li, R. Liu, J. Wang. Bidirectional loss function for label enhancement and
    distribution learning. Knowledge-Based Systems 213, 2021.

    Examples
    --------
    >>> from labeldist import BDLE
    >>> from labeldist.datasets import binarize, make_artificial
    >>> X, D = make_artificial(200, random_state=0)
    >>> recovered = BDLE().fit_transform(X, binarize(D))
    >>> recovered.shape
    (200, 3)
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012  # scikit-learn's name and form
        **KernelEnhancer._parameter_constraints,
        "reconstruction": [Interval(Real, 0, None, closed="left")],
        "solver": [StrOptions({"auto", "exact", "lbfgs"})],
    }

    def __init__(
        self,
        reconstruction: float = 1e-3,
        smoothness: float = 1e-3,
        *,
        kernel: Literal["rbf", "linear"] | Callable[[Array, Array], Array] = "rbf",
        bandwidth: float | Literal["mean"] = "mean",
        n_neighbors: int | None = None,
        graph_width: float | Literal["mean"] = 1.0,
        scale: bool = True,
        solver: Literal["auto", "exact", "lbfgs"] = "auto",
        output: OutputMap = "softmax",
        temperature: float = 1.0,
        floor: float = 0.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.reconstruction = reconstruction
        self.smoothness = smoothness
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.n_neighbors = n_neighbors
        self.graph_width = graph_width
        self.scale = scale
        self.solver = solver
        self.output = output
        self.temperature = temperature
        self.floor = floor
        self.random_state = random_state

    def _search(self, loss: EnhancementLoss) -> Array:
        solution = minimize_lbfgs(loss.value_and_gradient, self._start(loss))
        self.solver_, self.residual_ = "lbfgs", solution.gradient
        if not solution.converged:
            warn(
                f"L-BFGS stopped after {solution.n_iter} iterations at {solution.gradient:.1e} of the initial gradient "
                "and is not at the minimum. solver='exact' computes it.",
                ConvergenceWarning,
            )
        return solution.X
