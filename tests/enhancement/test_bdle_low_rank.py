import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist import BDLE
from labeldist._kernels import low_rank_factors
from labeldist._kernels.kernels import mean_pairwise_distance
from labeldist._solvers import row_blocks
from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement import _bdle as bdle
from labeldist.metrics import score_all


@pytest.fixture
def table():
    X, D = make_artificial(150, random_state=0)
    return X, binarize(D).astype(float)


@pytest.mark.parametrize("reconstruction", [1e-3, 0.1])
@pytest.mark.parametrize("smoothness", [0, 1e-3, 0.5])
@pytest.mark.parametrize(
    "kernel", ["rbf", "linear", lambda X, Y: (1 + X @ Y.T) ** 2], ids=["rbf", "linear", "callable"]
)
def test_full_rank_equals_exact_solution(table, reconstruction, smoothness, kernel):
    X, L = table
    exact = BDLE(reconstruction, smoothness, kernel=kernel, solver="exact").fit(X, L)
    model = BDLE(
        reconstruction, smoothness, kernel=kernel, solver="low_rank", rank_tolerance=0
    ).fit(X, L)
    assert_allclose(model.label_distributions_, exact.label_distributions_, atol=1e-6)
    assert model.solver_ == "low_rank"
    assert model.residual_ < 1e-14
    new = make_artificial(20, random_state=9)[0]
    assert_allclose(model.transform(new), exact.transform(new), atol=1e-5)


def test_default_rank_tolerance_keeps_measures_within_one_percent(monkeypatch):
    monkeypatch.setattr(low_rank_factors, "FREE_RANK", 0)
    X, D = make_artificial(1200, random_state=1)
    L = binarize(D)
    exact = score_all(D, BDLE(solver="exact").fit_transform(X, L))
    near = score_all(D, BDLE(solver="low_rank").fit_transform(X, L))
    assert near == pytest.approx(exact, rel=0.01)
    far = score_all(D, BDLE(solver="low_rank", rank_tolerance=0.5).fit_transform(X, L))
    assert abs(far["chebyshev"] / exact["chebyshev"] - 1) > 0.01


def test_rank_tolerance_controls_rank_and_error(rng, monkeypatch):
    monkeypatch.setattr(low_rank_factors, "FREE_RANK", 0)
    X = rng.normal(size=(400, 10))
    L = (X @ rng.normal(size=(10, 4)) > 0).astype(float)
    L[:, 0] = 1
    exact = BDLE(smoothness=0, solver="exact").fit_transform(X, L)
    models = [
        BDLE(smoothness=0, solver="low_rank", rank_tolerance=t).fit(X, L)
        for t in (1e-1, 1e-2, 1e-3)
    ]
    ranks = [model.rank_ for model in models]
    gaps = [np.abs(model.label_distributions_ - exact).max() for model in models]
    assert ranks[0] < ranks[1] < ranks[2]
    assert gaps[0] > gaps[1] > gaps[2]
    assert all(model.kernel_error_ <= model.rank_tolerance for model in models)


def test_model_uses_drawn_rows_only(table):
    X, L = table
    model = BDLE(solver="low_rank").fit(X, L)
    assert model.X_fit_.shape == (model.rank_, 3)
    assert model.dual_coef_.shape == (model.rank_, 3)
    assert_allclose(model.transform(X), model.label_distributions_, atol=1e-12)


@pytest.mark.parametrize("solver", ["exact", "low_rank"])
def test_transform_in_blocks(table, monkeypatch, solver):
    X, L = table
    model = BDLE(solver=solver).fit(X, L)
    whole = model.transform(X)
    monkeypatch.setattr(row_blocks, "BLOCK_ENTRIES", 1)
    lengths = []
    monkeypatch.setattr(
        model,
        "_kernel_values",
        lambda A, B: lengths.append(len(A)) or BDLE._kernel_values(model, A, B),
        raising=False,
    )
    assert_allclose(model.transform(X), whole, atol=1e-10)
    assert lengths == [64, 64, 22]


def test_random_state_determines_the_drawn_rows(table):
    X, L = table
    fixed, same, first, again = (
        BDLE(solver="low_rank", rank_tolerance=1e-2, random_state=seed).fit(X, L)
        for seed in (None, None, 1, 1)
    )
    assert_array_equal(fixed.label_distributions_, same.label_distributions_)
    assert_array_equal(first.label_distributions_, again.label_distributions_)
    assert not np.array_equal(first.X_fit_, fixed.X_fit_)


def test_auto_solver_depends_on_number_of_rows(table, monkeypatch):
    X, L = table
    model = BDLE().fit(X, L)
    assert (model.solver_, model.rank_, model.kernel_error_) == ("exact", None, None)
    monkeypatch.setattr(bdle, "EXACT_ROWS", 149)
    monkeypatch.setattr(low_rank_factors, "FREE_RANK", 0)
    model = BDLE().fit(X, L)
    assert model.solver_ == "low_rank"
    assert model.rank_ <= 50


@pytest.mark.filterwarnings("ignore:The coefficients have few correct digits")
@pytest.mark.parametrize(
    "parameters",
    [{"reconstruction": 0}, {"kernel": lambda X, Y: X @ Y.T}, {"bandwidth": 0.05}],
    ids=", ".join,
)
def test_auto_solver_is_exact_where_low_rank_is_unsuitable(table, monkeypatch, parameters):
    X, L = table
    monkeypatch.setattr(bdle, "EXACT_ROWS", 100)
    assert BDLE(**parameters).fit(X, L).solver_ == "exact"
    monkeypatch.setattr(bdle, "FEASIBLE_ROWS", 100)
    assert BDLE(**parameters).fit(X, L).solver_ == "low_rank"


def test_cost_limits_the_rank(table, monkeypatch):
    X, L = table
    monkeypatch.setattr(bdle, "LOW_RANK_WORK", 150 * 20**2)
    model = BDLE(solver="low_rank").fit(X, L)
    assert model.rank_ <= 20
    assert model.kernel_error_ > model.rank_tolerance


def test_low_rank_forms_no_square_matrix(monkeypatch):
    X, D = make_artificial(3000, random_state=0)
    shapes, inner = [], BDLE._kernel_values

    def watched(self, A, B):
        shapes.append((len(A), len(B)))
        return inner(self, A, B)

    monkeypatch.setattr(BDLE, "_kernel_values", watched)
    BDLE().fit(X, binarize(D))
    assert max(min(shape) for shape in shapes) < 600


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_rows(n):
    X, D = make_artificial(n, random_state=0)
    model = BDLE(solver="low_rank").fit(X, binarize(D))
    exact = BDLE(solver="exact").fit_transform(X, binarize(D))
    assert_allclose(model.transform(X), exact, atol=1e-7)


def test_mean_distance_of_many_rows_uses_a_sample(rng, monkeypatch):
    X = rng.normal(size=(3000, 4))
    assert bdle.sampled_mean_distance(X, np.random.RandomState(0)) == mean_pairwise_distance(X)
    monkeypatch.setattr(bdle, "SAMPLE_ROWS", 1000)
    first, again = (bdle.sampled_mean_distance(X, np.random.RandomState(0)) for _ in range(2))
    assert first == again != mean_pairwise_distance(X)
    assert_allclose(first, mean_pairwise_distance(X), rtol=0.02)
