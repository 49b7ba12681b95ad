"""AA-BP and CPNN, neural networks with one hidden layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np

from labeldist._compat import COUNT, NON_NEGATIVE, StrOptions
from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.low_rank import row_blocks
from labeldist._solvers.maximum_entropy import softmax_and_log, through_softmax
from labeldist._solvers.scaling import mean_and_scale
from labeldist._solvers.storage import StandardisedTable
from labeldist._typing import EPSILON, Array
from labeldist.learning._learner import DistributionLearner, linear_scores
from labeldist.simplex import softmax

Loss = Literal["squared", "cross_entropy"]
Objective = Callable[[Array], tuple[float, Array]]
LABEL_SPREAD = 4.0  # the initial weights of the label's number are at most this large
SATURATED = 300.0  # larger sums have no effect on a sigmoid
BLOCK_ENTRIES = 2**16  # values of hidden units that are in the cache at a time
GRADIENT_TOLERANCE = 1e-4  # training stops when the gradient is this fraction of its initial value


class HiddenLayerLearner(DistributionLearner):
    """Base class of the networks with one hidden layer of the features XV + 1aᵀ, trained by L-BFGS.

    The vector of parameters holds V and a, then those of the output.
    """

    _constraints = {"n_hidden": COUNT, "weight_decay": NON_NEGATIVE}

    n_hidden: int
    scale: bool
    max_iter: int
    random_state: Any
    _objective: Callable[[StandardisedTable, Array], Objective]
    _output_start: Callable[[Array, np.random.Generator], Array]  # the initial parameters of the output
    _store: Callable[[Array, Array, Array], None]  # sets the attributes, for features in their original units
    _accepts_sparse = False

    def _fit(self, X: Array, D: Array) -> None:
        # One memory layout, so that sums round equally: training amplifies rounding.
        X, D = X.astype(np.float64, order="C"), np.ascontiguousarray(D)
        mean, deviation = mean_and_scale(X, scale=self.scale)
        table = StandardisedTable.of(X, mean, deviation)
        rng = np.random.default_rng(self.random_state)
        hidden = np.vstack([random_layer(table, D, self.n_hidden, rng), np.zeros(self.n_hidden)])
        start = np.concatenate([hidden.ravel(), self._output_start(D, rng).ravel()])
        objective = self._objective(table, D)
        # Searching for the step makes the solver compare gradients with the one at the start, not at zero.
        solution = minimize_lbfgs(
            lambda step: objective(start + step), np.zeros_like(start), tol=GRADIENT_TOLERANCE, max_iter=self.max_iter
        )
        self.loss_, self.n_iter_ = solution.value, solution.n_iter
        V, a, output = hidden_layer(start + solution.X, len(mean), self.n_hidden)
        V = V / deviation[:, None]
        if self.scale:  # constant features carry no information; rounding of large ones would have an effect
            V[X.min(axis=0) == X.max(axis=0)] = 0
        self._store(V, a - mean @ V, output)


class AABP(HiddenLayerLearner):
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
    loss_, n_iter_ : float, int
        Final objective with the penalty, and number of iterations.

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

    _constraints = {"loss": [StrOptions(set(get_args(Loss)))]}

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
        self.n_hidden, self.loss, self.weight_decay, self.scale = n_hidden, loss, weight_decay, scale
        self.max_iter, self.random_state = max_iter, random_state

    def _objective(self, X: StandardisedTable, D: Array) -> Objective:
        return penalised_loss(X, D, self.n_hidden, self.loss, self.weight_decay)

    def _output_start(self, D: Array, rng: np.random.Generator) -> Array:  # noqa: ARG002  # the output starts at the mean
        output = np.zeros((self.n_hidden + 1, D.shape[1]))
        output[-1] = np.log(np.maximum(D.mean(axis=0), EPSILON))
        return output

    def _store(self, V: Array, a: Array, output: Array) -> None:
        output = output.reshape(self.n_hidden + 1, -1)
        self.coefs_, self.intercepts_ = [V, output[:-1].copy()], [a, output[-1].copy()]

    def _predict(self, X: Array) -> Array:
        (V, U), (a, b) = self.coefs_, self.intercepts_
        return softmax(np.tanh(linear_scores(X, V.T, a)) @ U + b)


class CPNN(HiddenLayerLearner):
    """Conditional probability neural network for ordered labels (CPNN).

    The number of the label is an input. A network with one hidden layer and one output scores the pair of a row and a
    label, and softmax over the labels turns the scores into degrees:

        z_ij = Σ_h v_h σ(x_iᵀA_h + y_j w_h + b_h),  P = softmax(Z),

    where y_j are the numbers of the labels, scaled to [−1, 1], and σ is the sigmoid. Over A, w, b and v it minimises

        −(1/n) Σ D log P + (λ/2)(‖A‖² + ‖w‖² + ‖v‖²).

    Parameters
    ----------
    n_hidden : int, default=50
        Number of hidden units.
    weight_decay : float, default=1e-3
        λ. The published network has none.
    scale, max_iter, random_state : as in `AABP`

    Attributes
    ----------
    hidden_coef_ : ndarray of shape (n_features, n_hidden)
        A, for the features in their original units.
    label_coef_, hidden_intercept_, output_coef_ : ndarray of shape (n_hidden,)
        w, b and v.
    label_positions_ : ndarray of shape (n_labels,)
        y, the scaled numbers of the labels.
    loss_, n_iter_ : as in `AABP`

    See Also
    --------
    AABP : A network with one output per label, for labels without an order.

    Notes
    -----
    The model is that of the paper and of the authors' code. The order of the columns matters: it is meant for labels
    such as ages or ratings, whose degrees vary smoothly. L-BFGS replaces the published RPROP, hence `weight_decay`. The
    published numbers of hidden units are 400 for ages, 80 for Movie and 50 in the code. In the public Matlab code the
    gradient of each hidden unit has the sum of v in place of its own v_h.

    References
    ----------
    X. Geng, C. Yin, Z.-H. Zhou. Facial age estimation by learning from label distributions. IEEE TPAMI 35(10), 2013.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import CPNN
    >>> X, D = make_artificial(500, random_state=0)
    >>> CPNN(random_state=0).fit(X, D).score(X, D) > 0.9
    True
    """

    def __init__(
        self,
        n_hidden: int = 50,
        *,
        weight_decay: float = 1e-3,
        scale: bool = True,
        max_iter: int = 200,
        random_state: Any = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.weight_decay, self.scale, self.max_iter, self.random_state = weight_decay, scale, max_iter, random_state

    def _objective(self, X: StandardisedTable, D: Array) -> Objective:
        self.label_positions_ = np.linspace(-1, 1, D.shape[1])
        return conditional_loss(X, D, self.label_positions_, self.n_hidden, self.weight_decay)

    def _output_start(self, D: Array, rng: np.random.Generator) -> Array:  # noqa: ARG002
        # v = 0: all degrees are equal.
        return np.stack([rng.uniform(-LABEL_SPREAD, LABEL_SPREAD, self.n_hidden), np.zeros(self.n_hidden)])

    def _store(self, V: Array, a: Array, output: Array) -> None:
        self.hidden_coef_, self.hidden_intercept_ = V, a
        self.label_coef_, self.output_coef_ = output.reshape(2, -1).copy()

    def _predict(self, X: Array) -> Array:
        Z = np.empty((len(X), len(self.label_positions_)))
        inputs = np.multiply.outer(self.label_positions_, self.label_coef_)
        for rows in row_blocks(len(X), inputs.size):
            scores = linear_scores(X[rows], self.hidden_coef_.T, self.hidden_intercept_)
            Z[rows] = (_units(scores, inputs) @ self.output_coef_).T
        return softmax(Z)


def hidden_layer(parameters: Array, n_features: int, n_hidden: int) -> tuple[Array, Array, Array]:
    """Return V, a and the parameters of the output as views of one vector of parameters."""
    hidden, output = np.split(parameters, [(n_features + 1) * n_hidden])
    hidden = hidden.reshape(n_features + 1, n_hidden)
    return hidden[:-1], hidden[-1], output


def layers(parameters: Array, n_features: int, n_hidden: int) -> tuple[Array, Array, Array, Array]:
    """Return V, a, U, b of `AABP` as views of one vector of parameters."""
    V, a, output = hidden_layer(parameters, n_features, n_hidden)
    output = output.reshape(n_hidden + 1, -1)
    return V, a, output[:-1], output[-1]


def penalised_loss(X: StandardisedTable, D: Array, n_hidden: int, loss: Loss, weight_decay: float) -> Objective:
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


def conditional_loss(X: StandardisedTable, D: Array, positions: Array, n_hidden: int, weight_decay: float) -> Objective:
    """Return a function of the parameter vector A, b, w, v: the objective of `CPNN` and its gradient."""
    (n, m), D = X.shape, np.ascontiguousarray(D.T)
    length = max(1, BLOCK_ENTRIES // (len(D) * n_hidden))
    blocks = [slice(start, start + length) for start in range(0, n, length)]
    hidden, hidden_gradient = np.empty((n, n_hidden)), np.empty((n, n_hidden))

    def value_and_gradient(parameters: Array) -> tuple[float, Array]:
        A, b, output = hidden_layer(parameters, m, n_hidden)
        w, v = output.reshape(2, -1)
        np.add(X.times(A, out=hidden), b, out=hidden)
        inputs = np.multiply.outer(positions, w)
        input_gradient, v_gradient, value = np.zeros_like(inputs), weight_decay * v, 0.0
        for rows in blocks:  # all that depends on row and label stays in the cache
            H = _units(hidden[rows], inputs)
            P, log_p = softmax_and_log(H @ v, axis=0)
            value -= float(np.vdot(D[:, rows], log_p))
            P -= D[:, rows]
            P /= n
            v_gradient += P.ravel() @ H.reshape(-1, n_hidden)
            H -= H**2
            np.einsum("ji,jih->ih", P, H, out=hidden_gradient[rows])
            input_gradient += np.matmul(P[:, None], H)[:, 0]
        np.multiply(hidden_gradient, v, out=hidden_gradient)
        gradient = np.empty_like(parameters)
        A_gradient, b_gradient, output_gradient = hidden_layer(gradient, m, n_hidden)
        A_gradient[:] = X.transposed_times(hidden_gradient) + weight_decay * A
        b_gradient[:] = hidden_gradient.sum(axis=0)
        output_gradient.reshape(2, -1)[:] = v * (positions @ input_gradient) + weight_decay * w, v_gradient
        penalty = weight_decay * ((A**2).sum() + w @ w + v @ v) / 2
        return float(value / n + penalty), gradient

    return value_and_gradient


def _units(hidden: Array, inputs: Array) -> Array:
    """Return σ(hidden_ih + inputs_jh), (c, n, h), with n·h + c·h exponentials: exp(−s − t) = exp(−s)·exp(−t)."""
    # The sigmoid is constant beyond the limits, and the product of the exponentials neither overflows nor vanishes.
    decay, label_decay = (np.exp(-np.clip(part, -SATURATED, SATURATED)) for part in (hidden, inputs))
    H = label_decay[:, None] * decay
    H += 1
    return np.divide(1, H, out=H)


def random_layer(X: StandardisedTable, D: Array, n_hidden: int, rng: Any) -> Array:
    """Return random weights of the features, (m, n_hidden)."""
    m = X.shape[1]
    bound = np.sqrt(6 / (m + n_hidden))
    # Random numbers are assigned by covariance with the labels, so that the order of the features does not matter.
    order = np.argsort(np.linalg.norm(X.transposed_times(D - D.mean(axis=0)), axis=1), kind="stable")
    V = np.empty((m, n_hidden))
    V[order] = rng.uniform(-bound, bound, size=(m, n_hidden))
    return V
