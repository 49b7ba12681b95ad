"""Means, ranks, tests and skill, computed from raw records.

Records have one row per value (see `reproduction.store`). A method that failed on a data set, or
has not run in all folds, has no mean and no rank there. Measures are compared as distances: the
value itself, or 1 − value for cosine and intersection.
"""

import json
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from scipy import stats

from labeldist.metrics import KL_FLOOR, MEASURES

KL_NOTE = f"Kullback-Leibler counts predicted degrees below {KL_FLOOR:.1e} as {KL_FLOOR:.1e}."
"""Note for tables of the Kullback-Leibler divergence."""

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


def _first_seed(records: pd.DataFrame) -> pd.DataFrame:
    return records[records["seed"] == records.groupby("experiment")["seed"].transform("min")]


def failures(records: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that failed or took too long: one row each, with `status` and `reason`."""
    failed = records.loc[records["status"] != "ok", [*ENTRY, "status", "reason"]]
    return failed.drop_duplicates([*ENTRY, "status"]).reset_index(drop=True)


def unfinished(records: pd.DataFrame) -> pd.DataFrame:
    """Return methods that have not run in all folds, with a `reason` that counts them."""
    records = _first_seed(records[records["kind"] != "grid"])
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
    """Return mean, standard deviation and rank of every method, set and measure.

    The paper's tables have one seed, so only the first one counts. A method that failed in a fold,
    or has not run in it, has no mean on that data set. Grids are left out (see `grid_points`).

    Returns
    -------
    DataFrame
        `experiment`, `kind`, `variant`, `dataset`, `method`, `role`, `measure`, `mean`, `std` (over
        folds; NaN for a single value), `n` and `rank` within experiment, kind, variant, set and
        measure: 1 is best, ties share their average. Oracles have no rank, and a method has none if
        all others are trivial baselines.
    """
    records = _first_seed(records[records["kind"] != "grid"])
    whole = records[(records["status"] == "ok") & ~_among(records, failures(records))]
    whole = whole[~_among(whole, unfinished(records))]
    groups = whole.astype({"value": float}).groupby([*ENTRY, "measure"], sort=False)["value"]
    table = groups.agg(["mean", "std", "count"]).rename(columns={"count": "n"}).reset_index()
    ranked = table[table["role"] != "oracle"]
    rivals = (
        (ranked["role"] != "trivial").groupby([ranked[name] for name in _BLOCK]).transform("sum")
    )
    ranked = ranked[rivals >= 2]
    ranked = ranked.assign(distance=distance(ranked["mean"], ranked["measure"]))
    table["rank"] = ranked.groupby(_BLOCK)["distance"].rank().reindex(table.index)
    return table


def average_ranks(table: pd.DataFrame) -> pd.DataFrame:
    """Return `average_rank` of every method over the `sets` where it has one, from a `summary`."""
    ranked = table[table["rank"].notna()]
    groups = ranked.groupby(
        ["experiment", "kind", "variant", "measure", "method", "role"], sort=False
    )["rank"]
    return groups.agg(average_rank="mean", sets="count").reset_index()


def by_set(
    table: pd.DataFrame,
    experiment: str,
    measure: str,
    *,
    kind: str | None = None,
    variant: str = "",
) -> pd.DataFrame:
    """Return distances, data sets × methods, without gaps, from a `summary`.

    As long as values are missing, the method or the data set with most missing values is left out.
    """
    chosen = (
        (table["experiment"] == experiment)
        & (table["measure"] == measure)
        & (table["variant"] == variant)
    )
    chosen &= table["rank"].notna()
    if kind is not None:
        chosen &= table["kind"] == kind
    rows = table[chosen]
    values = rows.assign(distance=distance(rows["mean"], rows["measure"]))
    found = values.pivot_table(index="dataset", columns="method", values="distance", sort=False)
    while found.isna().to_numpy().any():
        worst: tuple[float, int, Hashable] = max(
            (share, axis, label)
            for axis in (0, 1)
            for label, share in found.isna().mean(axis=1 - axis).items()
        )
        found = found.drop(worst[2], axis=worst[1])
    return found


@dataclass(frozen=True)
class Friedman:
    """Result of Friedman's test on a number of `sets` and `methods`."""

    statistic: float
    pvalue: float
    sets: int
    methods: int


def friedman(distances: pd.DataFrame) -> Friedman | None:
    """Test whether the methods (columns) differ; None for fewer than two sets or three methods."""
    sets, methods = distances.shape
    if sets < 2 or methods < 3 or (distances.nunique(axis=1) == 1).all():
        return None
    result = stats.friedmanchisquare(*distances.to_numpy().T)
    return Friedman(float(result.statistic), float(result.pvalue), sets, methods)


def nemenyi(distances: pd.DataFrame, *, level: float = LEVEL) -> float:
    """Return the critical difference of average ranks at the level.

    q √(k (k + 1) / (6 n)) for k methods on n sets, q from the studentised range; NaN for fewer than
    two methods.
    """
    sets, methods = distances.shape
    if sets < 1 or methods < 2:
        return float("nan")
    q = stats.studentized_range.ppf(1 - level, methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(methods * (methods + 1) / (6 * sets)))


def wilcoxon(distances: pd.DataFrame, method: str) -> pd.DataFrame:
    """Compare a method with every other over the data sets by Wilcoxon's signed-rank test.

    Returns
    -------
    DataFrame
        `method` (the other), `wins`, `ties` and `losses` of the given one, `lead` (the sum of its
        signed ranks: above zero if it is the better) and `pvalue`.
    """
    rows = []
    for other in distances.columns.drop(method, errors="ignore") if method in distances else ():
        lead = distances[other] - distances[method]
        # With ties, SciPy would enumerate the exact distribution for seconds.
        null: Literal["exact", "approx"] = (
            "exact" if lead.all() and lead.abs().is_unique else "approx"
        )
        pvalue = float(stats.wilcoxon(lead.to_numpy(), method=null).pvalue) if lead.any() else 1.0
        signed = float((np.sign(lead) * lead.abs().where(lead != 0).rank()).sum())
        rows.append(
            (
                other,
                int((lead > 0).sum()),
                int((lead == 0).sum()),
                int((lead < 0).sum()),
                signed,
                pvalue,
            )
        )
    return pd.DataFrame(rows, columns=["method", "wins", "ties", "losses", "lead", "pvalue"])


def holm(pvalues: pd.Series) -> pd.Series:
    """Return p-values corrected for their number by Holm's method; NaN counts as no test."""
    ordered = pvalues.dropna().sort_values()
    corrected = (ordered * np.arange(len(ordered), 0, -1)).cummax().clip(upper=1.0)
    return corrected.reindex(pvalues.index)


def corrected_t(leads: pd.Series) -> float:
    """Return the two-sided p-value of the leads in the k folds of one cross-validation.

    The training rows of the folds overlap. Nadeau and Bengio's correction replaces the variance
    σ²/k of the mean by σ²(1/k + 1/(k − 1)), the second term being test rows over training rows.
    """
    k = len(leads)
    error = leads.std() * np.sqrt(1 / k + 1 / (k - 1))
    return float(2 * stats.t.sf(abs(leads.mean()) / error, k - 1)) if error > 0 else 1.0


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
    grid = _first_seed(records[(records["kind"] == "grid") & (records["status"] == "ok")])
    weights = [
        [json.loads(text).get(name, np.nan) for name in _WEIGHTS] for text in grid["parameters"]
    ]
    points = pd.DataFrame(weights, columns=_WEIGHTS, index=grid.index, dtype=float)
    grid = grid[["dataset", "variant", "measure", "value"]].join(points)
    grid = grid[grid["reconstruction"].notna()]
    keys = ["dataset", "variant", "measure", *_WEIGHTS]
    return grid.groupby(keys, sort=False, dropna=False)["value"].mean().reset_index()
