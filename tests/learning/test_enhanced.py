import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.model_selection import GridSearchCV
from sklearn.utils import get_tags

from labeldist import BDLDL, BDLDLCV, BDLE, BayesLE, EnhancedLearner
from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement import LogicalSoftmax, Uniform
from labeldist.exceptions import LabelWarning
from labeldist.features import KernelFeatures
from labeldist.learning import MeanDistribution


@pytest.fixture
def table():
    X, D = make_artificial(200, random_state=0)
    return X, D, binarize(D)


def test_it_is_the_enhancer_followed_by_the_learner(table):
    X, _, L = table
    model = EnhancedLearner(BDLE(0.01), BDLDL(ridge=1.0)).fit(X, L)
    recovered = BDLE(0.01).fit_transform(X, L)
    assert_array_equal(model.label_distributions_, recovered)
    assert_array_equal(model.predict(X), BDLDL(ridge=1.0).fit(X, recovered).predict(X))


def test_default_is_bayes_le_and_kernel_bdldl_cv(table):
    X, _, L = table
    model = EnhancedLearner().fit(X, L)
    assert isinstance(model.enhancer_, BayesLE)
    assert [type(step) for _, step in model.learner_.steps] == [KernelFeatures, BDLDLCV]


def test_parts_are_copied_not_fitted(table):
    X, _, L = table
    enhancer, learner = LogicalSoftmax(), MeanDistribution()
    EnhancedLearner(enhancer, learner).fit(X, L)
    assert not hasattr(enhancer, "label_distributions_")
    assert not hasattr(learner, "mean_")


def test_it_learns_from_logical_labels_what_uniform_ones_cannot_teach(table):
    X, _, L = table
    new, truth = make_artificial(200, random_state=1)
    learned = EnhancedLearner().fit(X, L).score(new, truth)
    assert learned > max(0, EnhancedLearner(Uniform(), BDLDL()).fit(X, L).score(new, truth))


def test_parameters_of_the_parts_can_be_searched(table):
    X, _, L = table
    model = EnhancedLearner(LogicalSoftmax(), BDLDL())
    search = GridSearchCV(model, {"enhancer__temperature": [0.5, 30.0]}, cv=3)
    with pytest.warns(LabelWarning, match="look like logical labels"):
        search.fit(X, L)
    flat, pointed = search.cv_results_["mean_test_score"]
    # Against logical labels the pointed one wins, which is why the warning and the docstring of score are there.
    assert pointed > flat + 0.1
    assert search.best_params_["enhancer__temperature"] == 30
    with pytest.warns(LabelWarning):
        assert np.isclose(search.best_estimator_.score(X, L), search.score(X, L))


def test_label_names_come_through(table):
    X, _, L = table
    model = EnhancedLearner().fit(X, pd.DataFrame(L, columns=["red", "green", "blue"]))
    assert model.label_names_ == model.learner_.label_names_ == ["red", "green", "blue"]


def test_features_are_checked_by_name(table):
    X, _, L = table
    features = pd.DataFrame(X, columns=list("abc"))
    model = EnhancedLearner().fit(features, L)
    with pytest.raises(ValueError, match="same order"):
        model.predict(features[["b", "a", "c"]])
    assert np.array_equal(model.feature_names_in_, ["a", "b", "c"])


def test_what_is_no_enhancer_or_learner_is_refused(table):
    X, _, L = table
    with pytest.raises(
        TypeError, match=r"enhancer must be an estimator with fit_transform, such as BayesLE\(\); got BDLDL"
    ):
        EnhancedLearner(BDLDL()).fit(X, L)
    with pytest.raises(TypeError, match=r"learner must be an estimator with predict, such as BDLDLCV\(\); got BDLE"):
        EnhancedLearner(BDLE(), BDLE()).fit(X, L)


def test_sparse_features_where_both_parts_take_them(table):
    X, _, L = table
    model = EnhancedLearner(LogicalSoftmax(), BDLDL())
    assert_allclose(model.fit(csr_array(X), L).predict(csr_array(X)), model.fit(X, L).predict(X), atol=1e-12)
    assert get_tags(model).input_tags.sparse
    assert not get_tags(EnhancedLearner()).input_tags.sparse
