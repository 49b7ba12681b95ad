import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist import BDLE
from labeldist.datasets import make_artificial
from labeldist.published import GLLE


@pytest.mark.parametrize(
    "parameters", [{}, {"bandwidth": 0.3}, {"kernel": "linear"}, {"graph_width": "mean"}], ids=str
)
def test_equals_bdle_without_reconstruction(tags, parameters):
    X, L = tags
    new = make_artificial(7, random_state=1)[0]
    ours = GLLE(0.1, **parameters).fit(X, L)
    theirs = BDLE(0, 0.1, **parameters).fit(X, L)
    assert_array_equal(ours.label_distributions_, theirs.label_distributions_)
    assert_array_equal(ours.transform(new), theirs.transform(new))
    assert (ours.solver_, ours.residual_, ours.n_iter_) == ("exact", theirs.residual_, 1)


def test_lbfgs_reaches_the_exact_solution(tags):
    X, L = tags
    searched = GLLE(bandwidth=0.3, solver="lbfgs", max_iter=10_000).fit(X, L)
    assert_allclose(
        searched.label_distributions_, GLLE(bandwidth=0.3).fit_transform(X, L), atol=1e-5
    )
    assert searched.residual_ <= 1e-7


def test_max_iter_stops_lbfgs_early(tags):
    X, L = tags
    values = []
    for max_iter in (1, 5, 25):
        model = GLLE(solver="lbfgs", max_iter=max_iter).fit(X, L)
        assert (model.n_iter_, model.solver_) == (max_iter, "lbfgs")
        W = np.vstack([model.dual_coef_, model.intercept_])
        values.append(GLLE()._loss(model.X_fit_, L).value_and_gradient(W)[0])
    assert values[0] > values[1] > values[2]


def test_random_state_changes_the_start(tags):
    X, L = tags
    at_zero, first, again, second = (
        GLLE(solver="lbfgs", max_iter=5, random_state=seed).fit(X, L).dual_coef_
        for seed in (None, 1, 1, 2)
    )
    assert_array_equal(first, again)
    assert np.abs(first - second).max() > 1e-3
    assert np.abs(first - at_zero).max() > 1e-3
