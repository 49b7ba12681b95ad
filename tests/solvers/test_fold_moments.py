import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from labeldist._solvers.moments import BlockFolds, FoldMoments, is_partition
from labeldist._solvers.moments import Moments

FIELDS = ("weight", "mean_x", "mean_d", "xx", "xd", "dd")


def assert_same(found, expected):
    for field in FIELDS:
        assert_allclose(getattr(found, field), getattr(expected, field), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("n_folds", [2, 3, 5])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_training_moments_are_those_of_the_other_rows(rng, n_folds, form):
    X, D, weight = rng.normal(5, 1, size=(30, 3)), rng.dirichlet(np.ones(2), size=30), rng.uniform(size=30)
    held_out = np.array_split(rng.permutation(30), n_folds)
    moments = FoldMoments.of(form(X), D, weight, held_out)
    assert_same(moments.total(), Moments.of(X, D, weight))
    for rows, found in zip(held_out, moments.training(), strict=True):
        others = np.setdiff1d(np.arange(30), rows)
        assert_same(found, Moments.of(X[others], D[others], weight[others]))


def test_tables_one_below_the_other_add_up(rng):
    X, D = rng.normal(size=(30, 3)), rng.dirichlet(np.ones(2), size=30)
    halves = [
        FoldMoments.of(X[half], D[half], None, np.array_split(np.arange(15), 3)) for half in np.split(np.arange(30), 2)
    ]
    together = [np.r_[rows, rows + 15] for rows in np.array_split(np.arange(15), 3)]
    for found, expected in zip((halves[0] + halves[1]).parts, FoldMoments.of(X, D, None, together).parts, strict=True):
        assert_same(found, expected)
    with pytest.raises(ValueError, match="shorter"):
        halves[0] + FoldMoments(halves[1].parts[:2])


def test_what_a_partition_is():
    halves = [(np.array([0, 1]), np.array([2, 3])), (np.array([2, 3]), np.array([0, 1]))]
    assert is_partition(halves, 4)
    assert not is_partition(halves, 5)
    assert not is_partition(halves[:1], 4)
    assert not is_partition([(np.array([1, 2]), np.array([0])), (np.array([0, 2]), np.array([1]))], 3)
    assert not is_partition([(np.array([0]), np.array([2, 3])), halves[1]], 4)


def test_block_folds_part_the_rows_evenly_and_alike_every_time():
    folds = BlockFolds(3, seed=7)
    rows = folds.of(2, 20)
    assert sorted(np.concatenate(rows)) == list(range(20))
    assert {len(part) for part in rows} == {6, 7}
    for part, again in zip(rows, folds.of(2, 20), strict=True):
        assert (part == again).all()
    assert any(
        (part.size != other.size) or (part != other).any() for part, other in zip(rows, folds.of(3, 20), strict=True)
    )
    # Blocks of one row do not all fall to one fold.
    assert len({next(i for i, part in enumerate(folds.of(number, 1)) if part.size) for number in range(30)}) == 3
