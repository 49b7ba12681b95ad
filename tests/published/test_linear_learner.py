import pytest
from numpy.testing import assert_allclose

from labeldist.published import LDLSF, IncomLDL, WInLDL
from labeldist.simplex import softmax


@pytest.fixture
def data(rng):
    X = rng.normal(size=(50, 2))
    return X, softmax(2 * X @ rng.normal(size=(2, 3)) + rng.normal(size=(50, 3)))


@pytest.mark.parametrize("kind", [IncomLDL, WInLDL, LDLSF])
def test_floor_raises_small_degrees(data, rng, kind):
    new = 10 * rng.normal(size=(100, 2))
    assert kind(floor=0).fit(*data).predict(new).min() == 0
    model = kind().fit(*data)
    assert model.floor_ == pytest.approx(0.1 / 3)
    assert model.predict(new).min() == pytest.approx(0.1 / 3 / (1 + 0.2 / 3))


@pytest.mark.parametrize(
    "learner", [IncomLDL(0.1, tol=1e-10, max_iter=50_000), WInLDL(tol=1e-10, max_iter=50_000)]
)
def test_units_of_features_have_no_effect(data, learner):
    X, D = data
    expected = learner.fit(X, D).predict(X)
    X = X * [1e-5, 1e4] + 3
    assert_allclose(learner.fit(X, D).predict(X), expected, atol=1e-6)
