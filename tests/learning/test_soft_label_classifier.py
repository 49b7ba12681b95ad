import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

from labeldist.datasets import make_artificial
from labeldist.learning import SoftLabelClassifier


@pytest.fixture(scope="module")
def table():
    return make_artificial(200, random_state=0)


LOGISTIC = LogisticRegression(tol=1e-9, max_iter=10_000)


def test_rows_are_repeated_for_each_label_with_its_degree_as_weight(table, rng):
    X, D = table
    weight = rng.uniform(0, 2, size=200)
    expected = clone(LOGISTIC).fit(
        np.repeat(X, 3, axis=0),
        np.tile([0, 1, 2], 200),
        sample_weight=(D * weight[:, None]).ravel(),
    )
    model = SoftLabelClassifier(LOGISTIC).fit(X, D, weight)
    assert_allclose(model.predict(X), expected.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize(
    "classifier",
    [
        RandomForestClassifier(50, min_samples_leaf=3, random_state=0),
        HistGradientBoostingClassifier(max_iter=30, early_stopping=False, random_state=0),
        make_pipeline(StandardScaler(), LOGISTIC),
    ],
    ids=lambda classifier: type(classifier).__name__,
)
def test_classifiers_learn_distributions(table, classifier):
    X, D = make_artificial(100, random_state=1)
    assert SoftLabelClassifier(classifier).fit(*table).score(X, D) > 0.7


def test_steps_before_the_classifier_see_the_original_rows_and_weights(table, rng):
    X, D = table
    weight = rng.uniform(0.5, 2, size=200)
    model = SoftLabelClassifier(make_pipeline(StandardScaler(), LOGISTIC)).fit(X, D, weight)
    assert_allclose(model.transformer_[0].mean_, np.average(X, axis=0, weights=weight))
    assert_allclose(model.transformer_[0].n_samples_seen_, weight.sum())


def test_texts_and_words_in_pipelines(table):
    D = table[1]
    texts = ["high" if row[0] > 0.4 else "low" for row in D]
    model = SoftLabelClassifier(make_pipeline(CountVectorizer(), LOGISTIC)).fit(texts, D)
    low, high = model.predict(["low", "high"])
    assert high[0] > low[0]
    frame = pd.DataFrame({"word": texts})
    model = SoftLabelClassifier(make_pipeline(OneHotEncoder(), LOGISTIC)).fit(frame, D)
    assert_allclose(model.predict(frame[:1]), [high if texts[0] == "high" else low], atol=1e-3)


def test_labels_that_never_occur_are_no_classes(table):
    X, D = table
    model = SoftLabelClassifier(LOGISTIC).fit(X, np.insert(D, 1, 0, axis=1))
    assert model.present_.tolist() == [0, 2, 3]
    assert model.estimator_.classes_.tolist() == [0, 1, 2]
    single = SoftLabelClassifier(LOGISTIC).fit(X, np.tile([0.0, 1.0], (200, 1)))
    assert_allclose(single.predict(X), np.tile([0.0, 1.0], (200, 1)), atol=1e-15)


@pytest.mark.parametrize(
    ("classifier", "message"),
    [
        (HistGradientBoostingClassifier(early_stopping=True), "early_stopping=False"),
        (GradientBoostingClassifier(n_iter_no_change=3), "n_iter_no_change=None"),
        (make_pipeline(StandardScaler(), LogisticRegressionCV(cv=3)), "fixed parameters"),
        (
            BaggingClassifier(HistGradientBoostingClassifier(early_stopping=True)),
            "early_stopping=False",
        ),
        (KNeighborsClassifier(), "no sample_weight"),
        (LinearSVC(), "'estimator' parameter"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_unsuitable_classifiers_raise(table, classifier, message):
    with pytest.raises(ValueError, match=message):
        SoftLabelClassifier(classifier).fit(*table)


def test_automatic_early_stopping_raises_for_many_rows():
    boosting = SoftLabelClassifier(HistGradientBoostingClassifier(max_iter=1))
    boosting.fit(*make_artificial(1000, random_state=0))
    with pytest.raises(ValueError, match="early_stopping=False"):
        boosting.fit(*make_artificial(4000, random_state=0))


def test_missing_values_reach_classifiers_that_accept_them(table):
    X, D = table
    X = X.copy()
    X[0, 0] = np.nan
    boosting = HistGradientBoostingClassifier(max_iter=2, early_stopping=False)
    assert SoftLabelClassifier(boosting).fit(X, D).predict(X).shape == (200, 3)
    with pytest.raises(ValueError, match="NaN"):
        SoftLabelClassifier(LOGISTIC).fit(X, D)


def test_keys_of_class_weight_are_columns_of_the_labels(table):
    X, D = table
    weighted = LogisticRegression(class_weight={0: 1.0, 2: 5.0}, tol=1e-9)
    expected = SoftLabelClassifier(weighted).fit(X, D).predict(X)
    shifted = LogisticRegression(class_weight={0: 1.0, 1: 7.0, 3: 5.0}, tol=1e-9)
    P = SoftLabelClassifier(shifted).fit(X, np.insert(D, 1, 0, axis=1)).predict(X)
    assert_allclose(np.delete(P, 1, axis=1), expected, atol=1e-6)
    with pytest.raises(ValueError, match="class_weight must be columns"):
        SoftLabelClassifier(LogisticRegression(class_weight={"joy": 2})).fit(X, D)


@pytest.mark.parametrize("nested", [False, True])
def test_balanced_weights_are_inverse_to_the_sums_of_degrees(table, nested):
    X, D = table
    D = D * [1, 4, 0.5]
    D /= D.sum(axis=1, keepdims=True)
    classifier = LOGISTIC
    name = "estimator__class_weight"
    if nested:
        classifier = BaggingClassifier(LOGISTIC, 2, random_state=0)
        name = "estimator__estimator__class_weight"
    model = SoftLabelClassifier(classifier)
    weights = dict(enumerate(len(D) / 3 / D.sum(axis=0)))
    plain, named, given = (
        clone(model).set_params(**{name: weight}).fit(X, D).predict(X)
        for weight in (None, "balanced", weights)
    )
    assert_allclose(named, given, atol=1e-6)
    assert np.abs(named - plain).max() > 0.05
