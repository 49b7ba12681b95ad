"""Scores of predictions beside those of two trivial baselines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from labeldist.app.types import Array
from labeldist.metrics import MEASURES, best_constant, score_all, skill

UNIFORM = "all labels equally"  # the name of the uniform baseline


@dataclass(frozen=True)
class Baseline:
    """A constant prediction and its name."""

    name: str
    degrees: Array

    @classmethod
    def of(
        cls, D: Array, source: str, *, measure: str = "kl_divergence", weight: Array | None = None
    ) -> Baseline:
        """Return the best constant prediction for true distributions `D` from `source`."""
        constant = best_constant(D, measure=measure, sample_weight=weight)
        is_mean = np.array_equal(constant, best_constant(D, sample_weight=weight))
        name = "the mean" if is_mean else "the best constant"
        return cls(f"{name} of {source}", constant)


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
    baseline: Baseline,
    sample_weight: Array | None = None,
    measures: str | Iterable[str] = "paper",
    scoring: str = "kl_divergence",
) -> list[Score]:
    """Score predictions against true distributions `D`, followed by a baseline and `UNIFORM`.

    The skill is by the measure `scoring`. `measures` is that of `labeldist.metrics.score_all`.
    """
    baselines = {
        baseline.name: np.broadcast_to(baseline.degrees, D.shape),
        UNIFORM: np.full_like(D, 1 / D.shape[1]),
    }
    scores: list[Score] = []
    for name, P in (*predictions.items(), *baselines.items()):
        values = score_all(D, P, sample_weight=sample_weight, measures=measures)
        share = skill(D, P, measure=scoring, baseline=baseline.degrees, sample_weight=sample_weight)
        scores.append(Score(name, values, share, trivial=len(scores) >= len(predictions)))
    return scores


def describe_skill(share: float, measure: str = "kl_divergence", baseline: str = "the mean") -> str:
    """Return a predicate that describes a skill: ``reduces the KL of the mean by 25 %``."""
    chosen = MEASURES[measure]
    loss = "KL" if measure == "kl_divergence" else f"{chosen.title} loss"
    if share <= 0:
        return f"does not reduce the {loss} of {baseline}"
    percent = f"{100 * share:.0f}" if share >= 0.1 else f"{100 * share:.1f}"
    return f"reduces the {loss} of {baseline} by {percent} %"
