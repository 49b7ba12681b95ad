"""Rules that judge claims: how many cases are against a claim, and the shape of a parameter grid.

A case is a data set and a measure. A table of cases has one row per case, one column per method,
and distances as entries, NaN where there is no record. The same rules judge the printed values and
our records.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from labeldist.datasets import list_datasets
from labeldist.metrics import MEASURES
from reproduction.paper import paper_cells
from reproduction.significance import distance

HOLDS, FAILS, OPEN = "holds", "does not hold", "cannot be judged"

ABLATION_MEASURES = ["canberra", "intersection"]
TUNED = {"LE": "oracle", "LDL": "tuned"}
"""The variant of the ablation in which every method has its best weights."""

DIGITS = 4
"""Methods are compared in the digits that the paper prints."""

POWERS = range(-4, 4)
SHOWN = ("chebyshev", "cosine")
GRIDS = {"BD-LE": ("smoothness", "α", "λ"), "BD-LDL": ("ridge", "λ₁", "λ₂")}
"""The second weight of a model, and the symbols of `reconstruction` and of that weight."""

Judgement = tuple[str, str]
"""A verdict and its evidence."""


def percent(share: float) -> str:
    """Format a share: 0.0467 is "4.7 %"."""
    return f"{100 * share:.1f} %"


def enumerate_names(names: list[str]) -> str:
    """Format names: "A, B and C", or "none"."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or "none"


@dataclass(frozen=True)
class Tally:
    """The number of `known` cases among `total`, and of those that are `against` a claim."""

    against: int
    known: int
    total: int

    def verdict(self, allowed: int = 0) -> str:
        """Judge a claim against which `allowed` cases may be; unknown cases may go either way."""
        if self.against > allowed:
            return FAILS
        return HOLDS if self.against + self.total - self.known <= allowed else OPEN

    def __str__(self) -> str:
        if not self.known:
            return f"unknown in all {self.total} cases"
        share = percent(self.against / self.known)
        if self.known < self.total:
            unknown = self.total - self.known
            return f"{self.against} of {self.known} known cases ({share}; {unknown} unknown)"
        return f"{self.against} of {self.total} cases ({share})"


def tally(against: pd.Series, known: pd.Series) -> Tally:
    """Count the cases of two boolean columns."""
    return Tally(int((against & known).sum()), int(known.sum()), len(known))


def printed(experiment: str) -> pd.DataFrame:
    """Return the printed cases of one of the paper's experiments."""
    cells = paper_cells()
    cells = cells[cells["experiment"] == experiment]
    return _pivot(cells, "value")


def recorded(
    table: pd.DataFrame,
    experiment: str,
    methods: list[str],
    measures: list[str],
    *,
    variant: str = "",
    kind: str = "",
) -> pd.DataFrame:
    """Return the cases of all thirteen data sets from a `significance.summary`."""
    rows = table[(table["experiment"] == experiment) & (table["variant"] == variant)]
    rows = rows[rows["method"].isin(methods) & (not kind or rows["kind"] == kind)]
    every_case = pd.MultiIndex.from_product(
        [list_datasets(), measures], names=["dataset", "measure"]
    )
    return _pivot(rows, "mean").reindex(index=every_case, columns=methods)


def ablation(table: pd.DataFrame, task: str, variant: str) -> pd.DataFrame:
    """Return the cases of the ablation for "LE" or "LDL": with, without, and a ridge instead."""
    methods = [f"BD-{task}", f"UD-{task}", f"UD-{task} + ridge"]
    kind = {"LE": "recovery", "LDL": "prediction"}[task]
    return recorded(table, "ablation", methods, ABLATION_MEASURES, variant=variant, kind=kind)


def control_cases(table: pd.DataFrame, task: str) -> tuple[pd.DataFrame, str]:
    """Return the cases of reconstruction and of its control, and a description of the weights.

    They are the tuned ones if these are available.
    """
    pair = [f"BD-{task}", f"UD-{task} + ridge"]
    tuned = ablation(table, task, TUNED[task])[pair]
    if tuned.notna().all(axis=1).any():
        return tuned, "with each at its best" + (" by the truth" if TUNED[task] == "oracle" else "")
    return ablation(table, task, "published")[pair], "at the published weights"


def _pivot(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    rows = rows.assign(distance=distance(rows[column], rows["measure"]).astype(float).round(12))
    keys = ["dataset", "measure", "method"]
    return rows.drop_duplicates(keys).set_index(keys)["distance"].unstack("method")


def first(cases: pd.DataFrame, champions: list[str]) -> Tally:
    """Count the cases in which another method is better than all of the champions."""
    cases = cases.round(DIGITS)
    ours, others = cases[champions], cases.drop(columns=champions)
    beaten = (others.min(axis=1) < ours.min(axis=1)) & ours.notna().all(axis=1)
    return tally(beaten, beaten | cases.notna().all(axis=1))


def better(cases: pd.DataFrame, method: str, other: str) -> Tally:
    """Count the cases in which a method is not better than another."""
    pair = cases[[method, other]].round(DIGITS)
    return tally(pair[method] >= pair[other], pair.notna().all(axis=1))


def gains(cases: pd.DataFrame, method: str, other: str) -> pd.Series:
    """Return the share by which a method reduces the other's distance, for cases that have both."""
    return (1 - cases[method] / cases[other]).dropna()


def heat_map(points: pd.DataFrame, model: str, dataset: str, measure: str) -> pd.DataFrame:
    """Return distances over a grid of powers of ten: `reconstruction` down, the other across."""
    chosen = (
        (points["variant"] == model)
        & (points["dataset"] == dataset)
        & (points["measure"] == measure)
    )
    rows = points[chosen]
    other = GRIDS[model][0]
    powers = {name: np.log10(rows[name]).round(6) for name in ("reconstruction", other)}
    entries = rows.assign(distance=distance(rows["value"], rows["measure"]), **powers)
    found = entries.pivot_table(index="reconstruction", columns=other, values="distance")
    return found.reindex(index=POWERS, columns=POWERS)


def _judge_maps(
    points: pd.DataFrame, model: str, rule: Callable[[pd.DataFrame], tuple[bool, str]]
) -> Judgement:
    """Judge every complete grid of a model by a rule, which must hold on all of them."""
    holds: list[bool] = []
    found: list[str] = []
    for name, entries in _whole_maps(points, model):
        true, evidence = rule(entries)
        holds.append(true)
        found.append(f"{name}: {evidence}.")
    if not holds:
        return OPEN, f"No complete 8 × 8 grid of {model} is recorded."
    return HOLDS if all(holds) else FAILS, " ".join(found)


def _whole_maps(points: pd.DataFrame, model: str) -> Iterator[tuple[str, pd.DataFrame]]:
    for dataset in points.loc[points["variant"] == model, "dataset"].unique():
        for measure in SHOWN:
            entries = heat_map(points, model, dataset, measure)
            if entries.notna().to_numpy().all():
                yield f"{dataset}, {MEASURES[measure].title}", entries


def best_at(points: pd.DataFrame, model: str, power: int) -> Judgement:
    """Judge that both weights of the best point are within a factor of ten of 10^power."""
    _, first, second = GRIDS[model]

    def rule(entries: pd.DataFrame) -> tuple[bool, str]:
        row = entries.min(axis=1).idxmin()
        best = row, entries.loc[row].idxmin()
        loss = entries.loc[power, power] / entries.min(axis=None) - 1
        evidence = (
            f"best at {first} = 1e{best[0]}, {second} = 1e{best[1]}; "
            f"at 1e{power} for both, {percent(loss)} worse"
        )
        return all(abs(found - power) <= 1 for found in best), evidence

    return _judge_maps(points, model, rule)


def any_reconstruction_does(
    points: pd.DataFrame, model: str, largest_other: int, margin: float
) -> Judgement:
    """Judge that points with a second weight up to 10^largest_other are nearly the best."""
    second = GRIDS[model][2]

    def rule(entries: pd.DataFrame) -> tuple[bool, str]:
        part = entries.loc[:, :largest_other]
        best, worst, worst_here = (
            entries.min(axis=None),
            entries.max(axis=None),
            part.max(axis=None),
        )
        loss, share = (
            worst_here / best - 1,
            (worst_here - best) / (worst - best) if worst > best else 0.0,
        )
        evidence = (
            f"with {second} up to 1e{largest_other} the worst point is {percent(loss)} worse than "
            f"the best of the map, {percent(share)} of the way to the worst of the map"
        )
        return bool(loss <= margin), evidence

    return _judge_maps(points, model, rule)


def flat_in_reconstruction(
    points: pd.DataFrame, model: str, smallest: int, margin: float
) -> Judgement:
    """Judge that `reconstruction` from 10^smallest on changes each column by at most a margin."""
    _, first, second = GRIDS[model]

    def rule(entries: pd.DataFrame) -> tuple[bool, str]:
        part = entries.loc[smallest:]
        change = part.max() / part.min() - 1
        evidence = (
            f"over {first} from 1e{smallest} to 1e{POWERS[-1]} the figure changes by "
            f"{percent(change.min())} to {percent(change.max())}, "
            f"most at {second} = 1e{change.idxmax()}"
        )
        return bool(change.max() <= margin), evidence

    return _judge_maps(points, model, rule)
