import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from labeldist._validation import as_distributions, check_logical, column_names, label_names, label_table
from labeldist.exceptions import LabelWarning, NotADistributionError
from tests.frames import any_make


def test_names_come_from_columns_or_are_numbered():
    assert label_names(pd.DataFrame([[1, 0]], columns=["joy", 7]), 2) == ["joy", "7"]
    assert label_names(np.zeros((1, 2)), 2) == ["label_0", "label_1"]
    assert label_names(pd.DataFrame([[1, 0]], columns=["columns", "column_names"]), 2) == ["columns", "column_names"]


@any_make
def test_names_come_from_frames_of_any_make(make):
    assert column_names(make({"joy": [1, 0], "column_names": [0, 1]})) == ["joy", "column_names"]


def test_sparse_labels_become_a_dense_table():
    assert_array_equal(label_table(sparse.eye_array(2, format="csr")), np.eye(2))


def test_a_table_has_two_dimensions_and_hardly_one_column():
    with pytest.raises(NotADistributionError, match=r"got shape \(2,\).*get_dummies.*MultiLabelBinarizer"):
        label_table([0, 1])
    with pytest.warns(LabelWarning, match="single label column.*need a column each"):
        label_table([[0], [1]])


def test_labels_of_minus_one_and_one_are_refused_with_the_remedy():
    with pytest.raises(NotADistributionError, match=r"those of -1 and 1 are y > 0.*is negative"):
        check_logical([[-1, 1]])


def test_one_hot_rows_are_distributions_and_several_ones_look_logical():
    assert_array_equal(as_distributions(np.eye(3), name="y"), np.eye(3))
    with pytest.warns(LabelWarning, match="look like logical labels"):
        assert_array_equal(as_distributions([[1, 1], [0, 1]], name="y"), [[0.5, 0.5], [0, 1]])
    assert_array_equal(as_distributions([[2, 2], [0, 1]], name="y"), [[0.5, 0.5], [0, 1]])
