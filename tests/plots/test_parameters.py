"""Tests of CoefficientDisplay and ParameterInfluenceDisplay."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from labeldist import BDLDL, BDLDLCV, BDLE, EnhancedLearner
from labeldist.datasets import make_artificial
from labeldist.learning import AAKNN, CPNN, SABFGS, LDLForest, SoftmaxRegressionCV
from labeldist.plots import CoefficientDisplay, ParameterInfluenceDisplay
from tests.plots.drawn import texts, tick_texts

GRID = {"reconstructions": [1e-2, 1.0, 100.0], "ridges": [0.1, 1000.0], "floors": [0.01, 0.2], "cv": 2}


@pytest.fixture(scope="module")
def data():
    X, D = make_artificial(60, random_state=0)
    X = pd.DataFrame(X * [1, 10, 0.1], columns=["width", "height", "weight"])
    return X, pd.DataFrame(D, columns=["joy", "fear", "calm"])


@pytest.fixture(scope="module")
def search(data):
    return BDLDLCV(**GRID).fit(*data)


def test_coefficients_have_one_row_per_feature_and_one_column_per_label(data):
    model = BDLDL().fit(*data)
    display = CoefficientDisplay.from_estimator(model)
    np.testing.assert_allclose(display.image_.get_array(), model.coef_.T)
    assert tick_texts(display.ax_, "y") == ["width", "height", "weight"]
    assert tick_texts(display.ax_, "x") == ["joy", "fear", "calm"]
    assert texts(display.ax_) == [f"{value:.3g}" for value in model.coef_.T.ravel()]


def test_max_features_keeps_the_largest_coefficients(data):
    model = BDLDL(reconstruction=0, ridge=0).fit(*data)
    display = CoefficientDisplay.from_estimator(model, max_features=2)
    assert display.feature_names == ["weight", "width"]
    np.testing.assert_allclose(display.coefficients, model.coef_.T[[2, 0]])
    assert "2 of 3 features" in display.ax_.get_xlabel()


def test_X_scales_coefficients_by_standard_deviations(data):
    X, D = data
    model = BDLDL(reconstruction=0, ridge=0).fit(X, D)
    display = CoefficientDisplay.from_estimator(model, X)
    np.testing.assert_allclose(display.coefficients, model.coef_.T * X.std(ddof=0).to_numpy()[:, None])
    assert "standard deviation" in display.colorbar_.ax.get_ylabel()
    model = BDLDL().fit(csr_array(X), D)
    sparse = CoefficientDisplay.from_estimator(model, csr_array(X), feature_names=list("abc"))
    np.testing.assert_allclose(sparse.coefficients, model.coef_.T * X.std(ddof=0).to_numpy()[:, None])
    pipeline = make_pipeline(StandardScaler(), BDLDL()).fit(X, D)
    plain, scaled = CoefficientDisplay.from_estimator(pipeline), CoefficientDisplay.from_estimator(pipeline, X)
    np.testing.assert_allclose(plain.coefficients, scaled.coefficients)


def test_features_in_another_order_raise(data):
    X, D = data
    with pytest.raises(ValueError, match="Column 0 is 'weight' where fit had 'width'"):
        CoefficientDisplay.from_estimator(BDLDL().fit(X, D), X[X.columns[::-1]])


def test_hidden_weights_are_not_coefficients_of_labels():
    X, D = make_artificial(60, random_state=0)
    for model in (CPNN(5, max_iter=2), LDLForest(1, n_units=3, max_iter=2)):
        with pytest.raises(TypeError, match="has no coefficients"):
            CoefficientDisplay.from_estimator(model.fit(X, D))


def test_coefficients_are_found_inside_other_estimators(data, search):
    grid = GridSearchCV(make_pipeline(StandardScaler(), SABFGS()), {"sabfgs__max_iter": [5]}, cv=2).fit(*data)
    enhanced = EnhancedLearner(BDLE(), BDLDL()).fit(data[0], (data[1] > 0.3).astype(int))
    for estimator in (search, grid, enhanced):
        display = CoefficientDisplay.from_estimator(estimator)
        assert display.feature_names == ["width", "height", "weight"]
        assert display.label_names == ["joy", "fear", "calm"]


def test_feature_names_come_from_the_last_transformer(data):
    for step, names in ((PCA(2), ["pca0", "pca1"]), (FunctionTransformer(lambda X: X.to_numpy()[:, :2]), ["x0", "x1"])):
        display = CoefficientDisplay.from_estimator(make_pipeline(step, BDLDL()).fit(*data))
        assert display.feature_names == names


def test_coefficient_names_and_errors(data):
    model = BDLDL().fit(*data)
    display = CoefficientDisplay.from_estimator(model, feature_names=np.array(["a", "b", "c"]), label_names=list("xyz"))
    assert (display.feature_names, display.label_names) == (["a", "b", "c"], ["x", "y", "z"])
    with pytest.raises(ValueError, match=r"feature_names .* 3"):
        CoefficientDisplay.from_estimator(model, feature_names=["a"])
    with pytest.raises(TypeError, match="AAKNN"):
        CoefficientDisplay.from_estimator(AAKNN().fit(*data))
    with pytest.raises(NotFittedError):
        CoefficientDisplay.from_estimator(BDLDL())


def test_influence_cell_is_the_best_score_over_other_parameters(search):
    display = ParameterInfluenceDisplay.from_estimator(search)
    results = search.cv_results_
    for i, reconstruction in enumerate(GRID["reconstructions"]):
        for j, ridge in enumerate(GRID["ridges"]):
            cell = (results["param_reconstruction"] == reconstruction) & (results["param_ridge"] == ridge)
            assert display.scores[i, j] == pytest.approx(-results["mean_test_score"][cell].max())
    np.testing.assert_array_equal(display.image_.get_array(), display.scores)
    assert type(display.image_.norm).__name__ == "LogNorm"  # the scores differ by a factor of more than 10
    assert display.others == ["floor"]
    assert tick_texts(display.ax_, "y") == ["0.01", "1", "100"]
    assert tick_texts(display.ax_, "x") == ["0.1", "1000"]
    assert (display.ax_.get_ylabel(), display.ax_.get_xlabel()) == ("reconstruction", "ridge")
    assert display.colorbar_.ax.get_ylabel() == "Kullback-Leibler (lower is better)"


@pytest.mark.parametrize(("scoring", "sign"), [("kl_divergence", -1), ("cosine", 1)])
def test_influence_best_score_is_framed(data, scoring, sign):
    pipeline = make_pipeline(StandardScaler(), BDLDLCV(scoring=scoring, **GRID)).fit(*data)
    search = pipeline[-1]
    display = ParameterInfluenceDisplay.from_estimator(pipeline)
    row, column = display.best_
    assert display.row_values[row] == search.best_params_["reconstruction"]
    assert display.column_values[column] == search.best_params_["ridge"]
    assert display.scores[row, column] == pytest.approx(sign * search.best_score_)
    assert display.frame_.get_center() == pytest.approx((column, row))


def test_influence_params_choose_the_axes(search):
    display = ParameterInfluenceDisplay.from_estimator(search, params=("floor", "ridge"))
    assert (display.row_name, display.column_name, display.others) == ("floor", "ridge", ["reconstruction"])
    assert display.scores.shape == (2, 2)
    with pytest.raises(ValueError, match="'alpha'"):
        ParameterInfluenceDisplay.from_estimator(search, params=("alpha", "ridge"))


def test_influence_of_a_grid_search(data):
    grid = {"bdldl__ridge": [10.0, 0.1, 1.0], "bdldl__output": ["clip", "softmax"]}
    search = GridSearchCV(make_pipeline(StandardScaler(), BDLDL()), grid, cv=2).fit(*data)
    display = ParameterInfluenceDisplay.from_estimator(search)
    assert display.row_values == ["clip", "softmax"]
    assert display.column_values == [0.1, 1.0, 10.0]
    assert display.scores.max() == pytest.approx(search.best_score_)


def test_influence_combinations_that_were_not_tried_are_missing(data):
    grids = [{"ridge": [0.1, 1.0], "reconstruction": [0.1]}, {"ridge": [0.1], "reconstruction": [1.0]}]
    search = GridSearchCV(BDLDL(), grids, cv=2).fit(*data)
    display = ParameterInfluenceDisplay.from_estimator(search, params=("reconstruction", "ridge"))
    np.testing.assert_array_equal(np.isnan(display.scores), [[False, False], [False, True]])
    assert len(texts(display.ax_)) == 3


def test_influence_errors(data):
    with pytest.raises(NotFittedError, match="BDLDL has no cv_results_"):
        ParameterInfluenceDisplay.from_estimator(BDLDL().fit(*data))
    with pytest.raises(ValueError, match="got 1 of ridge"):
        ParameterInfluenceDisplay.from_estimator(GridSearchCV(BDLDL(), {"ridge": [0.1, 1.0]}, cv=2).fit(*data))


def test_influence_of_a_search_over_one_parameter_raises(data):
    search = SoftmaxRegressionCV().fit(*data)
    with pytest.raises(ValueError, match=r"Two parameters .* got 1 of ridge"):
        ParameterInfluenceDisplay.from_estimator(search)
