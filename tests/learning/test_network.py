import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime
from scipy.special import expit

from labeldist._solvers.storage import StandardisedTable
from labeldist.learning import AABP, CPNN, _network
from labeldist.learning._network import layers, penalised_loss


def squared_difference(d, p):
    return ((d - p) ** 2).sum() / 2


def cross_entropy(d, p):
    return -(d * np.log(p)).sum()


def unscaled_table(X):
    return StandardisedTable.of(X, np.zeros(X.shape[1]), np.ones(X.shape[1]))


LOSSES = {"squared": squared_difference, "cross_entropy": cross_entropy}


@pytest.mark.parametrize("loss", list(LOSSES))
def test_objective_and_gradient_match_the_definition(table, rng, loss):
    X, D = table
    parameters = rng.normal(size=5 * 6 + 7 * 3)
    V, a, U, b = layers(parameters, 4, 6)
    total = 0.0
    for x, d in zip(X, D, strict=True):
        scores = np.exp(np.tanh(x @ V + a) @ U + b)
        total += LOSSES[loss](d, scores / scores.sum())
    objective = penalised_loss(unscaled_table(X), D, 6, loss, 0.3)
    value, gradient = objective(parameters)
    assert_allclose(value, total / 50 + 0.15 * ((V**2).sum() + (U**2).sum()))
    assert_allclose(gradient, approx_fprime(parameters, lambda v: objective(v)[0], 1e-7), atol=1e-5)


@pytest.mark.parametrize("loss", list(LOSSES))
@pytest.mark.parametrize("scale", [False, True])
def test_loss_attribute_is_the_objective_of_the_prediction(table, loss, scale):
    X, D = table
    model = AABP(8, loss=loss, scale=scale, weight_decay=0.02, random_state=0).fit(X, D)
    predicted = model.predict(X)
    V = model.coefs_[0] * X.std(axis=0, ddof=1)[:, None] if scale else model.coefs_[0]
    losses = [LOSSES[loss](d, p) for d, p in zip(D, predicted, strict=True)]
    assert_allclose(model.loss_, np.mean(losses) + 0.01 * ((V**2).sum() + (model.coefs_[1] ** 2).sum()))


def test_more_units_and_more_iterations_fit_better(table):
    X, D = table
    few, many = (AABP(h, weight_decay=0, random_state=0).fit(X, D) for h in (1, 20))
    assert few.score(X, D) < many.score(X, D)
    assert many.coefs_[0].shape == (4, 20)
    assert many.coefs_[1].shape == (20, 3)
    short, long = (AABP(max_iter=i, random_state=0).fit(X, D) for i in (3, 100))
    assert short.n_iter_ == 3
    assert short.loss_ > long.loss_


def test_scale_removes_units_and_shifts(table):
    X, D = table
    units, shift = np.array([1e-3, 1, 10, 1e6]), np.array([0, 5, 0, 3e6])
    model = AABP(max_iter=20, random_state=0)
    expected = model.fit(X, D).predict(X)
    assert_allclose(model.fit(X * units + shift, D).predict(X * units + shift), expected, atol=1e-7)
    by_hand = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    unscaled = AABP(max_iter=20, scale=False, random_state=0)
    assert_allclose(unscaled.fit(by_hand, D).predict(by_hand), expected, atol=1e-9)
    assert np.abs(unscaled.fit(X, D).predict(X) - expected).max() > 1e-3


def test_random_state_determines_the_start(table):
    X, D = table
    same, again, other = (AABP(5, max_iter=5, random_state=s).fit(X, D).predict(X) for s in (0, 0, 1))
    assert_array_equal(same, again)
    assert np.abs(same - other).max() > 1e-6


def test_memory_layout_does_not_matter(table):
    X, D = table
    by_rows = AABP(random_state=0).fit(X, D).predict(X)
    by_columns = AABP(random_state=0).fit(np.asfortranarray(X), np.asfortranarray(D)).predict(X)
    assert_array_equal(by_columns, by_rows)


def cpnn_parts(parameters, m, h):
    A, b = parameters[: m * h].reshape(m, h), parameters[m * h : (m + 1) * h]
    return A, b, *parameters[(m + 1) * h :].reshape(2, h)


def test_conditional_objective_and_gradient_match_the_definition(table, rng, monkeypatch):
    X, D = table
    monkeypatch.setattr(_network, "BLOCK_ENTRIES", 6 * 3 * 7)  # blocks of seven rows
    positions = np.array([-1.0, 0.0, 1.0])
    parameters = rng.normal(size=5 * 6 + 2 * 6)
    A, b, w, v = cpnn_parts(parameters, 4, 6)
    total = 0.0
    for x, d in zip(X, D, strict=True):
        scores = np.exp([v @ (1 / (1 + np.exp(-(x @ A + y * w + b)))) for y in positions])
        total += cross_entropy(d, scores / scores.sum())
    objective = _network.conditional_loss(unscaled_table(X), D, positions, 6, 0.3)
    value, gradient = objective(parameters)
    assert_allclose(value, total / 50 + 0.15 * ((A**2).sum() + w @ w + v @ v))
    numerical = [
        (objective(parameters + 1e-5 * e)[0] - objective(parameters - 1e-5 * e)[0]) / 2e-5
        for e in np.eye(len(parameters))
    ]
    assert_allclose(gradient, numerical, atol=1e-8)


def test_without_weights_of_the_label_all_degrees_are_equal(table, rng):
    X, D = table
    parameters = rng.normal(size=5 * 6 + 2 * 6)
    parameters[-12:-6] = 0
    value, _ = _network.conditional_loss(unscaled_table(X), D, np.array([-1.0, 0.0, 1.0]), 6, 0.0)(parameters)
    assert_allclose(value, np.log(3))
    model = CPNN(6, max_iter=5, random_state=0).fit(X, D)
    assert np.abs(model.predict(X) - 1 / 3).max() > 0.01
    model.label_coef_[:] = 0
    assert_allclose(model.predict(X), 1 / 3)


def test_loss_attribute_of_cpnn_is_the_objective_of_the_prediction(table):
    X, D = table
    model = CPNN(8, weight_decay=0.02, random_state=0).fit(X, D)
    A = model.hidden_coef_ * X.std(axis=0, ddof=1)[:, None]
    penalty = 0.01 * ((A**2).sum() + model.label_coef_ @ model.label_coef_ + model.output_coef_ @ model.output_coef_)
    assert_allclose(model.loss_, cross_entropy(D, model.predict(X)) / len(X) + penalty)


def test_saturated_units_are_sigmoids():
    hidden, inputs = np.array([[-1e5, -400.0, 0.0, 400.0, 1e5]]), np.array([[0.0, 5.0, 1.0, -5.0, 0.0]])
    assert_allclose(_network._units(hidden, inputs)[0], [[0, 0, expit(1.0), 1, 1]], atol=1e-100)


def test_cpnn_learns_ordered_labels(rng):
    ages, X = np.arange(12), rng.uniform(size=(200, 1))
    D = np.exp(-((ages - 11 * X) ** 2) / 4)
    D /= D.sum(axis=1, keepdims=True)
    model = CPNN(20, weight_decay=1e-5, random_state=0).fit(X[:100], D[:100])
    assert model.score(X[100:], D[100:]) > 0.95
    shuffled = rng.permutation(12)
    assert CPNN(20, weight_decay=1e-5, random_state=0).fit(X[:100], D[:100, shuffled]).loss_ > model.loss_ + 0.05


@pytest.mark.parametrize(
    "options", [{"n_hidden": 3}, {"weight_decay": 0.1}, {"scale": False}, {"max_iter": 2}, {"random_state": 1}], ids=str
)
def test_every_option_of_cpnn_has_an_effect(table, options):
    X, D = table[0] * 3, table[1]
    defaults = {"n_hidden": 10, "max_iter": 20, "random_state": 0}
    plain, changed = CPNN(**defaults).fit(X, D), CPNN(**{**defaults, **options}).fit(X, D)
    assert np.abs(plain.predict(X) - changed.predict(X)).max() > 1e-4
