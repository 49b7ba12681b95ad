"""Measures of the difference between true and predicted label distributions."""

from labeldist.metrics._entropy_correlation import entropy_correlation
from labeldist.metrics._measures import (
    MEASURES,
    PAPER_MEASURES,
    Measure,
    canberra,
    chebyshev,
    clark,
    cosine,
    euclidean,
    get_scorer,
    intersection,
    jensen_shannon,
    kendall,
    kl_divergence,
    manhattan,
    ranked_probability,
    score_all,
    spearman,
    top_label,
    wasserstein,
)
from labeldist.metrics._skill import skill

__all__ = [
    "MEASURES",
    "PAPER_MEASURES",
    "Measure",
    "canberra",
    "chebyshev",
    "clark",
    "cosine",
    "entropy_correlation",
    "euclidean",
    "get_scorer",
    "intersection",
    "jensen_shannon",
    "kendall",
    "kl_divergence",
    "manhattan",
    "ranked_probability",
    "score_all",
    "skill",
    "spearman",
    "top_label",
    "wasserstein",
]
