"""What is shown of a table when nobody says it."""

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from labeldist import BDLE, BayesLE
from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement import GLLE
from labeldist.explorer._versions import SHARES, from_degrees, from_logical, is_logical, predict_out_of_fold
from labeldist.learning._folds import split_rows
from labeldist.metrics import kl_divergence


@pytest.fixture(scope="module")
def data():
    return make_artificial(60, random_state=0)


def test_logical_labels_are_told_from_degrees(data):
    _, D = data
    assert is_logical(binarize(D))
    assert is_logical(binarize(D).astype(float))
    assert not is_logical(D)


def test_logical_labels_are_recovered_and_shown_in_equal_shares(data):
    X, D = data
    L = binarize(D)
    predicted = {"mine": D}
    shown = from_logical(X, L, [BDLE(), GLLE()], predicted)
    assert list(shown.versions) == ["recovered by BDLE", "recovered by GLLE", "mine", SHARES]
    np.testing.assert_array_equal(shown.versions["recovered by BDLE"], BDLE().fit_transform(X, L))
    np.testing.assert_allclose(shown.versions[SHARES], L / L.sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(shown.logical, L)
    assert shown.truth is None
    assert shown.intervals == {}


def test_intervals_are_those_of_the_enhancers_that_have_them(data):
    X, D = data
    L = binarize(D)
    assert from_logical(X, L, [BayesLE()], {}).intervals == {}
    shown = from_logical(X, L, [BDLE(), BayesLE()], {}, intervals=True)
    ((name, bounds),) = shown.intervals.items()
    assert name == "recovered by BayesLE"
    np.testing.assert_array_equal(bounds, BayesLE().fit(X, L).interval(0.9))


@pytest.mark.filterwarnings("ignore:1 of 60 rows have no positive label")
def test_an_item_without_labels_has_all_of_them_in_equal_shares(data):
    X, D = data
    L = binarize(D)
    L[7] = 0
    shown = from_logical(X, L, [BDLE()], {})
    np.testing.assert_allclose(shown.versions[SHARES][7], 1 / 3)
    assert not shown.logical[7].any()


def test_degrees_are_true_beside_predictions_only(data):
    _, D = data
    assert from_degrees("mine", 2 * D, {}).truth is None
    shown = from_degrees("mine", 2 * D, {"theirs": D})
    assert shown.truth == "mine"
    np.testing.assert_allclose(shown.versions["mine"], D)


def test_items_are_predicted_by_a_model_that_has_not_seen_them(data):
    X, D = data
    ((name, P),) = predict_out_of_fold(X, D, folds=3).items()
    assert name == "predicted by BDLDLCV, each item held out"
    assert kl_divergence(D, P) < 0.5 * kl_divergence(D, np.tile(D.mean(axis=0), (len(D), 1)))
    changed = D.copy()
    changed[5] = [0, 0, 1]
    np.testing.assert_array_equal(predict_out_of_fold(X, changed, folds=3)[name][5], P[5])


def test_what_prepares_the_features_has_not_seen_the_item_either(data):
    X, D = data
    far = X.copy()
    far[5] *= 1e6
    ((name, P),) = predict_out_of_fold(X, D, folds=3, prepare=StandardScaler()).items()
    Q = predict_out_of_fold(far, D, folds=3, prepare=StandardScaler())[name]
    (fold,) = [test for _, test in split_rows(X, D, 3, np.random.RandomState(0)) if 5 in test]
    others = np.setdiff1d(fold, 5)
    # Those of its fold are predicted from the same rows as before, on the same scale.
    np.testing.assert_array_equal(Q[others], P[others])
    assert not np.array_equal(Q[np.setdiff1d(np.arange(60), fold)], P[np.setdiff1d(np.arange(60), fold)])


@pytest.mark.parametrize(("n", "versions"), [(3, 0), (4, 1)])
def test_so_few_items_can_be_learned_from(data, n, versions):
    X, D = data
    assert len(predict_out_of_fold(X[:n], D[:n])) == versions
