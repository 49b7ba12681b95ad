"""partial_fit, fit_stream and fit_models of BDLDL."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from labeldist import BDLDL
from labeldist.datasets import make_artificial

X, D = make_artificial(120, random_state=0)
WEIGHT = np.random.default_rng(0).uniform(size=120)
CHUNKS = [(X[start : start + 50], D[start : start + 50]) for start in range(0, 120, 50)]


@given(
    cuts=st.sets(st.integers(1, 119), max_size=8),
    seed=st.integers(0, 5),
    scale=st.booleans(),
    intercept=st.booleans(),
)
def test_partial_fit_equals_fit(cuts, seed, scale, intercept):
    shifted = X + 100
    order = np.random.default_rng(seed).permutation(120)
    model = BDLDL(scale=scale, fit_intercept=intercept)
    for rows in np.split(order, sorted(cuts)):
        model.partial_fit(shifted[rows], D[rows], WEIGHT[rows])
    whole = clone(model).fit(shifted, D, WEIGHT)
    assert_allclose(model.predict(shifted), whole.predict(shifted), atol=1e-9)


def test_partial_fit_solves_and_continues_a_fit():
    model = BDLDL().fit(X[:50], D[:50])
    assert_array_equal(BDLDL().partial_fit(X[:50], D[:50]).coef_, model.coef_)
    model = pickle.loads(pickle.dumps(model))
    assert_allclose(model.partial_fit(X[50:], D[50:]).coef_, BDLDL().fit(X, D).coef_, atol=1e-12)
    assert_array_equal(model.fit(X[:50], D[:50]).coef_, BDLDL().fit(X[:50], D[:50]).coef_)
    mixed = BDLDL().partial_fit(sparse.csr_array(X[:50]), D[:50]).partial_fit(X[50:], D[50:])
    assert_allclose(mixed.coef_, BDLDL().fit(X, D).coef_, atol=1e-10)


def test_failed_partial_fit_leaves_the_model_unchanged():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    labels = pd.DataFrame(D, columns=["r", "g", "b"])
    model = BDLDL().partial_fit(frame, labels)
    before = dict(vars(model))
    with pytest.raises(
        ValueError, match=r"\['r', 'g', 'b'\], in this order; got \['g', 'r', 'b'\]"
    ):
        model.partial_fit(frame, labels[["g", "r", "b"]])
    with pytest.raises(ValueError, match="same order"):
        model.partial_fit(frame[["b", "a", "c"]], labels)
    with pytest.raises(ValueError, match="contains NaN"):
        model.partial_fit(frame.assign(b=np.nan), labels)
    with pytest.raises(ValueError, match="too large"):
        model.partial_fit(frame * 1e200, labels)
    assert vars(model) == before
    with pytest.raises(ValueError, match="has 2 features"):
        BDLDL().partial_fit(X, D).partial_fit(X[:, :2], D)


def test_fit_models_equals_the_fit_to_all_rows():
    parts = [BDLDL().partial_fit(X[rows], D[rows]) for rows in (slice(0, 25), slice(25, 120))]
    model = BDLDL().fit_models(parts)
    assert_allclose(model.predict(X), BDLDL().fit(X, D).predict(X), atol=1e-12)
    assert model.label_names_ == ["label_0", "label_1", "label_2"]
    with pytest.raises(ValueError, match="2 features"):
        model.predict(X[:, :2])


def test_fit_models_needs_fitted_models_with_the_same_columns():
    model = BDLDL().fit(X, D)
    with pytest.raises(ValueError, match="At least one"):
        model.fit_models([])
    with pytest.raises(NotFittedError):
        model.fit_models([model, BDLDL()])
    renamed = BDLDL().fit(X, pd.DataFrame(D, columns=list("abc")))
    for other in (renamed, BDLDL().fit(X[:, :2], D)):
        with pytest.raises(ValueError, match=r"models\[1\] differ in their columns"):
            model.fit_models([model, other])
    frame = pd.DataFrame(X, columns=list("xyz"))
    named = BDLDL().fit(frame, pd.DataFrame(D, columns=list("abc")))
    assert BDLDL().fit_models([named, named]).feature_names_in_.tolist() == list("xyz")


def test_predict_does_not_need_moments():
    model = BDLDL().fit(X, D)
    expected = model.predict(X)
    del model._moments
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), expected)


def test_fit_stream_equals_fit_and_reports_progress():
    seen = []
    empty = (X[:0], D[:0])
    model = BDLDL().fit_stream(
        iter([empty, *CHUNKS, empty]), callback=lambda *parts: seen.append(parts)
    )
    assert seen == [(50, None, "rows"), (100, None, "rows"), (120, None, "rows")]
    assert_allclose(model.coef_, BDLDL().fit(X, D).coef_, atol=1e-12)
    assert_allclose(
        model.fit_stream([(X[:50], sparse.csr_array(D[:50]))]).coef_,
        BDLDL().fit(X[:50], D[:50]).coef_,
    )
    for chunks in ([], [empty]):
        with pytest.raises(ValueError, match="no rows"):
            BDLDL().fit_stream(chunks)


def test_fit_stream_solves_once(monkeypatch):
    solved = []
    solve = BDLDL._solve
    monkeypatch.setattr(
        BDLDL, "_solve", lambda self, moments: (solved.append(1), solve(self, moments))[1]
    )
    BDLDL().fit_stream(CHUNKS)
    assert solved == [1]


def test_failed_fit_stream_names_the_chunk_and_leaves_the_model_unchanged():
    spoiled = D.copy()
    spoiled[110, 0] = -1
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    fresh = BDLDL()
    model = BDLDL().fit(frame, D)
    before = dict(vars(model))
    for stream in (fresh, model):
        with pytest.raises(ValueError, match=r"negative value, -1, in row 110 ") as failure:
            stream.fit_stream([*CHUNKS[:2], (X[100:], spoiled[100:])])
        assert "chunk 2" in failure.value.__notes__[0]
    assert vars(model) == before
    with pytest.raises(NotFittedError):
        fresh.predict(X)
    assert not hasattr(model.fit_stream(CHUNKS), "feature_names_in_")


def test_chunks_may_have_weight_zero_but_not_all():
    weight = np.ones(120)
    weight[:50] = 0
    stream = [(*chunk, weight[50 * k : 50 * k + 50]) for k, chunk in enumerate(CHUNKS)]
    assert_allclose(BDLDL().fit_stream(stream).coef_, BDLDL().fit(X, D, weight).coef_, atol=1e-12)
    with pytest.raises(ValueError, match="zero for every row"):
        BDLDL().fit_stream(stream[:1])
    with pytest.raises(ValueError, match="zero for every row"):
        BDLDL().partial_fit(X, D, np.zeros(120))
