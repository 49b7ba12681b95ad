"""Verdicts on the cells of the paper's tables.

A gap is relative and in distances (1 − value for cosine and intersection): +0.1 means that our
value is a tenth further from the truth than the printed one.
"""

import numpy as np
import pandas as pd

from reproduction.paper import KINDS, impossible_cells, paper_cells
from reproduction.significance import distance, failures, summary, trivial, unfinished

MARGIN = 0.05
"""A value within this relative distance of the printed one is reproduced."""

VERDICTS = ("reproduced", "better", "worse", "impossible", "missing")

_FIXED = ("", "published")
"""The variants that have the settings of the paper."""

_KEYS = ["experiment", "dataset", "method", "measure"]


def relative_gap(ours: pd.Series, paper: pd.Series, measure: pd.Series) -> pd.Series:
    """Return how much further from the truth our value is, relative to the paper's distance."""
    return distance(ours, measure) / distance(paper, measure) - 1


def judge_cells(records: pd.DataFrame) -> pd.DataFrame:
    """Compare the cells of the paper with the records of the same experiment.

    Cells of experiments and data sets that the records do not contain are left out.

    Returns
    -------
    DataFrame
        The columns of `paper_cells`, then `ours`, `ours_std`, `gap`, `trivial` (the best trivial
        baseline's value), `trivial_gap`, `verdict` (one of `VERDICTS`) and `reason`.
    """
    cells, table = paper_cells(), summary(records)
    fixed = table[table["variant"].isin(_FIXED)].drop_duplicates(_KEYS)
    ours = fixed.rename(columns={"mean": "ours", "std": "ours_std"})[[*_KEYS, "ours", "ours_std"]]
    baselines = trivial(table, ["kind", "dataset", "measure"]).drop(columns="baseline")
    judged = cells.merge(ours, "left", on=_KEYS)
    judged = (
        judged.assign(kind=judged["experiment"].map(KINDS))
        .merge(baselines, "left")
        .drop(columns="kind")
    )
    for name, column in (("gap", "ours"), ("trivial_gap", "trivial")):
        judged[name] = relative_gap(judged[column], judged["value"], judged["measure"])
    impossible = impossible_cells()["reason"].reindex(judged.index)
    judged["verdict"] = np.select(
        [
            impossible.notna(),
            judged["ours"].isna(),
            judged["gap"].abs() <= MARGIN,
            judged["gap"] < 0,
        ],
        ["impossible", "missing", "reproduced", "better"],
        "worse",
    )
    missing = _why_missing(judged, records).where(judged["ours"].isna(), "")
    judged["reason"] = impossible.fillna(missing)
    columns = ["ours", "ours_std", "gap", "trivial", "trivial_gap", "verdict", "reason"]
    return judged.loc[_in_records(judged, records), [*cells.columns, *columns]]


def _in_records(cells: pd.DataFrame, records: pd.DataFrame) -> np.ndarray:
    """Return whether the records have anything of a cell's experiment on its data set."""
    pair = ["experiment", "dataset"]
    return pd.MultiIndex.from_frame(cells[pair]).isin(pd.MultiIndex.from_frame(records[pair]))


def _why_missing(cells: pd.DataFrame, records: pd.DataFrame) -> pd.Series:
    """Return the reason why a cell has no value of ours: a failure, missing folds, or no record."""
    short = pd.concat([unfinished(records).assign(status=""), failures(records)])
    reasons = {
        (run.experiment, run.dataset, run.method): ": ".join(filter(None, [run.status, run.reason]))
        for run in short[short["variant"].isin(_FIXED)].itertuples()
    }
    keys = zip(cells["experiment"], cells["dataset"], cells["method"], strict=True)
    return pd.Series([reasons.get(key, "no record") for key in keys], index=cells.index)


def gaps(records: pd.DataFrame) -> pd.DataFrame:
    """Compare BD-LDL tuned on the training rows, and the mean, with the printed BD-LDL.

    Returns
    -------
    DataFrame
        One row per recorded data set and measure (Clark, cosine): `dataset`, `measure`, `paper`,
        `tuned`, `tuned_gap`, `mean`, `mean_gap` and `verdict`: "reproduced" (within the margin),
        "better", "not reproduced" or "missing".
    """
    keys = ["dataset", "measure"]
    cells = paper_cells()
    cells = cells[(cells["experiment"] == "ldl-prediction") & (cells["method"] == "BD-LDL")]
    cells = cells[_in_records(cells, records)]
    table = cells[[*keys, "value"]].rename(columns={"value": "paper"}).reset_index(drop=True)
    found = summary(records)
    found = found[(found["experiment"] == "ldl-prediction") & (found["variant"] == "")]
    for column, method in (("tuned", "BD-LDL tuned"), ("mean", "Mean")):
        own = found.loc[found["method"] == method, [*keys, "mean"]].drop_duplicates(keys)
        table = table.merge(own.rename(columns={"mean": column}), "left", on=keys)
        table[f"{column}_gap"] = relative_gap(table[column], table["paper"], table["measure"])
    gap = table["tuned_gap"]
    table["verdict"] = np.select(
        [gap.isna(), gap.abs() <= MARGIN, gap < 0],
        ["missing", "reproduced", "better"],
        "not reproduced",
    )
    return table
