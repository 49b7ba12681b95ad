"""AA-BP, a neural network with one hidden layer and softmax outputs."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal, get_args

import numpy as np

from labeldist._compat import Interval, StrOptions
from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.maximum_entropy import softmax_and_log, through_softmax
from labeldist._solvers.scaling import mean_and_scale
from labeldist._solvers.storage import StandardisedTable
from labeldist._typing import EPSILON, Array
from labeldist.learning._learner import DistributionLearner, linear_scores
from labeldist.simplex import softmax

Loss = Literal["squared", "cross_entropy"]
GRADIENT_TOLERANCE = 1e-4  # training stops when the gradient is this fraction of its initial value


class AABP(DistributionLearner):
    """Neural network for label distributions (AA-BP, algorithm adaptation).

    With one hidden layer of tanh units, P = softmax(tanh(XV + 1aᵀ)U + 1bᵀ), it minimises over V, a, U and b

        (1/n) Σ_i loss(d_i, p_i) + (λ/2)(‖V‖² + ‖U‖²).

    Parameters
    ----------
    n_hidden : int, default=60
        Number of hidden units.
    loss : {"squared", "cross_entropy"}, default="squared"
        ``"squared"``: ½‖d − p‖², as published. ``"cross_entropy"``: −Σ_k d_k log p_k.
    weight_decay : float, default=1e-3
        λ. The published network has none, and overfits (see Notes).
    scale : bool, default=True
        Whether to standardise the features. Without it features of a small spread are ignored.
    max_iter : int, default=200
        Maximum number of L-BFGS iterations.
    random_state : int, RandomState instance or None, default=None
        Determines the initial hidden layer.

    Attributes
    ----------
    coefs_, intercepts_ : list of ndarray
        V, for the features in their original units, and U; a and b.
    loss_ : float
        Final objective with the penalty.
    n_iter_ : int
        Number of iterations.

    See Also
    --------
    SABFGS : The softmax model without a hidden layer.

    Notes
    -----
    L-BFGS replaces the published gradient descent, and converges far enough to fit noise, hence `weight_decay`.

    References
    ----------
    X. Geng. Label distribution learning. IEEE Transactions on Knowledge and Data Engineering 28(7), 2016.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import AABP
    >>> X, D = make_artificial(500, random_state=0)
    >>> AABP(random_state=0).fit(X, D).score(X, D) > 0.95
    True
    """

    _parameter_constraints: dict[str, list[Any]] = {
        "n_hidden": [Interval(Integral, 1, None, closed="left")],
        "loss": [StrOptions(set(get_args(Loss)))],
        "weight_decay": [Interval(Real, 0, None, closed="left")],
        "scale": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_hidden: int = 60,
        *,
        loss: Loss = "squared",
        weight_decay: float = 1e-3,
        scale: bool = True,
        max_iter: int = 200,
        random_state: Any = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.loss = loss
        self.weight_decay = weight_decay
        self.scale = scale
        self.max_iter = max_iter
        self.random_state = random_state

    _accepts_sparse = False

    def _fit(self, X: Array, D: Array) -> None:
        # One memory layout, so that sums round equally: training amplifies rounding.
        X, D = X.astype(np.float64, order="C"), np.ascontiguousarray(D)
        m = X.shape[1]
        mean, deviation = mean_and_scale(X) if self.scale else (np.zeros(m), np.ones(m))
        table = StandardisedTable.of(X, mean, deviation)
        start = _start(table, D, self.n_hidden, np.random.default_rng(self.random_state))
        objective = penalised_loss(table, D, self.n_hidden, self.loss, self.weight_decay)
        # Searching for the step makes the solver compare gradients with the one at the start, not at zero.
        solution = minimize_lbfgs(
            lambda step: objective(start + step), np.zeros_like(start), tol=GRADIENT_TOLERANCE, max_iter=self.max_iter
        )
        self.loss_, self.n_iter_ = solution.value, solution.n_iter
        V, a, U, b = layers(start + solution.X, m, self.n_hidden)
        V = V / deviation[:, None]
        if self.scale:  # constant features carry no information; rounding of large ones would have an effect
            V[X.min(axis=0) == X.max(axis=0)] = 0
        self.coefs_, self.intercepts_ = [V, U.copy()], [a - mean @ V, b.copy()]

    def _predict(self, X: Array) -> Array:
        (V, U), (a, b) = self.coefs_, self.intercepts_
        return softmax(np.tanh(linear_scores(X, V.T, a)) @ U + b)


def layers(parameters: Array, n_features: int, n_hidden: int) -> tuple[Array, Array, Array, Array]:
    """Return V, a, U, b as views of one vector of parameters."""
    hidden, output = np.split(parameters, [(n_features + 1) * n_hidden])
    hidden, output = hidden.reshape(n_features + 1, n_hidden), output.reshape(n_hidden + 1, -1)
    return hidden[:-1], hidden[-1], output[:-1], output[-1]


def penalised_loss(
    X: StandardisedTable, D: Array, n_hidden: int, loss: Loss, weight_decay: float
) -> Callable[[Array], tuple[float, Array]]:
    """Return a function of the parameter vector: the objective of `AABP` and its gradient."""
    n, m = X.shape
    # Reused buffers: allocating arrays of n × n_hidden takes as long as computing them.
    H, hidden_gradient, slope = (np.empty((n, n_hidden)) for _ in range(3))

    def value_and_gradient(parameters: Array) -> tuple[float, Array]:
        V, a, U, b = layers(parameters, m, n_hidden)
        X.times(V, out=H)
        np.tanh(np.add(H, a, out=H), out=H)
        P, log_p = softmax_and_log(H @ U + b)
        if loss == "squared":
            error = P - D
            value = (error**2).sum() / 2
            score_gradient = through_softmax(P, error)
        else:
            value = -np.vdot(D, log_p)
            score_gradient = P - D
        score_gradient /= n
        np.subtract(1, np.square(H, out=slope), out=slope)
        np.multiply(np.matmul(score_gradient, U.T, out=hidden_gradient), slope, out=hidden_gradient)
        gradient = np.empty_like(parameters)
        V_gradient, a_gradient, U_gradient, b_gradient = layers(gradient, m, n_hidden)
        V_gradient[:] = X.transposed_times(hidden_gradient) + weight_decay * V
        a_gradient[:] = hidden_gradient.sum(axis=0)
        U_gradient[:] = H.T @ score_gradient + weight_decay * U
        b_gradient[:] = score_gradient.sum(axis=0)
        penalty = weight_decay * ((V**2).sum() + (U**2).sum()) / 2
        return float(value / n + penalty), gradient

    return value_and_gradient


def _start(X: StandardisedTable, D: Array, n_hidden: int, rng: np.random.Generator) -> Array:
    """Return parameters with a random hidden layer and the mean of `D` as output."""
    m, c = X.shape[1], D.shape[1]
    parameters = np.zeros((m + 1) * n_hidden + (n_hidden + 1) * c)
    V, _, _, b = layers(parameters, m, n_hidden)
    mean = D.mean(axis=0)
    bound = np.sqrt(6 / (m + n_hidden))
    # Random numbers are assigned by covariance with the labels, so that the order of the features does not matter.
    order = np.argsort(np.linalg.norm(X.transposed_times(D - mean), axis=1), kind="stable")
    V[order] = rng.uniform(-bound, bound, size=(m, n_hidden))
    b[:] = np.log(np.maximum(mean, EPSILON))
    return parameters
