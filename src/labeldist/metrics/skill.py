"""How much better than nothing a prediction is."""

ROUNDING_DIVERGENCE = 1e-12
"""A divergence below this is the rounding of a zero."""


def skill(achieved: float, trivial: float) -> float:
    """Return the share of a trivial answer's Kullback-Leibler divergence that a prediction saves.

    0 is no better than the trivial answer, 1 is perfect, and there is no lower bound. Where the trivial answer is
    perfect itself, it is 1 for a perfect prediction and 0 for any other.

    >>> skill(0.03, 0.04)
    0.25
    >>> skill(0.03, 0.0)
    0.0
    """
    if trivial <= ROUNDING_DIVERGENCE:
        return float(achieved <= ROUNDING_DIVERGENCE)
    return 1 - achieved / trivial
