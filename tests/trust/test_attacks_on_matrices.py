"""Files of matrices that were made to fill the memory, to end the process or to run something."""

import io
import pickle
import struct

import numpy as np
import pytest
import scipy.io

from labeldist import _unpacking as unpacking
from labeldist._tables import matlab
from labeldist._tables.tables import read_table
from labeldist.datasets import read_mat
from tests.trust import attacks
from tests.trust.attacks import GIGABYTE, MEGABYTE, Touch

TOO_LARGE = "unpacks to more than the 4,294,967,296 bytes"
NO_NPZ = "cannot be read as an .npz file of plain arrays"
NO_MAT = "cannot be read as a MATLAB file of version 5"


def npz_of_zeros(gigabytes, said):
    packed = attacks.deflated(attacks.npy_head((gigabytes * GIGABYTE // 8, 1)), gigabytes * 1024, wbits=-15)
    content = attacks.zip_of({"features.npy": packed}, sizes={"features.npy": said})
    assert len(content) < gigabytes * 2 * MEGABYTE
    return content


def test_an_npz_that_expands_to_gigabytes(refuses):
    refuses(read_table, "a.npz", npz_of_zeros(5, 5 * GIGABYTE + 128), TOO_LARGE)


def test_an_npz_that_lies_about_what_it_expands_to(refuses):
    refuses(read_table, "a.npz", npz_of_zeros(5, 1000), NO_NPZ)


@pytest.mark.parametrize("shape", [(2**40, 2**20), (2**28, 1), (10**30,), (-1, 2)])
def test_an_npz_with_a_shape_that_it_has_no_numbers_for(refuses, shape):
    content = attacks.zip_of({"features.npy": attacks.npy_head(shape) + bytes(64)})
    refuses(read_table, "a.npz", content, NO_NPZ)


def test_an_npz_within_an_npz(refuses):
    inner = attacks.zip_of({"features.npy": attacks.npy_head((1, 1)) + bytes(8)})
    refuses(read_table, "a.npz", attacks.zip_of({"features.npy": inner}), NO_NPZ)


def test_a_header_of_an_array_that_is_nested_without_end(refuses):
    words = b"(" * 9000
    head = b"\x93NUMPY\x01\x00" + len(words).to_bytes(2, "little") + words
    refuses(read_table, "a.npz", attacks.zip_of({"features.npy": head}), NO_NPZ)


def test_truth_values_that_would_grow_eightfold(refuses, monkeypatch):
    monkeypatch.setattr(unpacking, "LARGEST", MEGABYTE)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, features=np.zeros((MEGABYTE // 2, 1), dtype=bool))
    refuses(read_table, "a.npz", buffer.getvalue(), "The variable features of .* unpacks to more than")


def test_names_that_take_no_bytes_however_many_they_are(tmp_path):
    """Texts without characters; nobody goes through them, since there are not as many columns."""
    names = attacks.npy_head((10**12,), "<U0")
    content = attacks.zip_of({"X.npy": attacks.npy_head((1, 1)) + bytes(8), "feature_names.npy": names})
    (tmp_path / "a.npz").write_bytes(content)
    assert list(read_table(tmp_path / "a.npz").columns) == ["feature_0"]


def test_names_that_are_no_characters(refuses):
    names = attacks.npy_head((1,), "<U1") + (0x1F0000).to_bytes(4, "little")
    content = attacks.zip_of({"X.npy": attacks.npy_head((1, 1)) + bytes(8), "feature_names.npy": names})
    refuses(read_table, "a.npz", content, "names of the features of .* are no text")


def test_pickles_in_an_npz_are_not_loaded(refuses, tmp_path):
    trace, objects = tmp_path / "trace", io.BytesIO()
    np.save(objects, np.array([[Touch(trace)]], dtype=object), allow_pickle=True)
    for member in (objects.getvalue(), pickle.dumps(Touch(trace))):
        refuses(read_table, "a.npz", attacks.zip_of({"features.npy": member}), NO_NPZ)
    refuses(read_table, "a.npz", pickle.dumps(Touch(trace)), NO_NPZ)
    assert not trace.exists()
    np.load(io.BytesIO(objects.getvalue()), allow_pickle=True)
    assert trace.exists()  # it is as dangerous as it looks


def test_objects_functions_and_cells_in_a_mat_are_not_built(refuses):
    for value in (np.array([["a"]], dtype=object), {"field": 1}):
        buffer = io.BytesIO()
        scipy.io.savemat(buffer, {"features": value, "labels": np.ones((1, 1))})
        refuses(read_mat, "a.mat", buffer.getvalue(), "must hold real numbers; its type is (<U1|struct)")
    function = attacks.mat_file(attacks.mat_variable("features", (1, 1), b"@system", kind=16, stored=1))
    refuses(read_mat, "a.mat", function, "must hold real numbers; its type is function")


def test_cells_within_cells_without_end(refuses):
    """SciPy's reader follows them until its stack is full, and the process ends."""
    content = attacks.mat_file(attacks.cells_within_cells(20_000))
    refuses(read_mat, "a.mat", content, "its type is cell")


@pytest.mark.parametrize("stored", [0, 8, 10, 11, 14, 19, 255, 2**31])
def test_numbers_of_a_type_that_there_is_not(refuses, stored):
    """SciPy's reader looks up the type in a list of twenty, wherever that leads."""
    content = attacks.mat_file(attacks.mat_variable("features", (1, 1), bytes(8), stored=stored))
    refuses(read_mat, "a.mat", content, NO_MAT)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    "shape", [(2**31 - 1, 2**31 - 1), (2**31 - 1, 1), (-1, 1), (-2, -4), (1,) * 33, (1,) * 10_000, ()]
)
def test_a_mat_with_absurd_dimensions(refuses, shape, packed):
    content = attacks.mat_file(attacks.mat_variable("features", shape, bytes(8)), packed=packed)
    refuses(read_mat, "a.mat", content, f"{NO_MAT}|must be a matrix with entries")


@pytest.mark.parametrize("size", [0, 2**31, 2**32 - 1])
def test_a_mat_with_absurd_sizes(refuses, size):
    content = attacks.mat_file(attacks.mat_variable("features", (1, 1), bytes(8), size=size))
    refuses(read_mat, "a.mat", content, NO_MAT)


def packed_variable(size, megabytes):
    """Return a variable of zeros, and so many megabytes of them, whatever size it is said to have."""
    content = attacks.mat_variable("features", (size // 8, 1), b"", size=size)
    head = struct.pack("<II", 14, size + len(content)) + content
    packed = attacks.deflated(head, megabytes, wbits=15)
    return struct.pack("<II", 15, len(packed)) + packed


def test_a_mat_that_expands_to_gigabytes(refuses, monkeypatch):
    content = attacks.mat_file() + packed_variable(3 * GIGABYTE, 3 * 1024)
    assert len(content) < 6 * MEGABYTE
    refuses(read_mat, "a.mat", content, NO_MAT, room=64 * MEGABYTE)  # it may have so much, but not here
    monkeypatch.setattr(unpacking, "LARGEST", 2 * GIGABYTE)
    refuses(read_mat, "a.mat", content, "unpacks to more than the 2,147,483,648 bytes")


def test_a_mat_that_lies_about_what_it_expands_to(refuses):
    refuses(read_mat, "a.mat", attacks.mat_file() + packed_variable(1000, 3 * 1024), "unpacks to more than the 1,0")


def test_a_long_text_in_a_mat_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(matlab, "LONGEST_TEXT", 100)
    variables = {"features": np.ones((1, 2)), "feature_names": "x" * 101, "labels": np.ones((1, 1))}
    scipy.io.savemat(tmp_path / "a.mat", variables, do_compression=True)
    assert list(read_table(tmp_path / "a.mat").columns) == ["feature_0", "feature_1", "label_0"]
