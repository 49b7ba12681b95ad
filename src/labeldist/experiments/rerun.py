"""How to run again what records hold."""

import shlex

import pandas as pd

from labeldist.experiments.spec import load_spec, shipped


def own_experiments(records: pd.DataFrame) -> list[str]:
    """Return the experiments of a user's own specs, whose paths the records do not hold."""
    return [name for name in records["experiment"].unique() if name not in shipped()]


def commands(records: pd.DataFrame, *, out: str = "results") -> list[str]:
    """Return the command lines that run the shipped experiments again, on the sets of the records, and report them."""
    stores = list(records["store"].unique())
    by_sets: dict[tuple[str, ...], list[str]] = {}
    for experiment, datasets in records.groupby("experiment", sort=False)["dataset"].unique().items():
        if experiment in shipped():
            as_in_spec = set(datasets) == set(load_spec(str(experiment)).datasets)
            by_sets.setdefault(() if as_in_spec else tuple(datasets), []).append(str(experiment))
    lines = []
    for datasets, experiments in by_sets.items():
        chosen = [word for dataset in datasets for word in ("--dataset", dataset)]
        words = ["labeldist", "reproduce", *experiments, *chosen, "--store", stores[0], "--out", out]
        lines.append(shlex.join(words))
    return [*lines, shlex.join(["labeldist", "report", *stores])]
