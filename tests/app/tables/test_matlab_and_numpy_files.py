"""MATLAB and NumPy files."""

import numpy as np
import pandas as pd
import pytest
import scipy.io
from scipy import sparse

from labeldist.app.tables.read_and_write import read_table, write_table
from labeldist.exceptions import TableError


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


def test_column_names(save_as):
    names = np.array(["joy", "Glück"])
    path = save_as(features=np.eye(2), labels=np.eye(2), label_names=names, note=np.ones(3))
    assert list(read_table(path).columns) == ["feature_0", "feature_1", "joy", "Glück"]


def test_names_in_a_cell_array(tmp_path):
    names = np.array(["joy", "fear"], dtype=object)
    scipy.io.savemat(tmp_path / "a.mat", {"labels": np.eye(2), "label_names": names})
    assert list(read_table(tmp_path / "a.mat").columns) == ["joy", "fear"]


def test_labels_are_written_to_their_own_matrix(tmp_path):
    for path in (tmp_path / "a.npz", tmp_path / "a.mat"):
        write_table(pd.DataFrame({"joy": [0.5, 1.0], "x": [1.0, 2.0]}), path, labels=["joy"])
        assert list(read_table(path).columns) == ["x", "joy"]


def test_files_without_a_table(save_as):
    with pytest.raises(TableError, match="neither"):
        read_table(save_as(other=np.eye(2)))
    with pytest.raises(TableError, match=r"2 rows .* 3 rows"):
        read_table(save_as(features=np.eye(2), labels=np.eye(3)))


@pytest.mark.parametrize(
    "value", ["text", np.ones((2, 2)) * 1j, np.ones((2, 1, 2)), sparse.csc_array(np.eye(2))]
)
def test_variable_that_is_not_a_dense_matrix_of_numbers(tmp_path, value):
    scipy.io.savemat(tmp_path / "a.mat", {"features": value})
    with pytest.raises(TableError, match=r"a\.mat .*features must be"):
        read_table(tmp_path / "a.mat")


def test_words_cannot_be_written(tmp_path):
    with pytest.raises(TableError, match="id"):
        write_table(pd.DataFrame({"id": ["007"], "x": [1.0]}), tmp_path / "table.mat")
    assert not list(tmp_path.iterdir())


def test_pickled_objects_raise(write, tmp_path):
    write("b.npz", b"not an archive")
    np.savez(tmp_path / "a.npz", features=np.array([[object()]], dtype=object))
    for name in ("a.npz", "b.npz"):
        with pytest.raises(TableError, match=r"holds Python objects\.$"):
            read_table(tmp_path / name)


def test_matlab_files_of_version_7_3_raise(write):
    content = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + b"\x89HDF"
    with pytest.raises(TableError, match=r"7\.3"):
        read_table(write("a.mat", content))
