import numpy as np
from numpy.testing import assert_allclose
from scipy.special import expit

from labeldist.metrics import kl_divergence
from labeldist.published import CPNN, cpnn
from labeldist.published._hidden_layer import HiddenLayer

POSITIONS = np.array([-1.0, 0.0, 1.0])


def test_objective_and_gradient_match_the_definition(table, rng, monkeypatch):
    X, D = table
    monkeypatch.setattr(cpnn, "BLOCK_ENTRIES", 6 * 3 * 7)  # blocks of seven rows
    parameters = rng.normal(size=(4 + 3) * 6)
    *A, b, w, v = parameters.reshape(7, 6)
    total = 0.0
    for x, d in zip(X, D, strict=True):
        scores = np.exp([v @ (1 / (1 + np.exp(-(x @ A + y * w + b)))) for y in POSITIONS])
        total -= d @ np.log(scores / scores.sum())
    layer = HiddenLayer.of(X, D, 6, rng, scale=False)
    objective = cpnn.conditional_loss(layer, D, POSITIONS, 0.3)
    value, gradient = objective(parameters.ravel())
    assert_allclose(value, total / 50 + 0.15 * (np.square(A).sum() + w @ w + v @ v))
    steps = 1e-5 * np.eye(len(parameters))
    numerical = [
        (objective(parameters + e)[0] - objective(parameters - e)[0]) / 2e-5 for e in steps
    ]
    assert_allclose(gradient, numerical, atol=1e-8)


def test_without_weights_of_the_label_all_degrees_are_equal(table):
    X, D = table
    model = CPNN(6, max_iter=5, random_state=0).fit(X, D)
    assert np.abs(model.predict(X) - 1 / 3).max() > 0.01
    model.label_coef_[:] = 0
    assert_allclose(model.predict(X), 1 / 3)


def test_loss_attribute_is_the_objective_of_the_prediction(table):
    X, D = table
    model = CPNN(8, weight_decay=0.02, random_state=0).fit(X, D)
    weights = (model.hidden_coef_ * X.std(axis=0, ddof=1)[:, None]).ravel()
    penalty = 0.01 * sum(w @ w for w in (weights, model.label_coef_, model.output_coef_))
    entropy = -(D * np.log(D)).sum() / 50
    assert_allclose(model.loss_, kl_divergence(D, model.predict(X)) + entropy + penalty)


def test_saturated_units_are_sigmoids():
    hidden = np.array([[-1e5, -400, 0, 400, 1e5]])
    inputs = np.array([[0, 5, 1, -5, 0]])
    assert_allclose(cpnn.unit_values(hidden, inputs)[0], [[0, 0, expit(1.0), 1, 1]], atol=1e-100)


def test_cpnn_learns_ordered_labels(rng):
    X = rng.uniform(size=(200, 1))
    D = np.exp(-((np.arange(12) - 11 * X) ** 2) / 4)
    D /= D.sum(axis=1, keepdims=True)
    learner = CPNN(20, weight_decay=1e-5, random_state=0)
    assert learner.fit(X[:100], D[:100]).score(X[100:], D[100:]) > 0.95
    loss = learner.loss_
    assert learner.fit(X[:100], D[:100, rng.permutation(12)]).loss_ > loss + 0.05
