"""The published cells, and the misprints among them."""

import pytest

from labeldist.datasets import list_datasets, load_dataset
from labeldist.metrics import PAPER_MEASURES
from reproduction.paper import (
    dataset_sizes,
    impossible_cells,
    misprinted_deviations,
    paper_cells,
    recomputed_ranks,
)


def test_all_tables_are_complete():
    cells = paper_cells()
    assert sorted(cells.groupby("table").size()) == [26, 26, 78, 78, 104, 104]
    assert not cells.duplicated(["experiment", "dataset", "method", "measure"]).any()
    assert set(cells["dataset"]) == set(list_datasets())
    assert set(cells["measure"]) <= set(PAPER_MEASURES)


@pytest.mark.usefixtures("benchmark_folder")
def test_sizes_are_those_of_the_data_sets():
    sizes = dataset_sizes()
    assert list(sizes.index) == list_datasets()
    for name in ("Yeast_spoem", "SBU_3DFE"):
        X, D = load_dataset(name, return_X_y=True)
        assert sizes.loc[name].tolist() == [*X.shape, D.shape[1]]


def test_canberra_below_clark_or_intersection_is_impossible():
    found = impossible_cells().set_index("dataset")
    assert set(found.index) == {"Natural_Scene", "Movie", "SBU_3DFE"}
    assert (found["method"] == "BD-LDL").all()
    assert "Intersection" not in found.loc["Natural_Scene", "reason"]
    assert all(value in found.loc["Movie", "reason"] for value in ("0.0218", "0.5211", "0.1702"))


def test_disagreeing_ranks():
    ranks = recomputed_ranks()
    wrong = ranks[~ranks["agree"]]
    assert len(wrong) == 11
    cell = wrong.set_index(["table", "dataset", "method"]).loc[
        ("LE, Cosine", "Natural_Scene", "LP")
    ]
    assert (cell["rank"], cell["lowest"], cell["highest"]) == (2, 1, 1)


def test_misprinted_deviations():
    found = misprinted_deviations()
    assert sorted(found.loc[found["grade"] == "impossible", "std"]) == [1.6, 2.08, 2.1, 8.07]
    implausible = sorted(found.loc[found["grade"] == "implausible", "std"])
    assert implausible == [0.021, 0.029, 0.034, 0.054, 0.063, 0.541, 0.606, 0.685]
    assert (found["std"] > found["bound"]).all()
