import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from labeldist import BDLDL
from labeldist.datasets import make_artificial

X, D = make_artificial(120, random_state=0)
WEIGHT = np.random.default_rng(0).uniform(size=120)


@given(
    cuts=st.sets(st.integers(1, 119), max_size=8), seed=st.integers(0, 5), scale=st.booleans(), intercept=st.booleans()
)
def test_any_pieces_in_any_order_give_the_same_model(cuts, seed, scale, intercept):
    shifted = X + 100
    order = np.random.default_rng(seed).permutation(120)
    model = BDLDL(scale=scale, fit_intercept=intercept)
    for rows in np.split(order, sorted(cuts)):
        model.partial_fit(shifted[rows], D[rows], WEIGHT[rows])
    whole = clone(model).fit(shifted, D, WEIGHT)
    assert_allclose(model.predict(shifted), whole.predict(shifted), atol=1e-9)


def test_statistics_of_two_models_add_up():
    one, other = BDLDL().partial_fit(X[:50], D[:50]), BDLDL().partial_fit(X[50:], D[50:])
    joined = BDLDL().fit_moments(one.moments_ + other.moments_)
    assert_allclose(joined.coef_, BDLDL().fit(X, D).coef_, atol=1e-12)


def test_nothing_is_solved_before_it_is_asked_for():
    model = BDLDL().partial_fit(X[:50], D[:50])
    assert "coef_" not in vars(model)
    first = model.coef_
    assert "coef_" in vars(model)
    model.partial_fit(X[50:], D[50:])
    assert "coef_" not in vars(model)
    assert np.abs(model.coef_ - first).max() > 1e-3


def test_it_can_be_interrupted_pickled_and_gone_on_with():
    model = pickle.loads(pickle.dumps(BDLDL().partial_fit(X[:50], D[:50])))  # our own
    assert_allclose(model.partial_fit(X[50:], D[50:]).coef_, BDLDL().fit(X, D).coef_, atol=1e-12)


def test_sparse_and_dense_pieces_may_alternate():
    model = BDLDL().partial_fit(sparse.csr_array(X[:50]), D[:50]).partial_fit(X[50:], D[50:])
    assert_allclose(model.coef_, BDLDL().fit(X, D).coef_, atol=1e-10)


def test_later_rows_must_have_the_same_columns():
    frame, labels = pd.DataFrame(X, columns=["a", "b", "c"]), pd.DataFrame(D, columns=["r", "g", "b"])
    model = BDLDL().partial_fit(frame, labels)
    with pytest.raises(ValueError, match="y must have the labels of the first rows"):
        model.partial_fit(frame, labels[["g", "r", "b"]])
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*Column 0 is 'b'"):
        model.partial_fit(frame[["b", "a", "c"]], labels)
    with pytest.raises(ValueError, match="has 2 features"):
        BDLDL().partial_fit(X, D).partial_fit(X[:, :2], D)
    assert_allclose(model.coef_, BDLDL().fit(X, D).coef_, atol=1e-12)  # nothing of the refused rows counts


def test_fit_starts_anew_and_can_be_added_to():
    model = BDLDL().partial_fit(X[50:], D[50:]).fit(X[:50], D[:50])
    assert_allclose(model.coef_, BDLDL().fit(X[:50], D[:50]).coef_)
    assert_allclose(model.partial_fit(X[50:], D[50:]).coef_, BDLDL().fit(X, D).coef_, atol=1e-12)


def test_a_model_that_only_predicts_does_without_statistics():
    model = BDLDL().fit(X, D)
    expected = model.predict(X)
    del model.moments_
    assert_allclose(pickle.loads(pickle.dumps(model)).predict(X), expected)


def test_a_stream_reports_its_progress_and_must_have_rows():
    seen = []
    chunks = [(X[start : start + 50], D[start : start + 50]) for start in range(0, 120, 50)]
    model = BDLDL().fit_stream(chunks, progress=seen.append)
    assert seen == [50, 100, 120]
    assert_allclose(model.fit_stream(iter(chunks)).coef_, BDLDL().fit(X, D).coef_, atol=1e-12)
    with pytest.raises(ValueError, match="The stream has no rows"):
        BDLDL().fit_stream([])


def test_without_rows_there_is_no_model():
    with pytest.raises(NotFittedError):
        BDLDL().predict(X)
    with pytest.raises(AttributeError, match="has no attribute 'coef_'"):
        BDLDL().coef_  # noqa: B018
