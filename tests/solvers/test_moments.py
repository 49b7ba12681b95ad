import operator
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from labeldist._solvers import moments as moments_module
from labeldist._solvers.moments import BlockFolds, FoldMoments, Moments, is_partition
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


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csr_matrix, sparse.csc_array])
@pytest.mark.parametrize("weighted", [False, True])
def test_moments_equal_definition(table, form, weighted):
    X, D, weight = table
    computed = Moments.of(form(X), D, weight if weighted else None)
    expected = co_moments_by_loop(X, D, weight if weighted else np.ones(60))
    assert computed.weight == (weight.sum() if weighted else 60)
    for field, value in zip(FIELDS[1:], expected, strict=True):
        assert_allclose(getattr(computed, field), value.astype(float), atol=1e-13, err_msg=field)


@given(cuts=st.lists(st.integers(1, 59), max_size=5, unique=True), order=st.randoms(use_true_random=False))
def test_sum_over_any_split_equals_whole(cuts, order):
    rng = np.random.default_rng(1)
    X, D = rng.normal(100, 1, size=(60, 4)), rng.dirichlet(np.ones(3), size=60)
    parts = [slice(a, b) for a, b in zip([0, *sorted(cuts)], [*sorted(cuts), 60], strict=True)]
    order.shuffle(parts)
    merged = reduce(operator.add, (Moments.of(X[part], D[part]) for part in parts))
    assert_same(merged, Moments.of(X, D), rtol=1e-10, atol=1e-10)


def test_parts_without_weight_do_not_change_moments(table):
    X, D, weight = table
    whole = Moments.of(X, D, weight)
    nothing = Moments.of(X[:9], D[:9], np.zeros(9))
    assert_same(whole + nothing, whole, rtol=1e-14)
    assert_same(nothing + whole, whole, rtol=1e-14)
    assert (nothing + nothing).weight == 0


def test_tables_with_other_columns_raise(rng):
    with pytest.raises(ValueError, match=r"\(1, 2\) and \(4, 2\)"):
        Moments.of(rng.random((5, 1)), rng.random((5, 2))) + Moments.of(rng.random((5, 4)), rng.random((5, 2)))


def test_misleading_sample_spread_costs_no_digits(rng):
    step = 2048
    n = step * moments_module.SAMPLE_ROWS
    x = rng.normal(1e6, 1, size=n)
    x[::step] = 1e6 + 1.4e5 * np.where(
        np.arange(moments_module.SAMPLE_ROWS) % 2, 1, -1
    )  # the sample has a larger spread
    D = rng.dirichlet(np.ones(2), size=n)
    exact = ((x - x.astype(np.longdouble).mean()) ** 2).sum()
    raw = (x**2).sum() - n * x.mean() ** 2
    assert_allclose(Moments.of(x[:, None], D).xx[0, 0], float(exact), rtol=1e-14)
    assert abs(raw / exact - 1) > 1e-14  # raw sums would fail


@pytest.mark.parametrize("n", [10, 64, 1024])
def test_sampled_offset_is_subtracted_beyond_eight_deviations(n):
    sign = np.where(np.arange(n) // max(1, n // moments_module.SAMPLE_ROWS) % 2, 1, -1)  # balanced in the sample
    table = np.column_stack([np.where(sign > 0, 3.0, 1.0), moments_module.OFFSET - 0.01 + sign])
    assert moments_module._likely_offset(table) is None
    table[:, 1] += 0.02
    assert_allclose(moments_module._likely_offset(table), [2, moments_module.OFFSET + 0.01], rtol=1e-12)
    assert moments_module._likely_offset(table[:0]) is None


def test_large_means_cancel():
    large = moments_module.LARGE_OFFSET
    for mean, cancels in ((large - 0.01, False), (large + 0.01, True)):
        means, squares = np.array([1.0, mean]), np.array([2.0, mean**2 + 1])
        assert moments_module._cancels(means, squares, None) == cancels
        assert moments_module._cancels(means, squares, np.ones(2)) == cancels
    # The mean of a shifted constant is rounding error.
    left = np.array([1e-10])
    assert not moments_module._cancels(left, left**2, np.array([-1e6]))
    assert moments_module._cancels(left, left**2, np.array([-1e3]))


@pytest.mark.parametrize("weighted", [False, True])
def test_offsets_in_many_blocks_cost_no_digits(table, monkeypatch, weighted):
    X, D, weight = table
    X = X + np.array([100.0, 0.0, -300.0, 1e6, 1.0])
    monkeypatch.setattr(moments_module, "BLOCK_ROWS", 7)
    found = Moments.of(X, D, weight if weighted else None)
    for field, value in zip(FIELDS[1:], co_moments_by_loop(X, D, weight if weighted else np.ones(60)), strict=True):
        assert_allclose(getattr(found, field), value.astype(float), rtol=1e-13, atol=1e-9, err_msg=field)


def test_misleading_sample_mean_costs_no_digits(rng):
    n = 300 * moments_module.SAMPLE_ROWS
    x = 1e9 + rng.normal(size=n)
    x[np.arange(n) % 300 > 0] += 1e6
    found = Moments.of(x[:, None], rng.dirichlet(np.ones(2), size=n))
    exact = ((x - x.astype(np.longdouble).mean()) ** 2).sum()
    assert_allclose(found.xx[0, 0], float(exact), rtol=1e-12)


def test_about_origin_gives_raw_products(table):
    X, D, _ = table
    raw = Moments.of(X, D).about_origin()
    assert_allclose(raw.xx, X.T @ X, atol=1e-12)
    assert_allclose(raw.xd, X.T @ D, atol=1e-12)
    assert_allclose(raw.dd, D.T @ D, atol=1e-12)
    assert_array_equal(raw.mean_x, np.zeros(5), strict=True)
    assert_array_equal(raw.mean_d, np.zeros(3), strict=True)
    assert raw.weight == 60


def test_divide_features_equals_moments_of_quotients(table):
    X, D, _ = table
    scale = np.array([1.0, 2.0, 0.5, 10.0, 3.0])
    assert_same(Moments.of(X, D).divide_features(scale), Moments.of(X / scale, D), atol=1e-13)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_feature_scale_is_deviation_and_one_for_constants(table, form):
    X, D, weight = table
    X[:, 1] = 0.1
    X[:, 2] = 0.0
    deviation = np.repeat(X, weight.astype(int), axis=0).std(axis=0)
    deviation[1:3] = 1
    assert_allclose(Moments.of(form(X), D, weight).feature_scale(), deviation, rtol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_empty_table_has_zero_moments(table, form):
    X, D, _ = table
    nothing = Moments.of(form(X[:0]), D[:0])
    assert nothing.weight == 0
    assert_same(nothing + Moments.of(X, D), Moments.of(X, D), rtol=1e-14)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_single_precision_is_summed_in_double(table, form):
    X, D, _ = table
    single = X.astype(np.float32)
    assert_same(Moments.of(form(single), D), Moments.of(form(single.astype(float)), D), rtol=1e-13)


def test_duplicate_entries_are_summed_without_changing_input(rng):
    parts = sparse.csr_array((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    D = rng.dirichlet(np.ones(2), size=2)
    assert_same(Moments.of(parts, D), Moments.of(np.array([[0.0, 3.0], [4.0, 0.0]]), D), atol=1e-14)
    assert parts.nnz == 3


def test_full_sparse_columns_with_large_means_keep_digits(rng):
    X = np.column_stack([rng.normal(size=300), rng.normal(1.7e9, 100, size=300), rng.normal(-1e8, 10, size=300)])
    X[rng.random(300) < 0.5, 0] = 0
    D = rng.dirichlet(np.ones(2), size=300)
    weight = rng.random(300)
    for weights in (None, weight):
        assert_same(Moments.of(sparse.csr_array(X), D, weights), Moments.of(X, D, weights), rtol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("block", [7, 2048])
@pytest.mark.parametrize("value", [0.1, 1e8, 1e150, 1e-150])
def test_constant_features_have_exactly_zero_moments(table, monkeypatch, form, block, value):
    monkeypatch.setattr(moments_module, "BLOCK_ROWS", block)
    X, D, weight = table
    X[:, 1] = value
    for weights in (None, weight):
        moments = Moments.of(form(X), D, weights)
        assert moments.mean_x[1] == value
        assert not moments.xx[1].any()
        parts = [Moments.of(form(X[rows]), D[rows], weights if weights is None else weights[rows]) for rows in PARTS]
        assert not reduce(operator.add, parts).xx[1].any()


@pytest.mark.parametrize("value", [0.1, -0.3, 0.7, 1e8 / 3])
def test_feature_constant_on_weighted_rows_has_zero_moments(rng, value):
    X, D = np.full((20, 2), value), rng.dirichlet(np.ones(2), size=20)
    weight = rng.uniform(0.1, 0.9, size=20)
    weight[[0, 4, 19]] = 0
    X[weight == 0], X[:, 1] = 3.0, rng.normal(100, 1, size=20)
    moments = Moments.of(X, D, weight)
    assert moments.mean_x[0] == value
    assert not moments.xx[0].any()
    assert moments.mean_x[1] == pytest.approx(np.average(X[:, 1], weights=weight), rel=1e-14)


@pytest.mark.parametrize("empty", [0, 2])
def test_empty_sparse_columns_keep_position(rng, empty):
    X, D = np.insert(rng.normal(5, 1, size=(30, 2)), empty, 0.0, axis=1), rng.dirichlet(np.ones(2), size=30)
    assert_same(Moments.of(sparse.csr_array(X), D), Moments.of(X, D), atol=1e-12)


@pytest.mark.parametrize("n_folds", [2, 3, 5])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_training_moments_equal_moments_of_other_rows(rng, n_folds, form):
    X, D, weight = rng.normal(5, 1, size=(30, 3)), rng.dirichlet(np.ones(2), size=30), rng.uniform(size=30)
    held_out = np.array_split(rng.permutation(30), n_folds)
    moments = FoldMoments.of(form(X), D, weight, held_out)
    assert_same(moments.total(), Moments.of(X, D, weight), **CLOSE)
    for rows, found in zip(held_out, moments.training(), strict=True):
        others = np.setdiff1d(np.arange(30), rows)
        assert_same(found, Moments.of(X[others], D[others], weight[others]), **CLOSE)


def test_fold_moments_of_stacked_tables_add_up(rng):
    X, D = rng.normal(size=(30, 3)), rng.dirichlet(np.ones(2), size=30)
    halves = [
        FoldMoments.of(X[half], D[half], None, np.array_split(np.arange(15), 3)) for half in np.split(np.arange(30), 2)
    ]
    together = [np.r_[rows, rows + 15] for rows in np.array_split(np.arange(15), 3)]
    for found, expected in zip((halves[0] + halves[1]).parts, FoldMoments.of(X, D, None, together).parts, strict=True):
        assert_same(found, expected, **CLOSE)
    with pytest.raises(ValueError, match="argument"):
        halves[0] + FoldMoments(halves[1].parts[:2])


def test_is_partition():
    halves = [(np.array([0, 1]), np.array([2, 3])), (np.array([2, 3]), np.array([0, 1]))]
    assert is_partition(halves, 4)
    assert not is_partition(halves, 5)
    assert not is_partition(halves[:1], 4)
    assert not is_partition([(np.array([1, 2]), np.array([0])), (np.array([0, 2]), np.array([1]))], 3)
    assert not is_partition([(np.array([0]), np.array([2, 3])), halves[1]], 4)
    assert not is_partition([(np.array([0, 0]), np.array([2, 3])), halves[1]], 4)  # a bootstrap sample


def test_block_folds_are_even_and_reproducible():
    folds = BlockFolds(3, seed=7)
    rows = folds.of(2, 20)
    assert sorted(np.concatenate(rows)) == list(range(20))
    assert {len(part) for part in rows} == {6, 7}
    for part, again in zip(rows, folds.of(2, 20), strict=True):
        assert (part == again).all()
    assert any(
        (part.size != other.size) or (part != other).any() for part, other in zip(rows, folds.of(3, 20), strict=True)
    )
    # Blocks of one row are distributed over all folds.
    assert len({next(i for i, part in enumerate(folds.of(number, 1)) if part.size) for number in range(30)}) == 3
