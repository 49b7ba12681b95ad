"""The Dirichlet-multinomial model of counts of votes, fitted by maximum likelihood."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, minimize
from scipy.special import gammaln, psi

from labeldist._typing import Array
from labeldist.exceptions import TableError

# Unanimous items have their largest likelihood at strength 0, where it is not defined.
MIN_STRENGTH = 1e-6
# Items that are all alike have it at infinity. At this strength they differ by 0.001.
MAX_STRENGTH = 1e6


def fit_dirichlet(counts: Array, needed_by: str) -> Array:
    """Return the parameters α, one per label, under which counts of votes are most likely.

    The distribution of an item is Dirichlet(α), and its votes are drawn from that distribution.
    Labels without any vote get α = 0. L-BFGS maximises the likelihood over log α.
    """
    if counts.sum(axis=1).max() < 2:
        reason = "one vote per item does not show disagreement"
        raise TableError(f"No item has two votes, but {needed_by} needs some: {reason}.")
    voted = counts.any(axis=0)
    model = DirichletMultinomial(counts[:, voted])
    log_shares = np.log(counts[:, voted].sum(axis=0) / counts.sum())
    bounds = Bounds(log_shares + np.log(MIN_STRENGTH), log_shares + np.log(MAX_STRENGTH))
    options: Any = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 1000}
    found = minimize(
        model.loss, log_shares, jac=True, method="L-BFGS-B", bounds=bounds, options=options
    )
    alpha = np.zeros(counts.shape[1])
    alpha[voted] = np.exp(found.x)
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

    def loss(self, log_alpha: Array) -> tuple[float, Array]:
        """Return the negative log likelihood per item and its gradient."""
        alpha = np.exp(log_alpha)
        total, slope_of_total = _log_rising(alpha.sum(), *self.totals)
        terms = [_log_rising(a, *counts) for a, counts in zip(alpha, self.labels, strict=True)]
        values, slopes = np.transpose(terms)
        loss = float(total - values.sum())
        gradient = alpha * (slope_of_total - slopes)
        return loss / self.n_items, gradient / self.n_items


def _log_rising(a: float, counts: Array, times: NDArray[np.intp]) -> tuple[float, float]:
    """Return Σ times · log(Γ(a + counts) / Γ(a)) and its derivative by a."""
    value = times @ (gammaln(a + counts) - gammaln(a))
    slope = times @ (psi(a + counts) - psi(a))
    return float(value), float(slope)
