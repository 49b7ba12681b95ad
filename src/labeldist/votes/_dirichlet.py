"""The Dirichlet-multinomial model of counts of votes, fitted by maximum likelihood."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import gammaln, psi, softmax

from labeldist._typing import Array
from labeldist.exceptions import TableError

# Unanimous items have their largest likelihood at strength 0, where it is not defined.
MIN_STRENGTH = 1e-6
# Items that are all alike have it at infinity. At this strength they differ by 0.001.
MAX_STRENGTH = 1e6


def fit_dirichlet(counts: Array, needed_by: str) -> Array:
    """Return the parameters α, one per label, under which counts of votes are most likely.

    The distribution of an item is Dirichlet(α), and its votes are drawn from that distribution.
    Labels without any vote get α = 0. L-BFGS maximises the likelihood over log Σα and the
    logits of α/Σα.
    """
    if counts.sum(axis=1).max() < 2:
        reason = "one vote per item does not show disagreement"
        raise TableError(f"No item has two votes, but {needed_by} needs some: {reason}.")
    voted = counts.any(axis=0)
    model = DirichletMultinomial(counts[:, voted])
    logits = np.log(counts[:, voted].sum(axis=0) / counts.sum())
    start = np.append(0.0, logits)
    # Far from the shares of the labels, α underflows.
    bounds_of_logits = zip(logits - 20, logits + 20, strict=True)
    bounds_of_strength = (float(np.log(MIN_STRENGTH)), float(np.log(MAX_STRENGTH)))
    bounds = [bounds_of_strength, *bounds_of_logits]
    options: Any = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 1000}
    found = minimize(model.loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    alpha = np.zeros(counts.shape[1])
    alpha[voted] = np.exp(found.x[0]) * softmax(found.x[1:])
    return alpha


class DirichletMultinomial:
    """The likelihood Π_i Γ(A)/Γ(A + n_i) Π_k Γ(α_k + v_ik)/Γ(α_k) of counts v_ik.

    A is Σα, and n_i are the sums of the rows of the counts.
    """

    def __init__(self, counts: Array) -> None:
        self.n_items = len(counts)
        # Few counts are different, so the sums over items are sums over their distinct values.
        self.labels = [np.unique(column, return_counts=True) for column in counts.T]
        self.totals = np.unique(counts.sum(axis=1), return_counts=True)

    def loss(self, parameters: Array) -> tuple[float, Array]:
        """Return the negative log likelihood per item and its gradient.

        The parameters are log A and the logits of α/A.
        """
        p = softmax(parameters[1:])
        alpha = np.exp(parameters[0]) * p
        total, slope_of_total = _log_rising(alpha.sum(), *self.totals)
        values = np.empty_like(alpha)
        slopes = np.empty_like(alpha)
        for k, distinct in enumerate(self.labels):
            values[k], slopes[k] = _log_rising(alpha[k], *distinct)
        by_log_alpha = alpha * (slopes - slope_of_total)
        by_log_total = by_log_alpha.sum()
        by_logits = by_log_alpha - p * by_log_total
        loss = float(total - values.sum())
        gradient = -np.append(by_log_total, by_logits)
        return loss / self.n_items, gradient / self.n_items


def _log_rising(a: float, counts: Array, times: NDArray[np.intp]) -> tuple[float, float]:
    """Return Σ times · log(Γ(a + counts) / Γ(a)) and its derivative by a."""
    value = times @ (gammaln(a + counts) - gammaln(a))
    slope = times @ (psi(a + counts) - psi(a))
    return float(value), float(slope)
