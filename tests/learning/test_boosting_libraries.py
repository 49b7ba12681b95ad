import copy

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBClassifier

from labeldist.datasets import make_artificial
from labeldist.learning import SoftLabelClassifier
from labeldist.learning._boosting_libraries import (
    LightGBMTrees,
    SoftCrossEntropy,
    XGBoostTrees,
    trees_of,
)
from labeldist.metrics import kl_divergence
from labeldist.models import load, save
from labeldist.models._persistence import BOOSTERS

LIGHTGBM = LGBMClassifier(n_estimators=15, num_leaves=7, verbosity=-1, random_state=0, n_jobs=1)
XGBOOST = XGBClassifier(n_estimators=15, max_depth=3, random_state=0, n_jobs=1)
STOPPING = {LGBMClassifier: "early_stopping_round", XGBClassifier: "early_stopping_rounds"}
both = pytest.mark.parametrize("classifier", [LIGHTGBM, XGBOOST], ids=["lightgbm", "xgboost"])


@pytest.fixture(scope="module")
def table():
    return make_artificial(300, random_state=0)


def classes_of(X, n_classes):
    edges = np.quantile(X[:, 0], np.arange(1, n_classes) / n_classes)
    return np.digitize(X[:, 0], edges)


@both
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_hot_degrees_reproduce_the_fit_of_the_library(
    table, classifier, n_classes, weighted, rng
):
    X = table[0] + rng.normal(scale=0.3, size=table[0].shape)
    classes = classes_of(table[0], n_classes)
    weight = rng.uniform(0.5, 2, size=300) if weighted else None
    expected = clone(classifier).fit(X, classes, sample_weight=weight).predict_proba(X)
    model = SoftLabelClassifier(classifier).fit(X, np.eye(n_classes)[classes], weight)
    assert isinstance(model.estimator_, LightGBMTrees | XGBoostTrees)
    assert_allclose(model.predict(X), expected, atol=1e-5)


@pytest.mark.parametrize(
    "classifier",
    [
        clone(LIGHTGBM).set_params(subsample=0.6, subsample_freq=1, learning_rate=0.3),
        clone(LIGHTGBM).set_params(class_weight={0: 3.0, 1: 1.0, 2: 0.5}),
        clone(LIGHTGBM).set_params(boost_from_average=False),
        clone(XGBOOST).set_params(subsample=0.6, colsample_bytree=0.7, reg_lambda=5.0),
        clone(XGBOOST).set_params(tree_method="exact"),
        clone(XGBOOST).set_params(multi_strategy="multi_output_tree", max_bin=16),
        clone(XGBOOST).set_params(base_score=0.3),
    ],
)
def test_parameters_have_the_effect_of_the_library(table, classifier, rng):
    X = table[0] + rng.normal(scale=0.3, size=table[0].shape)
    classes = classes_of(table[0], 3)
    expected = clone(classifier).fit(X, classes).predict_proba(X)
    P = SoftLabelClassifier(classifier).fit(X, np.eye(3)[classes]).predict(X)
    assert_allclose(P, expected, atol=1e-5)


@both
def test_scale_pos_weight_is_the_weight_of_the_second_label(table, classifier, rng):
    X = table[0] + rng.normal(scale=0.3, size=table[0].shape)
    classes = classes_of(table[0], 2)
    scaled = clone(classifier).set_params(scale_pos_weight=3.0)
    if classifier is LIGHTGBM:
        expected = clone(scaled).fit(X, classes)
    else:  # XGBoost itself starts at one Newton step
        expected = clone(classifier).fit(X, classes, sample_weight=1 + 2 * classes)
    P = SoftLabelClassifier(scaled).fit(X, np.eye(2)[classes]).predict(X)
    assert_allclose(P, expected.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("n_labels", [2, 3])
def test_gradient_and_curvature_against_differences(rng, n_labels):
    degrees = rng.dirichlet(np.ones(n_labels), size=5) * rng.uniform(0.5, 2, size=(5, 1))
    start = rng.normal(size=n_labels)
    loss = SoftCrossEntropy.of(degrees, start, 1.0)
    F = rng.normal(size=(5, n_labels) if n_labels > 2 else 5)
    gradient, curvature = loss.gradient_and_curvature(F)
    for position in np.ndindex(F.shape):
        values = []
        for step in (-1e-4, 0.0, 1e-4):
            moved = F.copy()
            moved[position] += step
            values.append(loss.mean(moved) * degrees.sum())
        low, middle, high = values
        assert_allclose(gradient[position], (high - low) / 2e-4, atol=1e-5)
        assert_allclose(curvature[position], (high - 2 * middle + low) / 1e-8, atol=1e-4)


@both
@pytest.mark.parametrize("n_labels", [2, 3])
def test_weights_equal_repetition(classifier, n_labels, rng):
    # Few distinct values: the bins of the features do not depend on the numbers of rows.
    X = rng.integers(0, 10, size=(400, 3)).astype(float)
    D = rng.dirichlet(np.ones(n_labels), size=400)
    counts = rng.integers(0, 4, size=400)
    if isinstance(classifier, LGBMClassifier):
        classifier = clone(classifier).set_params(min_child_samples=0, min_data_in_bin=1)
    model = SoftLabelClassifier(classifier)
    weighted = clone(model).fit(X[counts > 0], D[counts > 0], counts[counts > 0]).predict(X)
    repeated = clone(model).fit(np.repeat(X, counts, axis=0), np.repeat(D, counts, axis=0))
    assert_allclose(weighted, repeated.predict(X), atol=1e-5)


@both
@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("kind", ["few rows", "constant features", "rare terms"])
def test_features_that_split_no_rows(classifier, n_labels, kind, rng):
    X = {
        "few rows": rng.normal(size=(39, 2)),
        "constant features": np.ones((60, 2)),
        "rare terms": sparse.csr_array(np.tile(np.eye(40), (3, 1))),
    }[kind]
    D = rng.dirichlet(np.ones(n_labels), size=X.shape[0])
    stopped = clone(classifier).set_params(**{STOPPING[type(classifier)]: 2, "n_estimators": 50})
    for model in (SoftLabelClassifier(classifier), SoftLabelClassifier(stopped)):
        P = model.fit(X, D, eval_set=(X, D)).predict(X)
        mean = np.tile(D.mean(axis=0), (len(P), 1))
        if isinstance(classifier, LGBMClassifier):
            assert_allclose(P, mean, atol=1e-6)
        else:  # its leaves may be small
            assert kl_divergence(D, P) <= kl_divergence(D, mean) + 1e-6


@both
def test_degrees_are_learned_as_well_as_by_repeated_rows(table, classifier):
    X, D = make_artificial(300, random_state=1)
    soft = SoftLabelClassifier(classifier).fit(*table)
    rows, classes = np.nonzero(table[1])
    hard = clone(classifier).fit(table[0][rows], classes, sample_weight=table[1][rows, classes])
    repeated = SoftLabelClassifier(classifier).fit(*table)
    repeated.estimator_ = hard
    assert soft.score(X, D) > 0.85
    assert soft.score(X, D) > repeated.score(X, D) - 0.02


@pytest.mark.parametrize(
    "classifier",
    [
        clone(LIGHTGBM).set_params(n_estimators=300, learning_rate=0.5, early_stopping_round=3),
        clone(XGBOOST).set_params(n_estimators=300, learning_rate=0.5, early_stopping_rounds=3),
    ],
    ids=["lightgbm", "xgboost"],
)
def test_early_stopping_on_degrees(table, classifier, rng):
    X, D = table
    noisy = D * rng.uniform(0.2, 1.8, size=D.shape)
    other = make_artificial(100, random_state=2)
    model = SoftLabelClassifier(classifier).fit(X, noisy, eval_set=other)
    assert 1 < model.estimator_.booster.best_iteration < 300
    name = "early_stopping_round" + "s" * isinstance(classifier, XGBClassifier)
    full = SoftLabelClassifier(clone(classifier).set_params(**{name: None})).fit(X, noisy)
    assert model.score(*other) > full.score(*other)
    n_rounds = 1 + model.estimator_.booster.best_iteration - isinstance(classifier, LGBMClassifier)
    short = clone(classifier).set_params(**{name: None, "n_estimators": n_rounds})
    assert_allclose(
        model.predict(X), SoftLabelClassifier(short).fit(X, noisy).predict(X), rtol=1e-5
    )


@both
def test_steps_of_pipelines_transform_the_validation_rows(table, classifier):
    X, D = table
    X_other, D_other = make_artificial(100, random_state=2)
    name = "early_stopping_rounds" if classifier is XGBOOST else "early_stopping_round"
    stopped = clone(classifier).set_params(**{name: 2, "learning_rate": 1.0})
    piped = SoftLabelClassifier(make_pipeline(StandardScaler(), stopped))
    piped.fit(X, D, eval_set=(X_other, D_other))
    scaler = StandardScaler().fit(X)
    rows = scaler.transform(X)
    direct = SoftLabelClassifier(stopped)
    direct.fit(rows, D, eval_set=(scaler.transform(X_other), D_other))
    assert_allclose(piped.predict(X), direct.predict(rows))


def test_validation_rows_are_checked(table):
    X, D = table
    frame = pd.DataFrame(D, columns=["a", "b", "c"])
    model = SoftLabelClassifier(LIGHTGBM)
    with pytest.raises(ValueError, match="labels"):
        model.fit(X, frame, eval_set=(X, frame[["b", "a", "c"]]))
    with pytest.raises(ValueError, match="got 2 columns"):
        model.fit(X, frame, eval_set=(X, D[:, :2]))
    with pytest.raises(ValueError, match="features"):
        model.fit(X, D, eval_set=(X[:, :2], D))
    with pytest.raises(ValueError, match="list of one pair"):
        model.fit(X, D, eval_set=[(X, D), (X, D)])


def test_forms_of_validation_rows(table):
    X, D = table
    frame = pd.DataFrame(D, columns=["a", "b", "c"])
    other = make_artificial(100, random_state=2)
    model = SoftLabelClassifier(clone(LIGHTGBM).set_params(early_stopping_round=2))
    expected = model.fit(X, D, eval_set=other).predict(X)
    assert_allclose(model.fit(X, D, eval_set=[other]).predict(X), expected)
    assert_allclose(model.fit(X, frame, eval_set=other).predict(X), expected)
    assert model.label_names_ == ["a", "b", "c"]
    named = pd.DataFrame(other[1], columns=frame.columns)
    assert_allclose(model.fit(X, D, eval_set=(other[0], named)).predict(X), expected)
    assert model.label_names_ == ["label_0", "label_1", "label_2"]


@pytest.mark.parametrize(
    ("classifier", "message"),
    [
        (HistGradientBoostingClassifier(), r"not for HistGradientBoostingClassifier\(\)[.]"),
        (LGBMClassifier(boosting_type="rf"), r"not for LGBMClassifier\(boosting_type='rf'\)"),
        (XGBClassifier(objective="multi:softmax"), "objective='multi:softmax'"),
    ],
)
def test_validation_rows_for_repeated_rows_raise(table, classifier, message):
    with pytest.raises(ValueError, match=message):
        SoftLabelClassifier(classifier).fit(*table, eval_set=table)


@both
def test_models_are_saved_as_text_and_loaded(table, classifier, tmp_path):
    X, D = table
    for number, target in enumerate((D, D[:, :2])):
        model = SoftLabelClassifier(classifier).fit(X, target)
        save(model, tmp_path / f"{number}.skops")
        assert_allclose(
            load(tmp_path / f"{number}.skops", trusted=BOOSTERS).predict(X), model.predict(X)
        )
        assert_allclose(copy.deepcopy(model).predict(X), model.predict(X))


@both
def test_sparse_and_missing_features(table, classifier):
    X, D = table
    X = np.where(X > 0.3, X, 0)
    model = SoftLabelClassifier(classifier)
    expected = clone(model).fit(X, D).predict(X)
    if isinstance(classifier, LGBMClassifier):  # an absent entry is a missing value of XGBoost
        rows = sparse.csr_array(X)
        assert_allclose(clone(model).fit(rows, D).predict(rows), expected)
    X[0, 0] = np.nan
    assert_allclose(clone(model).fit(X, D).predict(X)[1:], expected[1:], atol=0.1)


WITH_CATEGORIES = [
    LIGHTGBM,
    clone(XGBOOST).set_params(enable_categorical=True),
    HistGradientBoostingClassifier(max_iter=10, early_stopping=False),
]


@pytest.mark.parametrize("classifier", WITH_CATEGORIES, ids=["lightgbm", "xgboost", "sklearn"])
@pytest.mark.parametrize("words", [False, True])
def test_categories_of_pandas_columns(classifier, words, rng):
    frame, classes = table_of_categories(rng, words=words)
    expected = clone(classifier).fit(frame, classes).predict_proba(frame)
    model = SoftLabelClassifier(classifier).fit(frame, np.eye(3)[classes])
    assert_allclose(model.predict(frame), expected, atol=1e-5)
    few = frame[:5].assign(kind=frame["kind"][:5].cat.remove_unused_categories())
    assert_allclose(model.predict(few), expected[:5], atol=1e-5)


@pytest.mark.parametrize("classifier", WITH_CATEGORIES[:2], ids=["lightgbm", "xgboost"])
def test_categories_of_stopped_and_saved_models(classifier, rng, tmp_path):
    frame, classes = table_of_categories(rng, words=True)
    D = 0.6 * np.eye(3)[classes] + 0.4 * rng.dirichlet(np.ones(3), size=300)
    stopped = clone(classifier).set_params(n_estimators=300, learning_rate=0.5)
    stopped.set_params(**{STOPPING[type(classifier)]: 2})
    model = SoftLabelClassifier(stopped).fit(frame[:200], D[:200], eval_set=(frame[200:], D[200:]))
    save(model, tmp_path / "m.skops")
    few = frame[:5].assign(kind=frame["kind"][:5].cat.remove_unused_categories())
    assert_allclose(
        load(tmp_path / "m.skops", trusted=BOOSTERS).predict(few),
        model.predict(frame)[:5],
        atol=1e-6,
    )


def table_of_categories(rng, *, words):
    codes = rng.integers(12, size=300)
    cells = [f"word {code}" for code in codes] if words else codes
    frame = pd.DataFrame({"size": rng.normal(size=300), "kind": pd.Categorical(cells)})
    return frame, rng.permutation(12)[codes] % 3


def test_names_of_pandas_columns(table):
    X, D = table
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    falling = clone(XGBOOST).set_params(monotone_constraints={"x0": -1})
    model = SoftLabelClassifier(make_pipeline(falling)).fit(frame, D[:, :2])
    assert model.estimator_.booster.feature_names == list(frame.columns)
    assert (np.diff(model.predict(frame.loc[[0] * 50].assign(x0=np.arange(50)))[:, 1]) <= 0).all()
    # Names that the libraries refuse, and numbers as objects, become arrays without names.
    refused = frame.astype(object).set_axis(["x[0]", "x<1", "x2"], axis=1)
    for classifier in (LIGHTGBM, XGBOOST):
        P = SoftLabelClassifier(classifier).fit(refused, D).predict(refused)
        assert_allclose(P, SoftLabelClassifier(classifier).fit(X, D).predict(X))


@pytest.mark.parametrize(
    ("classifier", "expected"),
    [
        (LIGHTGBM, LightGBMTrees),
        (XGBOOST, XGBoostTrees),
        (LGBMClassifier(boosting_type="rf"), None),
        (LGBMClassifier(objective="multiclassova"), None),
        (XGBClassifier(booster="gblinear"), None),
        (HistGradientBoostingClassifier(), None),
    ],
)
def test_other_objectives_and_classifiers_get_repeated_rows(classifier, expected):
    assert trees_of(classifier) is expected


def test_linear_boosters(table):
    X, D = table
    linear = clone(XGBOOST).set_params(booster="gblinear", max_depth=None)
    assert SoftLabelClassifier(linear).fit(X, D).score(X, D) > 0.5


def test_a_random_state_instance_is_a_seed(table):
    X, D = table
    drawn = [
        SoftLabelClassifier(
            clone(LIGHTGBM).set_params(
                random_state=np.random.RandomState(seed), subsample=0.5, subsample_freq=1
            )
        )
        .fit(X, D)
        .predict(X)
        for seed in (0, 0, 1)
    ]
    assert_allclose(drawn[0], drawn[1])
    assert np.abs(drawn[0] - drawn[2]).max() > 1e-3
