"""What in the paper's tables cannot be, found by rule from its printed cells alone."""

import numpy as np
import pandas as pd
from scipy import stats

from labeldist.datasets._registry import REGISTRY
from labeldist.experiments.paper import paper_cells
from labeldist.experiments.statistics import distance
from labeldist.metrics import MEASURES

FOLDS = 10
"""The folds over which the paper's means and standard deviations are taken."""

CHANCE = 1e-4
"""A deviation that random folds show less often than this is called a misprint."""

_ROUNDING = 1e-4
"""Two printed figures of four digits may be this much further apart than the true ones."""

_BELOW_CANBERRA = {"clark": "Canberra ≥ Clark", "intersection": "Canberra ≥ 1 − Intersection"}


def impossible_cells() -> pd.DataFrame:
    """Return the Canberra cells that lie below another measure of the same method and set that they must exceed.

    With r = |d − p| / (d + p) for each label, Canberra is Σ r and Clark √Σ r², which is no larger. 1 − Intersection is
    ½ Σ |d − p|, and r ≥ ½ |d − p| as degrees are at most one. Both hold row by row, so in the mean.

    Returns
    -------
    DataFrame
        The cells, indexed as in `paper_cells`, with `rule` and `reason`, which names the figures that contradict.
    """
    cells = paper_cells()
    cells["distance"] = distance(cells["value"], cells["measure"])
    others = cells.pivot(index=["dataset", "method"], columns="measure", values="distance")
    canberra = cells[cells["measure"] == "canberra"].join(others[list(_BELOW_CANBERRA)], on=["dataset", "method"])
    found = {}
    for index, cell in canberra.iterrows():
        broken = [other for other in _BELOW_CANBERRA if cell["value"] < cell[other] - _ROUNDING]
        if broken:
            figures = [
                f"{'1 − ' if MEASURES[other].higher_is_better else ''}{MEASURES[other].title} {cell[other]:.4f}"
                for other in broken
            ]
            rule = " and ".join(_BELOW_CANBERRA[other] for other in broken)
            reason = f"{rule}, row by row and so in the mean; the paper prints Canberra {cell['value']:.4f} beside "
            found[index] = {"rule": rule, "reason": reason + " and ".join(figures) + " for the same method and set"}
    reasons = pd.DataFrame.from_dict(found, orient="index", columns=["rule", "reason"])
    return cells.drop(columns="distance").join(reasons, how="inner")


def recomputed_ranks() -> pd.DataFrame:
    """Return the cells with a printed rank, the `lowest` and `highest` that their values allow, and if it does `agree`.

    Methods with the same printed value may be in any order among themselves.
    """
    cells = paper_cells()
    cells = cells[cells["rank"].notna()]
    # Differences of printed digits must not depend on how 1 - 0.9945 is rounded in binary.
    printed = distance(cells["value"], cells["measure"]).round(6)
    groups = printed.groupby([cells["table"], cells["dataset"]])
    lowest, highest = groups.rank(method="min"), groups.rank(method="max")
    return cells.assign(lowest=lowest, highest=highest, agree=cells["rank"].between(lowest, highest))


def misprinted_deviations() -> pd.DataFrame:
    """Return the cells whose standard deviation over ten folds cannot be, or is not to be believed.

    Values between 0 and M with mean μ have a variance of at most μ (M − μ) (Bhatia and Davis), so a larger one is
    *impossible*. A fold's figure is a mean over a tenth of the rows; however scattered rows are within those bounds,
    the deviation of means over random folds is smaller by the root of their number of rows. One that exceeds this by
    more than chance does once in 10,000 times is *implausible*: only a model that fails in some folds could show it.

    Returns
    -------
    DataFrame
        The cells, indexed as in `paper_cells`, with `grade` ("impossible" or "implausible"), `bound` and `reason`.
    """
    cells = paper_cells()
    cells = cells[cells["std"].notna()]
    labels, rows = (
        cells["dataset"].map({name: getattr(info, field) for name, info in REGISTRY.items()})
        for field in ("n_labels", "n_samples")
    )
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
    why = np.where(impossible, "no ten values of this measure deviate", "random folds of this set hardly ever deviate")
    reason = [
        f"{deviation:.3f} beside a mean of {mean:.4f}: {rule} by more than {limit:.3f}"
        for deviation, mean, rule, limit in zip(cells["std"], cells["value"], why, bound, strict=True)
    ]
    cells = cells.assign(grade=np.where(impossible, "impossible", "implausible"), bound=bound, reason=reason)
    return cells[impossible | (cells["std"] > believable)]
