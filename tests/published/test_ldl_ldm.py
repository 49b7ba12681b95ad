import numpy as np
from numpy.testing import assert_allclose

from labeldist.published import LDLLDM
from labeldist.published._clustering import cluster_rows
from labeldist.published.ldl_ldm import reconstruction_error
from tests.published.softmax_checks import check_minimum, cross_entropy, squares
from tests.references import reconstruction_weights_by_hand


def reconstruction(D, P):
    Z = reconstruction_weights_by_hand(D.T, D.shape[1] - 1).T
    return squares(P - P @ Z)


def test_minimum(table):
    X, D = table
    clusters = cluster_rows(D, 3)

    def objective(D, P, theta):
        local = sum(reconstruction(D[clusters == k], P[clusters == k]) for k in range(3))
        ridge = 0.15 * squares(theta)
        return cross_entropy(D, P) + 2 * reconstruction(D, P) + 0.7 * local + ridge

    learner = LDLLDM(3, ridge=0.3, global_manifold=2.0, local_manifold=0.7)
    check_minimum(learner, objective, X, D)


def test_two_labels_reconstruct_each_other(rng):
    D = rng.dirichlet(np.ones(2), size=8)
    p = np.array([0.2, 0.8])
    assert_allclose(p @ reconstruction_error(D.T) @ p, 2 * (p[0] - p[1]) ** 2)
