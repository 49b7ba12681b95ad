import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from labeldist.datasets import make_artificial
from labeldist.metrics import kl_divergence
from labeldist.published import LDLogitBoost
from labeldist.published.ld_logit_boost import one_vs_one_steps
from labeldist.simplex import softmax

both = pytest.mark.parametrize("algorithm", ["logit", "aoso"])


def fit(X, D, weight=None, **options):
    options = {"n_estimators": 10, "random_state": 0} | options
    return LDLogitBoost(**options).fit(X, D, sample_weight=weight)


def standardised(model, X):
    return ((X - model.mean_) / model.scale_).astype(np.float32)


def test_logit_equals_its_definition(rng):
    X, D = make_artificial(60, random_state=0)
    D = D**20 / (D**20).sum(axis=1, keepdims=True)
    D[-1] = np.eye(3)[D[-1].argmin()]  # a target that is clipped
    weight = rng.uniform(0.5, 2, size=60)
    model = fit(X, D, weight, learning_rate=0.5)
    Z = standardised(model, X)
    F = np.zeros((60, 3))
    clipped = 0
    for k in range(10):
        P = softmax(F)
        H = P * (1 - P)
        targets = (D - P) / H
        clipped += (np.abs(targets) > 4).sum()
        steps = np.zeros_like(F)
        for j, tree in enumerate(model.trees_[3 * k : 3 * k + 3]):
            leaves = tree.apply(Z)
            for leaf in np.unique(leaves):
                rows = leaves == leaf
                kept = np.clip(targets[rows, j], -4, 4)
                weights = (weight * H[:, j])[rows]
                steps[rows, j] = np.average(kept, weights=weights)
        F += 0.5 * (2 / 3) * (steps - steps.mean(axis=1, keepdims=True))
    assert clipped > 0
    assert_allclose(model.predict(X), softmax(F), atol=1e-10)


def one_vs_one_by_hand(D, P, weight):
    """Return the step of AOSO for the rows of one leaf."""
    g = weight @ (D - P)
    r = g.argmax()
    gains = np.zeros(len(g))
    sizes = np.zeros(len(g))
    for s in np.delete(np.arange(len(g)), r):
        h = weight @ (P[:, r] * (1 - P[:, r]) + P[:, s] * (1 - P[:, s]) + 2 * P[:, r] * P[:, s])
        gains[s] = (g[r] - g[s]) ** 2 / h
        sizes[s] = min((g[r] - g[s]) / h, 5)
    step = np.zeros(len(g))
    step[r] += sizes[gains.argmax()]
    step[gains.argmax()] -= sizes[gains.argmax()]
    return step


def test_aoso_equals_its_definition(rng):
    X, D = make_artificial(60, random_state=0)
    weight = rng.uniform(0.5, 2, size=60)
    model = fit(X, D, weight, algorithm="aoso", learning_rate=0.3)
    F = np.zeros((60, 3))
    for tree in model.trees_:
        P = softmax(F)
        leaves = tree.apply(standardised(model, X))
        for leaf in np.unique(leaves):
            rows = leaves == leaf
            F[rows] += 0.3 * one_vs_one_by_hand(D[rows], P[rows], weight[rows])
    assert_allclose(model.predict(X), softmax(F), atol=1e-10)


def test_steps_of_aoso_are_bounded_and_vanish_without_a_gap():
    P = np.array([[1e-3, 1 - 2e-3, 1e-3], [0.2, 0.5, 0.3]])
    D = np.array([[1.0, 0.0, 0.0], [0.2, 0.5, 0.3]])
    steps = one_vs_one_steps(sparse.eye_array(2).tocsr(), np.array([0, 1]), D, P)
    assert_allclose(steps, [[5, -5, 0], [0, 0, 0]], atol=1e-12)


@both
def test_without_splits_predictions_tend_to_the_mean(algorithm):
    X, D = make_artificial(50, random_state=0)
    options = {"algorithm": algorithm, "min_samples_leaf": 50, "learning_rate": 1.0}
    model = fit(X, D, n_estimators=50, **options)
    assert_allclose(model.predict(X), np.tile(D.mean(axis=0), (50, 1)), atol=1e-12)


@both
def test_rounds_start_at_the_uniform_distribution_and_lower_the_loss(algorithm):
    X, D = make_artificial(200, random_state=0)
    start = fit(X, D, algorithm=algorithm, n_estimators=1, learning_rate=1e-12)
    assert_allclose(start.predict(X), 1 / 3, atol=1e-10)
    model = fit(X, D, algorithm=algorithm, n_estimators=40)
    trees = model.trees_
    per_round = len(trees) // 40
    losses = []
    for k in range(41):
        model.trees_ = trees[: max(1, k * per_round)]
        losses.append(kl_divergence(D, model.predict(X) if k else np.full_like(D, 1 / 3)))
    assert (np.diff(losses) < 0).all()
    assert losses[-1] < 0.3 * losses[0]


def test_options():
    X, D = make_artificial(250, random_state=0)
    base = fit(X, D)
    assert len(base.trees_) == 30
    assert len(fit(X, D, algorithm="aoso").trees_) == 10
    assert fit(X, D, n_estimators=30).score(X, D) > base.score(X, D)
    assert base.score(X, D) > fit(X, D, learning_rate=0.02).score(X, D)
    best = fit(X, D, splitter="best", max_features=1.0)
    assert best.score(X, D) > base.score(X, D)
    again = fit(X, D, splitter="best", max_features=1.0, random_state=1)
    assert_allclose(again.predict(X), best.predict(X), atol=1e-9)
    assert max(tree.n_leaves for tree in base.trees_) == 20
    assert max(tree.n_leaves for tree in fit(X, D, max_leaf_nodes=4).trees_) == 4
    assert min(t.n_node_samples.min() for t in fit(X, D, min_samples_leaf=9).trees_) == 9
    for other in (fit(X, D, max_features=1), fit(X, D, random_state=1)):
        assert not np.allclose(other.predict(X), base.predict(X))
