import numpy as np
import pytest
import scipy.io
from scipy import sparse

from labeldist.datasets import read_mat
from labeldist.exceptions import DatasetError, DatasetNotFoundError, NotADistributionError

X = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 4.0]])
D = np.array([[0.25, 0.75], [1.0, 0.0]])


@pytest.fixture
def save(tmp_path):
    """Save variables to a MATLAB file and return its path."""

    def save(**variables):
        path = tmp_path / "own.mat"
        scipy.io.savemat(path, variables)
        return path

    return save


def test_arrays_come_back(tiny, tmp_path):
    path = tmp_path / "tiny.mat"
    path.write_bytes(tiny.content)
    features, labels = read_mat(path)
    np.testing.assert_array_equal(features, tiny.X)
    np.testing.assert_array_equal(labels, tiny.D)
    for array in (features, labels):
        assert array.dtype == np.float64
        assert array.flags.c_contiguous
        assert array.flags.writeable
    np.testing.assert_array_equal(read_mat(str(path))[0], tiny.X)


@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.uint8, bool, ">f8"])
def test_real_types_become_float64(save, dtype):
    features, labels = read_mat(save(features=np.eye(2, dtype=dtype), labels=np.eye(2, dtype=dtype)))
    np.testing.assert_array_equal(features, np.eye(2))
    np.testing.assert_array_equal(labels, np.eye(2))
    assert features.dtype == labels.dtype == np.float64


def test_missing_file(tmp_path):
    with pytest.raises(DatasetNotFoundError, match=r"no file .*absent\.mat"):
        read_mat(tmp_path / "absent.mat")


def test_no_ending_is_added_to_the_name(save):
    path = save(features=X, labels=D)
    with pytest.raises(DatasetNotFoundError):
        read_mat(path.with_suffix(""))


@pytest.mark.parametrize(
    "content",
    [b"", b"<html>", b"no MATLAB file, but longer than its header " * 9],
    ids=["empty", "short", "long"],
)
def test_other_files(tmp_path, content):
    path = tmp_path / "other.mat"
    path.write_bytes(content)
    with pytest.raises(DatasetError, match=r"other\.mat cannot be read as a MATLAB file of version 5: "):
        read_mat(path)


@pytest.mark.parametrize("kept", [50, 130, 200])
def test_cut_file(tiny, tmp_path, kept):
    path = tmp_path / "cut.mat"
    path.write_bytes(tiny.content[:kept])
    with pytest.raises(DatasetError, match=r"cut\.mat cannot be read as a MATLAB file"):
        read_mat(path)


def test_version_7_3_says_how_to_save_it(tmp_path):
    path = tmp_path / "hdf.mat"
    path.write_bytes(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + b"\x89HDF")
    with pytest.raises(DatasetError, match=r"hdf\.mat is a MATLAB file of version 7\.3.*-v7"):
        read_mat(path)


@pytest.mark.parametrize("missing", ["features", "labels"])
def test_missing_variable_lists_what_there_is(save, missing):
    variables = {"features": X, "labels": D, "note": "by hand"}
    del variables[missing]
    path = save(**variables)
    with pytest.raises(DatasetError, match=f"no variable {missing}: .* holds {', '.join(sorted(variables))}"):
        read_mat(path)


def test_file_without_variables(save):
    with pytest.raises(DatasetError, match="holds nothing"):
        read_mat(save())


@pytest.mark.parametrize("key", ["features", "labels"])
@pytest.mark.parametrize(
    "value",
    ["text", np.ones((2, 2)) * 1j, np.array([1, "a"], dtype=object), {"field": 1}],
    ids=["text", "complex", "cell", "struct"],
)
def test_other_than_real_numbers(save, key, value):
    with pytest.raises(DatasetError, match=rf"variable {key} of .*own\.mat must hold real numbers; its type is"):
        read_mat(save(**({"features": X, "labels": D} | {key: value})))


@pytest.mark.parametrize("key", ["features", "labels"])
@pytest.mark.parametrize("shape", [(2, 1, 2), (0, 2), (2, 0)])
def test_other_than_a_matrix(save, key, shape):
    with pytest.raises(DatasetError, match=rf"variable {key} of .* its shape is \({shape[0]}, {shape[1]}"):
        read_mat(save(**({"features": X, "labels": D} | {key: np.ones(shape)})))


@pytest.mark.parametrize("key", ["features", "labels"])
def test_sparse_matrix_is_refused(save, key):
    with pytest.raises(DatasetError, match=rf"matrix {key} of .* is sparse: .* full\({key}\)"):
        read_mat(save(**({"features": X, "labels": D} | {key: sparse.csc_array(np.eye(2))})))


def test_different_numbers_of_rows(save):
    with pytest.raises(DatasetError, match=r"own\.mat has 2 rows of features and 3 rows of labels"):
        read_mat(save(features=X, labels=np.ones((3, 1))))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_feature_that_is_not_finite(save, bad):
    features = X.copy()
    features[1, 2] = bad
    with pytest.raises(DatasetError, match=rf"own\.mat .* 1 row\(s\), first in row 1: column 2 is {bad}"):
        read_mat(save(features=features, labels=D))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ([0.25, 0.5], r"first row 1: its sum is 0\.75"),
        ([1.5, -0.5], r"negative .* first in row 1: column 1 is -0\.5"),
        ([np.nan, 1.0], r"not finite .* first in row 1: column 0"),
    ],
)
def test_labels_that_are_no_distributions(save, row, words):
    with pytest.raises(NotADistributionError, match=rf"labels of .*own\.mat .*{words}"):
        read_mat(save(features=X, labels=[D[0], row]))
