import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labeldist import BDLDL, BDLDLCV
from labeldist.datasets import make_artificial
from labeldist.plots import ParameterInfluenceDisplay
from tests.plots.looks import tick_texts

GRID = {"reconstructions": [1e-2, 1.0, 100.0], "ridges": [0.1, 1000.0], "floors": [0.01, 0.2], "cv": 2}


@pytest.fixture(scope="module")
def data():
    return make_artificial(40, random_state=0)


@pytest.fixture(scope="module")
def search(data):
    return BDLDLCV(**GRID).fit(*data)


def test_a_cell_is_the_best_score_of_its_two_parameters(search):
    display = ParameterInfluenceDisplay.from_estimator(search)
    results = search.cv_results_
    for i, reconstruction in enumerate(GRID["reconstructions"]):
        for j, ridge in enumerate(GRID["ridges"]):
            here = (results["param_reconstruction"] == reconstruction) & (results["param_ridge"] == ridge)
            assert display.scores[i, j] == pytest.approx(-results["mean_test_score"][here].max())
    np.testing.assert_array_equal(display.image_.get_array(), display.scores)
    assert display.others == ["floor"]
    assert "best over floor" in display.ax_.get_title(loc="left")


def test_sides_and_scale_have_their_names(search):
    display = ParameterInfluenceDisplay.from_estimator(search)
    assert tick_texts(display.ax_, "y") == ["10⁻²", "10⁰", "10²"]
    assert tick_texts(display.ax_, "x") == ["10⁻¹", "10³"]
    assert (display.ax_.get_ylabel(), display.ax_.get_xlabel()) == ("reconstruction", "ridge")
    assert display.colorbar_.ax.get_ylabel() == "Kullback-Leibler (lower is better)"


def test_the_best_is_brightest_and_framed(search, data):
    higher = BDLDLCV(scoring="cosine", **GRID).fit(*data)
    for estimator, best_score in ((search, -search.best_score_), (higher, higher.best_score_)):
        display = ParameterInfluenceDisplay.from_estimator(estimator)
        row, column = display.best_
        assert display.row_values[row] == estimator.best_params_["reconstruction"]
        assert display.column_values[column] == estimator.best_params_["ridge"]
        assert display.scores[row, column] == pytest.approx(best_score)
        assert display.frame_.get_center() == pytest.approx((column, row))
        brightness = display.image_.to_rgba(display.scores)[..., :3].sum(axis=-1)
        assert np.unravel_index(brightness.argmax(), brightness.shape) == (row, column)


def test_other_parameters_can_be_looked_at(search):
    display = ParameterInfluenceDisplay.from_estimator(search, params=("floor", "ridge"))
    assert (display.row_name, display.column_name) == ("floor", "ridge")
    assert display.scores.shape == (2, 2)
    assert display.others == ["reconstruction"]
    with pytest.raises(ValueError, match="params must be one of reconstruction, ridge, output, floor; got 'alpha'"):
        ParameterInfluenceDisplay.from_estimator(search, params=("alpha", "ridge"))


def test_a_grid_search_is_drawn_with_its_own_score(data):
    grid = {"bdldl__ridge": [10.0, 0.1, 1.0], "bdldl__output": ["clip", "softmax"]}
    search = GridSearchCV(make_pipeline(StandardScaler(), BDLDL()), grid, cv=2).fit(*data)
    display = ParameterInfluenceDisplay.from_estimator(search)
    assert display.row_values == ["clip", "softmax"]
    assert display.column_values == [0.1, 1.0, 10.0]
    assert display.scores.max() == pytest.approx(search.best_score_)
    assert display.colorbar_.ax.get_ylabel() == "mean_test_score (higher is better)"
    fold = ParameterInfluenceDisplay.from_estimator(search, score="split0_test_score")
    assert fold.scores.max() == search.cv_results_["split0_test_score"].max()
    with pytest.raises(ValueError, match="score must be one of"):
        ParameterInfluenceDisplay.from_estimator(search, score="params")


def test_combinations_that_were_not_tried_are_missing(data):
    grids = [
        {"ridge": [0.1, 1.0], "reconstruction": [0.1]},
        {"ridge": [0.1], "reconstruction": [1.0]},
        {"scale": [True]},
    ]
    display = ParameterInfluenceDisplay.from_estimator(
        GridSearchCV(BDLDL(), grids, cv=2).fit(*data), params=("reconstruction", "ridge")
    )
    np.testing.assert_array_equal(np.isnan(display.scores), [[False, False], [False, True]])
    assert display.text_[1, 1].get_text() == "–"


def test_a_search_inside_a_pipeline_is_found(data):
    pipeline = make_pipeline(StandardScaler(), BDLDLCV(**GRID)).fit(*data)
    display = ParameterInfluenceDisplay.from_estimator(pipeline)
    assert display.title == "Kullback-Leibler"


@pytest.mark.parametrize(("worst", "scale"), [(0.5, "LogNorm"), (0.05, "Normalize")])
def test_values_of_different_magnitude_are_coloured_by_logarithm(worst, scale):
    display = ParameterInfluenceDisplay(
        np.array([[0.01, worst]]),
        row_values=[1],
        column_values=[1, 2],
        row_name="a",
        column_name="b",
        title="score",
        higher_is_better=False,
    ).plot()
    assert type(display.image_.norm).__name__ == scale
    assert display.ax_.get_title(loc="left") == "framed: the best"


def test_what_cannot_be_drawn_is_told(data):
    with pytest.raises(NotFittedError, match="no cv_results_"):
        ParameterInfluenceDisplay.from_estimator(BDLDL().fit(*data))
    with pytest.raises(ValueError, match=r"of reconstruction, ridge, output, floor ridge alone does"):
        ParameterInfluenceDisplay.from_estimator(
            BDLDLCV(reconstructions=[0.1], ridges=[0.1, 1.0], floors=[0.1], cv=2).fit(*data)
        )
    with pytest.raises(ValueError, match="none does"):
        ParameterInfluenceDisplay.from_estimator(GridSearchCV(BDLDL(), {"ridge": [0.1]}, cv=2).fit(*data))
    with pytest.raises(ValueError, match="No combination has a score"):
        ParameterInfluenceDisplay(
            np.full((1, 1), np.nan),
            row_values=[1],
            column_values=[1],
            row_name="a",
            column_name="b",
            title="score",
            higher_is_better=True,
        ).plot()
