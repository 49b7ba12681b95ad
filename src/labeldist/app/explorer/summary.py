"""Summary of all items: scores of the versions, distances between them, and sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from labeldist._text import listed
from labeldist._typing import Array
from labeldist.app.explorer.contents import Contents
from labeldist.app.scores import Baseline, Score, describe_skill, score_with_baselines
from labeldist.metrics import chebyshev, intersection
from labeldist.simplex import ambiguity

MAX_ITEMS = 20_000  # Of more items, a random sample is shown.
MAX_COLUMNS = 40
MAX_LABELS_LISTED = 8


@dataclass(frozen=True)
class Pair:
    """Mean distances between two versions, and the share of items with a top label in common."""

    one: str
    other: str
    chebyshev: float
    intersection: float
    agreement: float


def scores(contents: Contents) -> list[Score]:
    """Return the measures of every version against the truth, then of the trivial baselines.

    The truth are the votes if there is an estimate. It is not scored, since it is made of them.
    """
    if contents.truth is None:
        return []
    versions = dict(contents.versions)
    D = versions.pop(contents.truth)
    if contents.estimate is not None:
        del versions[contents.estimate]
    baseline = Baseline.of(D, f"“{contents.truth}”")
    return score_with_baselines(D, versions, baseline=baseline)


def compare_pairs(contents: Contents) -> list[Pair]:
    """Compare each version with each other version."""
    pairs = []
    for (one, A), (other, B) in combinations(contents.versions.items(), 2):
        share_top = (_is_top(A) & _is_top(B)).any(axis=1)
        agreement = float(share_top.mean())
        pairs.append(Pair(one, other, chebyshev(A, B), intersection(A, B), agreement))
    return pairs


def _is_top(D: Array) -> Any:
    return D == D.max(axis=1, keepdims=True)


def sentences(contents: Contents) -> Iterator[str]:
    """Describe the items, their ambiguity, and the quality or agreement of the versions."""
    first, D = next(iter(contents.versions.items()))
    n, c = D.shape
    labels = listed(contents.labels, MAX_LABELS_LISTED)
    items = "1 item" if n == 1 else f"{n:,} items"
    yield f"{items} with {c} labels: {labels}."
    median, high = np.quantile(ambiguity(D), [0.5, 0.9])
    yield (
        f"Ambiguity by “{first}”: median {median:.1f}, 90 % quantile {high:.1f}; "
        f"it ranges from 1 (a single label) to {c} (equal degrees)."
    )
    for score in scores(contents):
        if not score.trivial:
            skill = describe_skill(score.skill)
            yield f"“{score.name}” {skill} (by Kullback-Leibler, against “{contents.truth}”)."
    if contents.truth is None:
        for pair in compare_pairs(contents)[:1]:
            versions = f"“{pair.one}” and “{pair.other}”"
            yield (
                f"{versions} have a top label in common for {pair.agreement:.0%} of items; "
                f"the largest difference of their degrees is {pair.chebyshev:.2f} on average."
            )
    if n > MAX_ITEMS:
        sample = f"a random sample of {MAX_ITEMS:,} items"
        yield f"The page shows {sample}; the summary covers all {n:,}."
    n_columns = contents.columns.shape[1]
    if n_columns > MAX_COLUMNS:
        yield f"The page shows the first {MAX_COLUMNS} of {n_columns:,} columns."
