import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.model_selection import GridSearchCV

from labeldist import BDLDL, BDLE, EnhancedLearner
from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement import LogicalSoftmax, Uniform
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


def test_the_default_is_the_papers_pair(table):
    X, _, L = table
    model = EnhancedLearner().fit(X, L)
    assert isinstance(model.enhancer_, BDLE)
    assert isinstance(model.learner_, BDLDL)


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
    assert learned > max(0, EnhancedLearner(Uniform()).fit(X, L).score(new, truth))


def test_parameters_of_the_parts_can_be_searched(table):
    X, _, L = table
    search = GridSearchCV(EnhancedLearner(LogicalSoftmax(), BDLDL()), {"enhancer__temperature": [0.5, 3.0]}, cv=3)
    assert search.fit(X, L).best_params_["enhancer__temperature"] in (0.5, 3.0)


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
