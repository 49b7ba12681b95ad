import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import minimize

from labeldist import BDLDL, BDLDLCV
from labeldist._solvers.sylvester import SingularCoefficientError
from labeldist.simplex import OUTPUT_MAPS, to_distributions
from tests.references import bidirectional_loss, sylvester_by_kronecker


def raw_scores(model, X):
    return X @ model.coef_.T + model.intercept_


@pytest.mark.parametrize(
    ("reconstruction", "ridge"), [(1e-3, 1e-2), (1.0, 0.0), (0.0, 1.0), (10.0, 5.0)]
)
def test_published_model_solves_its_sylvester_equation(table, reconstruction, ridge):
    X, D = table
    model = BDLDL(reconstruction, ridge, fit_intercept=False).fit(X, D)
    A = X.T @ X + ridge * np.eye(4)
    B = reconstruction * D.T @ D
    expected = sylvester_by_kronecker(A, B, (1 + reconstruction) * X.T @ D)
    assert_allclose(model.coef_.T, expected, rtol=1e-9, atol=1e-12)
    assert_array_equal(model.intercept_, 0)
    assert model.residual_ < 1e-15


@pytest.mark.parametrize("reconstruction", [0.0, 0.5])
def test_model_with_intercepts_minimises_the_objective(table, rng, reconstruction):
    X, D = table
    weights = rng.uniform(0.5, 2, size=50)
    model = BDLDL(reconstruction, 0.7).fit(X, D, sample_weight=weights)

    def unpack(v):
        return v[:12].reshape(4, 3), v[12:15], v[15:]

    def loss(v):
        return bidirectional_loss(X, D, *unpack(v), reconstruction, 0.7, weights)

    back = np.average(X - D @ model.coef_, axis=0, weights=weights)
    ours = np.concatenate([model.coef_.T.ravel(), model.intercept_, back])
    searched = minimize(
        loss, ours + rng.normal(scale=0.01, size=ours.size), method="BFGS", options={"gtol": 1e-7}
    )
    assert loss(ours) <= searched.fun + 1e-9
    assert_allclose(ours[:15], searched.x[:15], atol=1e-5)


@pytest.mark.parametrize("scale", [False, True])
def test_raw_predictions_with_an_intercept_sum_to_one(table, scale):
    X, D = table
    model = BDLDL(10.0, scale=scale).fit(X, 5 * D)  # rows are normalised
    assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-12)
    assert_allclose(raw_scores(model, X).sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_scale_divides_features_by_their_deviation(table, fit_intercept):
    X, D = table
    deviation = X.std(axis=0)
    scaled = BDLDL(0.1, 3.0, scale=True, fit_intercept=fit_intercept).fit(X, D)
    by_hand = BDLDL(0.1, 3.0, fit_intercept=fit_intercept).fit(X / deviation, D)
    assert_allclose(scaled.predict(X), by_hand.predict(X / deviation), atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"scale": True}], ids=str)
def test_weighted_sparse_features_give_the_same_model(table, rng, options):
    X, D = table
    X = X * (rng.random(X.shape) < 0.4)
    weight = rng.uniform(0, 2, size=50)
    model = BDLDL(0.5, **options)
    dense = model.fit(X, D, sample_weight=weight).predict(X)
    for form in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        assert_allclose(
            model.fit(form(X), D, sample_weight=weight).predict(form(X)), dense, atol=1e-12
        )


def test_sparse_features_are_never_made_dense(rng):
    n, m = 50_000, 400
    X = sparse.random_array((n, m), density=1e-3, rng=rng, format="csr")
    D = rng.dirichlet(np.ones(3), size=n)
    tracemalloc.start()
    BDLDL(scale=True).fit(X, D, sample_weight=np.ones(n)).predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n * m * 8 / 8


@pytest.mark.parametrize("solver", ["cholesky", "eigh", "cholesky_svd"])
def test_solvers_agree(table, solver):
    X, D = table
    model = BDLDL(fit_intercept=False, solver=solver).fit(X, D)
    assert model.solver_ == solver
    assert_allclose(model.coef_, BDLDL(fit_intercept=False).fit(X, D).coef_, atol=1e-12)


def add_unused_label(X, D):
    return X, np.column_stack([D, np.zeros(len(D))])


def add_equal_feature(X, D):
    return np.column_stack([X, X[:, 0]]), D


@pytest.mark.parametrize(
    ("parameters", "change", "coefficient"),
    [
        ({}, None, "B"),
        ({"reconstruction": 0, "fit_intercept": False}, None, "B"),
        ({"fit_intercept": False}, add_unused_label, "B"),
        ({"fit_intercept": False, "ridge": 0}, add_equal_feature, "A"),
    ],
)
def test_published_solver_raises_for_singular_coefficients(table, parameters, change, coefficient):
    X, D = change(*table) if change else table
    with pytest.raises(
        SingularCoefficientError, match="features" if coefficient == "A" else "label"
    ) as error:
        BDLDL(solver="cholesky_svd", **parameters).fit(X, D)
    assert error.value.coefficient == coefficient
    BDLDL(**parameters).fit(X, D)


@pytest.mark.parametrize("output", OUTPUT_MAPS)
@pytest.mark.parametrize("floor", [0.0, 0.05])
def test_output_map_and_floor_apply_to_raw_scores(table, output, floor):
    X, D = table
    model = BDLDL(output=output, floor=floor).fit(X, D)
    assert_allclose(
        model.predict(3 * X),
        to_distributions(raw_scores(model, 3 * X), output, floor=floor),
        atol=1e-14,
    )


def test_default_floor(table):
    X, D = table
    model = BDLDL().fit(X, D)
    assert_allclose(model.floor_, 0.1 / 3)
    assert_array_equal(model.predict(9 * X), BDLDL(floor=0.1 / 3).fit(X, D).predict(9 * X))
    published = BDLDL(fit_intercept=False).fit(X, D)
    assert published.floor_ == np.finfo(float).eps
    predicted = np.vstack(
        [published.predict(X), published.predict(-X)]
    )  # one of them has negative scores
    assert 0 < predicted.min() < 1e-15


def test_invalid_weights_raise(table):
    X, D = table
    with pytest.raises(ValueError, match="zero for every row"):
        BDLDL().fit(X, D, sample_weight=np.zeros(50))
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        BDLDL().fit(X, D, sample_weight=-np.ones(50))


def test_every_way_to_fit_checks_parameters(table):
    fitted = BDLDL().fit(*table)
    model = BDLDL(floor=1.5)
    with pytest.raises(ValueError, match="'floor' parameter"):
        model.partial_fit(*table)
    with pytest.raises(ValueError, match="'floor' parameter"):
        model.fit_stream([table])
    with pytest.raises(ValueError, match="'floor' parameter"):
        model.fit_models([fitted])


@pytest.mark.parametrize("learner", [BDLDL(), BDLDLCV(cv=3)], ids=repr)
def test_values_too_large_to_square_raise(rng, learner):
    X = rng.normal(size=(5000, 3))
    D = rng.dirichlet(np.ones(3), size=5000)
    X[:, 1] *= 1e153
    with pytest.raises(ValueError, match="Feature 1 has values too large"):
        learner.fit(X, D)


@pytest.mark.parametrize("learner", [BDLDL(), BDLDLCV(cv=3)], ids=repr)
@pytest.mark.parametrize(("value", "message"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_sparse_values_that_are_not_finite_raise(table, learner, value, message):
    X, D = table
    X[7, 1] = value
    with pytest.raises(ValueError, match=f"X contains {message}"):
        learner.fit(sparse.csr_array(X), D)
