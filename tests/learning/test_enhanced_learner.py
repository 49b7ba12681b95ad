import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.model_selection import GridSearchCV
from sklearn.utils import get_tags

from labeldist import BDLDL, BDLDLCV, BDLE, BayesLE, EnhancedLearner
from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement import LogicalSoftmax
from labeldist.features import KernelFeatures


@pytest.fixture
def table():
    X, D = make_artificial(200, random_state=0)
    return X, D, binarize(D)


def test_learner_is_fitted_to_the_recovered_distributions(table):
    X, _, L = table
    model = EnhancedLearner(BDLE(0.01), BDLDL(ridge=1.0)).fit(X, L)
    recovered = BDLE(0.01).fit_transform(X, L)
    assert_array_equal(model.label_distributions_, recovered)
    assert_array_equal(model.predict(X), BDLDL(ridge=1.0).fit(X, recovered).predict(X))
    assert not hasattr(model.enhancer, "label_distributions_")
    assert not hasattr(model.learner, "coef_")


def test_defaults(table):
    X, _, L = table
    model = EnhancedLearner().fit(X, L)
    assert isinstance(model.enhancer_, BayesLE)
    assert [type(step) for _, step in model.learner_.steps] == [KernelFeatures, BDLDLCV]


def test_parameters_of_the_parts_can_be_searched(table):
    X, _, L = table
    model = EnhancedLearner(LogicalSoftmax(), BDLDL())
    search = GridSearchCV(model, {"enhancer__sharpness": [0.5, 30.0]}, cv=3)
    search.fit(X, L)  # without a warning that recommends EnhancedLearner
    flat, sharp = search.cv_results_["mean_test_score"]
    assert sharp > flat + 0.1  # against logical labels, sharp distributions score best
    assert search.best_params_["enhancer__sharpness"] == 30
    assert np.isclose(search.best_estimator_.score(X, L), search.score(X, L))


def test_wrong_parts_raise(table):
    X, _, L = table
    with pytest.raises(ValueError, match="'enhancer' parameter"):
        EnhancedLearner(BDLDL()).fit(X, L)
    with pytest.raises(ValueError, match="'learner' parameter"):
        EnhancedLearner(BDLE(), BDLE()).fit(X, L)


def test_sparse_features_depend_on_the_parts():
    assert get_tags(EnhancedLearner(LogicalSoftmax(), BDLDL())).input_tags.sparse
    assert not get_tags(EnhancedLearner()).input_tags.sparse
