import numpy as np
import pytest

from labeldist.learning import AABP, AAKNN, EDLLRL, LDLLC, LDLSCL, PTSVM, SABFGS, SAIIS, PTBayes

INVALID = [
    *((AAKNN, "n_neighbors", 0), (AAKNN, "weights", "gaussian"), (AAKNN, "metric", "precomputed")),
    *((AAKNN, "metric", "mahalanobis"), (AAKNN, "algorithm", "hash")),
    *((AABP, "n_hidden", 0), (AABP, "loss", "hinge"), (AABP, "weight_decay", -1), (AABP, "scale", 2)),
    *((AABP, "max_iter", 0), (AABP, "random_state", "s")),
    *((PTBayes, "covariance", "tied"), (PTBayes, "var_smoothing", 0), (PTBayes, "sampling", "bootstrap")),
    *((PTSVM, "C", 0), (PTSVM, "gamma", "wide"), (PTSVM, "gamma", 0), (PTSVM, "kernel_tolerance", 0)),
    *((PTSVM, "sampling", 1), (PTSVM, "random_state", "seed"), (PTSVM, "max_rank", 0)),
    *((SABFGS, "solver", "newton"), (SABFGS, "tol", 0), (SAIIS, "memory", -1), (SAIIS, "fit_intercept", 2)),
    *((LDLLC, "ridge", -1), (LDLLC, "correlation", -1), (LDLLC, "max_iter", 0)),
    *((LDLSCL, "n_clusters", 0), (LDLSCL, "local_correlation", 0), (LDLSCL, "barrier", 0), (LDLSCL, "code_ridge", -1)),
    *((EDLLRL, "low_rank", -1), (EDLLRL, "n_clusters", 0)),
]


@pytest.mark.parametrize(("learner", "name", "value"), INVALID)
def test_invalid_parameters_raise_by_name(learner, name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter of {learner.__name__} must be"):
        learner(**{name: value}).fit(np.eye(6), np.full((6, 2), 0.5))
