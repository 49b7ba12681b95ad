"""Skill of a prediction: the share of the divergence of a trivial baseline that it saves."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from labeldist._typing import Array
from labeldist.metrics._measures import kl_divergence, score_all

ROUNDING_DIVERGENCE = 1e-12  # divergences up to this are zero but for rounding
UNIFORM = "all labels equally"  # the name of the uniform baseline


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
    """Score predictions against true distributions `D`, followed by two baselines: the mean of `D` and `UNIFORM`.

    `truth` is the name of `D` in the name of its mean, and `measures` is as in `score_all`.
    """
    mean = np.broadcast_to(np.average(D, axis=0, weights=sample_weight), D.shape)
    baselines = {f"the mean of {truth}": mean, UNIFORM: np.full_like(D, 1 / D.shape[1])}
    constant = kl_divergence(D, mean, sample_weight=sample_weight)
    scores: list[Score] = []
    for name, P in (*predictions.items(), *baselines.items()):
        share = skill(kl_divergence(D, P, sample_weight=sample_weight), constant)
        values = score_all(D, P, sample_weight=sample_weight, measures=measures)
        scores.append(Score(name, values, share, trivial=len(scores) >= len(predictions)))
    return scores


def skill(achieved: float, trivial: float) -> float:
    """Return the share of the Kullback-Leibler divergence of a baseline that a prediction saves.

    It is 0 for a prediction as good as the baseline and 1 for a perfect one, without a lower bound. If the baseline
    is perfect, it is 1 for a perfect prediction and 0 for any other.
    """
    if trivial <= ROUNDING_DIVERGENCE:
        return float(achieved <= ROUNDING_DIVERGENCE)
    return 1 - achieved / trivial


def describe_skill(share: float) -> str:
    """Return a predicate that describes a skill: ``explains 25 % of what the mean leaves unexplained``."""
    if share <= 0:
        return "is not better than predicting the mean"
    percent = f"{100 * share:.0f}" if share >= 0.1 else f"{100 * share:.1f}"
    return f"explains {percent} % of what the mean leaves unexplained"
