"""Records of several stores, put together so that every run counts once."""

import pandas as pd

_PLACE = ["experiment", "kind", "dataset", "method", "variant", "point", "seed", "fold"]
"""Where a value stands. Runs of two stores may meet here though their keys differ, as after a change of a spec."""


def runs(records: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each run of each store instead of one for each value."""
    return records.drop_duplicates(["run", "store"])


def first_of_each(records: pd.DataFrame) -> pd.DataFrame:
    """Keep every run once: from the first store where it went well, else from the first that tried it.

    So stores may complement each other, and where they repeat each other their values are not mixed. What has been put
    together stays as it is if this is done again.
    """
    if records["store"].nunique() < 2:
        return records
    points = records.assign(point=records["parameters"].where(records["kind"] == "grid", ""))
    return _first(_first(points, ["run"]), _PLACE).drop(columns="point")


def _first(records: pd.DataFrame, what: list[str]) -> pd.DataFrame:
    """Keep one store's rows for each value of the columns `what`."""
    place = records["store"].map({store: place for place, store in enumerate(records["store"].unique())})
    tried = records.assign(bad=records["status"] != "ok", place=place)
    chosen = tried.sort_values(["bad", "place"], kind="stable").drop_duplicates(what)
    return records.merge(chosen[[*what, "store"]], on=[*what, "store"])
