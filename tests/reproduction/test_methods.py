"""Estimators of the reproduction."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement import BDLE
from labeldist.learning import BDLDL
from labeldist.published import METHODS
from labeldist.simplex import softmax
from reproduction.methods import ENHANCERS, LEARNERS, RidgeLDL, RidgeLE, build

X, D = make_artificial(40, random_state=0)
L = binarize(D).astype(float)


def test_ridge_le_solves_normal_equations():
    alpha = 0.3
    Z = StandardScaler().fit_transform(X) * np.sqrt(39 / 40)
    features = np.column_stack([rbf_kernel(Z, gamma=1 / (2 * pdist(Z).mean() ** 2)), np.ones(40)])
    ridge = alpha * np.linalg.eigvalsh(L.T @ L).mean()
    W = np.linalg.solve(features.T @ features + ridge * np.eye(41), features.T @ L)
    recovered = RidgeLE(alpha, smoothness=0).fit_transform(X, L)
    assert_allclose(recovered, softmax(features @ W), atol=1e-9)


def test_ridge_le_has_kernel_and_graph_of_bdle():
    """With orthogonal, equally frequent labels the reconstruction is a multiple of the ridge."""
    labels = np.eye(4)[np.arange(40) % 4]
    alpha = 0.2
    bidirectional = BDLE(alpha, 0.5, solver="exact").fit(X, labels)
    scores = np.log(bidirectional.label_distributions_) / (1 + alpha)  # C has the factor 1 + α
    assert_allclose(RidgeLE(alpha, 0.5).fit_transform(X, labels), softmax(scores), atol=1e-9)


def test_ridge_ldl_is_unidirectional_with_larger_ridge():
    shrinkage = 0.3 * np.linalg.eigvalsh(D.T @ D).mean()
    expected = BDLDL(0.0, 0.1 + shrinkage, fit_intercept=False).fit(X, D).predict(X)
    assert_allclose(RidgeLDL(0.3, 0.1).fit(X, D).predict(X), expected, atol=1e-12)


@pytest.mark.parametrize("use", ["ChosenLearner", "EnhancedLearner"])
def test_wrapped_learners_predict_distributions(use):
    labels = L if use == "EnhancedLearner" else D
    predicted = build(use, {}).fit(X, labels).predict(X[:3])
    assert_allclose(predicted.sum(axis=1), 1)


def test_specifications_can_name_every_method_of_the_library():
    assert {method.estimator for method in METHODS} <= {*ENHANCERS, *LEARNERS}
