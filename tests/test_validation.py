from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from labeldist import BDLDL
from labeldist._validation import (
    as_distributions,
    check_feature_order,
    check_logical,
    check_rows,
    column_names,
    label_names,
    label_table,
    random_generator,
    validated,
)
from labeldist.enhancement import Uniform
from labeldist.exceptions import LabelWarning, NotADistributionError
from tests.frames import any_make, frame


def test_frames_with_sparse_columns():
    X = pd.DataFrame(np.eye(3)).astype(pd.SparseDtype("float64", 0.0))
    D = np.array([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]])
    np.testing.assert_allclose(BDLDL().fit(X, D).coef_, BDLDL().fit(np.eye(3), D).coef_)


def test_finite_values_with_infinite_sum_are_valid():
    X = np.array([[1.7e308, 1.7e308], [-1.7e308, -1.7e308]])
    assert validated(Uniform(), X) is X
    with pytest.raises(ValueError, match="infinity"):
        validated(Uniform(), np.array([[np.inf, 1.0]]))


def test_label_names_are_column_names_or_numbered():
    assert label_names(pd.DataFrame([[1, 0]], columns=["joy", 7]), 2) == ["joy", "7"]
    assert label_names(np.zeros((1, 2)), 2) == ["label_0", "label_1"]
    assert label_names(pd.DataFrame([[1, 0]], columns=["columns", "column_names"]), 2) == ["columns", "column_names"]


@any_make
def test_column_names_of_frames(make):
    assert column_names(make({"joy": [1, 0], "column_names": [0, 1]})) == ["joy", "column_names"]


def test_label_table_is_dense_with_two_dimensions():
    assert_array_equal(label_table(sparse.eye_array(2, format="csr")), np.eye(2))
    with pytest.raises(NotADistributionError, match=r"shape \(2,\).*get_dummies.*MultiLabelBinarizer"):
        label_table([0, 1])
    with pytest.warns(LabelWarning, match="single label column"):
        label_table([[0], [1]])


def test_labels_of_minus_one_and_one_raise():
    with pytest.raises(NotADistributionError, match=r"y > 0.*row 0: column 0 is -1"):
        check_logical([[-1, 1]])


def test_rows_with_several_ones_warn():
    assert_array_equal(as_distributions(np.eye(3), name="y"), np.eye(3))
    with pytest.warns(LabelWarning, match="logical labels"):
        assert_array_equal(as_distributions([[1, 1], [0, 1]], name="y"), [[0.5, 0.5], [0, 1]])
    assert_array_equal(as_distributions([[2, 2], [0, 1]], name="y"), [[0.5, 0.5], [0, 1]])


def test_random_generator_of_seeds_and_generators():
    assert_array_equal(random_generator(3).random_sample(5), np.random.RandomState(3).random_sample(5))
    generator = np.random.RandomState(0)
    assert random_generator(generator) is generator


def test_random_generator_without_seed_ignores_the_global_state():
    np.random.seed(0)  # noqa: NPY002  # the state under test
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first = random_generator(None).random_sample(5)
    assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    np.random.seed(0)  # noqa: NPY002
    assert not np.array_equal(random_generator(None).random_sample(5), first)


@any_make
def test_reordered_features_raise_with_the_first_difference(make):
    fitted, X = SimpleNamespace(feature_names_in_=np.array(["a", "b", "c"], dtype=object)), np.zeros((2, 3))
    with pytest.raises(ValueError, match=r"Column 1 is 'c'.*'b'"):
        check_feature_order(fitted, frame(make, X, ["a", "c", "b"]))
    check_feature_order(fitted, frame(make, X, ["a", "b", "c"]))
    check_feature_order(fitted, frame(make, X, ["a", "b", "z"]))  # scikit-learn names the missing feature
    check_feature_order(fitted, X)
    check_feature_order(SimpleNamespace(), frame(make, X, ["b", "a", "c"]))


def test_only_equal_index_labels_in_another_order_raise():
    y = pd.DataFrame(np.eye(3), index=[0, "a", "b"])  # labels that cannot be sorted
    check_rows(X=y, y=y.to_numpy(), sample_weight=y[0])
    check_rows(X=y, y=y.reset_index(drop=True)[::-1])
    check_rows(X=y, y=y.iloc[[1, 2]])
    with pytest.raises(ValueError, match=r"X and sample_weight .* different orders.*sample_weight\.loc\[X\.index\]"):
        check_rows(X=y, y=y.to_numpy(), sample_weight=y[0].iloc[[1, 0, 2]])


def test_rows_of_any_two_tables_are_compared():
    X, weight = pd.DataFrame({"x": [1.0, 2.0]}, index=["a", "b"]), pd.Series([1.0, 2.0], index=["b", "a"])
    y = pd.DataFrame({"joy": [1, 0]}, index=[7, 8])
    with pytest.raises(ValueError, match="indexes of X and sample_weight hold the same labels in different orders"):
        check_rows(X=X, y=y, sample_weight=weight)


def test_weights_may_be_an_array_of_pandas():
    X, D, weight = np.eye(3), np.array([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]]), [1.0, 2.0, 1.0]
    expected = BDLDL().fit(X, D, sample_weight=weight).coef_
    np.testing.assert_array_equal(BDLDL().fit(X, D, sample_weight=pd.array(weight)).coef_, expected)
