"""A prior of degrees whose spread is uncertain, because few votes determine it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial.hermite_e import hermegauss

from labeldist._typing import Array
from labeldist.enhancement._vote_le.left_out_votes import Posterior

POINTS, WEIGHTS = hermegauss(3)  # for the mean of a function of a standard normal variable


class UncertainPrior(NamedTuple):
    """A fitted prior between two with a larger and a smaller spread."""

    wide: Any
    fitted: Any
    narrow: Any

    @classmethod
    def of(cls, prior_at: Callable[[float], Any]) -> UncertainPrior:
        """Return the priors at `POINTS`.

        ``prior_at(k)`` is the prior whose log strength is k deviations above the fitted one.
        """
        return cls(*map(prior_at, POINTS))

    def posterior(self, counts: Array, means: Array) -> Posterior:
        """Return the posterior of the fitted prior, with the variance over all three priors.

        A degree with mean m has at most the variance m(1 − m). The average of the three posteriors
        gives the fraction of this limit, and the fitted prior gives m.
        """
        posteriors = [prior.posterior(counts, means) for prior in self]
        mean, second, _ = np.average(posteriors, axis=0, weights=WEIGHTS)
        fraction = (second - mean**2) / (mean * (1 - mean))
        fitted = posteriors[1]
        variance = fraction * fitted.mean * (1 - fitted.mean)
        return fitted._replace(second=fitted.mean**2 + variance)
