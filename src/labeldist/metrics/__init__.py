"""How far a predicted label distribution is from the true one."""

from labeldist.metrics._measures import (
    KL_FLOOR,
    MEASURES,
    Measure,
    canberra,
    chebyshev,
    clark,
    cosine,
    intersection,
    kl_divergence,
    score_all,
)
from labeldist.metrics._scorers import get_scorer

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
