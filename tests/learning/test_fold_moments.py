import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from labeldist._solvers.moments import Moments
from labeldist.learning._cross_validation import Table
from labeldist.learning._fold_moments import BlockFolds, FoldMoments, is_partition

CLOSE = {"rtol": 1e-10, "atol": 1e-10}
FIELDS = ("weight", "mean_x", "mean_d", "xx", "xd", "dd")


def assert_same(left, right, **tol):
    for field in FIELDS:
        assert_allclose(getattr(left, field), getattr(right, field), err_msg=field, **tol)


@pytest.mark.parametrize("n_folds", [2, 3, 5])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_training_moments_equal_moments_of_other_rows(rng, n_folds, form):
    X = rng.normal(5, 1, size=(30, 3))
    D = rng.dirichlet(np.ones(2), size=30)
    weight = rng.uniform(size=30)
    held_out = np.array_split(rng.permutation(30), n_folds)
    moments = FoldMoments.of(Table(form(X), D, weight), held_out)
    assert_same(moments.total(), Moments.of(X, D, weight), **CLOSE)
    for rows, found in zip(held_out, moments.training(), strict=True):
        others = np.setdiff1d(np.arange(30), rows)
        assert_same(found, Moments.of(X[others], D[others], weight[others]), **CLOSE)


def test_is_partition():
    first, second = np.array([[0, 1], [2, 3]])
    assert is_partition([(first, second), (second, first)], 4)
    assert not is_partition([(first, second), (second, first)], 5)
    assert not is_partition([(first, second)], 4)
    for training in (first[:1], first[[0, 0]]):  # rows are left out, or drawn twice
        assert not is_partition([(training, second), (second, first)], 4)


def test_block_folds_are_even_and_reproducible():
    folds = BlockFolds(3, seed=7)
    rows = folds.of(2, 20)
    assert sorted(np.concatenate(rows)) == list(range(20))
    assert {len(part) for part in rows} == {6, 7}
    for part, again in zip(rows, folds.of(2, 20), strict=True):
        assert (part == again).all()
    assert any(
        (part.size != other.size) or (part != other).any()
        for part, other in zip(rows, folds.of(3, 20), strict=True)
    )
    # Blocks of one row are distributed over all folds.
    used = [np.argmax([part.size for part in folds.of(number, 1)]) for number in range(30)]
    assert set(used) == {0, 1, 2}
