"""CPNN: a neural network with one hidden layer whose input contains the number of the label."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import gen_batches

from labeldist._constraints import COUNT, NON_NEGATIVE
from labeldist._solvers.row_blocks import row_blocks
from labeldist._solvers.softmax_loss import softmax_and_log
from labeldist._typing import Array
from labeldist.learning._learner import DistributionLearner, linear_scores
from labeldist.published._hidden_layer import HiddenLayer, Objective, train_network
from labeldist.simplex import softmax

LABEL_SPREAD = 4.0  # the initial weights of the label's number are at most this large
SATURATED = 300.0  # larger sums have no effect on a sigmoid
BLOCK_ENTRIES = 2**16  # values of hidden units that are in the cache at a time


class CPNN(DistributionLearner):
    """Conditional probability neural network for ordered labels (CPNN).

    The number of the label is an input. A network with one hidden layer and one output scores the
    pair of a row and a label, and softmax over the labels turns the scores into degrees:

        z_ij = Σ_h v_h σ(x_iᵀA_h + y_j w_h + b_h),  P = softmax(Z),

    where y_j are the numbers of the labels, scaled to [−1, 1], and σ is the sigmoid. Over A, w, b
    and v it minimises

        −(1/n) Σ D log P + (λ/2)(‖A‖² + ‖w‖² + ‖v‖²).

    Parameters
    ----------
    n_hidden : int, default=50
        Number of hidden units.
    weight_decay : float, default=1e-3
        λ. The published network has none.
    scale : bool, default=True
        Whether to standardise the features. Without it features of a small spread are ignored.
    max_iter : int, default=200
        Maximum number of L-BFGS iterations.
    random_state : int, RandomState instance or None, default=None
        Determines the initial A and w.

    Attributes
    ----------
    hidden_coef_ : ndarray of shape (n_features, n_hidden)
        A, for the features in their original units.
    label_coef_, hidden_intercept_, output_coef_ : ndarray of shape (n_hidden,)
        w, b and v.
    label_positions_ : ndarray of shape (n_labels,)
        y, the scaled numbers of the labels.
    loss_ : float
        Final objective, with the penalty.
    n_iter_ : int
        Number of iterations.

    See Also
    --------
    AABP : A network with one output per label, for labels without an order.

    Notes
    -----
    The model is from the paper and the authors' code. The order of the columns matters: it is
    meant for labels such as ages or ratings, whose degrees vary smoothly. L-BFGS replaces the
    published RPROP and needs `weight_decay`. The published numbers of hidden units are 400 for
    ages, 80 for Movie and 50 in the code. In the public Matlab code the gradient of each hidden
    unit has the sum of v instead of its own v_h.

    References
    ----------
    X. Geng, C. Yin, Z.-H. Zhou. Facial age estimation by learning from label distributions. IEEE
    TPAMI 35(10), 2013.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.published import CPNN
    >>> X, D = make_artificial(500, random_state=0)
    >>> CPNN(random_state=0).fit(X, D).score(X, D) > 0.9
    True
    """

    _constraints = {"n_hidden": COUNT, "weight_decay": NON_NEGATIVE}
    _accepts_sparse = False

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
        self.weight_decay = weight_decay
        self.scale = scale
        self.max_iter = max_iter
        self.random_state = random_state

    def _fit(self, X: Array, D: Array) -> None:
        rng = np.random.default_rng(self.random_state)
        layer = HiddenLayer.of(X, D, self.n_hidden, rng, scale=self.scale)
        output = np.zeros((2, self.n_hidden))  # v = 0: all degrees are equal
        output[0] = rng.uniform(-LABEL_SPREAD, LABEL_SPREAD, self.n_hidden)
        self.label_positions_ = np.linspace(-1, 1, D.shape[1])
        objective = conditional_loss(layer, D, self.label_positions_, self.weight_decay)
        A, b, output = train_network(self, layer, output, objective)
        self.hidden_coef_ = A
        self.hidden_intercept_ = b
        self.label_coef_, self.output_coef_ = output

    def _predict(self, X: Array) -> Array:
        Z = np.empty((len(X), len(self.label_positions_)))
        inputs = np.multiply.outer(self.label_positions_, self.label_coef_)
        for rows in row_blocks(len(X), inputs.size):
            scores = linear_scores(X[rows], self.hidden_coef_.T, self.hidden_intercept_)
            Z[rows] = (unit_values(scores, inputs) @ self.output_coef_).T
        return softmax(Z)


def conditional_loss(
    layer: HiddenLayer, D: Array, positions: Array, weight_decay: float
) -> Objective:
    """Return a function of the parameters: the objective of `CPNN` and its gradient.

    The parameters are A and b, (m + 1, h), and then w and v, (2, h).
    """
    n, c = D.shape
    n_hidden = layer.start.shape[1]
    labels_first = np.ascontiguousarray(D.T)
    length = max(1, BLOCK_ENTRIES // (c * n_hidden))

    def value_and_gradient(parameters: Array) -> tuple[float, Array]:
        weights, output = layer.split(parameters)
        A = weights[:-1]
        w, v = output.reshape(2, -1)
        hidden = layer.Z @ A
        hidden += weights[-1]
        hidden_gradient = np.empty_like(hidden)
        inputs = np.multiply.outer(positions, w)
        input_gradient = np.zeros_like(inputs)
        v_gradient = weight_decay * v
        value = 0.0
        for rows in gen_batches(n, length):  # all that depends on row and label stays in the cache
            H = unit_values(hidden[rows], inputs)
            P, log_p = softmax_and_log(H @ v, axis=0)
            value -= float(np.vdot(labels_first[:, rows], log_p))
            P -= labels_first[:, rows]
            P /= n
            v_gradient += P.ravel() @ H.reshape(-1, n_hidden)
            H -= H**2
            np.einsum("ji,jih->ih", P, H, out=hidden_gradient[rows])
            input_gradient += np.matmul(P[:, None], H)[:, 0]
        hidden_gradient *= v
        A_gradient = layer.Z.T @ hidden_gradient + weight_decay * A
        w_gradient = v * (positions @ input_gradient) + weight_decay * w
        b_gradient = hidden_gradient.sum(axis=0)
        penalty = weight_decay * ((A**2).sum() + w @ w + v @ v) / 2
        gradients = [A_gradient.ravel(), b_gradient, w_gradient, v_gradient]
        return float(value / n + penalty), np.concatenate(gradients)

    return value_and_gradient


def unit_values(hidden: Array, inputs: Array) -> Array:
    """Return σ(hidden_ih + inputs_jh), (c, n, h).

    exp(−s − t) = exp(−s)·exp(−t) takes n·h + c·h exponentials.
    """
    # The sigmoid is constant beyond the limits, and the product of the exponentials neither
    # overflows nor vanishes.
    decay = np.exp(-np.clip(hidden, -SATURATED, SATURATED))
    label_decay = np.exp(-np.clip(inputs, -SATURATED, SATURATED))
    H = label_decay[:, None] * decay
    H += 1
    return np.divide(1, H, out=H)
