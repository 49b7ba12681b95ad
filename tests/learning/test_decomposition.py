from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labeldist.learning import AABP, AAKNN, DFLDL, MeanDistribution, SoftmaxRegression


def test_predictions_equal_a_loop_over_rows_and_pairs(table, rng):
    X, D = table
    new = rng.normal(1, 2, size=(15, 4))
    model = DFLDL(SoftmaxRegression(0.3), n_neighbors=3, min_samples=1).fit(X, D)
    expected = np.zeros((15, 3))
    for row, x in enumerate(new):
        nearest = AAKNN(3).fit(X, D).predict([x])[0]
        for i, j in combinations(range(3), 2):
            rows = [k for k in range(50) if (D[k, i] >= D[k, j]) == (nearest[i] >= nearest[j])]
            expected[row] += SoftmaxRegression(0.3).fit(X[rows], D[rows]).predict([x])[0] / 3
    assert_allclose(model.predict(new), expected, atol=1e-8)
    assert not np.allclose(DFLDL(SoftmaxRegression(0.3), n_neighbors=20).fit(X, D).predict(new), expected)


@pytest.mark.parametrize("learner", [None, SoftmaxRegression(5), AAKNN(30)], ids=repr)
def test_rows_in_one_order_give_the_learner_itself(table, learner):
    X, D = table
    D = -np.sort(-D, axis=1)  # each label exceeds the next one in every row, so that half of the sides are empty
    expected = (learner or SoftmaxRegression()).fit(X, D).predict(X)
    assert_allclose(DFLDL(learner, min_samples=1).fit(X, D).predict(X), expected, atol=1e-12)


def test_sides_with_few_rows_are_not_fitted(rng):
    X, D = rng.normal(size=(30, 2)), np.tile([0.7, 0.3], (30, 1))
    D[:4] = [0.1, 0.9]
    alone, shared = (DFLDL(MeanDistribution(), n_neighbors=1, min_samples=k).fit(X, D) for k in (4, 5))
    assert_allclose(alone.predict(X), D, atol=1e-12)
    assert shared.learners_[0][0] is shared.learners_[0][1]
    assert_allclose(shared.predict(X), np.tile(D.mean(axis=0), (30, 1)), atol=1e-12)


def test_equal_degrees_belong_to_the_first_side():
    X, D = np.arange(12.0)[:, None], np.repeat([[0.5, 0.5], [0.2, 0.8]], 6, axis=0)
    model = DFLDL(MeanDistribution()).fit(X, D)
    assert_allclose([side.mean_ for side in model.learners_[0]], [[0.5, 0.5], [0.2, 0.8]])
    assert_allclose(model.predict(X[[0, -1]]), D[[0, -1]])


def test_sparse_features_depend_on_the_learner(table):
    X, D = table
    X = np.where(X > 0, X, 0)
    assert_allclose(DFLDL().fit(sparse.csr_array(X), D).predict(X), DFLDL().fit(X, D).predict(X), atol=1e-4)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        DFLDL(AABP()).fit(sparse.csr_array(X), D)


def test_the_learner_can_be_a_pipeline_and_is_not_changed(table):
    X, D = table
    learner = make_pipeline(StandardScaler(), SoftmaxRegression())
    model = DFLDL(learner).fit(X, D)
    assert not hasattr(learner[-1], "coef_")
    assert_allclose(model.predict(X).sum(axis=1), 1)
    model.set_params(learner__softmaxregression__ridge=100.0)
    before = model.predict(X)
    assert_array_equal(model.predict(X), before)
    assert not np.allclose(model.fit(X, D).predict(X), before)
