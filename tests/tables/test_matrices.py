"""Tables of matrices: MATLAB and NumPy files, and `read_mat`."""

import numpy as np
import pandas as pd
import pytest
import scipy.io
from numpy.testing import assert_array_equal
from scipy import sparse

from labeldist.datasets import read_mat, read_table, write_table
from labeldist.exceptions import DatasetNotFoundError, NotADistributionError, TableError

X = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 4.0]])
D = np.array([[0.25, 0.75], [1.0, 0.0]])


@pytest.fixture(params=[".mat", ".npz"])
def save_as(request, tmp_path):
    """Save arrays to a file of either format."""

    def save_as(**arrays):
        path = tmp_path / f"own{request.param}"
        if request.param == ".mat":
            scipy.io.savemat(path, arrays)
        else:
            np.savez(path, **arrays)
        return path

    return save_as


@pytest.fixture
def save(tmp_path):
    """Save variables to a MATLAB file."""
    path = tmp_path / "own.mat"
    return lambda **variables: scipy.io.savemat(path, variables) or path


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16, ">f8"])
def test_read_mat(save, dtype):
    features, labels = read_mat(save(features=2 * X.astype(dtype), labels=np.eye(2, dtype=dtype)))
    assert_array_equal(features, 2 * X.astype(dtype))
    assert_array_equal(labels, np.eye(2))
    for array in (features, labels):
        assert array.dtype == np.float64
        assert array.flags.c_contiguous
        assert array.flags.writeable


def test_missing_file(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", {"features": X, "labels": D})
    with pytest.raises(DatasetNotFoundError, match="absent"):
        read_mat(tmp_path / "absent.mat")
    with pytest.raises(DatasetNotFoundError):  # SciPy would append the suffix.
        read_mat(tmp_path / "a")


HDF = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + b"\x89HDF"


@pytest.mark.parametrize("content", [b"", b"<html>", b"longer than the header of a MATLAB file " * 9, HDF])
def test_other_files(tmp_path, content):
    (tmp_path / "other.mat").write_bytes(content)
    with pytest.raises(TableError, match=r"other\.mat" + (r".*7\.3.*-v7" if content == HDF else "")):
        read_mat(tmp_path / "other.mat")


def test_missing_variable_lists_the_others(save):
    with pytest.raises(TableError, match=r"features.* labels, note"):
        read_mat(save(labels=D, note="by hand"))


@pytest.mark.parametrize(
    ("value", "fact"),
    [
        ("text", "<U4"),
        (np.ones((2, 2)) * 1j, "complex"),
        (np.array([1, "a"], dtype=object), "object"),
        ({"field": 1}, "field"),
        (np.ones((2, 1, 2)), r"\(2, 1, 2\)"),
        (np.ones((0, 2)), r"\(0, 2\)"),
        (sparse.csc_array(np.eye(2)), "sparse"),
    ],
    ids=["text", "complex", "cell", "struct", "three dimensions", "empty", "sparse"],
)
def test_variable_that_is_not_a_matrix_of_numbers(save, value, fact):
    with pytest.raises(TableError, match=f"features.*{fact}"):
        read_mat(save(features=value, labels=D))


def test_feature_that_is_not_finite(save):
    with pytest.raises(TableError, match=r"own\.mat.* row 1, column 0 is -inf"):
        read_mat(save(features=[[1.0], [-np.inf]], labels=D))


@pytest.mark.parametrize("row", [[0.25, 0.5], [1.5, -0.5], [np.nan, 1.0]])
def test_labels_that_are_not_distributions(save, row):
    with pytest.raises(NotADistributionError, match=r"labels of .*own\.mat .*row 1"):
        read_mat(save(features=X, labels=[D[0], row]))


def test_column_names(save_as):
    path = save_as(X=np.eye(2), D=np.eye(2), label_names=np.array(["joy", "Glück"]), note=np.ones(3))
    assert list(read_table(path).columns) == ["feature_0", "feature_1", "joy", "Glück"]
    path = save_as(features=np.eye(2), label_names=np.array(["too", "many", "names"]), labels=np.eye(2))
    with pytest.raises(TableError, match="label_names must hold one name for each of the 2 columns; it holds 3"):
        read_table(path)


def test_labels_are_written_to_their_own_matrix(tmp_path):
    for path in (tmp_path / "a.npz", tmp_path / "a.mat"):
        write_table(pd.DataFrame({"joy": [0.5, 1.0], "x": [1.0, 2.0]}), path, labels=["joy"])
        assert list(read_table(path).columns) == ["x", "joy"]


def test_files_without_a_table(save_as):
    with pytest.raises(TableError, match="other"):
        read_table(save_as(other=np.eye(2)))
    with pytest.raises(TableError, match=r"2 rows .* 3 rows"):
        read_table(save_as(features=np.eye(2), labels=np.eye(3)))


def test_words_cannot_be_written(tmp_path):
    with pytest.raises(TableError, match="id"):
        write_table(pd.DataFrame({"id": ["007"], "x": [1.0]}), tmp_path / "table.mat")
    assert not list(tmp_path.iterdir())


def test_pickled_objects_are_errors(tmp_path):
    np.savez(tmp_path / "a.npz", features=np.array([[object()]], dtype=object))
    (tmp_path / "b.npz").write_bytes(b"not an archive")
    for name in ("a.npz", "b.npz"):
        with pytest.raises(TableError, match=r"it is damaged, or holds Python objects\.$"):
            read_table(tmp_path / name)
