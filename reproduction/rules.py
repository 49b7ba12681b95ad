"""Rules that judge claims: how many cases are against a claim, and the shape of a parameter grid.

A case is a data set and a measure. A table of cases has one row per case, one column per method,
and distances as entries, NaN where there is no record. The same rules judge the printed values and
our records.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from labeldist.datasets import list_datasets
from labeldist.metrics import MEASURES
from reproduction.paper import MARGIN, paper_cells
from reproduction.significance import distance, where

HOLDS, FAILS, OPEN = "holds", "does not hold", "cannot be judged"

ABLATION_MEASURES = ["canberra", "intersection"]
TUNED = {"LE": "oracle", "LDL": "tuned"}
"""The variant of the ablation in which every method has its best weights."""

DIGITS = 4
"""Methods are compared in the digits that the paper prints."""

POWERS = range(-4, 4)
SHOWN = ("chebyshev", "cosine")
GRIDS = {"BD-LE": ("α (reconstruction)", "λ (smoothness)")}
GRIDS["BD-LDL"] = ("λ₁ (reconstruction)", "λ₂ (ridge)")
"""The two weights of a model."""

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
        share = percent(self.against / max(self.known, 1))
        if self.known < self.total:
            unknown = self.total - self.known
            return f"{self.against} of {self.known} known cases ({share}; {unknown} unknown)"
        return f"{self.against} of {self.total} cases ({share})"


def tally(against: pd.Series, known: pd.Series) -> Tally:
    """Count the cases of two boolean columns."""
    return Tally(int((against & known).sum()), int(known.sum()), len(known))


def printed(experiment: str) -> pd.DataFrame:
    """Return the printed cases of one of the paper's experiments."""
    return _pivot(where(paper_cells(), experiment=experiment))


def recorded(
    table: pd.DataFrame, methods: list[str], measures: list[str], **which: str
) -> pd.DataFrame:
    """Return the cases of all thirteen data sets from a `summary`, from rows with these values."""
    rows = where(table, **which)
    names = ["dataset", "measure"]
    every_case = pd.MultiIndex.from_product([list_datasets(), measures], names=names)
    return _pivot(rows[rows["method"].isin(methods)]).reindex(index=every_case, columns=methods)


def ablation(table: pd.DataFrame, task: str, variant: str) -> pd.DataFrame:
    """Return the cases of the ablation for "LE" or "LDL": with, without, and a ridge instead."""
    methods = [f"BD-{task}", f"UD-{task}", f"UD-{task} + ridge"]
    kind = {"LE": "recovery", "LDL": "prediction"}[task]
    which = {"experiment": "ablation", "variant": variant, "kind": kind}
    return recorded(table, methods, ABLATION_MEASURES, **which)


def _pivot(rows: pd.DataFrame) -> pd.DataFrame:
    keys = ["dataset", "measure", "method"]
    cases = rows.drop_duplicates(keys).set_index(keys)["distance"]
    return cases.astype(float).round(12).unstack("method")


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


def heat_map(points: pd.DataFrame, **which: str) -> pd.DataFrame:
    """Return distances over a grid of powers of ten: `reconstruction` down, the other across."""
    rows = where(points, **which)
    powers = {name: np.log10(rows[name]).round(6) for name in ("reconstruction", "other")}
    entries = rows.assign(distance=distance(rows["value"], rows["measure"]), **powers)
    found = entries.pivot_table(index="reconstruction", columns="other", values="distance")
    return found.reindex(index=POWERS, columns=POWERS)


Rule = Callable[[pd.DataFrame], tuple[bool, str]]
"""A function of a complete grid that returns whether a claim holds, and the evidence."""


def judge_maps(points: pd.DataFrame, model: str, rule: Rule) -> Judgement:
    """Judge every complete grid of a model by a rule, which must hold on all of them."""
    holds: list[bool] = []
    found: list[str] = []
    datasets = where(points, variant=model)["dataset"].unique()
    for dataset, measure in product(datasets, SHOWN):
        entries = heat_map(points, variant=model, dataset=dataset, measure=measure)
        if entries.notna().to_numpy().all():
            true, evidence = rule(entries)
            holds.append(true)
            found.append(f"{dataset}, {MEASURES[measure].title}: {evidence}.")
    if not holds:
        return OPEN, f"No complete 8 × 8 grid of {model} is recorded."
    return HOLDS if all(holds) else FAILS, " ".join(found)


def best_about_a_hundredth(entries: pd.DataFrame) -> tuple[bool, str]:
    """Judge that both weights of BD-LE's best point are within a factor of ten of 1e-2."""
    row = entries.min(axis=1).idxmin()
    column = entries.loc[row].idxmin()
    loss = entries.loc[-2, -2] / entries.min(axis=None) - 1
    evidence = f"best at α = 1e{row}, λ = 1e{column}; at 1e-2 for both, {percent(loss)} worse"
    return abs(row + 2) <= 1 and abs(column + 2) <= 1, evidence


def good_up_to_a_tenth(entries: pd.DataFrame) -> tuple[bool, str]:
    """Judge that all points of BD-LE with λ up to 0.1 are nearly the best."""
    best, worst = entries.min(axis=None), entries.max(axis=None)
    worst_here = entries.loc[:, :-1].max(axis=None)
    loss = worst_here / best - 1
    share = (worst_here - best) / (worst - best) if worst > best else 0.0
    evidence = (
        f"with λ up to 1e-1 the worst point is {percent(loss)} worse than the best of the map, "
        f"{percent(share)} of the way to the worst of the map"
    )
    return bool(loss <= MARGIN), evidence


def flat_from_a_tenth(entries: pd.DataFrame) -> tuple[bool, str]:
    """Judge that λ₁ from 0.1 on changes BD-LDL by little for each λ₂."""
    part = entries.loc[-1:]
    change = part.max() / part.min() - 1
    evidence = (
        f"over λ₁ from 1e-1 to 1e{POWERS[-1]} the figure changes by {percent(change.min())} to "
        f"{percent(change.max())}, most at λ₂ = 1e{change.idxmax()}"
    )
    return bool(change.max() <= MARGIN), evidence
