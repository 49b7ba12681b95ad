"""The published cells, and the misprints among them."""

import pytest

from labeldist.datasets import list_datasets, load_dataset
from labeldist.metrics import PAPER_MEASURES
from reproduction import paper
from reproduction.paper import dataset_sizes, impossible_cells, misprinted_deviations, paper_cells, recomputed_ranks


def test_all_tables_are_complete():
    cells = paper_cells()
    assert len(cells) == 416
    assert sorted(cells.groupby("table").size()) == [13 * 2, 13 * 2, 13 * 6, 13 * 6, 13 * 8, 13 * 8]
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
    assert found.loc["Natural_Scene", "rule"] == "Canberra ≥ Clark"
    assert found.loc["Movie", "rule"] == "Canberra ≥ Clark and Canberra ≥ 1 − Intersection"
    assert all(value in found.loc["Movie", "reason"] for value in ("0.0218", "0.5211", "0.1702"))


def test_disagreeing_ranks():
    ranks = recomputed_ranks()
    wrong = ranks[~ranks["agree"]]
    assert len(wrong) == 11
    cell = wrong.set_index(["table", "dataset", "method"]).loc[("LE, Cosine", "Natural_Scene", "LP")]
    assert (cell["rank"], cell["lowest"], cell["highest"]) == (2, 1, 1)


def test_changed_cell_becomes_impossible(monkeypatch):
    cells = paper_cells()
    cell = (
        (cells["table"] == "Ablation, Canberra") & (cells["dataset"] == "Yeast_alpha") & (cells["method"] == "UD-LDL")
    )
    assert cell.sum() == 1
    cells.loc[cell, "value"] = 0.1  # below 1 - 0.8915
    monkeypatch.setattr(paper, "paper_cells", cells.copy)
    found = impossible_cells()
    assert len(found) == 4
    assert found.set_index("dataset").loc["Yeast_alpha", "rule"] == "Canberra ≥ 1 − Intersection"


def test_misprinted_deviations():
    found = misprinted_deviations()
    assert sorted(found.loc[found["grade"] == "impossible", "std"]) == [1.6, 2.08, 2.1, 8.07]
    implausible = sorted(found.loc[found["grade"] == "implausible", "std"])
    assert implausible == [0.021, 0.029, 0.034, 0.054, 0.063, 0.541, 0.606, 0.685]
    assert (found["std"] > found["bound"]).all()
