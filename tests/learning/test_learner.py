"""Scores and parameters of the learners, and MeanDistribution."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from labeldist import BDLDL
from labeldist.datasets import make_artificial
from labeldist.learning import (
    AABP,
    AAKNN,
    ALDL,
    CPNN,
    DFLDL,
    EDL,
    EDLLRL,
    LDL4C,
    LDLDPA,
    LDLHR,
    LDLLC,
    LDLLCLR,
    LDLLDM,
    LDLLRR,
    LDLSCL,
    LDLSF,
    LDSVR,
    PLLE,
    PTSVM,
    SABFGS,
    SAIIS,
    WSLDLMCSC,
    DeltaLDL,
    DistributionBoosting,
    DistributionForest,
    IncomLDL,
    LDLForest,
    LDLogitBoost,
    MeanDistribution,
    PTBayes,
    SoftmaxRegression,
    SoftmaxRegressionCV,
    WInLDL,
)
from labeldist.metrics import kl_divergence


def test_mean_distribution_predicts_the_weighted_mean(rng):
    X, D, weight = rng.normal(size=(20, 3)), rng.dirichlet(np.ones(4), size=20), rng.integers(0, 3, size=20)
    model = MeanDistribution().fit(X, D)
    assert_allclose(model.predict(rng.normal(size=(5, 3))), np.tile(D.mean(axis=0), (5, 1)))
    assert_allclose(model.predict(sparse.csr_array((2, 3))), np.tile(D.mean(axis=0), (2, 1)))
    assert_allclose(model.score(X, D), 0, atol=1e-12)
    assert_allclose(MeanDistribution().fit(X, D, sample_weight=weight).mean_, np.average(D, axis=0, weights=weight))


def test_score_is_the_skill_over_the_mean():
    new, truth = make_artificial(200, random_state=1)
    model = BDLDL().fit(*make_artificial(300, random_state=0))
    mean = np.tile(truth.mean(axis=0), (200, 1))
    expected = 1 - kl_divergence(truth, model.predict(new)) / kl_divergence(truth, mean)
    assert 0.5 < expected < 1
    assert_allclose(model.score(new, truth), expected)
    assert_allclose(model.score(new, sparse.csr_array(7 * truth)), expected)
    weight = np.arange(200)
    repeated = model.score(np.repeat(new, weight, axis=0), np.repeat(truth, weight, axis=0))
    assert_allclose(model.score(new, truth, sample_weight=weight), repeated)
    for wrong in (weight[1:], np.where(weight == weight[0], np.nan, weight)):
        with pytest.raises(ValueError, match="sample_weight"):
            model.score(new, truth, sample_weight=wrong)


@pytest.mark.parametrize("row", [[0.25, 0.75], [0.3, 0.3, 0.4], [0.0, 1.0]])
@pytest.mark.parametrize("learner", [MeanDistribution(), BDLDL(floor=0)], ids=repr)
def test_score_of_equal_rows_is_one_or_zero(rng, row, learner):
    for n in (2, 7, 49):
        X, D = rng.normal(size=(n, 2)), np.tile(row, (n, 1))
        assert learner.fit(X, D).score(X, D) == 1
        assert learner.fit(X, D[:, ::-1]).score(X, D) == 0


def test_score_of_a_single_row_is_not_defined():
    X, D = make_artificial(30, random_state=0)
    with pytest.warns(UndefinedMetricWarning, match="skill of one row"):
        assert np.isnan(BDLDL().fit(X, D).score(X[:1], D[:1]))


INVALID = [
    *((AAKNN, "n_neighbors", 0), (AAKNN, "weights", "gaussian"), (AAKNN, "metric", "precomputed")),
    *((AAKNN, "metric", "mahalanobis"), (AAKNN, "algorithm", "hash")),
    *((AABP, "n_hidden", 0), (AABP, "loss", "hinge"), (AABP, "weight_decay", -1), (AABP, "scale", 2)),
    *((AABP, "max_iter", 0), (AABP, "random_state", "s")),
    *((PTBayes, "covariance", "tied"), (PTBayes, "var_smoothing", 0), (PTBayes, "sampling", "bootstrap")),
    *((PTSVM, "C", 0), (PTSVM, "gamma", "wide"), (PTSVM, "gamma", 0), (PTSVM, "kernel_tolerance", 0)),
    *((PTSVM, "sampling", 1), (PTSVM, "random_state", "seed"), (PTSVM, "max_rank", 0)),
    *((SoftmaxRegression, "ridge", -1), (SoftmaxRegression, "tol", 0), (SoftmaxRegressionCV, "scoring", "best")),
    *((SABFGS, "tol", 0), (SAIIS, "memory", -1), (SAIIS, "fit_intercept", 2)),
    *((LDLLC, "ridge", -1), (LDLLC, "correlation", -1), (LDLLC, "max_iter", 0)),
    *((LDLSCL, "n_clusters", 0), (LDLSCL, "local_correlation", 0), (LDLSCL, "barrier", 0), (LDLSCL, "code_ridge", -1)),
    *((EDLLRL, "low_rank", -1), (EDLLRL, "n_clusters", 0), (DistributionForest, "n_estimators", 0)),
    *((DistributionForest, "min_samples_leaf", 0), (DistributionForest, "max_features", 1.5)),
    *((LDLLRR, "ranking", -1), (LDLLRR, "sharpness", 0), (LDLDPA, "percentile", -1), (LDLDPA, "variance", -1)),
    *((LDLLDM, "n_clusters", 0), (LDLLDM, "global_manifold", -1), (LDLLDM, "local_manifold", -1)),
    *((LDL4C, "margin", -1), (LDL4C, "margin_width", 0), (LDLHR, "rest", -1), (LDLHR, "ridge", -1)),
    *((DeltaLDL, "ridge", -1), (DeltaLDL, "fit_intercept", 2), (EDL, "correlation", -1), (EDL, "affinity", "circle")),
    *((ALDL, "width", 0), (ALDL, "max_rounds", 0), (ALDL, "min_decrease", 1)),
    *((DistributionBoosting, "learning_rate", 0), (DistributionBoosting, "max_leaf_nodes", 1)),
    *((LDLogitBoost, "n_estimators", 0), (LDLogitBoost, "algorithm", "adaboost"), (LDLogitBoost, "splitter", "worst")),
    *((DFLDL, "learner", 5), (DFLDL, "n_neighbors", 0), (DFLDL, "min_samples", 0)),
    *((LDLForest, "max_depth", 0), (LDLForest, "n_units", 0), (LDLForest, "ridge", -1), (LDLForest, "tol", -1)),
    *((LDSVR, "C", 0), (LDSVR, "epsilon", -1), (LDSVR, "bandwidth", "median"), (LDSVR, "floor", 0), (LDSVR, "tol", 0)),
    *((LDSVR, "scale", 2), (LDSVR, "max_iter", 0), (PLLE, "smoothness", -1), (PLLE, "n_neighbors", 0)),
    *((CPNN, "n_hidden", 0), (CPNN, "weight_decay", -1), (CPNN, "max_iter", 0), (CPNN, "random_state", "s")),
    *((IncomLDL, "low_rank", -1), (IncomLDL, "solver", "svd"), (IncomLDL, "floor", 2), (WInLDL, "base", 0.5)),
    *((LDLSF, "sparsity", -1), (LDLSF, "row_sparsity", -1), (LDLSF, "correlation", -1), (LDLSF, "scale", 2)),
    *((LDLLCLR, "noise", -1), (LDLLCLR, "low_rank", -1), (LDLLCLR, "local_correlation", -1)),
    *((WSLDLMCSC, "fidelity", 0), (WSLDLMCSC, "smoothness", -1), (WSLDLMCSC, "n_neighbors", 0), (WSLDLMCSC, "tol", 0)),
]


@pytest.mark.parametrize(("learner", "name", "value"), INVALID)
def test_invalid_parameters_raise_by_name(learner, name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter of {learner.__name__} must be"):
        learner(**{name: value}).fit(np.eye(6), np.full((6, 2), 0.5))
