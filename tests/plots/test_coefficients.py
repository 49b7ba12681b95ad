import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labeldist import BDLDL, BDLDLCV, BDLE, EnhancedLearner
from labeldist.datasets import binarize, make_artificial
from labeldist.learning import AAKNN, SABFGS
from labeldist.plots import CoefficientDisplay
from tests.plots.looks import tick_texts


@pytest.fixture(scope="module")
def data():
    X, D = make_artificial(60, random_state=0)
    X = pd.DataFrame(X * [1, 10, 0.1], columns=["width", "height", "weight"])
    return X, pd.DataFrame(D, columns=["joy", "fear", "calm"])


def test_rows_are_features_and_columns_labels(data):
    model = BDLDL().fit(*data)
    display = CoefficientDisplay.from_estimator(model)
    np.testing.assert_allclose(display.coefficients, model.coef_.T)
    np.testing.assert_allclose(display.image_.get_array(), model.coef_.T)
    assert tick_texts(display.ax_, "y") == ["width", "height", "weight"]
    assert tick_texts(display.ax_, "x") == ["joy", "fear", "calm"]
    assert display.ax_.get_xlabel() == ""


def test_white_is_zero(data):
    display = CoefficientDisplay.from_estimator(BDLDL().fit(*data))
    low, high = display.image_.get_clim()
    assert -low == high == np.abs(display.coefficients).max()
    assert display.image_.get_cmap().name == "RdBu_r"


def test_of_many_features_the_strongest_come_first(data):
    display = CoefficientDisplay.from_estimator(BDLDL(reconstruction=0, ridge=0).fit(*data), max_features=2)
    assert display.feature_names == ["weight", "width"]
    assert display.ax_.get_xlabel() == "the 2 strongest of 3 features"
    assert display.coefficients.shape == (2, 3)


def test_features_in_different_units_can_be_compared(data):
    X, D = data
    model = BDLDL(reconstruction=0, ridge=0).fit(X, D)
    display = CoefficientDisplay.from_estimator(model, X)
    np.testing.assert_allclose(display.coefficients, model.coef_.T * X.std(ddof=0).to_numpy()[:, None])
    assert "standard deviation" in display.colorbar_.ax.get_ylabel()
    sparse = CoefficientDisplay.from_estimator(BDLDL().fit(csr_array(X), D), csr_array(X), feature_names=list("abc"))
    assert sparse.feature_names == ["a", "b", "c"]


def test_scaling_looks_at_the_features_that_the_model_sees(data):
    X, D = data
    pipeline = make_pipeline(StandardScaler(), BDLDL()).fit(X, D)
    plain, scaled = CoefficientDisplay.from_estimator(pipeline), CoefficientDisplay.from_estimator(pipeline, X)
    np.testing.assert_allclose(plain.coefficients, scaled.coefficients)


@pytest.mark.parametrize(
    "estimator",
    [
        BDLDLCV(reconstructions=[0.1], ridges=[0.1], floors=[0.01], cv=2),
        SABFGS(),
        make_pipeline(StandardScaler(), BDLDL()),
        GridSearchCV(make_pipeline(StandardScaler(), BDLDL()), {"bdldl__ridge": [0.1]}, cv=2),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_the_model_is_found_wherever_it_is(data, estimator):
    display = CoefficientDisplay.from_estimator(estimator.fit(*data))
    assert display.feature_names == ["width", "height", "weight"]
    assert display.label_names == ["joy", "fear", "calm"]


def test_what_was_learned_from_recovered_labels_has_coefficients_too(data):
    X, D = data
    model = EnhancedLearner(BDLE(), BDLDL()).fit(X, pd.DataFrame(binarize(D), columns=D.columns))
    display = CoefficientDisplay.from_estimator(model)
    np.testing.assert_allclose(display.coefficients, model.learner_.coef_.T)
    assert display.feature_names == ["width", "height", "weight"]


class Silent(TransformerMixin, BaseEstimator):
    """A step that does not name what comes out."""

    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def transform(self, X):
        return np.asarray(X)[:, :2]


@pytest.mark.parametrize(("step", "names"), [(PCA(2), ["pca0", "pca1"]), (Silent(), ["x0", "x1"])])
def test_made_features_have_made_names(data, step, names):
    display = CoefficientDisplay.from_estimator(make_pipeline(step, BDLDL()).fit(*data))
    assert display.feature_names == names


def test_names_can_be_given(data):
    display = CoefficientDisplay.from_estimator(
        BDLDL().fit(*data), feature_names=np.array(["a", "b", "c"]), label_names=np.array(["x", "y", "$z$"])
    )
    assert tick_texts(display.ax_, "y") == ["a", "b", "c"]
    assert tick_texts(display.ax_, "x") == ["x", "y", "$z$"]
    assert not display.ax_.get_xticklabels()[2].get_parse_math()
    with pytest.raises(ValueError, match="feature_names must be a list of 3"):
        CoefficientDisplay.from_estimator(BDLDL().fit(*data), feature_names=["a"])


def test_what_has_no_coefficients_is_told_so(data):
    with pytest.raises(TypeError, match="AAKNN has no coefficients"):
        CoefficientDisplay.from_estimator(AAKNN().fit(*data))
    with pytest.raises(NotFittedError):
        CoefficientDisplay.from_estimator(BDLDL())
    with pytest.raises(ValueError, match="max_features"):
        CoefficientDisplay.from_estimator(BDLDL().fit(*data), max_features=0)


def test_coefficients_that_are_all_zero_are_drawn():
    display = CoefficientDisplay(np.zeros((2, 2)), feature_names=list("ab"), label_names=list("xy")).plot()
    assert display.image_.get_clim() == (-1, 1)
