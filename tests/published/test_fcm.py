import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from labeldist.published import FCM
from labeldist.simplex import normalize, softmax
from tests.references import fuzzy_memberships_by_hand


def test_scores_equal_max_product_composition(tags):
    X, L = tags
    model = FCM(4).fit(X, L)
    U = fuzzy_memberships_by_hand(X, model.cluster_centers_, 2.0)
    assert_allclose(model.memberships_, U, atol=1e-9)
    sums = np.array(
        [[sum(L[i, j] * U[i, k] for i in range(40)) for k in range(4)] for j in range(3)]
    )
    sums /= sums.sum(axis=1, keepdims=True)
    assert_allclose(model.associations_, sums, atol=1e-9)
    scores = np.array(
        [[max(sums[j, k] * U[i, k] for k in range(4)) for j in range(3)] for i in range(40)]
    )
    assert_allclose(model.label_distributions_, softmax(scores), atol=1e-9)
    assert_allclose(FCM(4, output="clip").fit_transform(X, L), normalize(scores), atol=1e-9)


def test_number_of_clusters(tags):
    X, L = tags
    assert FCM().fit(X, L).cluster_centers_.shape == (3, 3)
    assert FCM(7).fit(X, L).memberships_.shape == (40, 7)
    assert FCM(7).fit(X[:5], L[:5]).memberships_.shape == (5, 5)


def test_one_cluster_gives_uniform_degrees(tags):
    assert_allclose(FCM(1).fit_transform(*tags), 1 / 3)


def test_separated_clusters_recover_their_labels(rng):
    X = np.vstack([rng.normal(center, 0.1, size=(10, 2)) for center in (0, 5)])
    L = np.repeat([[1, 0, 1], [0, 1, 1]], 10, axis=0)
    recovered = FCM(2, output="clip").fit_transform(X, L)
    assert_allclose(recovered[:10], np.tile([2 / 3, 0, 1 / 3], (10, 1)), atol=0.01)
    assert_allclose(recovered[10:], np.tile([0, 2 / 3, 1 / 3], (10, 1)), atol=0.01)


def test_absent_label_has_zero_association(tags):
    X, L = tags
    L[:, 1] = 0
    L[:, 0] = 1
    model = FCM(output="clip").fit(X, L)
    assert_array_equal(model.associations_[1], 0)
    assert_array_equal(model.label_distributions_[:, 1], 0)


def test_random_state_changes_the_start(tags):
    X, L = tags
    far, first, again, second = (
        FCM(4, max_iter=10_000, random_state=seed).fit(X, L).cluster_centers_
        for seed in (None, 1, 1, 2)
    )
    assert_array_equal(first, again)
    assert np.abs(first - second).max() > 1e-6
    assert np.abs(first - far).max() > 1e-6


def test_tol_changes_the_number_of_iterations(tags):
    assert FCM(tol=1e-9).fit(*tags).n_iter_ > FCM(tol=1e-2).fit(*tags).n_iter_
