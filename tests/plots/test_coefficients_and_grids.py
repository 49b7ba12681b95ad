"""Tests of CoefficientDisplay and ParameterInfluenceDisplay."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from labeldist import BDLDL, BDLDLCV, BDLE, EnhancedLearner
from labeldist.datasets import make_artificial
from labeldist.learning import BlendedLearner, SoftmaxRegression, SoftmaxRegressionCV
from labeldist.plots import CoefficientDisplay, ParameterInfluenceDisplay
from labeldist.published import AAKNN, CPNN, SABFGS, LDLForest
from labeldist.simplex import softmax
from tests.plots.drawn import texts, tick_texts

RECONSTRUCTIONS = [1e-2, 1.0, 100.0]
RIDGES = [0.1, 1000.0]
FEATURES = ["width", "height", "weight"]
LABELS = ["joy", "fear", "calm"]


def grid_search(**options):
    return BDLDLCV(RECONSTRUCTIONS, RIDGES, [0.01, 0.2], cv=2, **options)


@pytest.fixture(scope="module")
def data():
    X, D = make_artificial(60, random_state=0)
    return pd.DataFrame(X * [1, 10, 0.1], columns=FEATURES), pd.DataFrame(D, columns=LABELS)


@pytest.fixture(scope="module")
def search(data):
    return grid_search().fit(*data)


def test_coefficients_have_one_row_per_feature_and_one_column_per_label(data):
    model = BDLDL().fit(*data)
    display = CoefficientDisplay.from_estimator(model)
    assert_allclose(display.image_.get_array(), model.coef_.T)
    assert tick_texts(display.ax_, "y") == FEATURES
    assert tick_texts(display.ax_, "x") == LABELS
    assert texts(display.ax_) == [f"{value:.3g}" for value in model.coef_.T.ravel()]


def test_max_features_keeps_the_largest_coefficients(data):
    model = BDLDL(reconstruction=0, ridge=0).fit(*data)
    display = CoefficientDisplay.from_estimator(model, max_features=2)
    assert display.feature_names == ["weight", "width"]
    assert_allclose(display.coefficients, model.coef_.T[[2, 0]])


@pytest.mark.parametrize("convert", [pd.DataFrame, csr_array])
def test_X_scales_coefficients_by_standard_deviations(data, convert):
    X = convert(data[0])
    model = BDLDL(reconstruction=0, ridge=0).fit(X, data[1])
    display = CoefficientDisplay.from_estimator(model, X)
    deviations = data[0].std(ddof=0).to_numpy()
    assert_allclose(display.coefficients, model.coef_.T * deviations[:, None])


def test_features_in_another_order_raise(data):
    X, D = data
    with pytest.raises(ValueError, match="same order"):
        CoefficientDisplay.from_estimator(BDLDL().fit(X, D), X[X.columns[::-1]])


@pytest.mark.parametrize("model", [CPNN(5, max_iter=2), LDLForest(1, max_iter=2), AAKNN()])
def test_models_without_coefficients_of_labels_raise(data, model):
    with pytest.raises(TypeError, match="has no coefficients"):
        CoefficientDisplay.from_estimator(model.fit(*data))


def test_coefficients_are_found_inside_other_estimators(data, search):
    X, D = data
    pipeline = make_pipeline(StandardScaler(), SABFGS())
    grid = GridSearchCV(pipeline, {"sabfgs__max_iter": [5]}, cv=2).fit(X, D)
    enhanced = EnhancedLearner(BDLE(), BDLDL()).fit(X, (D > 0.3).astype(int))
    for estimator in (search, grid, enhanced):
        display = CoefficientDisplay.from_estimator(estimator)
        assert (display.feature_names, display.label_names) == (FEATURES, LABELS)


@pytest.mark.parametrize(
    ("step", "names"),
    [
        (PCA(2), ["pca0", "pca1"]),
        (FunctionTransformer(lambda X: X.to_numpy()[:, :2]), ["x0", "x1"]),
    ],
)
def test_feature_names_come_from_the_last_transformer(data, step, names):
    display = CoefficientDisplay.from_estimator(make_pipeline(step, BDLDL()).fit(*data))
    assert display.feature_names == names


def test_given_names_of_coefficients_are_used_and_counted(data):
    model = BDLDL().fit(*data)
    names = {"feature_names": np.array(list("abc")), "label_names": list("xyz")}
    display = CoefficientDisplay.from_estimator(model, **names)
    assert (display.feature_names, display.label_names) == (list("abc"), list("xyz"))
    with pytest.raises(ValueError, match=r"feature_names .* 3"):
        CoefficientDisplay.from_estimator(model, feature_names=["a"])
    with pytest.raises(NotFittedError):
        CoefficientDisplay.from_estimator(BDLDL())


def test_influence_cell_is_the_best_score_over_other_parameters(search):
    display = ParameterInfluenceDisplay.from_estimator(search)
    results = pd.DataFrame(search.cv_results_)
    best = results.groupby(["param_reconstruction", "param_ridge"])["mean_test_score"].max()
    assert_allclose(display.scores, -best.to_numpy().reshape(3, 2))
    assert_array_equal(display.image_.get_array(), display.scores)
    assert display.others == ["floor"]
    assert tick_texts(display.ax_, "y") == ["0.01", "1", "100"]
    assert tick_texts(display.ax_, "x") == ["0.1", "1000"]


@pytest.mark.parametrize(("scoring", "sign"), [("kl_divergence", -1), ("cosine", 1)])
def test_influence_best_score_is_framed(data, scoring, sign):
    pipeline = make_pipeline(StandardScaler(), grid_search(scoring=scoring)).fit(*data)
    search = pipeline[-1]
    display = ParameterInfluenceDisplay.from_estimator(pipeline)
    row, column = display.best_
    assert display.row_values[row] == search.best_params_["reconstruction"]
    assert display.column_values[column] == search.best_params_["ridge"]
    assert display.scores[row, column] == pytest.approx(sign * search.best_score_)
    assert display.frame_.get_center() == pytest.approx((column, row))


def test_influence_params_choose_the_axes(search):
    display = ParameterInfluenceDisplay.from_estimator(search, params=("floor", "ridge"))
    assert (display.row_name, display.column_name) == ("floor", "ridge")
    assert display.others == ["reconstruction"]
    assert display.scores.shape == (2, 2)


def test_influence_of_a_grid_search(data):
    grid = {"bdldl__ridge": [10.0, 0.1, 1.0], "bdldl__output": ["clip", "softmax"]}
    search = GridSearchCV(make_pipeline(StandardScaler(), BDLDL()), grid, cv=2).fit(*data)
    display = ParameterInfluenceDisplay.from_estimator(search)
    assert display.row_values == ["clip", "softmax"]
    assert display.column_values == [0.1, 1.0, 10.0]
    assert display.scores.max() == pytest.approx(search.best_score_)


def test_influence_combinations_that_were_not_tried_are_missing(data):
    grids = [
        {"ridge": [0.1, 1.0], "reconstruction": [0.1]},
        {"ridge": [0.1], "reconstruction": [1.0]},
    ]
    search = GridSearchCV(BDLDL(), grids, cv=2).fit(*data)
    display = ParameterInfluenceDisplay.from_estimator(search, params=("reconstruction", "ridge"))
    assert_array_equal(np.isnan(display.scores), [[False, False], [False, True]])
    assert len(texts(display.ax_)) == 3


def test_influence_needs_a_search_over_two_parameters(data, search):
    with pytest.raises(NotFittedError, match="cv_results_"):
        ParameterInfluenceDisplay.from_estimator(BDLDL().fit(*data))
    with pytest.raises(ValueError, match="Two parameters"):
        ParameterInfluenceDisplay.from_estimator(SoftmaxRegressionCV().fit(*data))
    with pytest.raises(ValueError, match="'alpha'"):
        ParameterInfluenceDisplay.from_estimator(search, params=("alpha", "ridge"))


def test_the_largest_coefficients_of_each_label_are_shown(rng):
    model = SoftmaxRegression().fit(rng.normal(size=(20, 8)), rng.dirichlet(np.ones(3), size=20))
    model.coef_ = np.arange(24.0).reshape(8, 3).T / 100
    model.coef_[0, 0] = -0.5  # the largest of the first label, before the last features
    display = CoefficientDisplay.from_estimator(model, max_features=2)
    assert display.feature_names == ["x0", "x7"]


def test_coefficients_of_a_blend_are_weighted(rng):
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["size", "age"])
    D = softmax(X.to_numpy() @ rng.normal(size=(2, 3)) + rng.normal(size=(60, 3)))
    scaled = make_pipeline(StandardScaler(), SoftmaxRegression())
    members = [("scaled", scaled), ("neighbours", make_pipeline(AAKNN()))]
    blend = BlendedLearner(members, random_state=0).fit(X, D)
    assert blend.weights_[0] > 0
    display = CoefficientDisplay.from_estimator(blend)
    _, fitted = blend.estimators_[0]
    assert_allclose(display.coefficients, blend.weights_[0] * fitted[-1].coef_.T)
    assert display.feature_names == ["size", "age"]
