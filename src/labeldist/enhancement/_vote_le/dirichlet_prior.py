"""The Dirichlet prior of degrees: d ~ Dir(s·p), where p may differ between items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from labeldist._typing import Array
from labeldist.enhancement._vote_le.posteriors import Posterior


@dataclass(frozen=True)
class DirichletPrior:
    """The prior Dir(s·p)."""

    strength: float

    def posterior(self, counts: Array, means: Array) -> Posterior:
        """Return the posterior of degrees given counts and p, both (n, c)."""
        s = self.strength
        n = counts.sum(axis=1, keepdims=True)
        mean = (counts + s * means) / (n + s)
        second = mean**2 + mean * (1 - mean) / (n + s + 1)
        left_out = (np.maximum(counts - 1, 0) + s * means) / (np.maximum(n - 1, 0) + s)
        rising = gammaln(s * means + counts) - gammaln(s * means)
        log_evidence = rising.sum(axis=1) - (gammaln(s + n) - gammaln(s))[:, 0]
        return Posterior(mean, second, left_out, log_evidence)
