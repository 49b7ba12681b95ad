import inspect
import pickle

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from labeldist import metrics
from labeldist.exceptions import NotADistributionError
from labeldist.metrics import MEASURES, score_all
from tests.frames import any_make
from tests.references import measures_by_hand
from tests.strategies import distribution_pairs, distributions

every_measure = pytest.mark.parametrize("measure", MEASURES.values(), ids=list(MEASURES))


def test_the_table_holds_the_six_measures_of_the_literature():
    assert list(MEASURES) == ["chebyshev", "clark", "canberra", "kl_divergence", "cosine", "intersection"]
    for name, measure in MEASURES.items():
        assert getattr(metrics, name) is measure.mean
    titles = ["Chebyshev", "Clark", "Canberra", "Kullback-Leibler", "Cosine", "Intersection"]
    assert [measure.title for measure in MEASURES.values()] == titles


@given(distribution_pairs())
def test_all_measures_equal_their_definition(pair):
    D, P = pair
    by_hand = [measures_by_hand(d, p) for d, p in zip(D.tolist(), P.tolist(), strict=True)]
    scores = score_all(D, P)
    for name in MEASURES:
        assert_allclose(scores[name], np.mean([row[name] for row in by_hand]), atol=1e-12)


@every_measure
@given(distribution_pairs())
def test_bounds(measure, pair):
    value = measure.mean(*pair)
    low, high = sorted((measure.best, measure.worst(pair[0].shape[1])))
    assert low - 1e-12 <= value <= high + 1e-12


@every_measure
@given(distributions())
def test_a_perfect_prediction_has_the_best_value(measure, D):
    assert_allclose(measure.mean(D, D), measure.best, atol=1e-12)


@every_measure
def test_bounds_are_reached(measure):
    d, p = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    assert_allclose(measure.mean(d, p), measure.worst(2))


@every_measure
def test_symmetry_is_as_declared(measure, rng):
    D, P = rng.dirichlet(np.ones(4), size=(2, 30))
    assert np.isclose(measure.mean(D, P), measure.mean(P, D), rtol=1e-12) == measure.symmetric


@every_measure
def test_rows_average_to_the_mean_and_weights_are_repetition(measure, rng):
    D, P = rng.dirichlet(np.ones(4), size=(2, 10))
    weight = rng.integers(0, 4, size=10)
    assert_allclose(measure.mean(D, P), measure.rows(D, P).mean())
    repeated = measure.mean(np.repeat(D, weight, axis=0), np.repeat(P, weight, axis=0))
    assert_allclose(measure.mean(D, P, sample_weight=weight), repeated)


@given(distribution_pairs())
def test_canberra_bounds_clark_and_the_mass_not_shared(pair):
    scores = score_all(*pair)
    assert scores["canberra"] >= scores["clark"] - 1e-12
    assert scores["canberra"] >= 1 - scores["intersection"] - 1e-12


def test_zero_over_zero_counts_as_agreement():
    d, p = [[0.0, 1.0]], [[0.0, 1.0]]
    assert score_all(d, p) == {
        "chebyshev": 0, "clark": 0, "canberra": 0, "kl_divergence": 0, "cosine": 1, "intersection": 1,
    }  # fmt: skip


def test_kl_has_the_stated_floor():
    assert_allclose(metrics.kl_divergence([[1.0, 0.0]], [[0.0, 1.0]]), -np.log(metrics.KL_FLOOR))
    assert metrics.KL_FLOOR == np.finfo(float).eps


@every_measure
@pytest.mark.parametrize(
    ("D", "P", "message"),
    [
        ([[0.5, 0.4]], [[0.5, 0.5]], "D_true has 1 row.*first row 0"),
        ([[0.5, 0.5]], [[0.5, 0.6]], "D_pred has 1 row"),
        ([[0.5, 0.5]], [[np.nan, 0.5]], "D_pred is not finite"),
        ([[0.5, 0.5]], [[-0.5, 1.5]], "D_pred is negative"),
        ([0.5, 0.5], [0.5, 0.5], "two dimensions"),
        ([[0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]], "same shape"),
        (np.zeros((0, 2)), np.zeros((0, 2)), "^D_true and D_pred have no rows"),
    ],
)
def test_invalid_rows_are_refused(measure, D, P, message):
    with pytest.raises(ValueError, match=message):
        measure.mean(D, P)
    with pytest.raises(ValueError, match=message):
        score_all(D, P)


@pytest.mark.parametrize("weight", [[1.0], [1.0, -1.0], [0.0, 0.0], [np.nan, 1.0]])
def test_invalid_weights_are_refused(weight):
    D = [[0.5, 0.5], [1.0, 0.0]]
    with pytest.raises(ValueError, match="one non-negative number for each of the 2 rows"):
        score_all(D, D, sample_weight=weight)


@every_measure
def test_public_functions_show_their_own_signature_and_pickle(measure):
    assert list(inspect.signature(measure.mean).parameters) == ["D_true", "D_pred", "sample_weight"]
    assert inspect.signature(measure.mean).return_annotation is float
    assert pickle.loads(pickle.dumps(measure.mean)) is measure.mean
    assert pickle.loads(pickle.dumps(measure)) is measure
    assert "Mean over rows" in measure.mean.__doc__


@any_make
def test_tables_with_their_labels_in_another_order_are_refused(make):
    D = make({"joy": [0.2, 0.5], "fear": [0.8, 0.5]})
    assert metrics.chebyshev(D, D) == 0
    assert metrics.chebyshev(D, [[0.1, 0.9], [0.5, 0.5]]) == pytest.approx(0.05)
    with pytest.raises(ValueError, match=r"same labels in the same order; got \['joy', 'fear'\] and \['fear', 'joy'\]"):
        metrics.chebyshev(D, make({"fear": [0.8, 0.5], "joy": [0.2, 0.5]}))


def test_the_error_is_ours_and_inputs_stay():
    D = np.array([[0.5, 0.5]])
    before = D.copy()
    with pytest.raises(NotADistributionError):
        score_all(D, [[2.0, 1.0]])
    score_all(D, D)
    assert_array_equal(D, before)
