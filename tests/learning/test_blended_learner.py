import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

from labeldist.learning import (
    BDLDL,
    BlendedLearner,
    MeanDistribution,
    SoftLabelClassifier,
    SoftmaxRegression,
)
from labeldist.learning._blended_learner import FLOOR, MIN_WEIGHT, pool, pool_weights
from labeldist.learning._cross_validation import held_out
from labeldist.metrics import kl_divergence
from labeldist.models import load, save
from labeldist.models._fitted_models import feature_names_of, label_names_of
from labeldist.published import AAKNN
from labeldist.simplex import softmax


@pytest.fixture
def table(rng):
    X = rng.normal(size=(150, 3))
    scores = X @ rng.normal(size=(3, 4)) / 2 + np.sin(3 * X[:, :1]) * [1, -1, 0, 0]
    return X, softmax(scores + 0.2 * rng.normal(size=(150, 4)))


@pytest.fixture
def members():
    return [("linear", SoftmaxRegression()), ("neighbours", AAKNN()), ("mean", MeanDistribution())]


def test_pool_is_the_weighted_geometric_mean(rng):
    P, Q = rng.dirichlet(np.ones(4), size=(2, 10))
    expected = P**0.3 * Q**0.9
    expected /= expected.sum(axis=1, keepdims=True)
    assert_allclose(pool([P, Q], np.array([0.3, 0.9])), expected)


def test_pool_accepts_degrees_of_zero():
    P = pool([np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])], np.array([0.5, 0.5]))
    assert_allclose(P[0, 1] / P[0, 0], np.sqrt(FLOOR))


def test_weights_minimise_the_divergence(rng):
    truth = rng.dirichlet(np.ones(4), size=300)
    noisy = [softmax(np.log(truth) + rng.normal(size=(300, 4)) * size) for size in (0.5, 0.7)]
    weight = rng.uniform(0, 2, size=300)

    def divergence(w):
        return kl_divergence(truth, pool(noisy, np.abs(w)), sample_weight=weight)

    options = {"fatol": 1e-12, "xatol": 1e-8}
    expected = minimize(divergence, np.ones(2), method="Nelder-Mead", options=options)
    assert_allclose(pool_weights(noisy, truth, weight), np.abs(expected.x), rtol=1e-3)


def test_small_weights_are_left_out(rng):
    truth = rng.dirichlet(np.ones(4), size=300)
    good = softmax(np.log(truth) + 0.3 * rng.normal(size=(300, 4)))
    bad = rng.dirichlet(np.ones(4), size=300)
    alone = pool_weights([good], truth)
    assert_allclose(pool_weights([bad, good, bad], truth), [0, *alone, 0], atol=1e-6)


def test_remaining_weights_are_not_small():
    rng = np.random.RandomState(200)
    truth = rng.dirichlet(np.ones(4), size=60)
    sizes = [0.5, 1, 1.5, 2, 2.5]
    noisy = [softmax(np.log(truth) + rng.normal(size=(60, 4)) * size) for size in sizes]
    weights = pool_weights(noisy, truth)
    assert weights[weights > 0].min() >= MIN_WEIGHT


def test_uniform_degrees_give_one_learner_a_weight(rng):
    weights = pool_weights([rng.dirichlet(np.ones(3), size=9)], np.full((9, 3), 1 / 3))
    assert weights.any()


def test_weights_are_those_of_held_out_predictions(table, members):
    X, D = table
    folds = KFold(3, shuffle=True, random_state=1)
    blend = BlendedLearner(members, cv=folds).fit(X, D)
    predictions = [held_out(learner, X, D, cv=folds) for _, learner in members]
    assert_allclose(blend.weights_, pool_weights(predictions, D))
    kept = blend.weights_ > 0
    assert [name for name, _ in blend.estimators_] == ["linear", "neighbours"]
    fitted = [learner.fit(X, D).predict(X) for _, learner in members[:2]]
    assert_allclose(blend.predict(X), pool(fitted, blend.weights_[kept]))


def test_a_blend_is_better_than_its_learners(table, members):
    X, D = table
    blend = BlendedLearner(members, random_state=0).fit(X[:100], D[:100])
    best = max(one.fit(X[:100], D[:100]).score(X[100:], D[100:]) for _, one in members)
    assert blend.score(X[100:], D[100:]) > best


def test_folds_depend_on_random_state_and_cv(table, members):
    def weights(**options):
        return BlendedLearner(members, **options).fit(*table).weights_

    assert_allclose(weights(random_state=0), weights(random_state=0))
    assert not np.allclose(weights(random_state=0), weights(random_state=1))
    assert not np.allclose(weights(random_state=0), weights(random_state=0, cv=2))


def test_sample_weights_reach_weights_and_learners(table, members):
    X, D = table
    folds = [(np.arange(75, 150), np.arange(75)), (np.arange(75), np.arange(75, 150))]
    weight = np.arange(150) % 3.0
    kept = np.flatnonzero(weight)
    repeated = np.repeat(kept, weight[kept].astype(int))
    learners = [("linear", BDLDL()), ("mean", MeanDistribution())]
    blend = BlendedLearner(learners, cv=folds).fit(X, D, weight)
    of_repeated = [
        (np.flatnonzero(np.isin(repeated, train)), np.flatnonzero(np.isin(repeated, test)))
        for train, test in folds
    ]
    same = BlendedLearner(learners, cv=of_repeated).fit(X[repeated], D[repeated])
    assert_allclose(blend.weights_, same.weights_, atol=1e-5)
    assert_allclose(blend.predict(X), same.predict(X), atol=1e-5)


def test_no_estimators_raise(table):
    with pytest.raises(ValueError, match="estimators"):
        BlendedLearner([]).fit(*table)


def test_learners_validate_the_features(table):
    X, D = table
    X[::9, 1] = np.nan
    trees = [HistGradientBoostingClassifier(max_iter=n, early_stopping=False) for n in (5, 20)]
    learners = [(str(tree.max_iter), SoftLabelClassifier(tree)) for tree in trees]
    assert BlendedLearner(learners).fit(X, D).score(X, D) > 0.1
    with pytest.raises(ValueError, match="NaN"):
        BlendedLearner([("linear", BDLDL()), *learners]).fit(X, D)
    texts = ["high" if row[0] > 0.3 else "low" for row in D]
    words = SoftLabelClassifier(make_pipeline(TfidfVectorizer(), LogisticRegression()))
    assert BlendedLearner([("words", words)]).fit(texts, D).score(texts, D) > 0.1


def test_pipelines_on_texts_are_saved_and_loaded(tmp_path):
    frame = pd.DataFrame({"text": ["good film", "bad film", "good", "bad bad"] * 10})
    D = pd.DataFrame([[0.9, 0.1], [0.2, 0.8]] * 20, columns=["yes", "no"])
    pipeline = make_pipeline(TfidfVectorizer(), SoftmaxRegression())
    blend = BlendedLearner([("words", pipeline)], random_state=0).fit(frame["text"], D)
    save(blend, tmp_path / "blend.skops")
    loaded = load(tmp_path / "blend.skops")
    assert label_names_of(loaded) == ["yes", "no"]
    assert feature_names_of(loaded) is None
    assert_allclose(loaded.predict(frame["text"]), blend.predict(frame["text"]))
