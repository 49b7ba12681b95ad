import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor

from labeldist.datasets import make_artificial
from labeldist.learning import DistributionBoosting, DistributionForest, LDLogitBoost
from labeldist.learning._forest import one_vs_one_steps
from labeldist.metrics import kl_divergence
from labeldist.simplex import softmax
from tests.checks import example

SMALL = DistributionForest(10, random_state=0)


def test_predictions_are_those_of_extra_trees():
    X, D = make_artificial(100, random_state=0)
    reference = ExtraTreesRegressor(7, min_samples_leaf=4, max_features=2, random_state=1).fit(X, D)
    forest = DistributionForest(7, min_samples_leaf=4, max_features=2, random_state=1).fit(X, 5 * D)
    new = np.random.default_rng(5).normal(size=(33, 3))
    for rows in (X, new):
        assert_allclose(forest.predict(rows), reference.predict(rows), atol=1e-12)


def test_leaves_as_large_as_the_table_give_the_weighted_mean(rng):
    X, D, _ = example()
    weight = rng.uniform(1, 2, size=len(X))
    forest = DistributionForest(3, min_samples_leaf=len(X)).fit(X, D, sample_weight=weight)
    assert_allclose(forest.predict(X[:1]), [np.average(D, axis=0, weights=weight)], atol=1e-12)


@pytest.mark.parametrize("index_type", [np.int32, np.int64])
def test_sparse_rows_are_predicted_like_dense_rows(index_type):
    X, y, _ = example()
    X = np.where(X > 0, X + 5, 0)
    thin = sparse.csr_array(X)
    thin.indices, thin.indptr = thin.indices.astype(index_type), thin.indptr.astype(index_type)
    for table in (X, thin):
        forest = clone(SMALL).fit(table, y)
        assert_array_equal(forest.predict(thin), forest.predict(X))


def test_values_beyond_single_precision_are_clipped_in_a_copy():
    X, D = sparse.csr_array(np.eye(4)), np.eye(4)
    new = sparse.csr_array(1e300 * np.eye(4))
    forest = DistributionForest(3, min_samples_leaf=1, random_state=0).fit(X, D)
    assert np.isfinite(forest.predict(new)).all()
    assert_array_equal(new.data, 1e300)


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


def test_options_of_boosting():
    X, D = make_artificial(300, random_state=0)

    def fit(**options):
        return DistributionBoosting(**{"n_estimators": 20, "random_state": 0} | options).fit(X, D)

    base = fit()
    assert fit(n_estimators=60).score(X, D) > base.score(X, D) > fit(learning_rate=0.02).score(X, D)
    assert max(tree.n_leaves for tree in fit(max_leaf_nodes=4).trees_) == 4
    assert max(tree.n_leaves for tree in base.trees_) == 32
    assert min(tree.n_node_samples.min() for tree in fit(min_samples_leaf=9).trees_) == 9
    assert len(fit(max_features=1).trees_) == 20
    assert not np.allclose(fit(max_features=1).predict(X), fit(max_features=1.0).predict(X))
    assert not np.allclose(fit(random_state=1).predict(X), base.predict(X))


@pytest.mark.parametrize("learner", [DistributionForest, DistributionBoosting])
def test_splits_consider_at_least_four_features(rng, learner):
    for n_features, share, number in ((3, 1 / 3, 3), (6, "sqrt", 4), (30, "sqrt", 5), (30, 1 / 3, 10), (30, 0.1, 4)):
        X, D = rng.normal(size=(50, n_features)), rng.dirichlet(np.ones(3), size=50)
        models = [learner(10, max_features=some, random_state=0).fit(X, D) for some in (share, number)]
        assert_array_equal(models[0].predict(X), models[1].predict(X))


def test_forest_learns_from_few_features():
    tables = [make_artificial(n, random_state=n) for n in (300, 1000)]
    assert DistributionForest(random_state=0).fit(*tables[0]).score(*tables[1]) > 0.95


def test_boosting_learns_the_artificial_set():
    model = DistributionBoosting(random_state=0).fit(*make_artificial(500, random_state=0))
    assert model.score(*make_artificial(200, random_state=1)) > 0.9


def fit_logit_boost(X, D, weight=None, **options):
    return LDLogitBoost(**{"n_estimators": 10, "random_state": 0} | options).fit(X, D, sample_weight=weight)


def standardised(model, X):
    return ((X - model.mean_) / model.scale_).astype(np.float32)


def test_logit_boost_equals_its_definition(rng):
    X, D = make_artificial(60, random_state=0)
    D = D**20 / (D**20).sum(axis=1, keepdims=True)
    D[-1] = np.eye(3)[D[-1].argmin()]  # a target that is clipped
    weight = rng.uniform(0.5, 2, size=60)
    model = fit_logit_boost(X, D, weight, n_estimators=10, learning_rate=0.5)
    Z, F, clipped = standardised(model, X), np.zeros((60, 3)), 0
    for k in range(10):
        P = softmax(F)
        steps = np.zeros_like(F)
        for j, tree in enumerate(model.trees_[3 * k : 3 * k + 3]):
            leaves = tree.apply(Z)
            h = P[:, j] * (1 - P[:, j])
            target = (D[:, j] - P[:, j]) / h
            clipped += (np.abs(target) > 4).sum()
            for leaf in np.unique(leaves):
                rows = leaves == leaf
                steps[rows, j] = np.average(np.clip(target[rows], -4, 4), weights=(weight * h)[rows])
        F += 0.5 * (2 / 3) * (steps - steps.mean(axis=1, keepdims=True))
    assert clipped > 0
    assert_allclose(model.predict(X), softmax(F), atol=1e-10)


def one_vs_one_by_hand(D, P, weight):
    """Return the step of AOSO for the rows of one leaf."""
    g = weight @ (D - P)
    r = max(range(len(g)), key=lambda k: g[k])
    best = 0.0, r, 0.0
    for s in range(len(g)):
        h = sum(w * (p[r] * (1 - p[r]) + p[s] * (1 - p[s]) + 2 * p[r] * p[s]) for w, p in zip(weight, P, strict=True))
        if s != r and (g[r] - g[s]) ** 2 / h > best[0]:
            best = (g[r] - g[s]) ** 2 / h, s, (g[r] - g[s]) / h
    step = np.zeros(len(g))
    step[r] += min(best[2], 5)
    step[best[1]] -= min(best[2], 5)
    return step


def test_aoso_equals_its_definition(rng):
    X, D = make_artificial(60, random_state=0)
    weight = rng.uniform(0.5, 2, size=60)
    model = fit_logit_boost(X, D, weight, n_estimators=10, algorithm="aoso", learning_rate=0.3)
    Z, F = standardised(model, X), np.zeros((60, 3))
    for tree in model.trees_:
        P, leaves = softmax(F), tree.apply(Z)
        for leaf in np.unique(leaves):
            rows = leaves == leaf
            F[rows] += 0.3 * one_vs_one_by_hand(D[rows], P[rows], weight[rows])
    assert_allclose(model.predict(X), softmax(F), atol=1e-10)


def test_steps_of_aoso_are_bounded_and_vanish_without_a_gap():
    P = np.array([[1e-3, 1 - 2e-3, 1e-3], [0.2, 0.5, 0.3]])
    D = np.array([[1.0, 0.0, 0.0], [0.2, 0.5, 0.3]])
    steps = one_vs_one_steps(sparse.eye_array(2).tocsr(), np.array([0, 1]), D, P)
    h = P[0, 0] + P[0, 1] - (P[0, 0] - P[0, 1]) ** 2
    assert (D[0, 0] - P[0, 0] - D[0, 1] + P[0, 1]) / h > 5
    assert_allclose(steps, [[5, -5, 0], [0, 0, 0]], atol=1e-12)


@pytest.mark.parametrize("algorithm", ["logit", "aoso"])
def test_logit_boost_without_splits_tends_to_the_mean(algorithm):
    X, D = make_artificial(50, random_state=0)
    options = {"algorithm": algorithm, "min_samples_leaf": 50, "learning_rate": 1.0}
    model = fit_logit_boost(X, D, n_estimators=50, **options)
    assert_allclose(model.predict(X), np.tile(D.mean(axis=0), (50, 1)), atol=1e-12)


@pytest.mark.parametrize("algorithm", ["logit", "aoso"])
def test_logit_boost_starts_at_the_uniform_distribution_and_lowers_the_loss(algorithm):
    X, D = make_artificial(200, random_state=0)
    start = fit_logit_boost(X, D, algorithm=algorithm, n_estimators=1, learning_rate=1e-12)
    assert_allclose(start.predict(X), 1 / 3, atol=1e-10)
    model = fit_logit_boost(X, D, algorithm=algorithm, n_estimators=40)
    Z, F, losses = standardised(model, X), np.zeros((200, 3)), []
    for k, tree in enumerate(model.trees_):
        losses.append(kl_divergence(D, softmax(F)))
        if algorithm == "logit":
            F[:, k % 3] += tree.predict(Z)[:, 0]
        else:
            F += tree.predict(Z)[:, :, 0]
    losses = losses[:: 3 if algorithm == "logit" else 1]
    assert len(losses) == 40
    assert (np.diff(losses) < 0).all()
    assert losses[-1] < 0.3 * losses[0]


def test_options_of_logit_boost():
    X, D = make_artificial(250, random_state=0)
    base = fit_logit_boost(X, D)
    assert len(base.trees_) == 30
    assert len(fit_logit_boost(X, D, algorithm="aoso").trees_) == 10
    assert fit_logit_boost(X, D, n_estimators=30).score(X, D) > base.score(X, D)
    assert base.score(X, D) > fit_logit_boost(X, D, learning_rate=0.02).score(X, D)
    assert fit_logit_boost(X, D, splitter="best").score(X, D) > base.score(X, D)
    assert max(tree.n_leaves for tree in base.trees_) == 20
    assert max(tree.n_leaves for tree in fit_logit_boost(X, D, max_leaf_nodes=4).trees_) == 4
    assert min(tree.n_node_samples.min() for tree in fit_logit_boost(X, D, min_samples_leaf=9).trees_) == 9
    changed = fit_logit_boost(X, D, max_features=1), fit_logit_boost(X, D, random_state=1)
    assert not any(np.allclose(other.predict(X), base.predict(X)) for other in changed)
    every_feature = [fit_logit_boost(X, D, splitter="best", max_features=1.0, random_state=seed) for seed in (0, 1)]
    assert_allclose(every_feature[0].predict(X), every_feature[1].predict(X), atol=1e-9)
