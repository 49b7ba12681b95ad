"""AA-BP: a neural network with one hidden layer."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from labeldist._compat import StrOptions
from labeldist._constraints import COUNT, NON_NEGATIVE
from labeldist._float_limits import EPSILON
from labeldist._solvers.softmax_loss import softmax_and_log, through_softmax
from labeldist._typing import Array
from labeldist.learning._learner import DistributionLearner, linear_scores
from labeldist.published._hidden_layer import HiddenLayer, Objective, train_network
from labeldist.simplex import softmax

Loss = Literal["squared", "cross_entropy"]


class AABP(DistributionLearner):
    """Neural network for label distributions (AA-BP, algorithm adaptation).

    With one hidden layer of tanh units, P = softmax(tanh(XV + 1aᵀ)U + 1bᵀ), it minimises over V, a,
    U and b

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
    coefs_ : list of ndarray
        V, for the features in their original units, and U.
    intercepts_ : list of ndarray
        a and b.
    loss_ : float
        Final objective, with the penalty.
    n_iter_ : int
        Number of iterations.

    See Also
    --------
    SABFGS : The softmax model without a hidden layer.

    Notes
    -----
    L-BFGS replaces the published gradient descent. It converges far enough to fit noise, which
    `weight_decay` prevents.

    References
    ----------
    X. Geng. Label distribution learning. IEEE Transactions on Knowledge and Data Engineering 28(7),
    2016.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import AABP
    >>> X, D = make_artificial(500, random_state=0)
    >>> AABP(random_state=0).fit(X, D).score(X, D) > 0.95
    True
    """

    _constraints = {
        "n_hidden": COUNT,
        "loss": [StrOptions({"squared", "cross_entropy"})],
        "weight_decay": NON_NEGATIVE,
    }
    _accepts_sparse = False

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

    def _fit(self, X: Array, D: Array) -> None:
        D = np.ascontiguousarray(D)
        rng = np.random.default_rng(self.random_state)
        layer = HiddenLayer.of(X, D, self.n_hidden, rng, scale=self.scale)
        output = np.zeros((self.n_hidden + 1, D.shape[1]))  # predicts the mean
        output[-1] = np.log(np.maximum(D.mean(axis=0), EPSILON))
        objective = penalised_loss(layer, D, self.loss, self.weight_decay)
        V, a, output = train_network(self, layer, output, objective)
        self.coefs_ = [V, output[:-1]]
        self.intercepts_ = [a, output[-1]]

    def _predict(self, X: Array) -> Array:
        V, U = self.coefs_
        a, b = self.intercepts_
        return softmax(np.tanh(linear_scores(X, V.T, a)) @ U + b)


def penalised_loss(layer: HiddenLayer, D: Array, loss: Loss, weight_decay: float) -> Objective:
    """Return a function of the parameters: the objective of `AABP` and its gradient.

    The parameters are V and a, (m + 1, h), and then U and b, (h + 1, c).
    """
    n, c = D.shape
    n_hidden = layer.start.shape[1]
    # Reused memory: allocating arrays of n × n_hidden takes as long as computing them.
    buffers = np.empty((2, n, n_hidden))

    def value_and_gradient(parameters: Array) -> tuple[float, Array]:
        weights, output = layer.split(parameters)
        V = weights[:-1]
        output = output.reshape(n_hidden + 1, c)
        U = output[:-1]
        H = np.matmul(layer.Z, V, out=buffers[0])
        H += weights[-1]
        np.tanh(H, out=H)
        P, log_p = softmax_and_log(H @ U + output[-1])
        if loss == "squared":
            error = P - D
            value = (error**2).sum() / 2
            score_gradient = through_softmax(P, error)
        else:
            value = -np.vdot(D, log_p)
            score_gradient = P - D
        score_gradient /= n
        U_gradient = H.T @ score_gradient + weight_decay * U
        H *= H
        hidden_gradient = np.matmul(score_gradient, U.T, out=buffers[1])
        hidden_gradient *= np.subtract(1, H, out=H)  # the slope of tanh
        V_gradient = layer.Z.T @ hidden_gradient + weight_decay * V
        gradients = [
            V_gradient.ravel(),
            hidden_gradient.sum(axis=0),
            U_gradient.ravel(),
            score_gradient.sum(axis=0),
        ]
        penalty = weight_decay * ((V**2).sum() + (U**2).sum()) / 2
        return float(value / n + penalty), np.concatenate(gradients)

    return value_and_gradient
