import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist import BDLE
from labeldist._kernels.neighbor_graph import laplacian, neighbor_graph
from labeldist._solvers.bidirectional import minimum_over_groups
from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement import GLLE
from labeldist.exceptions import IllConditionedWarning
from labeldist.simplex import softmax


@pytest.mark.parametrize("parameters", [{}, {"bandwidth": 0.3}, {"kernel": "linear"}, {"graph_width": "mean"}], ids=str)
def test_equals_bdle_without_reconstruction(table, parameters):
    X, L = table
    new = make_artificial(7, random_state=1)[0]
    ours, theirs = GLLE(0.1, **parameters).fit(X, L), BDLE(0, 0.1, **parameters).fit(X, L)
    assert_array_equal(ours.label_distributions_, theirs.label_distributions_)
    assert_array_equal(ours.transform(new), theirs.transform(new))
    assert (ours.solver_, ours.residual_, ours.n_iter_) == ("exact", theirs.residual_, 1)


def test_invertible_kernel_gives_graph_smoothing(table):
    X, L = table
    model = GLLE(0.5, bandwidth=0.2).fit(X, L)
    graph = laplacian(neighbor_graph(model.X_fit_, 4)).toarray()
    assert_allclose(model.label_distributions_, softmax(np.linalg.solve(np.eye(40) + 0.5 * graph, L)), atol=1e-9)
    assert model.residual_ < 1e-12


def test_duplicate_row_does_not_change_others(table):
    X, L = table
    model = GLLE(0, bandwidth=0.2).fit(np.vstack([X, X[:1]]), np.vstack([L, 1 - L[:1]]))
    assert_allclose(model.label_distributions_[[0, -1]], softmax(np.full((2, 3), 0.5)), atol=1e-9)
    assert_allclose(model.label_distributions_[1:-1], softmax(L[1:]), atol=1e-9)


def test_numerically_singular_kernel_warns(rng):
    X, L = rng.normal(size=(40, 1)), np.eye(2)[rng.integers(2, size=40)]
    with pytest.warns(IllConditionedWarning, match=r"numerically singular.*Decrease bandwidth"):
        GLLE().fit(X, L)
    X3, D = make_artificial(400, random_state=0)
    with pytest.warns(IllConditionedWarning, match=r"numerically singular.*Decrease bandwidth"):
        GLLE().fit(X3, binarize(D))  # the order of the rows changes these degrees by 0.1
    GLLE(bandwidth=1e-3).fit(X, L)
    GLLE().fit(np.round(X), L)  # duplicates: the minimum is reached
    GLLE(kernel="linear").fit(X, L)


@pytest.mark.parametrize("smoothness", [0, 0.5])
def test_warning_compares_with_the_minimum(table, smoothness):
    X, L = np.vstack([table[0], table[0][:5]]), np.vstack([table[1], 1 - table[1][:5]])
    model = GLLE(smoothness, bandwidth=0.2)
    model.fit(X, L)
    loss = model._loss(model.X_fit_, L.astype(float))
    reached = loss.value_and_gradient(np.vstack([model.dual_coef_, model.intercept_]))[0]
    group = np.r_[:40, :5]
    assert_allclose(minimum_over_groups(loss.labels, group, smoothness, loss.laplacian), reached, rtol=1e-9)


def test_lbfgs_reaches_the_exact_solution(table):
    X, L = table
    searched = GLLE(bandwidth=0.3, solver="lbfgs", max_iter=10_000).fit(X, L)
    assert_allclose(searched.label_distributions_, GLLE(bandwidth=0.3).fit_transform(X, L), atol=1e-5)
    assert searched.residual_ <= 1e-7


def test_max_iter_stops_lbfgs_early(table):
    X, L = table
    values = []
    for max_iter in (1, 5, 25):
        model = GLLE(solver="lbfgs", max_iter=max_iter).fit(X, L)
        assert (model.n_iter_, model.solver_) == (max_iter, "lbfgs")
        W = np.vstack([model.dual_coef_, model.intercept_])
        values.append(GLLE()._loss(model.X_fit_, L).value_and_gradient(W)[0])
    assert values[0] > values[1] > values[2]


def test_random_state_changes_the_start(table):
    X, L = table
    at_zero, first, again, second = (
        GLLE(solver="lbfgs", max_iter=5, random_state=seed).fit(X, L).dual_coef_ for seed in (None, 1, 1, 2)
    )
    assert_array_equal(first, again)
    assert np.abs(first - second).max() > 1e-3
    assert np.abs(first - at_zero).max() > 1e-3


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_rows(n):
    X, D = make_artificial(n, random_state=0)
    assert_allclose(GLLE(0).fit_transform(X, binarize(D)), softmax(binarize(D)), atol=1e-9)
