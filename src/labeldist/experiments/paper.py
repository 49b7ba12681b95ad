"""The 416 figures that the paper prints, cell by cell, as they are printed.

``published/`` has one file an experiment. Nothing is mended there: what is misprinted is found by the rules of
`labeldist.experiments.misprints`.
"""

from functools import cache
from importlib.resources import files

import pandas as pd

from labeldist.metrics import MEASURES

KINDS = {"le-recovery": "recovery", "ldl-prediction": "prediction", "ablation": "prediction"}
"""The experiments that the paper tabulates, and what kind of records stands beside their cells."""

_TITLES = {"le-recovery": "LE", "ldl-prediction": "LDL", "ablation": "Ablation"}
_COLUMNS = ["table", "experiment", "dataset", "method", "measure", "value", "std", "rank"]


def paper_cells() -> pd.DataFrame:
    """Return the cells of all tables of the paper that compare methods.

    Returns
    -------
    DataFrame
        One row a cell: `table` (such as "LE, Chebyshev"), `experiment`, `dataset`, `method`, `measure`, `value`, and
        `std` and `rank`, which are NaN where the paper prints none.
    """
    return _all_cells().copy()


@cache
def _all_cells() -> pd.DataFrame:
    return pd.concat([_cells(experiment) for experiment in KINDS], ignore_index=True)


def _cells(experiment: str) -> pd.DataFrame:
    file = files("labeldist.experiments") / "published" / f"{experiment}.csv"
    with file.open(encoding="utf-8") as lines:
        cells = pd.read_csv(lines)
    titles = cells["measure"].map({name: measure.title for name, measure in MEASURES.items()})
    table = _TITLES[experiment] + ", " + titles
    return (
        cells.assign(experiment=experiment, table=table).reindex(columns=_COLUMNS).astype({"std": float, "rank": float})
    )
