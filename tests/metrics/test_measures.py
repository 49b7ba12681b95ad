"""Tests of the measures and their scorers."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from scipy.stats import wasserstein_distance
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labeldist import BDLDL, metrics
from labeldist.datasets import make_artificial
from labeldist.exceptions import NotADistributionError
from labeldist.metrics import MEASURES, PAPER_MEASURES, get_scorer, score_all
from tests.frames import any_make
from tests.references import measures_by_hand
from tests.strategies import distribution_pairs, distributions

every_measure = pytest.mark.parametrize("measure", MEASURES.values(), ids=list(MEASURES))


def test_the_six_measures_of_the_paper_are_the_first():
    names = ["chebyshev", "clark", "canberra", "kl_divergence", "cosine", "intersection"]
    assert list(PAPER_MEASURES) == list(MEASURES)[:6] == names


@pytest.fixture
def pair(rng):
    return rng.dirichlet(np.ones(4), size=(2, 30))


def test_score_all_returns_the_named_measures(pair):
    D, P = pair
    assert list(score_all(D, P)) == list(PAPER_MEASURES)
    means = {name: measure.mean(D, P) for name, measure in MEASURES.items()}
    assert score_all(D, P, measures="all") == means
    assert list(score_all(D, P, measures=["ordered"])) == ["wasserstein", "ranked_probability"]
    with pytest.raises(ValueError, match="Unknown measure 'tau'"):
        score_all(D, P, measures=["clark", "tau"])


@every_measure
def test_public_functions_have_signature_documentation_and_pickle(measure):
    assert getattr(metrics, measure.name) is measure.mean
    parameters = list(inspect.signature(measure.mean).parameters)
    assert parameters[:3] == ["D_true", "D_pred", "sample_weight"]
    assert pickle.loads(pickle.dumps(measure.mean)) is measure.mean


@given(distribution_pairs())
def test_measures_equal_their_definition(pair):
    D, P = pair
    by_hand = [measures_by_hand(d, p) for d, p in zip(D.tolist(), P.tolist(), strict=True)]
    expected = pd.DataFrame(by_hand)[list(MEASURES)].mean(skipna=False).to_dict()
    assert score_all(D, P, measures="all") == pytest.approx(expected, rel=1e-7, abs=1e-12)


@every_measure
@given(distribution_pairs())
def test_bounds_hold(measure, pair):
    value = measure.mean(*pair)
    low, high = sorted((measure.best, measure.worst(pair[0].shape[1])))
    assert low - 1e-12 <= value <= high + 1e-12


@every_measure
@given(distributions())
def test_perfect_prediction_has_the_best_value(measure, D):
    if measure.name in ("spearman", "kendall"):  # equal degrees have no ranks
        D = D[np.ptp(D, axis=1) > 0]
    if len(D):
        assert_allclose(measure.mean(D, D), measure.best, atol=1e-12)


@every_measure
def test_worst_bound_is_reached(measure):
    d, p = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    assert_allclose(measure.mean(d, p), measure.worst(2))


@every_measure
def test_all_measures_but_kl_divergence_are_symmetric(measure, pair):
    is_symmetric = np.isclose(measure.mean(*pair), measure.mean(*pair[::-1]), rtol=1e-12)
    assert is_symmetric == (measure.name != "kl_divergence")


@every_measure
def test_order_of_labels_matters_only_to_ordered_measures(measure, pair):
    value = measure.mean(*pair)
    shuffled = measure.mean(*pair[:, :, [2, 0, 3, 1]])
    assert np.isclose(shuffled, value, rtol=1e-12) != measure.needs_order
    assert_allclose(measure.mean(*pair[:, :, ::-1]), value)


def test_ordered_measures_count_the_distance_of_labels():
    d, near, far = ([[1, 0, 0, 0]], [[0, 1, 0, 0]], [[0, 0, 0, 1]])
    for measure in (metrics.wasserstein, metrics.ranked_probability):
        assert_allclose([measure(d, near), measure(d, far)], [1 / 3, 1])


def test_wasserstein_without_division_is_that_of_scipy(pair, rng):
    values = np.arange(4)
    weight = rng.uniform(size=30)
    by_scipy = [wasserstein_distance(values, values, d, p) for d, p in zip(*pair, strict=True)]
    expected = np.average(by_scipy, weights=weight)
    assert_allclose(metrics.wasserstein(*pair, weight, normalize=False), expected)
    assert_allclose(metrics.wasserstein(*pair, weight), expected / 3)


def test_tied_top_labels_share_the_credit():
    d, tied, other = [[0.6, 0.2, 0.2]], [[0.4, 0.4, 0.2]], [[0.2, 0.4, 0.4]]
    assert metrics.top_label(d, tied) == 0.5
    assert metrics.top_label(tied, tied) == 1
    assert metrics.top_label(d, other) == 0
    assert_allclose(metrics.top_label(tied, other), 1 / 3)


@every_measure
def test_weights_equal_repeated_rows(measure, pair, rng):
    weight = rng.integers(0, 4, size=30)
    assert_allclose(measure.mean(*pair), measure.rows(*pair).mean())
    repeated = measure.mean(*np.repeat(pair, weight, axis=1))
    assert_allclose(measure.mean(*pair, sample_weight=weight), repeated)


def test_kl_divergence_has_the_stated_floor():
    assert_allclose(metrics.kl_divergence([[1.0, 0.0]], [[0.0, 1.0]]), -np.log(np.finfo(float).eps))


VALID = [[0.5, 0.5]]


@pytest.mark.parametrize(
    ("D", "P", "facts"),
    [
        ([[0.5, 0.4]], VALID, "D_true has 1 row.*first row 0"),
        (VALID, [[np.nan, 0.5]], "D_pred is not finite"),
        (VALID, [[-0.5, 1.5]], "D_pred is negative"),
        (VALID, VALID * 2, r"\(1, 2\), \(2, 2\)"),
    ],
)
def test_invalid_rows_raise(D, P, facts):
    with pytest.raises(ValueError, match=facts):
        score_all(D, P)


@pytest.mark.parametrize("weight", [[1.0], [1.0, -1.0], [0.0, 0.0], [np.nan, 1.0]])
def test_invalid_weights_raise(weight):
    D = [[0.5, 0.5], [1.0, 0.0]]
    with pytest.raises(ValueError, match=r"sample_weight .* 2 rows"):
        score_all(D, D, sample_weight=weight)


@any_make
def test_frames_have_distances(make):
    D = make({"joy": [0.2, 0.5], "fear": [0.8, 0.5]})
    assert metrics.chebyshev(D, D) == 0
    assert metrics.chebyshev(D, [[0.1, 0.9], [0.5, 0.5]]) == pytest.approx(0.05)


@pytest.mark.parametrize("name", list(MEASURES))
def test_higher_is_better_for_every_scorer(name):
    X, D = make_artificial(120, random_state=0)
    model = BDLDL().fit(X, D)
    scorer = pickle.loads(pickle.dumps(get_scorer(name)))
    sign = 1 if MEASURES[name].higher_is_better else -1
    assert scorer(model, X, D) == pytest.approx(sign * MEASURES[name].mean(D, model.predict(X)))


def test_scorers_work_in_cross_validation_and_search():
    X, D = make_artificial(120, random_state=0)
    assert (cross_val_score(BDLDL(), X, D, scoring=get_scorer("kl_divergence")) < 0).all()
    search = GridSearchCV(BDLDL(), {"ridge": [1e-2, 1e6]}, scoring=get_scorer("cosine")).fit(X, D)
    assert search.best_params_ == {"ridge": 1e-2}


def test_measures_are_not_scorers():
    search = GridSearchCV(BDLDL(), {"ridge": [1]}, scoring=metrics.clark, error_score="raise")
    with pytest.raises(TypeError, match="get_scorer"):
        search.fit(*make_artificial(60, random_state=0))


def test_scorers_know_the_labels_of_searches_in_pipelines():
    X, D = map(pd.DataFrame, make_artificial(60, random_state=0))
    pipeline = make_pipeline(StandardScaler(), BDLDL())
    search = GridSearchCV(pipeline, {"bdldl__ridge": [1.0]}, cv=2)
    model, scorer = make_pipeline(StandardScaler(), search).fit(X, D), get_scorer("cosine")
    assert scorer(model, X, D) == scorer(model, X, D.to_numpy())
    with pytest.raises(ValueError, match="must have the labels"):
        scorer(model, X, D.iloc[:, ::-1])


def test_scorers_normalise_true_degrees_and_take_weights():
    X, D = make_artificial(120, random_state=0)
    model, scorer = BDLDL().fit(X, D), get_scorer("clark")
    assert scorer(model, X, 100 * D) == pytest.approx(scorer(model, X, D))
    assert scorer(model, X, csr_array(D)) == scorer(model, X, D)
    weight = np.arange(120)
    repeated = scorer(model, np.repeat(X, weight, axis=0), np.repeat(D, weight, axis=0))
    assert scorer(model, X, D, sample_weight=weight) == pytest.approx(repeated)
    with pytest.raises(NotADistributionError, match="y is negative"):
        scorer(model, X, -D)
    with pytest.raises(ValueError, match="'euclid'"):
        get_scorer("euclid")


@pytest.mark.parametrize("measure", MEASURES)
def test_tables_without_rows_raise(measure):
    empty = np.empty((0, 3))
    with pytest.raises(ValueError, match="D_true and D_pred have no rows"):
        MEASURES[measure].mean(empty, empty)
