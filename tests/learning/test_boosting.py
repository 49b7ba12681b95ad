import numpy as np
from numpy.testing import assert_allclose

from labeldist.datasets import make_artificial
from labeldist.learning import DistributionBoosting
from labeldist.simplex import softmax


def test_boosting_equals_its_definition(rng):
    X, D = make_artificial(60, random_state=0)
    weight = rng.uniform(0.5, 2, size=60)
    model = DistributionBoosting(3, learning_rate=0.3, random_state=0).fit(X, D, weight)
    Z = ((X - model.mean_) / model.scale_).astype(np.float32)
    F = np.tile(np.log(np.average(D, axis=0, weights=weight)), (60, 1))
    for tree in model.trees_:
        P = softmax(F)
        leaves = tree.apply(Z)
        for leaf in np.unique(leaves):
            rows = leaves == leaf
            gradient = weight[rows] @ (D - P)[rows]
            F[rows] += 0.3 * (2 / 3) * gradient / (weight[rows] @ (P * (1 - P))[rows] + 1)
    assert_allclose(model.predict(X), softmax(F), atol=1e-12)


def test_boosting_without_splits_predicts_the_mean():
    X, D = make_artificial(50, random_state=0)
    model = DistributionBoosting(20, min_samples_leaf=50).fit(X, D)
    assert_allclose(model.predict(X), np.tile(D.mean(axis=0), (50, 1)), atol=1e-12)


def test_options():
    X, D = make_artificial(300, random_state=0)

    def fit(**options):
        return DistributionBoosting(**{"n_estimators": 20, "random_state": 0} | options).fit(X, D)

    base = fit()
    assert fit(n_estimators=60).score(X, D) > base.score(X, D) > fit(learning_rate=0.02).score(X, D)
    assert max(tree.n_leaves for tree in fit(max_leaf_nodes=4).trees_) == 4
    assert max(tree.n_leaves for tree in base.trees_) == 32
    assert min(tree.n_node_samples.min() for tree in fit(min_samples_leaf=9).trees_) == 9
    assert not np.allclose(fit(max_features=1).predict(X), fit(max_features=1.0).predict(X))
    assert not np.allclose(fit(random_state=1).predict(X), base.predict(X))
