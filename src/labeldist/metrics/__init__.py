"""Measures of the difference between true and predicted label distributions."""

from labeldist.metrics._measures import (
    KL_FLOOR,
    MEASURES,
    Measure,
    canberra,
    chebyshev,
    clark,
    cosine,
    get_scorer,
    intersection,
    kl_divergence,
    score_all,
)

__all__ = [
    "KL_FLOOR",
    "MEASURES",
    "Measure",
    "canberra",
    "chebyshev",
    "clark",
    "cosine",
    "get_scorer",
    "intersection",
    "kl_divergence",
    "score_all",
]
