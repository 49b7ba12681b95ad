"""Means and skill, computed from raw records.

Records have one row per value (see `reproduction.runner.read_store`). A method that failed on a
data set, or has not run in all folds, has no mean there. Measures are compared as distances: the
value itself, or 1 − value for cosine and intersection.
"""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from labeldist.metrics import MEASURES

LEVEL = 0.05
"""The level of significance of all tests."""

ENTRY = ["experiment", "kind", "variant", "dataset", "method", "role"]
"""The columns that identify a mean over folds, apart from the measure."""

_BLOCK = ["experiment", "kind", "variant", "dataset", "measure"]


def holm(pvalues: Sequence[float]) -> np.ndarray:
    """Correct p-values for their number by Holm's method."""
    order = np.argsort(pvalues)
    factors = np.arange(len(order), 0, -1)
    corrected = np.empty(len(order))
    raised = np.maximum.accumulate(np.array(pvalues)[order] * factors)
    corrected[order] = np.minimum(raised, 1.0)
    return corrected


def where(frame: pd.DataFrame, **wanted: Any) -> pd.DataFrame:
    """Return the rows that have the given values in the named columns."""
    for column, value in wanted.items():
        frame = frame[frame[column] == value]
    return frame


def place(name: str, order: Sequence[str]) -> tuple[int, str]:
    """Return a sort key: names in a given order, then others by name."""
    return (order.index(name) if name in order else len(order), name)


def are_among(rows: pd.DataFrame, others: pd.DataFrame, columns: list[str]) -> np.ndarray:
    """Return whether the other rows have the same values in the named columns."""
    return pd.MultiIndex.from_frame(rows[columns]).isin(pd.MultiIndex.from_frame(others[columns]))


def distance(value: pd.Series, measure: pd.Series) -> pd.Series:
    """Return values of the named measures as distances: 0 is perfect, larger is worse."""
    rises = measure.map({name: one.higher_is_better for name, one in MEASURES.items()})
    return value.where(~rises.astype(bool), 1 - value)


def by_dataset(rows: pd.DataFrame, column: str = "mean") -> pd.DataFrame:
    """Return a column as a table: data sets down, methods across."""
    return rows.pivot_table(index="dataset", columns="method", values=column, sort=False)


def first_seed(records: pd.DataFrame) -> pd.DataFrame:
    """Return the records of the first seed of each experiment."""
    return records[records["seed"] == records.groupby("experiment")["seed"].transform("min")]


def without_grids(records: pd.DataFrame) -> pd.DataFrame:
    """Return what tables show: the records of the first seed, without parameter grids."""
    return first_seed(records[records["kind"] != "grid"])


def failures(records: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that failed or took too long: one row each, with `status` and `reason`."""
    failed = records.loc[records["status"] != "ok", [*ENTRY, "status", "reason"]]
    return failed.drop_duplicates([*ENTRY, "status"]).reset_index(drop=True)


def unfinished(records: pd.DataFrame) -> pd.DataFrame:
    """Return methods that have not run in all folds, with a `reason` that counts them."""
    records = without_grids(records)
    folds = where(records, status="ok").groupby(ENTRY, sort=False)
    counts = folds.agg(done=("fold", "nunique"), folds=("folds", "max")).reset_index()
    has_failed = are_among(counts, failures(records), ENTRY)
    counts = counts[(counts["done"] != counts["folds"]) & ~has_failed]
    reasons = [f"{row.done} of {row.folds} folds" for row in counts.itertuples()]
    return counts[ENTRY].assign(reason=reasons).reset_index(drop=True)


def summary(records: pd.DataFrame) -> pd.DataFrame:
    """Return mean and standard deviation of every method, set and measure.

    The paper's tables have one seed, so only the first one counts. A method that failed in a fold,
    or has not run in it, has no mean on that data set. Grids are left out (see `grid_points`).

    Returns
    -------
    DataFrame
        `experiment`, `kind`, `variant`, `dataset`, `method`, `role`, `measure`, `mean`, `std` (over
        folds; NaN for a single value) and `distance`.
    """
    rows = where(without_grids(records), status="ok").astype({"value": float})
    rows["done"] = rows.groupby(ENTRY)["fold"].transform("nunique")
    whole = rows[rows["done"] == rows["folds"]].groupby([*ENTRY, "measure"], sort=False)
    table = whole["value"].agg(["mean", "std"]).reset_index()
    return table.assign(distance=distance(table["mean"], table["measure"]))


def trivial(table: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the best trivial baseline in groups of a `summary`: its name, mean and distance."""
    best = where(table, role="trivial").sort_values("distance", kind="stable").drop_duplicates(by)
    names = {"method": "baseline", "mean": "trivial", "distance": "trivial_distance"}
    return best.rename(columns=names)[[*by, *names.values()]]


def skill(records: pd.DataFrame) -> pd.DataFrame:
    """Return the share by which every method reduces the best trivial baseline's distance.

    1 is perfect, 0 equals the baseline, below 0 is worse.

    Returns
    -------
    DataFrame
        The columns of `summary` and of `trivial`, and `skill`; NaN without a baseline.
    """
    table = summary(records)
    same = table.merge(trivial(table, _BLOCK), "left")
    # A baseline may run once for all variants.
    anywhere = [name for name in _BLOCK if name != "variant"]
    table = same.combine_first(table.merge(trivial(table, anywhere), "left"))[same.columns]
    base = table["trivial_distance"]
    return table.assign(skill=1 - table["distance"] / base.where(base > 0))


def paired_leads(
    records: pd.DataFrame, experiment: str, method: str, other: str, variant: str = ""
) -> pd.DataFrame:
    """Return the leads of a method on the folds of several seeds.

    Returns
    -------
    DataFrame
        `dataset`, `measure`, `lead` (by how much the method's distance is smaller, in the mean over
        seeds) and `deviation` of the seeds' leads (NaN for one seed).
    """
    rows = where(records, experiment=experiment, variant=variant, status="ok")
    rows = rows.assign(distance=distance(rows["value"], rows["measure"]))
    shuffle = ["dataset", "measure", "seed"]
    means = rows.groupby([*shuffle, "method"], sort=False)["distance"].mean().unstack("method")
    means = means.reindex(columns=[method, other])
    leads = (means[other] - means[method]).dropna().groupby(["dataset", "measure"], sort=False)
    return leads.agg(lead="mean", deviation="std").reset_index()


def grid_points(records: pd.DataFrame) -> pd.DataFrame:
    """Return the means of parameter grids by model (`variant`), data set, measure and point.

    Returns
    -------
    DataFrame
        `dataset`, `variant`, `measure`, `reconstruction`, `other` (the smoothness of BD-LE, the
        ridge of BD-LDL) and `value`.
    """
    grid = first_seed(where(records, kind="grid", status="ok"))
    points = [json.loads(text) for text in grid["parameters"]]
    grid = grid.assign(
        reconstruction=[point.get("reconstruction", np.nan) for point in points],
        other=[point.get("smoothness", point.get("ridge", np.nan)) for point in points],
    )
    keys = ["dataset", "variant", "measure", "reconstruction", "other"]
    return grid.groupby(keys, sort=False)["value"].mean().reset_index()
