"""What the paper says of its two heat maps, judged on grids of the same points.

A map has the weight of the reconstruction term in its rows and the other weight in its columns, both as powers of ten
from −4 to 3, and distances as entries.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from labeldist.experiments.cases import FAILS, HOLDS, OPEN, percent
from labeldist.experiments.statistics import distance
from labeldist.metrics import MEASURES

POWERS = range(-4, 4)
SHOWN = ("chebyshev", "cosine")
GRIDS = {"BD-LE": ("smoothness", "α", "λ"), "BD-LDL": ("ridge", "λ₁", "λ₂")}
"""The weight that a model has beside `reconstruction`, and what the paper calls the two."""

Judgement = tuple[str, str]
"""A verdict, and the evidence in words."""


def heat_map(points: pd.DataFrame, model: str, dataset: str, measure: str) -> pd.DataFrame:
    """Return one map from `statistics.grid_points`, NaN where a point is missing."""
    chosen = (points["variant"] == model) & (points["dataset"] == dataset) & (points["measure"] == measure)
    rows = points[chosen]
    other = GRIDS[model][0]
    powers = {name: np.log10(rows[name]).round(6) for name in ("reconstruction", other)}
    entries = rows.assign(distance=distance(rows["value"], rows["measure"]), **powers)
    found = entries.pivot_table(index="reconstruction", columns=other, values="distance")
    return found.reindex(index=POWERS, columns=POWERS)


def _judge_maps(points: pd.DataFrame, model: str, rule: Callable[[pd.DataFrame], tuple[bool, str]]) -> Judgement:
    """Judge every map of a model by a rule; the claim holds if it does on all of them."""
    holds, told = [], []
    for name, entries in _whole_maps(points, model):
        true, evidence = rule(entries)
        holds.append(true)
        told.append(f"{name}: {evidence}.")
    if not holds:
        return OPEN, f"There is no whole 8 × 8 grid of {model}."
    return HOLDS if all(holds) else FAILS, " ".join(told)


def _whole_maps(points: pd.DataFrame, model: str) -> Iterator[tuple[str, pd.DataFrame]]:
    for dataset in points.loc[points["variant"] == model, "dataset"].unique():
        for measure in SHOWN:
            entries = heat_map(points, model, dataset, measure)
            if entries.notna().to_numpy().all():
                yield f"{dataset}, {MEASURES[measure].title}", entries


def best_at(points: pd.DataFrame, model: str, power: int) -> Judgement:
    """Judge that the best point has both weights about 10^power: within a factor of ten."""
    _, first, second = GRIDS[model]

    def rule(entries: pd.DataFrame) -> tuple[bool, str]:
        row = entries.min(axis=1).idxmin()
        best = row, entries.loc[row].idxmin()
        loss = entries.loc[power, power] / entries.min(axis=None) - 1
        told = f"best at {first} = 1e{best[0]}, {second} = 1e{best[1]}; at 1e{power} for both, {percent(loss)} worse"
        return all(abs(found - power) <= 1 for found in best), told

    return _judge_maps(points, model, rule)


def any_reconstruction_does(points: pd.DataFrame, model: str, largest_other: int, margin: float) -> Judgement:
    """Judge that, with the other weight up to 10^largest_other, every point is within a margin of the best."""
    second = GRIDS[model][2]

    def rule(entries: pd.DataFrame) -> tuple[bool, str]:
        part = entries.loc[:, :largest_other]
        best, worst, worst_here = entries.min(axis=None), entries.max(axis=None), part.max(axis=None)
        loss, share = worst_here / best - 1, (worst_here - best) / (worst - best) if worst > best else 0.0
        told = (
            f"with {second} up to 1e{largest_other} the worst point is {percent(loss)} worse than the best of the map, "
            f"{percent(share)} of the way to the worst of the map"
        )
        return bool(loss <= margin), told

    return _judge_maps(points, model, rule)


def flat_in_reconstruction(points: pd.DataFrame, model: str, smallest: int, margin: float) -> Judgement:
    """Judge that, from 10^smallest on, the reconstruction's weight changes no column by more than a margin."""
    _, first, second = GRIDS[model]

    def rule(entries: pd.DataFrame) -> tuple[bool, str]:
        part = entries.loc[smallest:]
        change = part.max() / part.min() - 1
        told = (
            f"over {first} from 1e{smallest} to 1e{POWERS[-1]} the figure changes by {percent(change.min())} to "
            f"{percent(change.max())}, most at {second} = 1e{change.idxmax()}"
        )
        return bool(change.max() <= margin), told

    return _judge_maps(points, model, rule)
