import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime

from labeldist._solvers.storage import StandardisedTable
from labeldist.learning import AABP
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
