import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime

from labeldist.published import AABP
from labeldist.published._hidden_layer import HiddenLayer
from labeldist.published.aa_bp import penalised_loss

LOSSES = {
    "squared": lambda d, p: ((d - p) ** 2).sum() / 2,
    "cross_entropy": lambda d, p: -(d * np.log(p)).sum(),
}


@pytest.mark.parametrize("loss", list(LOSSES))
def test_objective_and_gradient_match_the_definition(table, rng, loss):
    X, D = table
    parameters = rng.normal(size=5 * 6 + 7 * 3)
    hidden = parameters[:30].reshape(5, 6)
    output = parameters[30:].reshape(7, 3)
    total = 0.0
    for x, d in zip(X, D, strict=True):
        scores = np.exp(np.tanh(x @ hidden[:-1] + hidden[-1]) @ output[:-1] + output[-1])
        total += LOSSES[loss](d, scores / scores.sum())
    penalty = 0.15 * ((hidden[:-1] ** 2).sum() + (output[:-1] ** 2).sum())
    objective = penalised_loss(HiddenLayer.of(X, D, 6, rng, scale=False), D, loss, 0.3)
    value, gradient = objective(parameters)
    assert_allclose(value, total / 50 + penalty)
    assert_allclose(gradient, approx_fprime(parameters, lambda v: objective(v)[0], 1e-7), atol=1e-5)


@pytest.mark.parametrize("loss", list(LOSSES))
@pytest.mark.parametrize("scale", [False, True])
def test_loss_attribute_is_the_objective_of_the_prediction(table, loss, scale):
    X, D = table
    model = AABP(8, loss=loss, scale=scale, weight_decay=0.02, random_state=0).fit(X, D)
    V, U = model.coefs_
    assert V.shape == (4, 8)
    assert U.shape == (8, 3)
    V = V * X.std(axis=0, ddof=1)[:, None] if scale else V
    penalty = 0.01 * ((V**2).sum() + (U**2).sum())
    assert_allclose(model.loss_, LOSSES[loss](D, model.predict(X)) / 50 + penalty)


def test_more_units_and_more_iterations_fit_better(table):
    X, D = table
    few, many = (AABP(h, weight_decay=0, random_state=0).fit(X, D) for h in (1, 20))
    assert few.score(X, D) < many.score(X, D)
    short, long = (AABP(max_iter=i, random_state=0).fit(X, D) for i in (3, 100))
    assert short.n_iter_ == 3
    assert short.loss_ > long.loss_


def test_scale_divides_features_by_their_deviation(table):
    X, D = table
    model = AABP(max_iter=20, random_state=0)
    expected = model.fit(X, D).predict(X)
    by_hand = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    model.set_params(scale=False)
    assert_allclose(model.fit(by_hand, D).predict(by_hand), expected, atol=1e-9)
    assert np.abs(model.fit(X, D).predict(X) - expected).max() > 1e-3


def test_random_state_determines_the_start(table):
    X, D = table
    same, other = (AABP(5, max_iter=5, random_state=s).fit(X, D).predict(X) for s in (0, 1))
    assert np.abs(same - other).max() > 1e-6


def test_memory_layout_does_not_matter(table):
    X, D = table
    by_rows = AABP(random_state=0).fit(X, D).predict(X)
    by_columns = AABP(random_state=0).fit(np.asfortranarray(X), np.asfortranarray(D)).predict(X)
    assert_array_equal(by_columns, by_rows)
