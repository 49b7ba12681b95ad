"""The paper's cells, as printed."""

from labeldist.datasets import list_datasets
from labeldist.experiments.paper import KINDS, paper_cells
from labeldist.metrics import MEASURES


def test_every_table_of_the_paper_is_there():
    cells = paper_cells()
    assert cells.groupby("table").size().to_dict() == {
        "LE, Chebyshev": 13 * 6,
        "LE, Cosine": 13 * 6,
        "LDL, Clark": 13 * 8,
        "LDL, Cosine": 13 * 8,
        "Ablation, Canberra": 13 * 2,
        "Ablation, Intersection": 13 * 2,
    }
    assert not cells.duplicated(["experiment", "dataset", "method", "measure"]).any()
    assert set(cells["dataset"]) == set(list_datasets())
    assert set(cells["measure"]) <= set(MEASURES)
    assert set(cells["experiment"]) == set(KINDS)


def test_deviations_and_ranks_are_missing_where_none_is_printed():
    cells = paper_cells().set_index("experiment")
    assert cells.loc["le-recovery", "std"].isna().all()
    assert cells.loc["ablation", "rank"].isna().all()
    assert cells.loc["ldl-prediction", ["std", "rank"]].notna().all(axis=None)


def test_cells_are_as_printed_and_each_caller_has_its_own():
    first = paper_cells()
    first["value"] = 0.0
    cells = paper_cells().set_index(["table", "dataset", "method"])
    assert cells.loc[("LDL, Clark", "Yeast_cdc", "EDL-LRL"), ["value", "std", "rank"]].tolist() == [0.2046, 2.08, 2]
    assert cells.loc[("LE, Cosine", "Movie", "BD-LE"), "value"] == 0.9321
