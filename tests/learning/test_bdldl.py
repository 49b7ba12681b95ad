import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import minimize
from sklearn.exceptions import NotFittedError

from labeldist import BDLDL, BDLDLCV
from labeldist.datasets import make_artificial
from labeldist.exceptions import IllConditionedWarning, LabelWarning, SingularCoefficientError
from labeldist.learning import MeanDistribution
from labeldist.metrics import kl_divergence
from labeldist.simplex import OUTPUT_MAPS, to_distributions
from tests.references import bidirectional_loss, sylvester_by_kronecker


@pytest.fixture
def table(rng):
    X = rng.normal(1, 2, size=(50, 4))
    scores = np.exp(X[:, :3] / 3 + rng.normal(scale=0.2, size=(50, 3)))
    return X, scores / scores.sum(axis=1, keepdims=True)


def raw_scores(model, X):
    return X @ model.coef_.T + model.intercept_


@pytest.mark.parametrize(("reconstruction", "ridge"), [(1e-3, 1e-2), (1.0, 0.0), (0.0, 1.0), (10.0, 5.0)])
def test_the_published_model_solves_its_sylvester_equation(table, reconstruction, ridge):
    X, D = table
    model = BDLDL(reconstruction, ridge, fit_intercept=False).fit(X, D)
    A, B = X.T @ X + ridge * np.eye(4), reconstruction * D.T @ D
    expected = sylvester_by_kronecker(A, B, (1 + reconstruction) * X.T @ D)
    assert_allclose(model.coef_.T, expected, rtol=1e-9, atol=1e-12)
    assert_array_equal(model.intercept_, 0)
    assert model.residual_ < 1e-15


@pytest.mark.parametrize("reconstruction", [0.0, 0.5])
def test_with_intercepts_the_whole_objective_is_minimal(table, rng, reconstruction):
    X, D = table
    weights = rng.uniform(0.5, 2, size=50)
    model = BDLDL(reconstruction, 0.7).fit(X, D, sample_weight=weights)

    def unpack(v):
        return v[:12].reshape(4, 3), v[12:15], v[15:]

    def loss(v):
        return bidirectional_loss(X, D, *unpack(v), reconstruction, 0.7, weights)

    back = np.average(X - D @ model.coef_, axis=0, weights=weights)
    ours = np.concatenate([model.coef_.T.ravel(), model.intercept_, back])
    searched = minimize(loss, ours + rng.normal(scale=0.01, size=ours.size), method="BFGS", options={"gtol": 1e-7})
    assert loss(ours) <= searched.fun + 1e-9
    assert_allclose(ours[:15], searched.x[:15], atol=1e-5)


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("reconstruction", [0.0, 1e-3, 10.0])
def test_with_an_intercept_raw_predictions_sum_to_one(table, scale, reconstruction):
    X, D = table
    model = BDLDL(reconstruction, scale=scale).fit(X, D)
    assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-12)
    assert_allclose(raw_scores(model, X).sum(axis=1), 1, atol=1e-12)


def test_a_column_of_ones_is_another_model(table):
    X, D = table
    with_ones = np.column_stack([X, np.ones(50)])
    intercept, column = BDLDL(1.0).fit(X, D), BDLDL(1.0, fit_intercept=False).fit(with_ones, D)
    assert np.abs(intercept.predict(X) - column.predict(with_ones)).max() > 0.01


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_scaling_divides_by_the_deviation(table, fit_intercept):
    X, D = table
    deviation = X.std(axis=0)
    scaled = BDLDL(0.1, 3.0, scale=True, fit_intercept=fit_intercept).fit(X, D)
    by_hand = BDLDL(0.1, 3.0, fit_intercept=fit_intercept).fit(X / deviation, D)
    assert_allclose(scaled.predict(X), by_hand.predict(X / deviation), atol=1e-12)
    units = BDLDL(0.1, 3.0, scale=True, fit_intercept=fit_intercept).fit(X * [1e-3, 1, 10, 1e6], D)
    assert_allclose(units.predict(X * [1e-3, 1, 10, 1e6]), scaled.predict(X), atol=1e-9)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_features_give_the_same_model(table, rng, form, fit_intercept, scale, weighted):
    X, D = table
    X = X * (rng.random(X.shape) < 0.4)
    weight = rng.uniform(0, 2, size=50) if weighted else None
    model = BDLDL(0.5, fit_intercept=fit_intercept, scale=scale)
    dense = model.fit(X, D, sample_weight=weight).predict(X)
    assert_allclose(model.fit(form(X), D, sample_weight=weight).predict(form(X)), dense, atol=1e-12)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("scale", [False, True])
def test_weights_are_repetition_in_every_setting(table, rng, fit_intercept, scale):
    X, D = table
    weight = rng.integers(0, 4, size=50)
    model = BDLDL(0.5, fit_intercept=fit_intercept, scale=scale)
    repeated = model.fit(np.repeat(X, weight, axis=0), np.repeat(D, weight, axis=0)).coef_
    assert_allclose(model.fit(X, D, sample_weight=weight).coef_, repeated, atol=1e-12)


@pytest.mark.parametrize("solver", ["cholesky", "eigh", "cholesky_svd"])
def test_solvers_agree(table, solver):
    X, D = table
    model = BDLDL(fit_intercept=False, solver=solver).fit(X, D)
    assert model.solver_ == solver
    assert_allclose(model.coef_, BDLDL(fit_intercept=False).fit(X, D).coef_, atol=1e-12)


def unused_label(X, D):
    return X, np.column_stack([D, np.zeros(len(D))])


def fewer_rows_than_labels(X, D):
    return X[:2], D[:2]


def collinear(X, D):
    return np.column_stack([X, X[:, 0]]), D


@pytest.mark.parametrize(
    ("parameters", "change", "cause"),
    [
        ({}, None, "fit_intercept=True centres the distributions"),
        ({"reconstruction": 0, "fit_intercept": False}, None, "reconstruction=0 leaves nothing"),
        ({"fit_intercept": False}, unused_label, "label columns are linearly dependent"),
        ({"fit_intercept": False}, fewer_rows_than_labels, "label columns are linearly dependent"),
        ({"fit_intercept": False, "ridge": 0}, collinear, "features are linearly dependent"),
    ],
)
def test_the_published_route_refuses_with_the_cause(table, parameters, change, cause):
    X, D = change(*table) if change else table
    with pytest.raises(SingularCoefficientError, match=cause):
        BDLDL(solver="cholesky_svd", **parameters).fit(X, D)
    BDLDL(**parameters).fit(X, D)


def test_without_any_penalty_the_solution_of_minimum_norm_is_taken(table):
    X, D = collinear(*table)
    model = BDLDL(0, 0, fit_intercept=False).fit(X, D)
    assert_allclose(model.coef_.T, np.linalg.pinv(X) @ D, atol=1e-9)
    assert_allclose(model.coef_[:, 0], model.coef_[:, 4], atol=1e-9)


@pytest.mark.parametrize("output", OUTPUT_MAPS)
@pytest.mark.parametrize("floor", [0.0, 0.05])
def test_the_output_map_and_the_floor_act_on_the_raw_scores(table, output, floor):
    X, D = table
    model = BDLDL(output=output, floor=floor).fit(X, D)
    assert_allclose(model.predict(3 * X), to_distributions(raw_scores(model, 3 * X), output, floor=floor), atol=1e-14)


def test_the_default_floor_is_a_tenth_of_the_uniform_degree(table):
    X, D = table
    model = BDLDL().fit(X, D)
    assert_allclose(model.floor_, 0.1 / 3)
    assert_array_equal(model.predict(9 * X), BDLDL(floor=0.1 / 3).fit(X, D).predict(9 * X))


def test_the_published_model_has_no_floor_but_positive_degrees(table):
    X, D = table
    model = BDLDL(fit_intercept=False).fit(X, D)
    assert model.floor_ == np.finfo(float).eps
    predicted = np.vstack([model.predict(X), model.predict(-X)])  # one or the other has negative scores
    assert 0 < predicted.min() < 1e-15


def test_rows_of_y_are_normalised(table):
    X, D = table
    counts = D * np.arange(1, 51)[:, None]
    assert_allclose(BDLDL().fit(X, counts).coef_, BDLDL().fit(X, D).coef_, atol=1e-13)


def test_reconstruction_has_an_effect(table):
    X, D = table
    bidirectional, unidirectional = BDLDL(1.0).fit(X, D), BDLDL(0.0).fit(X, D)
    assert np.abs(bidirectional.coef_ - unidirectional.coef_).max() > 1e-3


def test_the_score_is_the_skill_over_the_mean():
    X, D = make_artificial(300, random_state=0)
    new, truth = make_artificial(200, random_state=1)
    model = BDLDL().fit(X, D)
    mean = np.tile(truth.mean(axis=0), (200, 1))
    expected = 1 - kl_divergence(truth, model.predict(new)) / kl_divergence(truth, mean)
    assert_allclose(model.score(new, truth), expected)
    assert 0.5 < model.score(new, truth) < 1
    assert_allclose(MeanDistribution().fit(new, truth).score(new, truth), 0, atol=1e-12)
    weight = np.arange(200)
    repeated = model.score(np.repeat(new, weight, axis=0), np.repeat(truth, weight, axis=0))
    assert_allclose(model.score(new, truth, sample_weight=weight), repeated)
    assert_allclose(model.score(new, sparse.csr_array(7 * truth)), expected)


@pytest.mark.parametrize("row", [[0.25, 0.75], [0.3, 0.3, 0.4], [0.1, 0.2, 0.7], [0.0, 1.0]])
@pytest.mark.parametrize("n", [1, 3, 7, 10, 49])
@pytest.mark.parametrize("learner", [MeanDistribution(), BDLDL(floor=0)], ids=repr)
def test_the_score_where_all_rows_are_equal(rng, row, n, learner):
    X, D = rng.normal(size=(n, 2)), np.tile(row, (n, 1))
    assert learner.fit(X, D).score(X, D) == 1
    assert learner.fit(X, D[:, ::-1]).score(X, D) == 0


def test_the_units_of_the_features_do_not_break_the_solve(rng):
    X = rng.normal(size=(500, 3))
    D = np.exp(X)
    units = [1e10, 1.0, 1e-1]
    mixed, plain = BDLDL(0, 0).fit(X * units, D), BDLDL(0, 0).fit(X, D)
    assert_allclose(mixed.predict(X * units), plain.predict(X), atol=1e-8)


def test_a_solution_with_few_digits_is_told(rng):
    X = rng.normal(size=(50, 3)) * [1e9, 1, 1]
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    with pytest.warns(IllConditionedWarning, match="scale=True or a larger ridge"):
        BDLDL(0, 0).fit(X, rng.dirichlet(np.ones(3), size=50))


def test_sparse_features_are_never_made_dense(rng):
    n, m = 200_000, 400
    X = sparse.random_array((n, m), density=1e-3, rng=rng, format="csr")
    D = rng.dirichlet(np.ones(3), size=n)
    tracemalloc.start()
    BDLDL(scale=True).fit(X, D, sample_weight=np.ones(n)).predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n * m * 8 / 10


def test_weights_that_are_all_zero_or_negative_are_refused(table):
    X, D = table
    with pytest.raises(ValueError, match="zero for every row"):
        BDLDL().fit(X, D, sample_weight=np.zeros(50))
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        BDLDL().fit(X, D, sample_weight=-np.ones(50))


@pytest.mark.parametrize(
    "parameters",
    [
        {"reconstruction": -1},
        {"ridge": -1},
        {"fit_intercept": "yes"},
        {"scale": 2},
        {"output": "sigmoid"},
        {"floor": -0.1},
        {"floor": 1.5},
        {"floor": "none"},
        {"solver": "lu"},
    ],
    ids=str,
)
def test_bad_parameters_are_refused_by_name(table, parameters):
    (name,) = parameters
    with pytest.raises(ValueError, match=f"The '{name}' parameter of BDLDL must be"):
        BDLDL(**parameters).fit(*table)


def test_parameters_that_were_right_once_do_not_make_equal_ones_right():
    X, D = make_artificial(20, random_state=0)
    BDLDL(fit_intercept=True).fit(X, D)
    with pytest.raises(ValueError, match="'fit_intercept' parameter"):
        BDLDL(fit_intercept=1.0).fit(X, D)
    for _ in range(2):
        with pytest.raises(ValueError, match="'ridge' parameter"):
            BDLDL(ridge=-1).fit(X, D)
        with pytest.raises(ValueError, match="'ridge' parameter"):
            BDLDL(ridge=[1]).fit(X, D)


def test_statistics_make_a_model_that_predicts():
    X, D = make_artificial(60, random_state=0)
    parts = [BDLDL().partial_fit(X[rows], D[rows]).moments_ for rows in (slice(0, 25), slice(25, 60))]
    model = BDLDL().fit_moments(sum(parts))
    assert_allclose(model.predict(X), BDLDL().fit(X, D).predict(X), atol=1e-12)
    assert model.label_names_ == ["label_0", "label_1", "label_2"]
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="'ridge' parameter"):
        BDLDL(ridge=-5).fit_moments(sum(parts))


@pytest.mark.parametrize("size", [1e153, 1e154, 1e160])
def test_values_too_large_to_square_are_named(rng, size):
    X, D = rng.normal(size=(5000, 3)), rng.dirichlet(np.ones(3), size=5000)
    X[:, 1] *= size
    with pytest.raises(ValueError, match="Feature 1 has values too large"):
        BDLDL().fit(X, D)
    with pytest.raises(ValueError, match="Feature 1 has values too large"):
        BDLDLCV(cv=3).fit(X, D)


def test_squares_that_just_fit_are_used_and_those_about_zero_refused():
    X, D = np.full((1, 2), 9.47e153), np.ones((1, 1))
    with pytest.warns(LabelWarning, match="single label"):
        assert BDLDL(fit_intercept=False).fit(X, D).predict(X) == 1
    X, D = np.full((4, 1), 6e153), np.full((4, 2), 0.5)
    twice = BDLDL().partial_fit(X, D).partial_fit(X, D)
    assert_allclose(twice.predict(X), D)  # of a constant nothing is left but its mean
    with pytest.raises(ValueError, match="Feature 0 has values too large"):
        BDLDL(fit_intercept=False).fit_moments(twice.moments_)


def test_scores_that_leave_the_number_range_are_refused_by_row():
    X, D = make_artificial(60, random_state=0)
    model = BDLDL().fit(1e-200 * X, D)
    model.coef_ = 1e200 * model.coef_ + 1e200
    with pytest.raises(ValueError, match="Scores must be finite; the one in row 1"):
        model.predict(np.array([[0.0, 0.0, 0.0], [1e300, 0.0, 0.0]]))


def test_a_failed_fit_leaves_the_model_as_it_was():
    X, D = make_artificial(60, random_state=0)
    spoiled = X.copy()
    spoiled[50, 1] = np.nan
    fresh = BDLDL()
    with pytest.raises(ValueError, match="NaN"):
        fresh.fit(spoiled, D)
    with pytest.raises(NotFittedError):
        fresh.predict(X)
    model = BDLDL().fit(X, D)
    before = model.predict(X)
    for attempt in (
        lambda: model.fit(spoiled[:, :2], D[:, :2]),
        lambda: model.partial_fit(spoiled, D),
        lambda: model.fit_stream([]),
    ):
        with pytest.raises(ValueError, match=r"NaN|no rows"):
            attempt()
        assert_array_equal(model.predict(X), before)


def test_a_stream_that_fails_says_where_and_leaves_nothing_behind():
    X, D = make_artificial(60, random_state=0)
    D = D.copy()
    D[45, 0] = -1
    model = BDLDL()
    with pytest.raises(ValueError, match="negative") as failure:
        model.fit_stream((X[k : k + 20], D[k : k + 20]) for k in (0, 20, 40))
    assert failure.value.__notes__ == ["This is in chunk 2 of the stream, which begins with row 40."]
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_a_stream_can_have_sparse_labels():
    X, D = make_artificial(60, random_state=0)
    model = BDLDL().fit_stream([(X, sparse.csr_array(D))])
    assert_allclose(model.coef_, BDLDL().fit(X, D).coef_)


def test_parameters_set_later_do_not_change_what_was_learned():
    X, D = make_artificial(60, random_state=0)
    looked, not_looked = (BDLDL().partial_fit(X, D) for _ in range(2))
    assert looked.coef_.any()
    assert_array_equal(looked.set_params(ridge=1e3).coef_, not_looked.set_params(ridge=1e3).coef_)


def test_a_chunk_without_weight_says_nothing_and_a_table_without_any_is_refused():
    X, D = make_artificial(60, random_state=0)
    weight = np.ones(60)
    weight[:20] = 0
    model = BDLDL().fit_stream((X[k : k + 20], D[k : k + 20], weight[k : k + 20]) for k in (0, 20, 40))
    assert_allclose(model.coef_, BDLDL().fit(X, D, weight).coef_, atol=1e-12)
    with pytest.raises(ValueError, match="zero for every row"):
        BDLDL().fit(X, D, np.zeros(60))
    with pytest.raises(ValueError, match="zero for every row"):
        BDLDL().partial_fit(X, D, np.zeros(60)).predict(X)
