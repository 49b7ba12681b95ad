"""What is true of all items together: in plain words, and as tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from labeldist._typing import Array
from labeldist.explorer._contents import MOST_COLUMNS, MOST_ITEMS, Contents
from labeldist.metrics import MEASURES, chebyshev, intersection
from labeldist.metrics._skill import Score, describe_skill, score_with_baselines
from labeldist.simplex import ambiguity

FEW_LABELS = 8


@dataclass(frozen=True)
class Pair:
    """How far apart two versions are on average, and the share of items on whose top label they agree."""

    one: str
    other: str
    chebyshev: float
    intersection: float
    agreement: float


def scores(contents: Contents) -> list[Score]:
    """Measure every version against the truth, and last the two answers of nobody; nothing where there is no truth."""
    if contents.truth is None:
        return []
    versions = dict(contents.versions)
    D = versions.pop(contents.truth)
    return score_with_baselines(D, versions, truth=f"“{contents.truth}”")


def best(found: list[Score]) -> dict[str, float]:
    """Return the best value of each measure."""
    return {
        name: (max if measure.higher_is_better else min)(score.values[name] for score in found)
        for name, measure in MEASURES.items()
    }


def pairs(contents: Contents) -> list[Pair]:
    """Compare all versions with each other."""
    return [
        Pair(one, other, chebyshev(A, B), intersection(A, B), float((_tops(A) & _tops(B)).any(axis=1).mean()))
        for (one, A), (other, B) in combinations(contents.versions.items(), 2)
    ]


def first_items(contents: Contents, count: int = 10) -> list[dict[str, Any]]:
    """Return the first items with the three largest degrees of each version, in words."""
    return [
        {
            "name": contents.names[row],
            "logical": None if contents.logical is None else _given(contents, row),
            "versions": [_largest(D[row], contents.labels) for D in contents.versions.values()],
        }
        for row in range(min(count, len(contents.names)))
    ]


def sentences(contents: Contents) -> Iterator[str]:
    """Say what there is and how ambiguous it is."""
    n, c = contents.first.shape
    some = ", ".join(contents.labels[:FEW_LABELS]) + (f" and {c - FEW_LABELS} more" if c > FEW_LABELS else "")
    yield f"{_counted(n, 'item')} with {_counted(c, 'label')}: {some}."
    if contents.logical is not None:
        given = contents.logical.sum(axis=1)
        without = f"; {_counted(int((given == 0).sum()), 'item')} had none" if (given == 0).any() else ""
        yield f"An item was given {given.mean():.1f} of the labels on average{without}."
    top, spread = contents.first.max(axis=1), ambiguity(contents.first)
    undecided = int((top < 0.5).sum())
    yield (
        f"By “{next(iter(contents.versions))}” the top label of an item has a degree of {top.mean():.2f} on average; "
        f"in {_counted(undecided, 'item')} ({100 * undecided / n:.0f} %) no label reaches one half."
    )
    yield (
        f"Half of the items are less ambiguous than {np.median(spread):.1f} equal labels would be, one in ten more "
        f"ambiguous than {np.quantile(spread, 0.9):.1f}; 1 is one clear label, {c} no preference at all."
    )
    yield from _comparison(contents)
    if n > MOST_ITEMS:
        yield (
            f"The page can hold {MOST_ITEMS:,} items, drawn at random from the {n:,}; what is said of all items "
            "together is of all."
        )
    if contents.columns.shape[1] > MOST_COLUMNS:
        yield f"Of the {contents.columns.shape[1]:,} columns of the table the first {MOST_COLUMNS} are shown."


def _comparison(contents: Contents) -> Iterator[str]:
    """Say how good the versions are, or, if nothing is true, how far apart the first two are."""
    judged = [score for score in scores(contents) if not score.trivial]
    for score in judged:
        yield f"“{score.name}” {describe_skill(score.skill)} (by Kullback-Leibler, against “{contents.truth}”)."
    if not judged and len(contents.versions) > 1:
        pair = pairs(contents)[0]
        yield (
            f"“{pair.one}” and “{pair.other}” agree on the top label of {100 * pair.agreement:.0f} % of the items; "
            f"where they differ most, their degrees are {pair.chebyshev:.2f} apart on average."
        )


def _tops(D: Array) -> Any:
    """Mark the largest degrees of each row; of equal ones, as given labels have, all."""
    return D == D.max(axis=1, keepdims=True)


def _given(contents: Contents, row: int) -> str:
    return ", ".join(np.array(contents.labels, dtype=object)[contents.logical[row] == 1]) or "none"


def _largest(degrees: Array, labels: list[str]) -> str:
    return ", ".join(f"{labels[place]} {degrees[place]:.2f}" for place in np.argsort(-degrees, kind="stable")[:3])


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
