import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist.enhancement import KM
from labeldist.simplex import normalize, softmax
from tests.references import kernel_method_by_hand


@pytest.mark.parametrize("bandwidth", [0.2, 1.0])
def test_scores_equal_reference(table, bandwidth):
    X, L = table
    scores = kernel_method_by_hand(X, L, bandwidth)
    assert_allclose(KM(bandwidth=bandwidth).fit_transform(X, L), softmax(scores), atol=1e-10)
    # The farthest rows score next to nothing, and dividing by that costs digits.
    assert_allclose(KM(bandwidth=bandwidth, output="clip").fit_transform(X, L), normalize(scores), atol=1e-6)


def test_negative_labels_have_degree_zero(table):
    X, L = table
    assert (KM(output="clip").fit_transform(X, L)[L == 0] == 0).all()


def test_radius_is_distance_of_farthest_positive_row(table):
    X, L = table
    model = KM(bandwidth=1.0).fit(X, L)
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / 2)
    for k, on in enumerate(L.T > 0):
        squared = 1 - 2 * K[:, on].mean(axis=1) + K[np.ix_(on, on)].mean()
        assert model.radius_[k] == pytest.approx(np.sqrt(squared[on].max()))


def test_labels_of_one_all_or_no_rows():
    X = [[0.0], [1.0], [3.0]]
    model = KM(output="clip").fit(X, [[1, 0, 1], [0, 0, 1], [0, 0, 1]])
    assert model.radius_[0] == pytest.approx(0, abs=1e-7)
    assert model.radius_[1] == 0
    assert_allclose(model.label_distributions_[:, 1], 0)
    assert_allclose(model.label_distributions_[1:, 2], 1)
    assert model.label_distributions_[0, 0] > model.label_distributions_[0, 2]


def test_single_row():
    assert_allclose(KM(output="clip").fit_transform([[3.0]], [[1, 1, 0]]), [[0.5, 0.5, 0]])


def test_bandwidth_attribute(table):
    X, L = table
    assert KM(bandwidth=0.3).fit(X, L).bandwidth_ == 0.3
    distance = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    assert KM().fit(X, L).bandwidth_ == pytest.approx(distance[np.triu_indices(40, 1)].mean())
