"""Cases that a claim is about, a set and a measure each, and how many of them speak against it.

A table of cases has a row a (set, measure), a column a method, and distances (see `statistics.distance`), NaN where
there is no record. The paper's printed figures and our records take the same form, so that one rule judges both.
"""

from dataclasses import dataclass

import pandas as pd

from labeldist.datasets import list_datasets
from labeldist.experiments.paper import paper_cells
from labeldist.experiments.statistics import distance

HOLDS, FAILS, OPEN = "holds", "does not hold", "cannot be judged"

ABLATION_MEASURES = ["canberra", "intersection"]
TUNED = {"LE": "oracle", "LDL": "tuned"}
"""The variant of the ablation in which every method has its best weights."""

DIGITS = 4
"""A method is better than another if it is so in the digits that are printed."""


def percent(share: float) -> str:
    """Return a share in words: 0.0467 is "4.7 %"."""
    return f"{100 * share:.1f} %"


def signed_percent(share: float) -> str:
    """Return a change in words: 0.0467 is "+4.7 %"."""
    return f"{100 * share:+.1f} %".replace("-", "−")


def enumerate_names(names: list[str]) -> str:
    """Return names as a phrase: "A, B and C", or "none"."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or "none"


def where(flags: pd.Series) -> str:
    """Return on which sets (the index) a column of truth values is true: "2 of 13 sets (A and B)"."""
    yes, no = list(flags.index[flags]), list(flags.index[~flags])
    if len(flags) == 1:
        return f"{count_sets(len(yes), 1)} ({flags.index[0]})"
    if not yes or not no:
        return f"all {len(yes)} sets" if yes else f"none of {len(no)} sets"
    names = enumerate_names(yes) if len(yes) <= len(no) else f"not {enumerate_names(no)}"
    return f"{count_sets(len(yes), len(flags))} ({names})"


def count_sets(some: int, total: int) -> str:
    """Return how many of the sets: "2 of 13 sets"."""
    return f"{some} of {total} set{'' if total == 1 else 's'}"


@dataclass(frozen=True)
class Tally:
    """How many of the `total` cases of a claim are `known`, and how many of those are `against` it."""

    against: int
    known: int
    total: int

    def verdict(self, allowed: int = 0) -> str:
        """Return whether the claim holds if `allowed` cases may be against it, whatever the unknown cases are."""
        if self.against > allowed:
            return FAILS
        return HOLDS if self.against + self.total - self.known <= allowed else OPEN

    def __str__(self) -> str:
        if not self.known:
            return f"an unknown number of the {self.total} cases"
        share = percent(self.against / self.known)
        if self.known < self.total:
            return f"{self.against} of {self.known} known cases ({share}; {self.total - self.known} unknown)"
        return f"{self.against} of {self.total} cases ({share})"


def tally(against: pd.Series, known: pd.Series) -> Tally:
    """Count the cases of two columns of truth values."""
    return Tally(int((against & known).sum()), int(known.sum()), len(known))


def printed(experiment: str) -> pd.DataFrame:
    """Return the cases of one of the paper's experiments as it prints them."""
    cells = paper_cells()
    cells = cells[cells["experiment"] == experiment]
    return _pivot(cells, "value")


def recorded(
    table: pd.DataFrame, experiment: str, methods: list[str], measures: list[str], *, variant: str = "", kind: str = ""
) -> pd.DataFrame:
    """Return the cases of all thirteen sets from a `statistics.summary`, NaN where there is no value."""
    rows = table[(table["experiment"] == experiment) & (table["variant"] == variant)]
    rows = rows[rows["method"].isin(methods) & (not kind or rows["kind"] == kind)]
    every_case = pd.MultiIndex.from_product([list_datasets(), measures], names=["dataset", "measure"])
    return _pivot(rows, "mean").reindex(index=every_case, columns=methods)


def ablation(table: pd.DataFrame, task: str, variant: str) -> pd.DataFrame:
    """Return the ablation's cases for "LE" or "LDL": with reconstruction, without, and with a ridge in its place."""
    methods = [f"BD-{task}", f"UD-{task}", f"UD-{task} + ridge"]
    kind = {"LE": "recovery", "LDL": "prediction"}[task]
    return recorded(table, "ablation", methods, ABLATION_MEASURES, variant=variant, kind=kind)


def beside_control(table: pd.DataFrame, task: str) -> tuple[pd.DataFrame, str]:
    """Return the cases of reconstruction beside its control, tuned alike if that was run, and under what weights."""
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
    """Count the cases in which none of the champions is first in the printed digits; with equals it is."""
    cases = cases.round(DIGITS)
    ours, others = cases[champions], cases.drop(columns=champions)
    beaten = (others.min(axis=1) < ours.min(axis=1)) & ours.notna().all(axis=1)
    return tally(beaten, beaten | cases.notna().all(axis=1))


def better(cases: pd.DataFrame, method: str, other: str) -> Tally:
    """Count the cases in which a method is not better than another."""
    pair = cases[[method, other]].round(DIGITS)
    return tally(pair[method] >= pair[other], pair.notna().all(axis=1))


def gains(cases: pd.DataFrame, method: str, other: str) -> pd.Series:
    """Return the share of the other's distance that a method saves, for the cases with both."""
    return (1 - cases[method] / cases[other]).dropna()
