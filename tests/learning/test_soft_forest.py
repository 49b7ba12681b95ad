import numpy as np
from numpy.testing import assert_allclose

from labeldist.datasets import make_artificial
from labeldist.learning import LDLForest, _soft_forest
from labeldist.metrics import kl_divergence

SMALL = {"n_estimators": 2, "max_depth": 3, "n_units": 6, "random_state": 0}


def test_predictions_equal_a_walk_through_the_trees(table, monkeypatch):
    X, D = table
    model = LDLForest(**SMALL, max_iter=3).fit(X, D)
    monkeypatch.setattr(_soft_forest, "BLOCK_ROWS", 7)
    predicted = model.predict(X[:20])

    def walk(tree, node, x):
        if node >= 7:
            return model.leaves_[tree, node - 7]
        unit = model.units_[tree, node]
        left = 1 / (1 + np.exp(-model.unit_coef_[unit] @ x - model.unit_intercept_[unit]))
        return left * walk(tree, 2 * node + 1, x) + (1 - left) * walk(tree, 2 * node + 2, x)

    assert_allclose(predicted, [(walk(0, 0, x) + walk(1, 0, x)) / 2 for x in X[:20]], atol=1e-12)


def test_loss_is_the_objective_of_the_trees(table):
    X, D = table
    model = LDLForest(**SMALL | {"n_estimators": 1}, ridge=0.7, max_iter=2).fit(X, D)
    V = model.unit_coef_ * X.std(axis=0, ddof=1)
    assert_allclose(model.loss_, 50 * kl_divergence(D, model.predict(X)) + 0.35 * (V**2).sum())


def test_large_penalty_predicts_the_mean(table):
    X, D = table
    model = LDLForest(**SMALL, ridge=1e9, max_iter=50).fit(X, D)
    assert_allclose(model.predict(X), np.tile(D.mean(axis=0), (50, 1)), atol=1e-4)


def test_options(table):
    X, D = table
    base = LDLForest(**SMALL).fit(X, D)
    deep = LDLForest(**SMALL | {"max_depth": 5}).fit(X, D)
    assert deep.leaves_.shape == (2, 32, 3)
    assert deep.units_.shape == (2, 31)  # more nodes than units
    assert LDLForest(**SMALL | {"n_estimators": 3}).fit(X, D).leaves_.shape == (3, 8, 3)
    assert LDLForest(**SMALL | {"n_units": 9}).fit(X, D).unit_coef_.shape == (9, 4)
    assert all(len(set(units)) == 7 for units in LDLForest(**SMALL | {"n_units": 9}).fit(X, D).units_)
    assert LDLForest(**SMALL, ridge=0.01).fit(X, D).score(X, D) > base.score(X, D)
    short, long = (LDLForest(**SMALL, max_iter=k, tol=0).fit(X, D) for k in (2, 6))
    assert (short.n_iter_, long.n_iter_) == (2, 6)
    assert long.loss_ < short.loss_
    assert LDLForest(**SMALL, tol=0.5).fit(X, D).n_iter_ < base.n_iter_
    assert not np.allclose(LDLForest(**SMALL | {"random_state": 1}).fit(X, D).predict(X), base.predict(X))


def test_a_label_that_never_occurs_has_no_degree(table):
    X, D = table
    D = np.hstack([D, np.zeros((50, 1))])
    predicted = LDLForest(**SMALL).fit(X, D).predict(X)
    assert_allclose(predicted[:, 3], 0, atol=1e-12)


def test_soft_trees_learn_the_artificial_set():
    model = LDLForest(random_state=0).fit(*make_artificial(500, random_state=0))
    assert model.score(*make_artificial(200, random_state=1)) > 0.9
