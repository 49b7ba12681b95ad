"""Problem transformation: every row becomes one weighted example of each label."""

from typing import Any, Literal

import numpy as np

from labeldist._compat import StrOptions
from labeldist._typing import Array

Sampling = Literal["exact", "draw"]
SAMPLING_CONSTRAINT = [StrOptions({"exact", "draw"})]


def example_weights(
    D: Array, sample_weight: Array | None, sampling: Sampling, random_state: Any
) -> Array:
    """Return the weights of the single-label examples, (n, c).

    They are degree times row weight, or numbers drawn in this proportion.
    """
    weights = D if sample_weight is None else D * sample_weight[:, None]
    if sampling == "exact":
        return weights
    rng = np.random.default_rng(random_state)
    counts = rng.multinomial(D.size, weights.ravel() / weights.sum())
    return counts.reshape(D.shape).astype(np.float64)
