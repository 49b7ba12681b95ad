"""How much better than nothing a prediction is: beside the answers of nobody, as a share, and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from labeldist._typing import Array
from labeldist.metrics._measures import score_all

ROUNDING_DIVERGENCE = 1e-12
"""A divergence below this is the rounding of a zero."""

EQUALLY = "all labels equally"
"""What the answer is called that gives every label the same degree."""


@dataclass(frozen=True)
class Score:
    """The measures of one answer against the truth; a trivial one is nobody's."""

    name: str
    values: dict[str, float]
    skill: float
    trivial: bool


def beside_nobody(
    D: Array, answers: Mapping[str, Array], *, sample_weight: Array | None = None, truth: str = "the truth"
) -> list[Score]:
    """Measure answers against the true distributions `D`, and last the two of nobody: their mean, and `EQUALLY`.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_labels)
    answers : mapping of str to ndarray of shape (n_samples, n_labels)
    sample_weight : array-like of shape (n_samples,), default=None
    truth : str, default="the truth"
        What `D` is called: its mean is "the mean of" that.
    """
    mean = np.broadcast_to(np.average(D, axis=0, weights=sample_weight), D.shape)
    nobody = {f"the mean of {truth}": mean, EQUALLY: np.full_like(D, 1 / D.shape[1])}
    judged = [
        (name, score_all(D, P, sample_weight=sample_weight), trivial)
        for trivial, named in ((False, answers), (True, nobody))
        for name, P in named.items()
    ]
    constant = judged[-2][1]["kl_divergence"]
    return [Score(name, values, skill(values["kl_divergence"], constant), trivial) for name, values, trivial in judged]


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


def skill_in_words(share: float) -> str:
    """Say what a prediction with this skill does, to go on after its name.

    >>> skill_in_words(0.25)
    'explains 25 % of what the mean leaves unexplained'
    >>> skill_in_words(-3.0)
    'is no better than always answering the mean'
    """
    if share <= 0:
        return "is no better than always answering the mean"
    return f"explains {percent(share)} of what the mean leaves unexplained"


def percent(share: float) -> str:
    """Write a share in whole percent, a small one with a decimal."""
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1f} %"
