"""What the paper prints and cannot be: found by rule, so it changes when the cells do."""

import pytest

from labeldist.experiments import misprints
from labeldist.experiments.misprints import impossible_cells, misprinted_deviations, recomputed_ranks
from labeldist.experiments.paper import paper_cells


@pytest.fixture
def print_instead(monkeypatch):
    """Print another figure in one cell."""

    def change(table, dataset, method, **figures):
        cells = paper_cells()
        cell = (cells["table"] == table) & (cells["dataset"] == dataset) & (cells["method"] == method)
        assert cell.sum() == 1
        for column, figure in figures.items():
            cells.loc[cell, column] = figure
        monkeypatch.setattr(misprints, "paper_cells", cells.copy)

    return change


def test_canberra_below_clark_or_the_lost_mass_is_impossible():
    found = impossible_cells().set_index("dataset")
    assert set(found.index) == {"Natural_Scene", "Movie", "SBU_3DFE"}
    assert (found["method"] == "BD-LDL").all()
    assert found.loc["Natural_Scene", "rule"] == "Canberra ≥ Clark"
    assert found.loc["Movie", "rule"] == "Canberra ≥ Clark and Canberra ≥ 1 − Intersection"
    assert "Canberra 0.0218 beside Clark 0.5211 and 1 − Intersection 0.1702" in found.loc["Movie", "reason"]


def test_a_cell_is_impossible_no_longer_when_it_obeys(print_instead):
    print_instead("Ablation, Canberra", "Movie", "BD-LDL", value=0.9)
    assert set(impossible_cells()["dataset"]) == {"Natural_Scene", "SBU_3DFE"}


def test_other_cells_become_impossible_when_they_disobey(print_instead):
    print_instead("Ablation, Canberra", "Yeast_alpha", "UD-LDL", value=0.1)  # below 1 - 0.8915
    found = impossible_cells()
    assert len(found) == 4
    assert found.set_index("dataset").loc["Yeast_alpha", "rule"] == "Canberra ≥ 1 − Intersection"


def test_rounding_alone_makes_nothing_impossible(print_instead):
    print_instead("Ablation, Canberra", "Movie", "BD-LDL", value=0.5210)  # Clark is 0.5211
    assert "Movie" not in set(impossible_cells()["dataset"])


def test_eleven_printed_ranks_disagree():
    ranks = recomputed_ranks()
    wrong = ranks[~ranks["agree"]]
    assert len(wrong) == 11
    cell = wrong.set_index(["table", "dataset", "method"]).loc[("LE, Cosine", "Natural_Scene", "LP")]
    assert (cell["rank"], cell["lowest"], cell["highest"]) == (2, 1, 1)


def test_ties_may_be_ranked_in_any_order(print_instead):
    print_instead("LDL, Clark", "Yeast_alpha", "LDLLC", rank=2)  # 0.2098, as LDL-SCL
    assert (~recomputed_ranks()["agree"]).sum() == 11
    print_instead("LDL, Clark", "Yeast_alpha", "LDLLC", rank=4)
    assert (~recomputed_ranks()["agree"]).sum() == 12


def test_deviations_beyond_the_bounds_of_their_measure_are_impossible():
    found = misprinted_deviations()
    assert sorted(found.loc[found["grade"] == "impossible", "std"]) == [1.6, 2.08, 2.1, 8.07]


def test_deviations_that_random_folds_do_not_show_are_implausible():
    found = misprinted_deviations()
    deviations = sorted(found.loc[found["grade"] == "implausible", "std"])
    assert deviations == [0.021, 0.029, 0.034, 0.054, 0.063, 0.541, 0.606, 0.685]
    assert (found["std"] > found["bound"]).all()


def test_deviations_are_judged_beside_their_mean_and_set(print_instead):
    print_instead("LDL, Clark", "Yeast_spoem", "BD-LDL", std=0.6)  # two labels: Clark is at most 1.41
    found = misprinted_deviations().set_index(["table", "dataset", "method"])
    assert found.loc[("LDL, Clark", "Yeast_spoem", "BD-LDL"), "grade"] == "impossible"
    print_instead("LDL, Clark", "Yeast_cdc", "EDL-LRL", std=0.00208)
    assert len(misprinted_deviations()) == 11
