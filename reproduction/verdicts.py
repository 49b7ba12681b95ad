"""Verdicts on the cells of the paper's tables.

A gap is relative and in distances (1 − value for cosine and intersection): +0.1 means that our
value is a tenth further from the truth than the printed one.
"""

import numpy as np
import pandas as pd

from reproduction.paper import KINDS, MARGIN, impossible_cells, paper_cells
from reproduction.significance import are_among, failures, summary, trivial, unfinished, where

VERDICTS = ("reproduced", "better", "worse", "impossible", "missing")

_FIXED = ("", "published")
"""The variants that have the settings of the paper."""

_KEYS = ["experiment", "dataset", "method", "measure"]
_SET = ["experiment", "dataset"]


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
    names = {"mean": "ours", "std": "ours_std", "distance": "our_distance"}
    fixed = table[table["variant"].isin(_FIXED)].drop_duplicates(_KEYS).rename(columns=names)
    baselines = trivial(table, ["kind", "dataset", "measure"]).drop(columns="baseline")
    judged = cells.merge(fixed[[*_KEYS, *names.values()]], "left", on=_KEYS)
    judged = judged.assign(kind=judged["experiment"].map(KINDS)).merge(baselines, "left")
    judged["gap"] = judged["our_distance"] / judged["distance"] - 1
    judged["trivial_gap"] = judged["trivial_distance"] / judged["distance"] - 1
    impossible = impossible_cells()["reason"].reindex(judged.index)
    judged["verdict"] = _verdicts(judged["gap"]).where(impossible.isna(), "impossible")
    missing = _why_missing(judged, records).where(judged["ours"].isna(), "")
    judged["reason"] = impossible.fillna(missing)
    columns = ["ours", "ours_std", "gap", "trivial", "trivial_gap", "verdict", "reason"]
    return judged.loc[are_among(judged, records, _SET), [*cells.columns, *columns]]


def count_verdicts(cells: pd.DataFrame) -> dict[str, int]:
    """Return the number of cells with each verdict."""
    return cells["verdict"].value_counts().reindex(VERDICTS, fill_value=0).to_dict()


def _verdicts(gap: pd.Series) -> pd.Series:
    tests = [gap.isna(), gap.abs() <= MARGIN, gap < 0]
    found = np.select(tests, ["missing", "reproduced", "better"], "worse")
    return pd.Series(found, index=gap.index)


def _why_missing(cells: pd.DataFrame, records: pd.DataFrame) -> pd.Series:
    """Return the reason why a cell has no value of ours: a failure, missing folds, or no record."""
    short = pd.concat([failures(records), unfinished(records)])
    short = short[short["variant"].isin(_FIXED)].drop_duplicates(_KEYS[:3])
    return cells[_KEYS[:3]].merge(short, "left")["reason"].fillna("no record")


def gaps(records: pd.DataFrame) -> pd.DataFrame:
    """Compare BD-LDL tuned on the training rows, and the mean, with the printed BD-LDL.

    Returns
    -------
    DataFrame
        One row per recorded data set and measure (Clark, cosine): `dataset`, `measure`, `paper`,
        `tuned`, `tuned_gap`, `mean`, `mean_gap` and `verdict`: "reproduced" (within the margin),
        "better", "worse" or "missing".
    """
    keys = ["dataset", "measure"]
    cells = where(paper_cells(), experiment="ldl-prediction", method="BD-LDL")
    table = cells.loc[are_among(cells, records, _SET), [*keys, "value", "distance"]]
    table = table.rename(columns={"value": "paper"}).reset_index(drop=True)
    found = where(summary(records), experiment="ldl-prediction", variant="")
    for column, method in (("tuned", "BD-LDL tuned"), ("mean", "Mean")):
        own = where(found, method=method).drop_duplicates(keys).set_index(keys)
        own = own[["mean", "distance"]].set_axis([column, "own"], axis=1)
        table = table.join(own, on=keys)
        table[f"{column}_gap"] = table.pop("own") / table["distance"] - 1
    return table.drop(columns="distance").assign(verdict=_verdicts(table["tuned_gap"]))
