"""Records of several stores: put together for one report, and set against each other."""

import pandas as pd

from labeldist.experiments.statistics import distance, summary
from labeldist.experiments.tables import TABLE
from labeldist.metrics import MEASURES

RUN = ["experiment", "kind", "dataset", "method", "variant", "parameters", "seed", "fold"]
"""What makes a run the same run in another store."""


def runs(records: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each run of each store instead of one for each value."""
    return records.drop_duplicates([*RUN, "store"])


def first_of_each(records: pd.DataFrame) -> pd.DataFrame:
    """Keep every run once: from the first store where it went well, else from the first that tried it.

    So stores may complement each other, and where they repeat each other their values are not mixed.
    """
    order = {store: place for place, store in enumerate(records["store"].unique())}
    tried = runs(records)[[*RUN, "store", "status"]]
    tried = tried.assign(bad=tried["status"] != "ok", place=tried["store"].map(order))
    chosen = tried.sort_values(["bad", "place"], kind="stable").drop_duplicates(RUN)
    return records.merge(chosen[[*RUN, "store"]], on=[*RUN, "store"])


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
