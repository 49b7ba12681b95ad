import numpy as np
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel

from labeldist.datasets import binarize, make_artificial
from labeldist.experiments.controls import RidgeLDL, RidgeLE
from labeldist.learning import BDLDL
from labeldist.simplex import softmax

X, D = make_artificial(40, random_state=0)
L = binarize(D).astype(float)


def test_the_enhancers_control_is_a_ridge_of_the_mean_eigenvalue():
    alpha = 0.3
    model = RidgeLE(reconstruction=alpha, smoothness=0, bandwidth=1.0, scale=False).fit(X, L)
    features = np.column_stack([rbf_kernel(X, gamma=0.5), np.ones(40)])
    ridge = alpha * np.linalg.eigvalsh(L.T @ L).mean()
    W = np.linalg.solve(features.T @ features + ridge * np.eye(41), features.T @ L)
    assert_allclose(model.label_distributions_, softmax(features @ W), atol=1e-10)
    assert model.residual_ < 1e-10


def test_the_learners_control_is_ridge_regression_with_both_weights_added():
    model = RidgeLDL(reconstruction=0.2, ridge=0.5, fit_intercept=False).fit(X, D)
    total = 0.5 + 0.2 * np.linalg.eigvalsh(D.T @ D).mean()
    plain = BDLDL(reconstruction=0, ridge=total, fit_intercept=False).fit(X, D)
    assert_allclose(model.coef_, plain.coef_, atol=1e-10)
    assert np.abs(model.coef_ - BDLDL(0.2, 0.5, fit_intercept=False).fit(X, D).coef_).max() > 1e-4
