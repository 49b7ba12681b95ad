"""Skill of a prediction: the relative reduction of the divergence of a trivial baseline."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from labeldist._typing import Array
from labeldist.metrics._measures import kl_divergence, score_all
from labeldist.simplex import normalize

ROUNDING_DIVERGENCE = 1e-12  # divergences up to this are zero up to rounding
UNIFORM = "all labels equally"  # the name of the uniform baseline


def skill(
    D: ArrayLike,
    P: ArrayLike,
    *,
    baseline: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the skill 1 − KL(D, P) / KL(D, baseline) of predicted distributions.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_labels)
        The true distributions. Each row is divided by its sum.
    P : array-like of shape (n_samples, n_labels)
        The predicted distributions.
    baseline : array-like of shape (n_labels,) or (n_samples, n_labels), default=None
        Distributions that the prediction is compared with. None is the weighted mean of `D`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.

    Returns
    -------
    float
        1 for a perfect prediction, 0 for one as good as the baseline, without a lower bound. If the
        baseline is perfect, 1 for a perfect prediction and 0 for any other.

    See Also
    --------
    kl_divergence : The divergence that is compared.

    Examples
    --------
    >>> from labeldist.metrics import skill
    >>> D = [[0.9, 0.1], [0.1, 0.9]]
    >>> round(skill(D, [[0.8, 0.2], [0.2, 0.8]]), 2)
    0.9
    """
    degrees = normalize(D, copy=False)
    if baseline is None:
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        baseline = np.average(degrees, axis=0, weights=weight)
    constant = np.broadcast_to(np.asarray(baseline, dtype=np.float64), degrees.shape)
    achieved = kl_divergence(degrees, P, sample_weight=sample_weight)
    return relative_reduction(
        achieved, kl_divergence(degrees, constant, sample_weight=sample_weight)
    )


def relative_reduction(achieved: float, trivial: float) -> float:
    """Return 1 − achieved / trivial for two divergences; see `skill` for a trivial one of zero."""
    if trivial <= ROUNDING_DIVERGENCE:
        return float(achieved <= ROUNDING_DIVERGENCE)
    return 1 - achieved / trivial


def describe_skill(share: float) -> str:
    """Return a predicate that describes a skill: ``reduces the KL of the mean by 25 %``."""
    if share <= 0:
        return "does not reduce the KL of the mean"
    percent = f"{100 * share:.0f}" if share >= 0.1 else f"{100 * share:.1f}"
    return f"reduces the KL of the mean by {percent} %"


@dataclass(frozen=True)
class Score:
    """The measures of one prediction, or of a trivial baseline."""

    name: str
    values: dict[str, float]
    skill: float
    trivial: bool


def score_with_baselines(
    D: Array,
    predictions: Mapping[str, Array],
    *,
    sample_weight: Array | None = None,
    truth: str = "the truth",
    measures: str | Iterable[str] = "paper",
) -> list[Score]:
    """Score predictions against true distributions `D`, followed by the mean of `D` and `UNIFORM`.

    `truth` is the name of `D` in the name of its mean. `measures` is "paper", "all" or names.
    """
    mean = np.average(D, axis=0, weights=sample_weight)
    baselines = {
        f"the mean of {truth}": np.broadcast_to(mean, D.shape),
        UNIFORM: np.full_like(D, 1 / D.shape[1]),
    }
    scores: list[Score] = []
    for name, P in (*predictions.items(), *baselines.items()):
        values = score_all(D, P, sample_weight=sample_weight, measures=measures)
        share = skill(D, P, baseline=mean, sample_weight=sample_weight)
        scores.append(Score(name, values, share, trivial=len(scores) >= len(predictions)))
    return scores
