"""Solver of forests of soft decision trees: gates by L-BFGS, leaf distributions by expectation maximisation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import entr, expit

from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.storage import StandardisedTable
from labeldist._typing import EPSILON, Array


def leaf_probabilities(S: Array) -> Array:
    """Return the probabilities of the leaves, (K, L, n), of K trees in which node t sends a row left with S[:, t].

    `S` has the shape (K, L − 1, n). The children of node t are the nodes 2t + 1 (left) and 2t + 2.
    """
    K, n_nodes, n = S.shape
    mu, first = np.ones((K, 1, n)), 0
    while first < n_nodes:
        s = S[:, first : 2 * first + 1]
        left = mu * s
        mu = np.stack([left, mu - left], axis=2).reshape(K, -1, n)
        first = 2 * first + 1
    return mu


def gate_gradients(S: Array, shares: Array) -> Array:
    """Return the gradient with respect to the logits of S, (K, L − 1, n), of a function f of `leaf_probabilities`.

    `shares` is μ ∂f/∂μ, (K, L, n). For a node with the sums a and b of the shares of the leaves on its left and on its
    right, the gradient is (1 − s)a − sb.
    """
    gradient, last = np.empty_like(S), S.shape[1]
    while last:
        first = last // 2
        left, right = shares[:, ::2], shares[:, 1::2]
        shares = left + right
        gradient[:, first:last] = left - S[:, first:last] * shares
        last = first
    return gradient


def update_leaves(mu: Array, q: Array, D: Array) -> Array:
    """Return q_l ∝ q_l Σ_i μ_il d_i / g_i with g_i = Σ_l μ_il q_l, which does not increase −Σ d log g of any tree.

    The shapes are (K, L, n) for μ, (K, L, c) for q, the leaf distributions, and (c, n) for D. Leaves without rows keep
    their distribution.
    """
    g = np.maximum(q.transpose(0, 2, 1) @ mu, EPSILON**2)
    updated = q * (mu @ (D / g).transpose(0, 2, 1))
    total = updated.sum(axis=2, keepdims=True)
    return np.where(total > 0, updated / np.where(total > 0, total, 1.0), q)


@dataclass(frozen=True)
class SoftForest:
    """The objective (1/K) Σ_k Σ_i KL(d_i, g_ki) + (ridge / 2)‖V‖² of a forest of K soft trees.

    Row i goes left at node t of tree k with the probability σ(x_iᵀ v_u + b_u), u = units[k, t]. With its leaf
    probabilities μ_ki, g_ki = Σ_l μ_kil q_kl.
    """

    X: StandardisedTable
    D: Array  # (c, n), one row per label
    units: Array  # (K, L − 1), integers
    ridge: float

    @cached_property
    def _entropy(self) -> float:
        return float(entr(self.D).sum())

    def gates(self, theta: Array) -> Array:
        """Return the outputs σ(XV + 1bᵀ)ᵀ of the units, (u, n); the last row of `theta`, (m + 1, u), is b."""
        scores = self.X.times(theta[:-1], out=np.empty((self.X.shape[0], theta.shape[1])))
        return np.asarray(expit(np.add(scores, theta[-1], out=scores).T.copy()))

    def probabilities(self, theta: Array) -> Array:
        """Return the leaf probabilities μ."""
        return leaf_probabilities(self.gates(theta)[self.units])

    def value_and_gradient(self, theta: Array, q: Array) -> tuple[float, Array]:
        """Return the objective and its gradient with respect to theta."""
        K, S = len(self.units), self.gates(theta)[self.units]
        mu = leaf_probabilities(S)
        g = np.maximum(q.transpose(0, 2, 1) @ mu, EPSILON**2)
        value = -float(np.einsum("cn,kcn->", self.D, np.log(g))) / K - self._entropy
        by_node = gate_gradients(S, -mu * (q @ (self.D / g)) / K)
        n_nodes = self.units.size
        shape = theta.shape[1], n_nodes
        sums: Any = sparse.csr_array((np.ones(n_nodes), (self.units.ravel(), np.arange(n_nodes))), shape)
        by_unit = sums @ by_node.reshape(n_nodes, -1)
        V = theta[:-1]
        gradient = np.vstack([self.X.transposed_times(by_unit.T) + self.ridge * V, by_unit.sum(axis=1)])
        return value + 0.5 * self.ridge * float(np.vdot(V, V)), gradient


@dataclass(frozen=True)
class SoftForestSolution:
    """Result of `fit_soft_forest`."""

    theta: Array  # (m + 1, u)
    q: Array  # (K, L, c)
    value: float
    n_iter: int
    converged: bool


def fit_soft_forest(
    forest: SoftForest, theta: Array, *, leaf_steps: int, gate_steps: int, tol: float, max_iter: int
) -> SoftForestSolution:
    """Alternate `leaf_steps` updates of the leaves and `gate_steps` L-BFGS iterations of the gates, from `theta`.

    Stop if a round lowers the objective by at most `tol` times its value, or after `max_iter` rounds.
    """
    K, c = len(forest.units), len(forest.D)
    q = np.full((K, forest.units.shape[1] + 1, c), 1 / c)
    value, n_iter, converged = np.inf, 0, False
    while n_iter < max_iter and not converged:
        mu = forest.probabilities(theta)
        for _ in range(leaf_steps):
            q = update_leaves(mu, q, forest.D)

        def objective(step: Array, start: Array = theta, leaves: Array = q) -> tuple[float, Array]:
            return forest.value_and_gradient(start + step, leaves)

        found = minimize_lbfgs(objective, np.zeros_like(theta), tol=tol, max_iter=gate_steps)
        theta, n_iter = theta + found.X, n_iter + 1
        value, converged = found.value, value - found.value <= tol * abs(found.value)
    return SoftForestSolution(theta, q, value, n_iter, converged)
