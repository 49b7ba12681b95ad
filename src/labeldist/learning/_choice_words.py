"""A choice of learner in one plain paragraph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from labeldist.metrics import MEASURES
from labeldist.metrics._skill import ROUNDING_DIVERGENCE, describe_skill, percent

if TYPE_CHECKING:
    from labeldist.learning._choice import Choice
    from labeldist.learning._trials import Trial

FEW_ROWS = 100
"""With fewer rows than this the figures are called rough."""

HARDLY_VARY = 0.25
"""Predictions that vary by a smaller share of what the distributions do are said to hardly vary."""

TOLD_NEXT = 2
"""So many of the others are told of."""


def tell(choice: Choice) -> str:
    """Return what was compared, what was chosen, how much better than nothing it is, and what to beware of."""
    if choice.trivial.mean("kl_divergence") <= ROUNDING_DIVERGENCE:
        verdict = ["All rows have the same distribution, so there is nothing to learn but that: the mean was chosen."]
    elif choice.chosen is choice.trivial:
        verdict = [_no_better_than_the_mean(choice)]
    else:
        verdict = [_gain(choice), _others(choice)]
    return " ".join(sentence for sentence in (_setting(choice), *verdict, _cautions(choice)) if sentence)


def _setting(choice: Choice) -> str:
    compared = sum(not trial.failure for trial in choice.trials) - 1
    rows = f"{choice.compared_rows:,} rows"
    if choice.compared_rows < choice.n_rows:
        rows = f"{rows} drawn at random from {choice.n_rows:,}"
    folds = f"{choice.n_folds} folds" if choice.n_folds < choice.compared_rows else "each row held out in turn"
    learners = f"{compared} learner{'s' if compared != 1 else ''}"
    return f"{learners} and the mean distribution were compared by cross-validation on {rows}, {folds}."


def _gain(choice: Choice) -> str:
    chosen, trivial, title = choice.chosen, choice.trivial, MEASURES[choice.scoring].title
    what = "rows" if choice.n_folds == choice.compared_rows else "folds"
    gains = chosen.gains(trivial, choice.scoring)
    wins = f"better in {np.count_nonzero(gains > 0)} of {len(gains)} {what}"
    figures = _against(title, chosen.mean(choice.scoring), trivial.mean(choice.scoring))
    if choice.scoring != "kl_divergence":
        figures += f", {_against('Kullback-Leibler', chosen.mean('kl_divergence'), trivial.mean('kl_divergence'))}"
    verdict = f"{'' if choice.skill > 0 else 'by Kullback-Leibler '}it {describe_skill(choice.skill)}"
    doubt = ""
    if not chosen.is_clearly_better(trivial, choice.scoring):
        doubt = " It is not clearly better than the mean, which answers the same for every row."
    return f"{'Asked for' if choice.insisted else 'Chosen'}: {chosen.name}; {verdict} ({figures}), {wins}.{doubt}"


def _no_better_than_the_mean(choice: Choice) -> str:
    told = "No learner is clearly better than the mean, so the mean was chosen: it answers the same for every row."
    others = _ranked(choice)
    if not others:
        return told
    best = others[0]
    figures = _against(
        MEASURES[choice.scoring].title, best.mean(choice.scoring), choice.trivial.mean(choice.scoring), "against"
    )
    return f"{told} The best other is {best.name} ({figures}). Perhaps these features say nothing about the labels."


def _others(choice: Choice) -> str:
    """Say how the others did: none is clearly better, or it would have been chosen."""
    ranked, chosen = _ranked(choice), _value(choice.chosen, choice)
    same = [trial for trial in ranked if _value(trial, choice) <= chosen]
    worse = [trial for trial in ranked if _value(trial, choice) > chosen]
    told = []
    if same:
        told.append(f"Not clearly better, and less simple: {_listed(same, choice)}.")
    if worse:
        told.append(f"Next: {_listed(worse[:TOLD_NEXT], choice)}.")
    return " ".join(told)


def _cautions(choice: Choice) -> str:
    told = []
    if choice.compared_rows < FEW_ROWS:
        told.append(f"with {choice.compared_rows} rows these figures are rough")
    if choice.chosen is not choice.trivial and choice.chosen.spread < HARDLY_VARY * choice.truth_spread:
        share = percent(choice.chosen.spread / choice.truth_spread)
        told.append(f"predictions hardly vary, {share} as much as the distributions do, and mostly repeat the mean")
    if choice.weighted and not choice.chosen.takes_weights:
        told.append(f"{choice.name} takes no weights and learned from all rows alike, only its scores are weighted")
    told += [f"{trial.name} failed and was left out ({trial.failure})" for trial in choice.trials if trial.failure]
    return f"Caution: {'; '.join(told)}." if told else ""


def _ranked(choice: Choice) -> list[Trial]:
    others = [t for t in choice.trials if not t.failure and t is not choice.chosen and t is not choice.trivial]
    return sorted(others, key=lambda trial: _value(trial, choice))


def _value(trial: Trial, choice: Choice) -> float:
    """Return the mean score as a distance, of which less is better."""
    mean = trial.mean(choice.scoring)
    return -mean if MEASURES[choice.scoring].higher_is_better else mean


def _listed(trials: list[Trial], choice: Choice) -> str:
    return ", ".join(f"{trial.name} ({trial.mean(choice.scoring):.3g})" for trial in trials)


def _against(title: str, value: float, other: float, between: str = "instead of") -> str:
    digits = next((d for d in (3, 4, 5) if f"{value:.{d}g}" != f"{other:.{d}g}"), 6)
    return f"{title} {value:.{digits}g} {between} {other:.{digits}g}"
