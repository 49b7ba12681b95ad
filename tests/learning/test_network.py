import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime

from labeldist._solvers.storage import StandardisedTable
from labeldist.datasets import make_artificial
from labeldist.learning import AABP
from labeldist.learning._network import layers, penalised_loss


@pytest.fixture
def table(rng):
    X = rng.normal(1, 2, size=(50, 4))
    scores = np.exp(X[:, :3] / 3 + rng.normal(scale=0.2, size=(50, 3)))
    return X, scores / scores.sum(axis=1, keepdims=True)


def squared_difference(d, p):
    return ((d - p) ** 2).sum() / 2


def cross_entropy(d, p):
    return -(d * np.log(p)).sum()


def as_it_is(X):
    return StandardisedTable.of(X, np.zeros(X.shape[1]), np.ones(X.shape[1]))


LOSSES = {"squared": squared_difference, "cross_entropy": cross_entropy}


@pytest.mark.parametrize("loss", list(LOSSES))
def test_the_objective_is_its_formula_and_the_gradient_its_derivative(table, rng, loss):
    X, D = table
    parameters = rng.normal(size=5 * 6 + 7 * 3)
    V, a, U, b = layers(parameters, 4, 6)
    total = 0.0
    for x, d in zip(X, D, strict=True):
        scores = np.exp(np.tanh(x @ V + a) @ U + b)
        total += LOSSES[loss](d, scores / scores.sum())
    objective = penalised_loss(as_it_is(X), D, 6, loss, 0.3)
    value, gradient = objective(parameters)
    assert_allclose(value, total / 50 + 0.15 * ((V**2).sum() + (U**2).sum()))
    assert_allclose(gradient, approx_fprime(parameters, lambda v: objective(v)[0], 1e-7), atol=1e-5)


def test_the_gradient_is_the_derivative_even_where_degrees_vanish(table, rng):
    X, D = table
    parameters = 60 * rng.normal(size=5 * 6 + 7 * 3)
    objective = penalised_loss(as_it_is(X), D, 6, "cross_entropy", 0.0)
    numeric = approx_fprime(parameters, lambda v: objective(v)[0], 1e-6)
    assert_allclose(objective(parameters)[1], numeric, atol=1e-4)


@pytest.mark.parametrize("loss", list(LOSSES))
@pytest.mark.parametrize("scale", [False, True])
def test_what_it_reports_is_the_objective_at_what_it_found(table, loss, scale):
    X, D = table
    model = AABP(8, loss=loss, scale=scale, weight_decay=0.02, random_state=0).fit(X, D)
    predicted = model.predict(X)
    V = model.coefs_[0] * X.std(axis=0, ddof=1)[:, None] if scale else model.coefs_[0]
    losses = [LOSSES[loss](d, p) for d, p in zip(D, predicted, strict=True)]
    assert_allclose(model.loss_, np.mean(losses) + 0.01 * ((V**2).sum() + (model.coefs_[1] ** 2).sum()))


def test_training_converges_and_the_loss_has_an_effect(table):
    X, D = table
    models = [AABP(5, loss=loss, weight_decay=1e-2, max_iter=3000, random_state=0).fit(X, D) for loss in LOSSES]
    assert max(model.n_iter_ for model in models) < 3000
    assert np.abs(models[0].predict(X) - models[1].predict(X)).max() > 1e-3


@pytest.mark.parametrize("loss", list(LOSSES))
def test_much_decay_gives_the_mean(table, loss):
    X, D = table
    predicted = AABP(loss=loss, weight_decay=100, random_state=0).fit(X, D).predict(X)
    assert_allclose(predicted, np.tile(D.mean(axis=0), (50, 1)), atol=1e-5)


def test_more_decay_means_a_worse_fit(table):
    X, D = table
    fits = [AABP(weight_decay=w, random_state=0).fit(X, D).score(X, D) for w in (0, 1e-3, 1e-2, 1e-1)]
    assert sorted(fits, reverse=True) == fits


def test_more_units_and_more_steps_fit_better(table):
    X, D = table
    few, many = (AABP(h, weight_decay=0, random_state=0).fit(X, D) for h in (1, 20))
    assert few.score(X, D) < many.score(X, D)
    assert many.coefs_[0].shape == (4, 20)
    assert many.coefs_[1].shape == (20, 3)
    short, long = (AABP(max_iter=i, random_state=0).fit(X, D) for i in (3, 100))
    assert short.n_iter_ == 3
    assert short.loss_ > long.loss_


def test_scaling_makes_units_and_shifts_immaterial(table):
    X, D = table
    units, shift = np.array([1e-3, 1, 10, 1e6]), np.array([0, 5, 0, 3e6])
    model = AABP(max_iter=20, random_state=0)
    expected = model.fit(X, D).predict(X)
    assert_allclose(model.fit(X * units + shift, D).predict(X * units + shift), expected, atol=1e-7)
    by_hand = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    unscaled = AABP(max_iter=20, scale=False, random_state=0)
    assert_allclose(unscaled.fit(by_hand, D).predict(by_hand), expected, atol=1e-9)
    assert np.abs(unscaled.fit(X, D).predict(X) - expected).max() > 1e-3


def test_the_start_is_drawn_from_a_generator_of_its_own(table):
    X, D = table
    np.random.seed(0)  # noqa: NPY002  # the generator that must not be touched
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first, second = (AABP(5, max_iter=5).fit(X, D).predict(X) for _ in range(2))
    assert np.abs(first - second).max() > 0
    assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    same, again, other = (AABP(5, max_iter=5, random_state=s).fit(X, D).predict(X) for s in (0, 0, 1))
    assert_array_equal(same, again)
    assert np.abs(same - other).max() > 1e-6


def test_a_label_that_never_occurs_gets_next_to_nothing(table):
    X, D = table
    predicted = AABP(random_state=0).fit(X, np.insert(D, 1, 0, axis=1)).predict(X)
    assert predicted[:, 1].max() < 1e-10


@pytest.mark.parametrize("loss", list(LOSSES))
def test_it_learns_the_artificial_set(loss):
    X, D = make_artificial(500, random_state=0)
    new, truth = make_artificial(300, random_state=1)
    assert AABP(loss=loss, random_state=0).fit(X, D).score(new, truth) > 0.98


def test_where_features_say_nothing_it_is_hardly_worse_than_the_mean(rng):
    X, D = rng.normal(size=(400, 10)), rng.dirichlet(np.full(4, 20.0), size=400)
    with_decay, without = (AABP(weight_decay=w, random_state=0).fit(X[:200], D[:200]) for w in (1e-3, 0))
    assert with_decay.score(X[200:], D[200:]) > -0.1
    assert without.score(X[200:], D[200:]) < -0.5


@pytest.mark.parametrize(
    "parameters",
    [{"n_hidden": 0}, {"loss": "hinge"}, {"weight_decay": -1}, {"scale": 2}, {"max_iter": 0}, {"random_state": "s"}],
    ids=str,
)
def test_bad_parameters_are_refused_by_name(table, parameters):
    (name,) = parameters
    with pytest.raises(ValueError, match=f"The '{name}' parameter of AABP must be"):
        AABP(**parameters).fit(*table)


def test_the_layout_of_the_tables_does_not_matter(table):
    """A data frame's is by columns. Training magnifies rounding, so sums are taken in one order."""
    X, D = table
    by_rows = AABP(random_state=0).fit(X, D).predict(X)
    by_columns = AABP(random_state=0).fit(np.asfortranarray(X), np.asfortranarray(D)).predict(X)
    assert_array_equal(by_columns, by_rows)
