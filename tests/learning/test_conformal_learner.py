import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from labeldist import BDLDL, EnhancedLearner
from labeldist.datasets import binarize, list_datasets, load_dataset, make_artificial
from labeldist.enhancement import LogicalSoftmax
from labeldist.learning import (
    BlendedLearner,
    ConformalLearner,
    DistributionForest,
    MeanDistribution,
    SoftLabelClassifier,
)
from labeldist.learning._conformal_learner import _quantiles
from labeldist.models import load, save


def inside(model, X, D):
    lower, upper = model.predict_interval(X)
    assert ((lower >= 0) & (lower <= upper) & (upper <= 1)).all()
    return (lower <= D) & (D <= upper)


def votes(n, seed):
    """Draw shares of ten votes, so that degrees have ties and zeros."""
    X, D = make_artificial(n, random_state=seed)
    return X, np.random.default_rng(seed).multinomial(10, D) / 10


def exact(n, seed):
    return make_artificial(n, random_state=seed)


# Without noise a forest gains much from the rows that the folds leave out, and its intervals are
# too wide.
@pytest.mark.parametrize(
    ("learner", "draw"),
    [(BDLDL(), exact), (BDLDL(), votes), (DistributionForest(20, random_state=0), votes)],
)
def test_intervals_cover_the_stated_share(learner, draw):
    new = draw(5000, 1)
    model = ConformalLearner(learner, random_state=0).fit(*draw(4000, 0))
    shares = inside(model, *new).mean(axis=0)
    assert (shares >= 0.88).all()
    assert (shares <= 0.92).all()
    assert 0.88 <= inside(model.set_params(joint=True), *new).all(axis=1).mean() <= 0.92


@pytest.mark.slow
@pytest.mark.parametrize("name", list_datasets())
@pytest.mark.usefixtures("benchmark_folder")
def test_intervals_cover_held_out_rows_of_benchmark_sets(name, rng):
    data = load_dataset(name)
    order = rng.permutation(len(data.target))[:2400]
    train, test = np.array_split(order, 2)
    model = ConformalLearner(BDLDL(ridge=1.0), random_state=0).fit(
        data.data[train], data.target[train]
    )
    assert inside(model, data.data[test], data.target[test]).mean() >= 0.87
    model.set_params(joint=True)
    assert inside(model, data.data[test], data.target[test]).all(axis=1).mean() >= 0.87


def test_bounds_are_quantiles_of_held_out_residuals():
    X, D = make_artificial(99, random_state=0)
    model = ConformalLearner(BDLDL(), 0.8, cv=KFold(3)).fit(X, D)
    residuals = np.vstack(
        [
            D[test] - BDLDL().fit(X[train], D[train]).predict(X[test])
            for train, test in KFold(3).split(X)
        ]
    )
    assert_allclose(model.residuals_, residuals)
    predicted = model.predict(X)
    assert_array_equal(predicted, BDLDL().fit(X, D).predict(X))
    ranked = np.sort(residuals, axis=0)  # the 10th smallest of 99 and the new one, and the 90th
    lower, upper = model.predict_interval(X)
    assert_allclose(lower, np.clip(predicted + ranked[9], 0, 1))
    assert_allclose(upper, np.clip(predicted + ranked[89], 0, 1))


def test_joint_widths_are_proportional_to_the_residuals():
    X, D = make_artificial(99, random_state=0)
    model = ConformalLearner(BDLDL(), 0.5, joint=True, random_state=0).fit(X, D)
    lower, upper = model.predict_interval(X)
    free = (lower > 0).all(axis=1) & (upper < 1).all(axis=1)
    scale = np.sqrt((model.residuals_**2).mean(axis=0))
    largest = np.sort((np.abs(model.residuals_) / scale).max(axis=1))[49]
    assert_allclose((upper - lower)[free], np.tile(2 * largest * scale, (free.sum(), 1)))


def test_coverage_can_be_given_per_call():
    X, D = make_artificial(200, random_state=0)
    model = ConformalLearner(BDLDL(), random_state=0).fit(X, D)
    expected = ConformalLearner(BDLDL(), 0.5, random_state=0).fit(X, D).predict_interval(X)
    assert_array_equal(model.predict_interval(X, coverage=0.5), expected)
    with pytest.raises(ValueError, match="coverage must be between"):
        model.predict_interval(X, coverage=50)


@pytest.mark.parametrize("joint", [False, True])
def test_too_few_rows_give_the_whole_range(joint):
    X, D = make_artificial(8, random_state=0)
    lower, upper = ConformalLearner(MeanDistribution(), joint=joint).fit(X, D).predict_interval(X)
    assert (lower == 0).all()
    assert (upper == 1).all()


def test_weights_of_quantiles(rng):
    values = rng.normal(size=(30, 2))
    assert_array_equal(
        _quantiles(values, 0.8, np.full(30, 7.0)), _quantiles(values, 0.8, np.ones(30))
    )
    half = (np.arange(30) < 15).astype(float)
    assert_array_equal(_quantiles(values, 0.8, half), _quantiles(values[:15], 0.8, np.ones(15)))
    heavy = np.where(np.arange(30) == 4, 1e6, 1.0)
    assert_array_equal(_quantiles(values, 0.5, heavy), values[4])


def test_saved_pipeline_of_texts_has_equal_intervals(tmp_path):
    texts = pd.Series(["a cat", "a dog", "the cat sat", "the dog ran", "cat and dog"] * 8)
    D = pd.DataFrame({"joy": np.linspace(0.1, 0.9, 40), "fear": np.linspace(0.9, 0.1, 40)})
    model = ConformalLearner(make_pipeline(TfidfVectorizer(), BDLDL()), random_state=0).fit(
        texts, D
    )
    assert model.label_names_ == ["joy", "fear"]
    save(model, tmp_path / "model.skops")
    assert_array_equal(
        load(tmp_path / "model.skops").predict_interval(texts), model.predict_interval(texts)
    )


def test_weights_reach_the_learner_and_rows_of_weight_zero_are_left_out():
    X, D = make_artificial(60, random_state=0)
    weight = np.arange(60.0)
    model = ConformalLearner(make_pipeline(BDLDL())).fit(X, D, sample_weight=weight)
    expected = BDLDL().fit(X[1:], D[1:], sample_weight=weight[1:])
    assert_array_equal(model.predict(X), expected.predict(X))
    assert len(model.residuals_) == 59


def test_learners_of_tags_raise():
    X, D = make_artificial(60, random_state=0)
    with pytest.raises(TypeError, match="residuals of tags"):
        ConformalLearner(EnhancedLearner(LogicalSoftmax(), BDLDL())).fit(X, binarize(D))


def test_the_error_of_a_coverage_states_it():
    X, D = make_artificial(60, random_state=0)
    model = ConformalLearner(BDLDL()).fit(X, D).set_params(coverage=2)
    with pytest.raises(ValueError, match="got 2"):
        model.predict_interval(X)


def test_missing_values_are_those_of_the_learner():
    learner = SoftLabelClassifier(HistGradientBoostingClassifier(max_iter=2))
    assert get_tags(ConformalLearner(learner)).input_tags.allow_nan
    assert not get_tags(ConformalLearner(BDLDL())).input_tags.allow_nan


@pytest.mark.parametrize(
    "learner",
    [
        ConformalLearner(BDLDL(), random_state=0),
        ConformalLearner(make_pipeline(StandardScaler(), BDLDL()), random_state=0),
        BlendedLearner([("linear", BDLDL()), ("mean", MeanDistribution())], random_state=0),
    ],
    ids=repr,
)
def test_weights_with_metadata_routing(learner):
    X, D = make_artificial(60, random_state=0)
    weight = np.arange(1, 61)
    expected = clone(learner).fit(X, D, sample_weight=weight).predict(X)
    with config_context(enable_metadata_routing=True):
        found = clone(learner).fit(X, D, sample_weight=weight).predict(X)
    assert_array_equal(found, expected)
