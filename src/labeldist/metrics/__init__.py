"""Measures of the difference between true and predicted label distributions."""

from labeldist.metrics._measures import (
    KL_FLOOR,
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

__all__ = ["KL_FLOOR", "MEASURES", "PAPER_MEASURES", "Measure", "canberra", "chebyshev", "clark"]
__all__ += ["cosine", "euclidean", "get_scorer", "intersection", "jensen_shannon", "kendall", "kl_divergence"]
__all__ += ["manhattan", "ranked_probability", "score_all", "spearman", "top_label", "wasserstein"]
