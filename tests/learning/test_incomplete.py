"""IncomLDL, WInLDL and WSLDLMCSC, and the checks of missing degrees."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from labeldist import BDLDL, BDLDLCV, choose_learner
from labeldist._solvers.proximal import weighted_simplex
from labeldist.datasets import make_artificial
from labeldist.learning import AAKNN, SABFGS, WSLDLMCSC, IncomLDL, MeanDistribution, SoftmaxRegression, WInLDL
from labeldist.metrics import kl_divergence
from labeldist.simplex import check_distributions, softmax

ACCEPTING = [IncomLDL(), WInLDL(), WSLDLMCSC()]
every_accepting = pytest.mark.parametrize("learner", ACCEPTING, ids=repr)
ACCURATE = {"tol": 1e-10, "max_iter": 50_000}


def data(rng, n=12, m=2, c=3):
    X = rng.normal(size=(n, m))
    return X, softmax(2 * X @ rng.normal(size=(m, c)) + rng.normal(size=(n, c)))


def hide(D, share, seed=0):
    """Return degrees of which a share is missing."""
    return np.where(np.random.default_rng(seed).random(D.shape) < share, np.nan, D)


def distributions(learner, X):
    return learner.predict(X) if hasattr(learner, "predict") else learner.label_distributions_


def scores(model, X):
    return X @ model.coef_.T + model.intercept_


def constrained_least_squares(X, D):
    """Minimise ½‖XW + 1bᵀ − D‖² over rows on the simplex by SciPy."""
    A, c = np.column_stack([X, np.ones(len(X))]), D.shape[1]
    sums = np.eye(A.shape[1])[-1]
    found = minimize(
        lambda w: 0.5 * ((A @ w.reshape(-1, c) - D) ** 2).sum(),
        np.repeat(sums / c, c),
        jac=lambda w: (A.T @ (A @ w.reshape(-1, c) - D)).ravel(),
        constraints=[
            {"type": "ineq", "fun": lambda w: (A @ w.reshape(-1, c)).ravel()},
            {"type": "eq", "fun": lambda w: w.reshape(-1, c).sum(axis=1) - sums},
        ],
        method="SLSQP",
        options={"ftol": 1e-16, "maxiter": 1000},
    )
    return A @ found.x.reshape(-1, c)


@pytest.mark.parametrize("learner", [IncomLDL(0, **ACCURATE), WInLDL(1, **ACCURATE)], ids=repr)
def test_complete_degrees_without_penalty_give_constrained_least_squares(rng, learner):
    X, D = data(rng)
    expected = constrained_least_squares(X, D)
    assert expected.min() < 1e-8  # a constraint is active
    assert_allclose(scores(learner.fit(X, D), X), expected, atol=1e-6)


@pytest.mark.parametrize("solver", ["admm", "apg"])
def test_large_low_rank_gives_uniform_rows(rng, solver):
    X, D = data(rng)
    model = IncomLDL(1e6, solver=solver, **ACCURATE).fit(X, hide(D, 0.3))
    assert_allclose(model.predict(X), 1 / 3, atol=1e-5)


def test_low_rank_lowers_the_rank(rng):
    X, D = data(rng, 60, 4, 5)
    sizes = [np.linalg.svd(scores(IncomLDL(w).fit(X, D), X), compute_uv=False) for w in (0.0, 5.0)]
    assert sizes[0][2] > 0.1
    assert sizes[1][2] < 1e-3


def test_proximal_gradient_is_close_to_the_minimum():
    X, D = make_artificial(300, random_state=0)
    D = hide(D, 0.5)
    exact, fast = (IncomLDL(0.5, solver=solver).fit(X, D) for solver in ("admm", "apg"))
    assert_allclose(fast.predict(X), exact.predict(X), atol=0.02)
    assert fast.n_iter_ < exact.n_iter_


@pytest.mark.parametrize("base", [1.0, 2.0, 4.0])
def test_weights_favour_rows_with_small_degrees(base):
    D = np.array([[0.1, 0.9], [0.5, 0.5]])
    weight = np.array([base ** (2 - 0.2) + base ** (2 - 1.8), 2 * base])  # both labels have the same error
    model = WInLDL(base, **ACCURATE).fit(np.ones((2, 1)), D)
    assert_allclose(model.predict([[1.0]])[0, 0], np.average(D[:, 0], weights=weight), atol=1e-7)


def test_fixed_point_of_the_published_iteration_is_the_minimum(rng):
    """Terms of missing degrees, with weights that grow to 2^(mean degree), do not change the fixed point."""
    X, D = data(rng)
    D = hide(D, 0.3, seed=2)
    A, observed = np.column_stack([X, np.ones(len(X))]), ~np.isnan(D)
    projector, mean = A @ np.linalg.pinv(A), np.nanmean(D, axis=0)
    Z, V, T = np.full_like(D, 1 / 3), np.zeros_like(D), 100
    for t in range(5000):
        Y = projector @ (Z - V / 2)
        Q = np.where(observed, 2 ** (1 - np.nan_to_num(D)), (1 + min(t / T, 1)) ** mean)
        Z = weighted_simplex(2 * Y + V + Q**2 * np.where(observed, D, Y), Q**2 + 2)
        V = V + 2 * (Y - Z)
    assert_allclose(scores(WInLDL(**ACCURATE).fit(X, D), X), Y, atol=1e-6)


@pytest.mark.parametrize("learner", [IncomLDL(0.1), IncomLDL(0.1, solver="apg"), WInLDL()], ids=repr)
def test_missing_degrees_are_better_than_the_mean_in_their_place(learner):
    X, D = make_artificial(400, random_state=0)
    new, truth = make_artificial(200, random_state=1)
    hidden = hide(D, 0.6)
    filled = np.where(np.isnan(hidden), np.nanmean(hidden, axis=0), hidden)
    complete, missing, mean = (kl_divergence(truth, learner.fit(X, y).predict(new)) for y in (D, hidden, filled))
    assert missing < 0.7 * mean
    assert missing < 1.2 * complete


def test_units_of_features_have_no_effect(rng):
    X, D = data(rng, 30)
    for learner in (IncomLDL(0.1, **ACCURATE), WInLDL(**ACCURATE)):
        expected = learner.fit(X, D).predict(X)
        assert_allclose(learner.fit(X * [1e-5, 1e4] + 3, D).predict(X * [1e-5, 1e4] + 3), expected, atol=1e-6)


@pytest.mark.parametrize("kind", [IncomLDL, WInLDL])
def test_floor_raises_small_degrees(rng, kind):
    X, D = data(rng, 50)
    new = 10 * rng.normal(size=(100, 2))
    assert kind(floor=0).fit(X, D).predict(new).min() == 0
    model = kind().fit(X, D)
    assert model.floor_ == pytest.approx(0.1 / 3)
    assert model.predict(new).min() == pytest.approx(0.1 / 3 / (1 + 0.2 / 3))


def test_too_few_iterations_warn(rng):
    X, D = data(rng, 30)
    for learner in (IncomLDL(max_iter=1), WInLDL(max_iter=1), WSLDLMCSC(max_iter=1)):
        with pytest.warns(ConvergenceWarning, match="stopped after 1 iterations"):
            learner.fit(X, D)


@every_accepting
def test_only_complete_rows_are_normalised(rng, learner):
    X, D = data(rng)
    hidden = D.copy()
    hidden[0, 0] = hidden[1] = np.nan
    expected = distributions(learner.fit(X, hidden), X)
    check_distributions(expected)
    times = hidden.copy()
    times[2:] *= 7
    assert_allclose(distributions(learner.fit(X, times), X), expected, atol=1e-9)
    lists = [[None if np.isnan(d) else d for d in row] for row in hidden]
    assert_array_equal(distributions(learner.fit(X.tolist(), lists), X), expected)
    assert_array_equal(distributions(learner.fit(X, pd.DataFrame(hidden)), X), expected)


@every_accepting
def test_invalid_rows_with_missing_degrees_raise(rng, learner):
    X, D = data(rng)
    with pytest.raises(ValueError, match="At least one row needs degrees"):
        learner.fit(X, np.full_like(D, np.nan))
    for row, message in (
        ([np.nan, 3, 4], r"1 row\(s\) with missing degrees .* more than 1, first row 5.*not counts"),
        ([np.nan, -0.1, 0.2], "negative in 1 row.*first in row 5"),
        ([np.nan, np.inf, 0], "infinity"),
    ):
        with pytest.raises(ValueError, match=message):
            learner.fit(X, np.vstack([D[:5], row, D[6:]]))
    zeros = np.vstack([D[:5], [0, 0, 0], [np.nan, 0, 0], D[7:]])
    with pytest.raises(ValueError, match="all zero, first row"):
        learner.fit(X, zeros)
    zeros[5] = D[5]
    learner.fit(X, zeros)
    if hasattr(learner, "score"):
        with pytest.raises(ValueError, match="not finite"):
            learner.score(X, zeros)


@pytest.mark.parametrize(
    "learner",
    [BDLDL(), BDLDLCV(), SABFGS(), AAKNN(), SoftmaxRegression(), MeanDistribution()],
    ids=repr,
)
def test_other_learners_name_those_that_accept_missing_degrees(rng, learner):
    X, D = data(rng, 30)
    message = r"contains NaN\. IncomLDL, WInLDL and WSLDLMCSC"
    with pytest.raises(ValueError, match=message):
        learner.fit(X, hide(D, 0.1))
    with pytest.raises(ValueError, match=message):
        choose_learner(X, hide(D, 0.1))


def test_named_classes_are_those_that_accept_missing_degrees():
    from tests.estimators import ESTIMATORS

    accepting = {type(estimator).__name__ for estimator in ESTIMATORS if getattr(estimator, "_accepts_missing", False)}
    assert accepting == {type(learner).__name__ for learner in ACCEPTING}


def test_transductive_rows_without_norm_and_graph(rng):
    X, D = data(rng, 30)
    model = WSLDLMCSC(0, smoothness=0, tol=1e-8)
    assert_allclose(model.fit_predict(X[:20], D[:20], X[20:]), 1 / 3, atol=1e-6)
    assert_allclose(model.label_distributions_[:20], D[:20], atol=1e-6)


def test_fit_predict_equals_fit_with_missing_rows(rng):
    X, D = data(rng, 30)
    y = D.copy()
    y[20:] = np.nan
    model = WSLDLMCSC().fit(X, y)
    new = WSLDLMCSC().fit_predict(X[:20], D[:20], X[20:])
    assert_allclose(new, model.label_distributions_[20:], atol=1e-12)
    assert_array_equal(WSLDLMCSC().fit_predict(X, y), model.label_distributions_)
    assert not hasattr(model, "predict")
    assert not hasattr(model, "score")
    frames = [pd.DataFrame(part, columns=["a", "b"]) for part in (X[:20], X[20:])]
    found = WSLDLMCSC().fit_predict(frames[0], D[:20], frames[1])
    assert_allclose(found, new, atol=1e-12)
    with pytest.raises(ValueError, match="Column 0 is 'b' where fit had 'a'"):
        WSLDLMCSC().fit_predict(frames[0], D[:20], frames[1][["b", "a"]])


def test_answers_depend_on_the_rows_asked_together(rng):
    X, D = data(rng, 30)
    together = WSLDLMCSC().fit_predict(X[:20], D[:20], X[20:])
    alone = WSLDLMCSC().fit_predict(X[:20], D[:20], X[20:21])
    assert np.abs(together[:1] - alone).max() > 1e-4


def test_options_of_the_transductive_learner():
    X, D = make_artificial(150, random_state=0)
    y = D.copy()
    y[100:] = np.nan

    def degrees(**options):
        return WSLDLMCSC(**options, max_iter=2000).fit(X * [1, 10, 100], y).label_distributions_

    def roughness(**options):  # difference from the given degrees
        return kl_divergence(D[:100], degrees(**options)[:100])

    assert roughness(fidelity=10) < roughness(fidelity=0.1) < roughness(fidelity=0.01)
    assert roughness(smoothness=0.1) < roughness(smoothness=10)
    rank = [np.linalg.svd(degrees(low_rank=w), compute_uv=False)[1] for w in (0, 3)]
    assert rank[1] < 0.9 * rank[0]
    for options in ({"n_neighbors": 10}, {"scale": False}):
        assert np.abs(degrees(**options) - degrees()).max() > 1e-2
