import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from labeldist._kernels.kernels import BLOCK
from labeldist.published import KM
from labeldist.published.km import gaussian_product
from labeldist.simplex import normalize, softmax
from tests.references import kernel_method_by_hand


@pytest.mark.parametrize("bandwidth", [0.2, 1.0])
def test_scores_equal_reference(tags, bandwidth):
    X, L = tags
    scores = kernel_method_by_hand(X, L, bandwidth)
    assert_allclose(KM(bandwidth=bandwidth).fit_transform(X, L), softmax(scores), atol=1e-10)
    # The farthest rows score next to nothing, and dividing by that costs digits.
    assert_allclose(
        KM(bandwidth=bandwidth, output="clip").fit_transform(X, L), normalize(scores), atol=1e-6
    )


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


def test_bandwidth_attribute(tags):
    X, L = tags
    assert KM(bandwidth=0.3).fit(X, L).bandwidth_ == 0.3
    distance = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    assert KM().fit(X, L).bandwidth_ == pytest.approx(distance[np.triu_indices(40, 1)].mean())


@pytest.mark.parametrize("n", [1, BLOCK - 1, BLOCK + 1, 3 * BLOCK + 5])
def test_gaussian_product_equals_product_with_whole_matrix(rng, n):
    X, V = rng.normal(size=(n, 3)), rng.normal(size=(n, 2))
    K = np.exp(-cdist(X, X, "sqeuclidean") / (2 * 1.3**2))
    assert_allclose(gaussian_product(X, 1.3, V), K @ V, atol=1e-12)
