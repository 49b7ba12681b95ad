"""The prior of how different items are, which matters if the votes hardly show it."""

from __future__ import annotations

import numpy as np

from labeldist._typing import Array

MEDIAN = 0.15  # of the sum of the variances of the scores
DEVIATION = 1.5  # of its logarithm


def log_spread_prior(variance: float | Array, n_labels: int) -> Array:
    """Return the log density, up to a constant, of the mean variance of the scores of an item.

    The sum of the variances over the n_labels − 1 contrasts has a log-normal distribution.
    """
    total = np.asarray(variance) * max(n_labels - 1, 1)
    standardised = np.log(total / MEDIAN) / DEVIATION
    return -0.5 * standardised**2
