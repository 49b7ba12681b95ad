"""The noise ceiling of degrees that are shares of votes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from labeldist.app.tables.column_kinds import to_numbers
from labeldist.app.types import VOTES_COLUMN, Array
from labeldist.simplex import normalize

if TYPE_CHECKING:
    import pandas as pd

# Rounded shares of votes, times the votes, differ from whole numbers by at most this.
MAX_FRACTION = 0.05
MAX_ITEMS = 2_000  # Of more items, a random sample determines the ceiling.


def counts_of_votes(frame: pd.DataFrame, D: Array) -> Array | None:
    """Return counts of votes, None unless `D` are shares of the numbers in the column `votes`."""
    if VOTES_COLUMN not in frame.columns:
        return None
    n_votes = to_numbers(frame[VOTES_COLUMN], truth_words=False)
    counts = normalize(D) * n_votes[:, None]
    whole = np.rint(counts)
    is_whole = np.abs(counts - whole) <= MAX_FRACTION
    is_kept = (whole > 0) | (D == 0)  # no positive degree is rounded to zero votes
    return whole if (is_whole & is_kept).all() else None


def noise_ceiling_of(
    frame: pd.DataFrame, D: Array, weight: Any, skill: float, measure: str = "kl_divergence"
) -> tuple[float | None, str]:
    """Return the noise ceiling and a text about it.

    They are None and "" unless `D` are shares of known numbers of votes, and the skill is by
    Kullback-Leibler.
    """
    from labeldist import VoteLE
    from labeldist.votes import from_votes, noise_ceiling

    if VOTES_COLUMN not in frame.columns or measure != "kl_divergence":
        return None, ""
    weights = np.ones(len(D)) if weight is None else weight
    used = (to_numbers(frame[VOTES_COLUMN], truth_words=False) > 0) & (weights > 0)
    counts = counts_of_votes(frame[used], D[used])
    if counts is None or counts.sum(axis=1).max(initial=0) < 2:
        return None, ""
    mean = counts.sum(axis=1).mean()
    sample = _sample(len(counts))
    votes = from_votes(counts[sample])
    # The priors of VoteLE fit better than the Dirichlet prior if labels are correlated.
    estimate = VoteLE().fit(None, votes)
    ceiling = noise_ceiling(votes, sample_weight=weights[used][sample], estimate=estimate)
    about = f"the true distributions themselves have a skill of about {ceiling:.2f}"
    text = f"Noise ceiling: with {mean:.3g} votes per item, {about}, estimated from the votes."
    if skill > ceiling:
        text += (
            " A higher skill can mean that this estimate is rough, that the model was fitted to "
            "these rows, or that features contain votes."
        )
    return ceiling, text


def _sample(n: int) -> Any:
    if n <= MAX_ITEMS:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, MAX_ITEMS, replace=False))
