import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist.published import WInLDL
from labeldist.simplex import softmax
from tests.references import incomplete_degrees_by_search


@pytest.fixture
def data(rng):
    X = rng.normal(size=(12, 2))
    D = softmax(3 * X @ rng.normal(size=(2, 3)) + rng.normal(size=(12, 3)))
    return X, np.where(rng.random(D.shape) < 0.3, np.nan, D)


def scores(X, D, base):
    model = WInLDL(base, tol=1e-10, max_iter=50_000).fit(X, D)
    return X @ model.coef_.T + model.intercept_


@pytest.mark.parametrize("base", [1.0, 2.0, 4.0])
def test_scores_equal_slow_solution(data, base):
    X, D = data
    weight = np.where(np.isnan(D), 0, base ** (2 - 2 * D))
    expected = incomplete_degrees_by_search(X, D, weight, 0.0)
    assert expected.min() < 1e-8  # a bound is active
    assert_allclose(scores(X, D, base), expected, atol=1e-7)
