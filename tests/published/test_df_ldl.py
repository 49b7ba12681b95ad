from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labeldist.learning import MeanDistribution, SoftmaxRegression
from labeldist.published import AABP, AAKNN, DFLDL


def test_predictions_equal_a_loop_over_rows_and_pairs(table, rng):
    X, D = table
    new = rng.normal(1, 2, size=(15, 4))
    learner = SoftmaxRegression(0.3)
    expected = np.zeros((15, 3))
    for row, nearest in enumerate(AAKNN(3).fit(X, D).predict(new)):
        for i, j in combinations(range(3), 2):
            rows = (D[:, i] >= D[:, j]) == (nearest[i] >= nearest[j])
            expected[row] += learner.fit(X[rows], D[rows]).predict(new[[row]])[0] / 3
    model = DFLDL(learner, n_neighbors=3, min_samples=1).fit(X, D)
    assert_allclose(model.predict(new), expected, atol=1e-8)
    others = DFLDL(learner, n_neighbors=20).fit(X, D)
    assert not np.allclose(others.predict(new), expected)


@pytest.mark.parametrize("learner", [None, SoftmaxRegression(5), AAKNN(30)], ids=repr)
def test_rows_in_one_order_give_the_learner_itself(table, learner):
    X, D = table
    D = -np.sort(-D, axis=1)  # each label exceeds the next one in every row: one side is empty
    expected = (learner or SoftmaxRegression()).fit(X, D).predict(X)
    assert_allclose(DFLDL(learner, min_samples=1).fit(X, D).predict(X), expected, atol=1e-12)


def test_sides_with_few_rows_are_not_fitted(rng):
    X = rng.normal(size=(30, 2))
    D = np.tile([0.7, 0.3], (30, 1))
    D[:4] = [0.1, 0.9]
    learner = MeanDistribution()
    alone, shared = (DFLDL(learner, n_neighbors=1, min_samples=k).fit(X, D) for k in (4, 5))
    assert_allclose(alone.predict(X), D, atol=1e-12)
    assert_allclose(shared.predict(X), np.tile(D.mean(axis=0), (30, 1)), atol=1e-12)


def test_equal_degrees_belong_to_the_first_side():
    X = np.arange(12.0)[:, None]
    D = np.repeat([[0.5, 0.5], [0.2, 0.8]], 6, axis=0)
    model = DFLDL(MeanDistribution()).fit(X, D)
    assert_allclose([side.mean_ for side in model.learners_[0]], [[0.5, 0.5], [0.2, 0.8]])
    assert_allclose(model.predict(X[[0, -1]]), D[[0, -1]])


def test_sparse_features_depend_on_the_learner(table):
    X, D = table
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        DFLDL(AABP()).fit(sparse.csr_array(X), D)


def test_the_learner_can_be_a_pipeline_and_is_not_changed(table):
    X, D = table
    learner = make_pipeline(StandardScaler(), SoftmaxRegression())
    model = DFLDL(learner).fit(X, D)
    before = model.predict(X)
    assert not hasattr(learner[-1], "coef_")
    model.set_params(learner__softmaxregression__ridge=100.0)
    assert not np.allclose(model.fit(X, D).predict(X), before)
