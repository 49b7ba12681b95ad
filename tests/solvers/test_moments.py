import operator
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from labeldist._solvers import moments as moments_module
from labeldist._solvers.moments import Moments
from tests.references import co_moments_by_loop

CLOSE = {"rtol": 1e-10, "atol": 1e-10}
PARTS = [slice(0, 7), slice(7, 30), slice(30, 60)]
FIELDS = ("weight", "mean_x", "mean_d", "xx", "xd", "dd")


@pytest.fixture
def table(rng):
    X = rng.normal(size=(60, 5)) * (rng.random((60, 5)) < 0.4)
    return X, rng.dirichlet(np.ones(3), size=60), rng.integers(0, 4, size=60).astype(float)


def assert_same(left, right, **tol):
    for field in FIELDS:
        assert_allclose(getattr(left, field), getattr(right, field), err_msg=field, **tol)


def assert_definition(X, D, weight, *, form=np.asarray, **tol):
    weights = np.ones(60) if weight is None else weight
    expected = co_moments_by_loop(X, D, weights)
    values = (value.astype(float) for value in expected)
    assert_same(Moments.of(form(X), D, weight), Moments(weights.sum(), *values), **tol)


@pytest.mark.parametrize(
    "form", [np.asarray, sparse.csr_array, sparse.csr_matrix, sparse.csc_array]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_moments_equal_definition(table, form, weighted):
    X, D, weight = table
    X[:, [0, 3]] = 0
    assert_definition(X, D, weight if weighted else None, form=form, rtol=1e-7, atol=1e-13)


@given(
    cuts=st.lists(st.integers(1, 59), max_size=5, unique=True),
    order=st.randoms(use_true_random=False),
)
def test_sum_over_any_split_equals_whole(cuts, order):
    rng = np.random.default_rng(1)
    X = rng.normal(100, 1, size=(60, 4))
    D = rng.dirichlet(np.ones(3), size=60)
    parts = [slice(a, b) for a, b in zip([0, *sorted(cuts)], [*sorted(cuts), 60], strict=True)]
    order.shuffle(parts)
    merged = reduce(operator.add, (Moments.of(X[part], D[part]) for part in parts))
    assert_same(merged, Moments.of(X, D), rtol=1e-10, atol=1e-10)


def test_parts_without_weight_do_not_change_moments(table):
    X, D, weight = table
    whole = Moments.of(X, D, weight)
    for nothing in (
        Moments.of(X[:9], D[:9], np.zeros(9)),
        Moments.of(X[:0], D[:0]),
        Moments.of(sparse.csr_array(X[:0]), D[:0]),
    ):
        assert_same(whole + nothing, whole, rtol=1e-14)
        assert_same(nothing + whole, whole, rtol=1e-14)
        assert (nothing + nothing).weight == 0


def test_tables_with_other_columns_raise(rng):
    with pytest.raises(ValueError, match=r"\(1, 2\) and \(4, 2\)"):
        Moments.of(rng.random((5, 1)), rng.random((5, 2))) + Moments.of(
            rng.random((5, 4)), rng.random((5, 2))
        )


@pytest.mark.parametrize("weighted", [False, True])
def test_offsets_in_many_blocks_cost_no_digits(table, monkeypatch, weighted):
    X, D, weight = table
    X = X + np.array([100.0, 0.0, -300.0, 1e6, 1.0])
    monkeypatch.setattr(moments_module, "BLOCK_ROWS", 7)
    assert_definition(X, D, weight if weighted else None, rtol=1e-13, atol=1e-9)


def test_two_levels_far_apart_cost_no_digits(rng):
    n = 9600
    x = 1e9 + rng.normal(size=n)
    x[np.arange(n) % 300 > 0] += 1e6
    found = Moments.of(x[:, None], rng.dirichlet(np.ones(2), size=n))
    exact = ((x - x.astype(np.longdouble).mean()) ** 2).sum()
    assert_allclose(found.xx[0, 0], float(exact), rtol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_feature_scale_is_deviation_and_one_for_constants(table, form):
    X, D, weight = table
    X[:, 1] = 0.1
    X[:, 2] = 0.0
    deviation = np.repeat(X, weight.astype(int), axis=0).std(axis=0)
    deviation[1:3] = 1
    assert_allclose(Moments.of(form(X), D, weight).feature_scale(), deviation, rtol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_single_precision_is_summed_in_double(table, form):
    X, D, _ = table
    single = X.astype(np.float32)
    assert_same(Moments.of(form(single), D), Moments.of(form(single.astype(float)), D), rtol=1e-13)


def test_duplicate_entries_are_summed_without_changing_input(rng):
    parts = sparse.csr_array(
        (np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2)
    )
    D = rng.dirichlet(np.ones(2), size=2)
    assert_same(Moments.of(parts, D), Moments.of(np.array([[0.0, 3.0], [4.0, 0.0]]), D), atol=1e-14)
    assert parts.nnz == 3


def test_full_sparse_columns_with_large_means_keep_digits(rng):
    X = np.column_stack(
        [rng.normal(size=300), rng.normal(1.7e9, 100, size=300), rng.normal(-1e8, 10, size=300)]
    )
    X[rng.random(300) < 0.5, 0] = 0
    D = rng.dirichlet(np.ones(2), size=300)
    weight = rng.random(300)
    for weights in (None, weight):
        assert_same(
            Moments.of(sparse.csr_array(X), D, weights), Moments.of(X, D, weights), rtol=1e-9
        )


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("value", [0.1, 1e150])
def test_constant_features_have_exactly_zero_moments(table, monkeypatch, form, value):
    monkeypatch.setattr(moments_module, "BLOCK_ROWS", 7)
    X, D, weight = table
    X[:, 1] = value
    for weights in (None, weight):
        moments = Moments.of(form(X), D, weights)
        assert moments.mean_x[1] == value
        assert not moments.xx[1].any()
        parts = [
            Moments.of(form(X[rows]), D[rows], weights if weights is None else weights[rows])
            for rows in PARTS
        ]
        assert not reduce(operator.add, parts).xx[1].any()


@pytest.mark.parametrize("value", [0.1, -0.3, 0.7, 1e8 / 3])
def test_feature_constant_on_weighted_rows_has_zero_moments(rng, value):
    X = np.full((20, 2), value)
    D = rng.dirichlet(np.ones(2), size=20)
    weight = rng.uniform(0.1, 0.9, size=20)
    weight[[0, 4, 19]] = 0
    X[weight == 0] = 3.0
    X[:, 1] = rng.normal(100, 1, size=20)
    moments = Moments.of(X, D, weight)
    assert moments.mean_x[0] == value
    assert not moments.xx[0].any()
    assert moments.mean_x[1] == pytest.approx(np.average(X[:, 1], weights=weight), rel=1e-14)
