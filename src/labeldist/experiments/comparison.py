"""Records of several stores, set against each other."""

import pandas as pd

from labeldist.experiments.statistics import distance, summary
from labeldist.experiments.tables import TABLE
from labeldist.metrics import MEASURES


def compare_stores(records: pd.DataFrame) -> pd.DataFrame | None:
    """Compare the means of each further store with the first one's, as relative differences of distances.

    Returns
    -------
    DataFrame or None
        One row a store, experiment and measure: `Shared` values, the `Median %` and `Largest %` difference, and
        where the largest is. None if there is one store only.
    """
    first, *others = records["store"].unique()
    if not others:
        return None
    keys = [*TABLE, "dataset", "method"]
    means = {store: summary(part).set_index(keys)["mean"] for store, part in records.groupby("store")}
    rows = []
    for store in others:
        pair = pd.concat({"ours": means[first], "theirs": means[store]}, axis=1, join="inner").reset_index()
        ours, theirs = distance(pair["ours"], pair["measure"]), distance(pair["theirs"], pair["measure"])
        pair["gap"] = (theirs - ours).abs() / ours.where(ours > 0)
        for (experiment, measure), part in pair.groupby(["experiment", "measure"], sort=False):
            known = part.dropna(subset="gap")
            if known.empty:
                continue
            worst = known.loc[known["gap"].idxmax()]
            where = ", ".join(worst[name] for name in ("dataset", "method", "variant") if worst[name])
            rows.append(
                (store, experiment, MEASURES[measure].title, len(part), known["gap"].median(), worst["gap"], where)
            )
    heads = ["Store", "Experiment", "Measure", "Shared", "Median %", "Largest %", "Where the largest is"]
    return pd.DataFrame(rows, columns=heads)
