"""The 416 cells of the paper's tables, and misprints that the cells alone prove.

``published/`` holds one file per experiment with the values as printed, the sizes of the data sets,
the claims of the text, and values to reach with tuned BD-LDL.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from labeldist.metrics import MEASURES
from reproduction.significance import distance

FOLDER = Path(__file__).parent / "published"

KINDS = {"le-recovery": "recovery", "ldl-prediction": "prediction", "ablation": "prediction"}
"""The experiments that the paper tabulates, and the kind of our records to compare with."""

MARGIN = 0.05
"""A value within this relative distance of the printed one is reproduced."""

FOLDS = 10
"""The number of folds of the paper's means and standard deviations."""

CHANCE = 1e-4
"""Standard deviations that random folds exceed with a smaller probability are implausible."""

_TITLES = {"le-recovery": "LE", "ldl-prediction": "LDL", "ablation": "Ablation"}
_COLUMNS = ["table", "experiment", "dataset", "method", "measure", "value", "std", "rank"]
_ROUNDING = 1e-4
_BELOW_CANBERRA = {"clark": "Clark", "intersection": "1 − Intersection"}


def dataset_sizes() -> pd.DataFrame:
    """Return rows, features and labels of the thirteen data sets, indexed by their names."""
    return pd.read_csv(FOLDER / "datasets.csv", index_col="dataset")


def read_claims() -> pd.DataFrame:
    """Return the claims in the text of the paper: `id`, `experiment`, `text` and `where`."""
    return pd.read_csv(FOLDER / "claims.csv")


@cache
def paper_cells() -> pd.DataFrame:
    """Return the cells of all tables of the paper that compare methods.

    Returns
    -------
    DataFrame
        One row per cell: `table` (such as "LE, Chebyshev"), `experiment`, `dataset`, `method`,
        `measure`, `value`, `std` and `rank`, which are NaN where the paper prints none, and
        `distance`.
    """
    tables = []
    for experiment, title in _TITLES.items():
        cells = pd.read_csv(FOLDER / f"{experiment}.csv").assign(experiment=experiment)
        cells["table"] = (
            title
            + ", "
            + cells["measure"].map({name: measure.title for name, measure in MEASURES.items()})
        )
        tables.append(cells.reindex(columns=_COLUMNS).astype({"std": float, "rank": float}))
    found = pd.concat(tables, ignore_index=True)
    return found.assign(distance=distance(found["value"], found["measure"]))


def impossible_cells() -> pd.DataFrame:
    """Return the Canberra cells that are impossibly below another measure of the same row.

    With r = |d − p| / (d + p) for each label, Canberra is Σ r and Clark √Σ r², which is no larger.
    1 − Intersection is ½ Σ |d − p|, and r ≥ ½ |d − p| as degrees are at most one. Both hold for
    each row, so they hold for means.

    Returns
    -------
    DataFrame
        The cells, with the index of `paper_cells`, and `reason`, which has the contradicting
        values.
    """
    cells = paper_cells()
    others = cells.pivot(index=["dataset", "method"], columns="measure", values="distance")
    canberra = cells[cells["measure"] == "canberra"].join(others, on=["dataset", "method"])
    reasons = {}
    for index, cell in canberra.iterrows():
        broken = [name for name in _BELOW_CANBERRA if cell["value"] < cell[name] - _ROUNDING]
        rules = [f"{_BELOW_CANBERRA[name]} ({cell[name]:.4f})" for name in broken]
        if rules:
            rule = f"Canberra ≥ {' and ≥ '.join(rules)}"
            reasons[index] = f"{rule} for each row, hence for means; printed: {cell['value']:.4f}"
    return cells.join(pd.Series(reasons, name="reason"), how="inner")


def recomputed_ranks() -> pd.DataFrame:
    """Return the cells that have a rank, the `lowest` and `highest` possible rank, and `agree`."""
    cells = paper_cells()
    cells = cells[cells["rank"].notna()]
    # Equal printed values must stay equal after 1 - value.
    groups = cells["distance"].round(6).groupby([cells["table"], cells["dataset"]])
    lowest, highest = groups.rank(method="min"), groups.rank(method="max")
    return cells.assign(
        lowest=lowest, highest=highest, agree=cells["rank"].between(lowest, highest)
    )


def misprinted_deviations() -> pd.DataFrame:
    """Return the cells whose standard deviation over ten folds is impossible or implausible.

    Values between 0 and M with mean μ have a variance of at most μ (M − μ) (Bhatia and Davis); a
    larger one is *impossible*. The value of a fold is a mean over a tenth of the rows, so that its
    deviation is smaller by the square root of the number of those rows. A deviation beyond what
    random folds reach with probability `CHANCE` is *implausible*.

    Returns
    -------
    DataFrame
        The cells, with the index of `paper_cells`, `grade` ("impossible" or "implausible") and
        `bound`, the largest possible or plausible deviation.
    """
    cells = paper_cells()
    cells = cells[cells["std"].notna()]
    sizes = dataset_sizes()
    labels, rows = (cells["dataset"].map(sizes[column]) for column in ("labels", "rows"))
    largest = [
        max(MEASURES[name].worst(count), MEASURES[name].best)
        for name, count in zip(cells["measure"], labels, strict=True)
    ]
    scatter = np.sqrt(cells["value"] * (largest - cells["value"]))
    possible = scatter * np.sqrt(FOLDS / (FOLDS - 1))  # a deviation of n values divides by n - 1
    by_chance = np.sqrt(stats.chi2.ppf(1 - CHANCE, FOLDS - 1) / (FOLDS - 1))
    believable = by_chance * scatter / np.sqrt(rows / FOLDS)
    impossible = cells["std"] > possible
    bound = believable.where(~impossible, possible)
    grade = np.where(impossible, "impossible", "implausible")
    cells = cells.assign(grade=grade, bound=bound)
    return cells[impossible | (cells["std"] > believable)]
