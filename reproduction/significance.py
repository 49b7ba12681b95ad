"""Means and skill, computed from raw records.

Records have one row per value (see `reproduction.runner.read_store`). A method that failed on a
data set, or has not run in all folds, has no mean there. Measures are compared as distances: the
value itself, or 1 − value for cosine and intersection.
"""

import json

import numpy as np
import pandas as pd

from labeldist.metrics import MEASURES

LEVEL = 0.05
"""The level of significance of all tests."""

ENTRY = ["experiment", "kind", "variant", "dataset", "method", "role"]
"""The columns that identify a mean over folds, apart from the measure."""

_BLOCK = ["experiment", "kind", "variant", "dataset", "measure"]
_WEIGHTS = ["reconstruction", "smoothness", "ridge"]


def distance(value: pd.Series, measure: pd.Series) -> pd.Series:
    """Return values of the named measures as distances: 0 is perfect, larger is worse."""
    return value.where(
        ~measure.map(lambda name: MEASURES[name].higher_is_better).astype(bool), 1 - value
    )


def first_seed(records: pd.DataFrame) -> pd.DataFrame:
    """Return the records of the first seed of each experiment."""
    return records[records["seed"] == records.groupby("experiment")["seed"].transform("min")]


def failures(records: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that failed or took too long: one row each, with `status` and `reason`."""
    failed = records.loc[records["status"] != "ok", [*ENTRY, "status", "reason"]]
    return failed.drop_duplicates([*ENTRY, "status"]).reset_index(drop=True)


def unfinished(records: pd.DataFrame) -> pd.DataFrame:
    """Return methods that have not run in all folds, with a `reason` that counts them."""
    records = first_seed(records[records["kind"] != "grid"])
    folds = records[records["status"] == "ok"].drop_duplicates([*ENTRY, "run", "fold"])
    counts = (
        folds.groupby(ENTRY, sort=False)
        .agg(done=("fold", "size"), folds=("folds", "max"))
        .reset_index()
    )
    counts = counts[(counts["done"] != counts["folds"]) & ~_among(counts, failures(records))]
    reasons = counts["done"].astype(str) + " of " + counts["folds"].astype(str) + " folds"
    return counts[ENTRY].assign(reason=reasons).reset_index(drop=True)


def _among(records: pd.DataFrame, entries: pd.DataFrame) -> np.ndarray:
    return pd.MultiIndex.from_frame(records[ENTRY]).isin(pd.MultiIndex.from_frame(entries[ENTRY]))


def summary(records: pd.DataFrame) -> pd.DataFrame:
    """Return mean and standard deviation of every method, set and measure.

    The paper's tables have one seed, so only the first one counts. A method that failed in a fold,
    or has not run in it, has no mean on that data set. Grids are left out (see `grid_points`).

    Returns
    -------
    DataFrame
        `experiment`, `kind`, `variant`, `dataset`, `method`, `role`, `measure`, `mean`, and `std`
        (over folds; NaN for a single value).
    """
    records = first_seed(records[records["kind"] != "grid"])
    whole = records[(records["status"] == "ok") & ~_among(records, failures(records))]
    whole = whole[~_among(whole, unfinished(records))]
    groups = whole.astype({"value": float}).groupby([*ENTRY, "measure"], sort=False)["value"]
    return groups.agg(["mean", "std"]).reset_index()


def paired_leads(
    records: pd.DataFrame, experiment: str, method: str, other: str, *, variant: str = ""
) -> pd.DataFrame:
    """Compare two methods on the same folds of every seed that both have completed.

    Returns
    -------
    DataFrame
        `dataset`, `measure`, `lead` (by how much the method's distance is smaller, in the mean over
        seeds), `deviation` of the seeds' leads (NaN for one seed) and `seeds`.
    """
    runs = records[
        (records["experiment"] == experiment)
        & (records["variant"] == variant)
        & (records["status"] == "ok")
    ]
    runs = runs[runs["method"].isin([method, other])].astype({"value": float})
    shuffle = ["dataset", "measure", "seed"]
    runs = runs.assign(distance=distance(runs["value"], runs["measure"]))
    pairs = runs.pivot_table(
        index=[*shuffle, "fold"], columns="method", values="distance", sort=False
    )
    pairs = pairs.reindex(columns=[method, other]).dropna()
    leads = (pairs[other] - pairs[method]).groupby(shuffle, sort=False).agg(["mean", "count"])
    folds = runs.groupby(shuffle)["folds"].max().reindex(leads.index)
    leads = leads.loc[leads["count"] == folds, "mean"]
    groups = leads.groupby(["dataset", "measure"], sort=False)
    return groups.agg(lead="mean", deviation="std", seeds="count").reset_index()


def trivial(table: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the best trivial baseline in groups of a `summary`: `by`, `baseline` and `trivial`."""
    rows = table[table["role"] == "trivial"]
    rows = rows.assign(distance=distance(rows["mean"], rows["measure"]))
    best = rows.sort_values("distance", kind="stable").drop_duplicates(by)
    return best.rename(columns={"method": "baseline", "mean": "trivial"})[
        [*by, "baseline", "trivial"]
    ]


def skill(records: pd.DataFrame) -> pd.DataFrame:
    """Return the share by which every method reduces the best trivial baseline's distance.

    1 is perfect, 0 equals the baseline, below 0 is worse.

    Returns
    -------
    DataFrame
        The columns of `summary`, `baseline` (its name), `trivial` (its value) and `skill`; NaN
        without a baseline.
    """
    table = summary(records)
    everywhere = [
        name for name in _BLOCK if name != "variant"
    ]  # a baseline may run once for all variants
    same, anywhere = (
        table.merge(trivial(table, _BLOCK), "left"),
        table.merge(trivial(table, everywhere), "left"),
    )
    table = same.combine_first(anywhere)[same.columns]
    own, base = (
        distance(table["mean"], table["measure"]),
        distance(table["trivial"], table["measure"]),
    )
    return table.assign(skill=1 - own / base.where(base > 0))


def grid_points(records: pd.DataFrame) -> pd.DataFrame:
    """Return the means of parameter grids by model (`variant`), data set, measure and point.

    Returns
    -------
    DataFrame
        `dataset`, `variant`, `measure`, `reconstruction`, `smoothness` (NaN for BD-LDL), `ridge`
        (NaN for BD-LE) and `value`.
    """
    grid = first_seed(records[(records["kind"] == "grid") & (records["status"] == "ok")])
    weights = [
        [json.loads(text).get(name, np.nan) for name in _WEIGHTS] for text in grid["parameters"]
    ]
    points = pd.DataFrame(weights, columns=_WEIGHTS, index=grid.index, dtype=float)
    grid = grid[["dataset", "variant", "measure", "value"]].join(points)
    grid = grid[grid["reconstruction"].notna()]
    keys = ["dataset", "variant", "measure", *_WEIGHTS]
    return grid.groupby(keys, sort=False, dropna=False)["value"].mean().reset_index()
