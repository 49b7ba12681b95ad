import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from labeldist import BDLDL
from labeldist._validation import (
    as_distributions,
    check_columns,
    check_logical,
    check_rows,
    column_names,
    label_table,
    random_generator,
)
from labeldist.exceptions import LabelWarning, NotADistributionError
from labeldist.votes import from_votes
from tests.frames import any_make


def test_frames_with_sparse_columns():
    X = pd.DataFrame(np.eye(3)).astype(pd.SparseDtype("float64", 0.0))
    D = np.array([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]])
    assert_allclose(BDLDL().fit(X, D).coef_, BDLDL().fit(np.eye(3), D).coef_)


@any_make
def test_column_names_of_frames(make):
    assert column_names(make({"joy": [1, 0], "column_names": [0, 1]})) == ["joy", "column_names"]


def test_label_table_is_dense_with_two_dimensions():
    assert_array_equal(label_table(sparse.eye_array(2, format="csr")), np.eye(2))
    with pytest.raises(NotADistributionError, match=r"shape \(2,\)"):
        label_table([0, 1])
    with pytest.warns(LabelWarning, match="single label column"):
        label_table([[0], [1]])


def test_labels_of_minus_one_and_one_raise():
    with pytest.raises(NotADistributionError, match="row 0: column 0 is -1"):
        check_logical([[-1, 1]])


def test_rows_with_several_ones_warn():
    assert_array_equal(as_distributions(np.eye(3), name="y"), np.eye(3))
    with pytest.warns(LabelWarning, match="logical labels"):
        assert_array_equal(as_distributions([[1, 1], [0, 1]], name="y"), [[0.5, 0.5], [0, 1]])
    assert_array_equal(as_distributions([[2, 2], [0, 1]], name="y"), [[0.5, 0.5], [0, 1]])


def test_random_generator_without_seed_ignores_the_global_state():
    np.random.seed(0)  # noqa: NPY002  # the state under test
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first = random_generator(None).random_sample(5)
    assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    np.random.seed(0)  # noqa: NPY002
    assert not np.array_equal(random_generator(None).random_sample(5), first)


def test_only_equal_index_labels_in_another_order_raise():
    y = pd.DataFrame(np.eye(3), index=[0, "a", "b"])  # labels that cannot be sorted
    check_rows(X=y, y=y.to_numpy(), sample_weight=y[0])
    check_rows(X=y, y=y.set_axis(list("xyz")))
    check_rows(X=y, y=y.iloc[[1, 2]])
    with pytest.raises(ValueError, match="X and sample_weight hold the same"):
        check_rows(X=y, y=y.to_numpy(), sample_weight=y[0].iloc[[1, 0, 2]])


def test_names_of_rows_are_compared_as_text():
    whole = pd.Series([1.0, 2.0, 3.0], index=[0, 1, 2])
    check_rows(X=whole, y=whole.set_axis(["0", "1", "2"]))
    for others in (["2", "0", "1"], [2.0, 0.0, 1.0], [2, 0, 1]):
        with pytest.raises(ValueError, match=r"for instance by y\.loc\[X\.index\]"):
            check_rows(X=whole, y=whole.set_axis(others))


def test_items_of_votes_name_rows():
    votes = from_votes(pd.DataFrame({"joy": [1, 2], "calm": [3, 1]}), counts=["joy", "calm"])
    check_rows(votes=votes, weight=pd.Series([1, 2]))
    with pytest.raises(ValueError, match=r"by weight\.loc\[votes\.items\], or pass arrays"):
        check_rows(votes=votes, weight=pd.Series([1, 2], index=[1, 0]))
    with pytest.raises(ValueError, match=r"by X\.loc\[y\.items\]"):
        check_rows(X=pd.Series([1, 2], index=[1, 0]), y=votes)


@any_make
def test_columns_in_another_order_raise(make):
    table = make({"joy": [1], "calm": [0]})
    check_columns(D_true=table, D_pred=np.eye(2))
    with pytest.raises(ValueError, match="same labels in the same order"):
        check_columns(D_true=table, D_pred=make({"calm": [0], "joy": [1]}))


def test_columns_of_the_same_name_are_named(rng):
    X = pd.DataFrame(rng.normal(size=(6, 3)), columns=["a", "b", "a"])
    with pytest.raises(ValueError, match=r"several columns named \['a'\]"):
        BDLDL().fit(X, rng.dirichlet(np.ones(2), size=6))


def test_texts_are_no_features(rng):
    with pytest.raises(ValueError, match=r"X holds text.*OneHotEncoder"):
        BDLDL().fit([["red"], ["blue"]], rng.dirichlet(np.ones(2), size=2))


def test_indexes_that_overlap_at_other_positions_raise():
    whole = pd.DataFrame({"a": range(6)})
    for one, other in (
        (whole.drop(index=0), whole.drop(index=5)),
        (whole.iloc[[0, 2, 4]], whole.iloc[[2, 4, 5]]),
        (whole.set_axis(list("abcdef")).iloc[:3], whole.set_axis(list("abcdef")).iloc[1:4]),
    ):
        with pytest.raises(ValueError, match="at different positions"):
            check_rows(X=one, y=other)


def test_row_numbers_beside_names_are_positions():
    whole = pd.DataFrame({"a": range(6)})
    sample = whole.iloc[[5, 0, 3]]
    check_rows(X=sample.reset_index(drop=True), y=sample)
    check_rows(X=sample, y=from_votes([[1, 2]] * 3))
    check_rows(X=sample.set_axis(list("abc")), y=sample)
