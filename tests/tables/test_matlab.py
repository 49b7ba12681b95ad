"""MATLAB's files are read as SciPy reads them, where it does."""

import io
import struct

import numpy as np
import pytest
import scipy.io
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from labeldist._tables import matlab
from labeldist._tables.matlab import Unread, load_mat
from labeldist._tables.tables import read_table
from labeldist.exceptions import DatasetError
from tests.trust import attacks

DTYPES = ["f8", "f4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]
MATRICES = st.sampled_from(DTYPES).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=2, max_dims=3, max_side=5))
)


def load(content, tmp_path):
    (tmp_path / "a.mat").write_bytes(content)
    return load_mat(tmp_path / "a.mat")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("mat")


@given(matrix=MATRICES, packed=st.booleans(), name=st.from_regex(r"[a-z][a-z_0-9]{0,30}", fullmatch=True))
def test_matrices_are_read_as_scipy_reads_them(folder, matrix, packed, name):
    buffer = io.BytesIO()
    scipy.io.savemat(buffer, {name: matrix, "other": 7.0}, do_compression=packed)
    found = load(buffer.getvalue(), folder)
    expected = scipy.io.loadmat(io.BytesIO(buffer.getvalue()))
    assert_array_equal(found[name], expected[name])
    assert_array_equal(found["other"], [[7.0]])


def test_benchmark_sets_are_read_as_scipy_reads_them(benchmark_folder):
    for path in sorted(benchmark_folder.glob("Yeast_*.mat")):
        expected = scipy.io.loadmat(path)
        for name, matrix in load_mat(path).items():
            assert_array_equal(matrix, expected[name])


def test_numbers_may_be_stored_in_smaller_types(tmp_path):
    """As MATLAB does with doubles that are whole."""
    variable = attacks.mat_variable("a", (2, 2), bytes([1, 2, 3, 4]), kind=6, stored=2)
    assert_array_equal(load(attacks.mat_file(variable), tmp_path)["a"], [[1, 3], [2, 4]])
    short = attacks.mat_variable("a", (1, 2), struct.pack("<HH", 2, 2) + bytes([5, 6, 0, 0]), stored=None)
    assert_array_equal(load(attacks.mat_file(short), tmp_path)["a"], [[5, 6]])


def test_the_order_of_bytes_is_that_of_the_file(tmp_path):
    def element(kind, content):
        return struct.pack(">II", kind, len(content)) + content + bytes(-len(content) % 8)

    parts = element(6, struct.pack(">II", 6, 0)) + element(5, struct.pack(">ii", 1, 2)) + element(1, b"a")
    content = b"MATLAB 5.0".ljust(124) + b"\x01\x00MI" + element(14, parts + element(9, struct.pack(">dd", 1.5, -2)))
    assert_array_equal(load(content, tmp_path)["a"], [[1.5, -2.0]])


@pytest.mark.parametrize("names", [["joy", "fear"], ["a"], ["ü", "ß"]])
def test_rows_of_characters_are_strings(tmp_path, names):
    scipy.io.savemat(tmp_path / "a.mat", {"names": np.array(names)})
    assert [name.strip() for name in load_mat(tmp_path / "a.mat")["names"]] == names


@pytest.mark.parametrize(
    ("stored", "encoding"),
    [(1, "latin-1"), (2, "latin-1"), (4, "utf-16-le"), (16, "utf-8"), (17, "utf-16-le"), (18, "utf-32-le")],
)
def test_characters_of_all_encodings(tmp_path, stored, encoding):
    variable = attacks.mat_variable("a", (1, 3), "aüc".encode(encoding), kind=4, stored=stored)
    assert load(attacks.mat_file(variable), tmp_path)["a"].tolist() == ["aüc"]


@pytest.mark.parametrize("text", ["", "𝄞", "\ud800"])
def test_characters_that_are_not_counted_as_they_are_stored_are_left_out(tmp_path, text):
    data = text.encode("utf-16-le", "surrogatepass")
    variable = attacks.mat_variable("a", (1, len(data) // 2 + (text == "\ud800")), data, kind=4, stored=17)
    assert load(attacks.mat_file(variable), tmp_path)["a"].size == 0


def test_of_everything_else_the_kind_is_told(tmp_path):
    kinds = {1: "cell", 2: "struct", 3: "object", 5: "sparse", 16: "function", 99: "class 99"}
    variables = [attacks.mat_variable(f"v{kind}", (1, 1), bytes(8), kind=kind) for kind in kinds]
    found = load(attacks.mat_file(*variables), tmp_path)
    assert found == {f"v{kind}": Unread(name) for kind, name in kinds.items()}
    opaque = attacks.mat_element(6, struct.pack("<II", 17, 0)) + attacks.mat_element(1, b"table")
    assert load(attacks.mat_file(opaque), tmp_path) == {"table": Unread("opaque")}


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(DatasetError, match="cannot be read: Is a directory"):
        load_mat(tmp_path)


def test_names_may_be_cells_of_text_as_matlab_keeps_them(tmp_path):
    names = np.array(["joy", "fear of heights", "Glück"], dtype=object)
    variables = {"features": np.ones((2, 1)), "labels": np.ones((2, 3)), "label_names": names}
    scipy.io.savemat(tmp_path / "a.mat", variables)
    assert list(read_table(tmp_path / "a.mat").columns) == ["feature_0", *names]
    for other in (["joy", 7, "calm"], ["joy", np.array(["a", "b"]), "calm"], ["joy", "", "calm"]):
        scipy.io.savemat(tmp_path / "a.mat", variables | {"label_names": np.array([*other, 0], dtype=object)[:3]})
        assert load_mat(tmp_path / "a.mat")["label_names"] == Unread("cell")


def test_cells_of_one_long_text_and_many_short_ones_are_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(matlab, "LONGEST_TEXT", 100)
    names = np.array(["x" * 40, "b", "c"], dtype=object)
    scipy.io.savemat(tmp_path / "a.mat", {"names": names, "two": names[:2]})
    found = load_mat(tmp_path / "a.mat")
    assert found["names"] == Unread("cell")
    assert found["two"].tolist() == ["x" * 40, "b"]


def test_one_of_version_4_is_told_how_to_save_it(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", {"features": np.ones((2, 1))}, format="4")
    with pytest.raises(DatasetError, match=r"If it is of version 4, save it again in MATLAB with save\("):
        load_mat(tmp_path / "a.mat")
