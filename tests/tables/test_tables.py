"""Tables come out of files, and go into files, as they are; whatever is wrong with a file is said."""

import io

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from labeldist._tables.tables import FORMATS, check_format, listed, read_table, write_table
from labeldist.exceptions import DatasetNotFoundError, OutputError, TableError


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize("suffix", FORMATS)
def test_numbers_survive_every_format(tmp_path, suffix):
    table = pd.DataFrame({"a b": [1.5, -2e-8], "joy": [0.25, 1.0]})
    path = tmp_path / f"table{suffix}"
    write_table(table, path)
    assert_frame_equal(read_table(path).astype(float), table)


@pytest.mark.parametrize("suffix", [suffix for suffix in FORMATS if suffix not in (".npz", ".mat")])
def test_words_survive_every_format_that_has_room_for_them(tmp_path, suffix):
    table = pd.DataFrame({"id": ["007", "008"], "said": ['a "b", c;d', "è\tü"], "x": [1.5, 2.0]})
    path = tmp_path / f"table{suffix}"
    write_table(table, path)
    read = read_table(path)
    assert read["id"].tolist() == ["007", "008"]
    assert read["said"].tolist() == table["said"].tolist()


@pytest.mark.parametrize("suffix", [".npz", ".mat"])
def test_matrices_have_no_room_for_words(tmp_path, suffix):
    with pytest.raises(TableError, match="room for numbers only, and id are none"):
        write_table(pd.DataFrame({"id": ["007"], "x": [1.0]}), tmp_path / f"table{suffix}")


def test_cells_of_text_come_out_as_they_were_written(write, tmp_path):
    text = "id,x\n007,1.10\n008,\n"
    write_table(read_table(write("in.csv", text)), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == text


def test_cells_that_look_like_formulas_are_text(write, tmp_path):
    text = "id,note\n=1+1,@SUM(A1)\n+7,{{7*7}}\n-2,__import__('os')\n"
    table = read_table(write("in.csv", text))
    assert list(table["id"]) == ["=1+1", "+7", "-2"]
    write_table(table, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == text


@pytest.mark.parametrize(
    ("name", "text"), [("a.csv", "\ufeffa,b\n1,2\n"), ("a.csv", "a;b\r\n1;2\r\n"), ("a.tsv", "a\tb\n\n1\t2\n")]
)
def test_spreadsheets_of_all_countries(write, name, text):
    assert read_table(write(name, text)).to_dict("list") == {"a": ["1"], "b": ["2"]}


def test_cells_may_hold_line_breaks_and_separators(write):
    assert read_table(write("a.csv", 'a,b\n"1,\n2",3\n')).to_dict("list") == {"a": ["1,\n2"], "b": ["3"]}


def test_standard_input_and_output_are_csv(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a\tb\n1\t2\n")))
    write_table(read_table("-"), "-")
    assert capsys.readouterr().out == "a,b\n1,2\n"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "is empty: not even names"),
        ("a.csv", "\n\n", "is empty: not even names"),
        ("a.csv", "a,b\n", r"has no rows below its names of columns \(a, b\)"),
        ("a.csv", "a,b\n1,2\n3\n", "Line 3 of .*a.csv has 1 cells where the names of columns are 2"),
        ("a.csv", 'a,b\n"1\n",2\n3,4,5\n', "Line 4 of .* has 3 cells"),
        ("a.csv", 'a,b\n"1,2\n', "cannot be read, near line"),
        ("a.csv", "a,b,a\n1,2,3\n", "more than one column a. Rename"),
        ("a.csv", b"a,b\n\xff,1\n", "no text in UTF-8 .byte 4.* Save it as CSV"),
        ("a.xlsx", b"PK", r"no known format: a table ends in .csv, .tsv, .* Save it as CSV"),
        ("a.parquet", b"PAR1", "cannot be read as a parquet file"),
        ("a.feather", b"ARROW1", "cannot be read as a feather file"),
        ("a.npz", b"PK\x03\x04", "cannot be read as an .npz file of plain arrays"),
        ("a.arff", "@relation x\n@data\n", "cannot be read as ARFF"),
        ("a.arff", b"\xff", "no text in UTF-8"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(write, name, content, message):
    with pytest.raises(TableError, match=message):
        read_table(write(name, content))


def test_a_file_that_is_not_there_or_none(tmp_path):
    with pytest.raises(DatasetNotFoundError, match=r"There is no file .*none.csv"):
        read_table(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(TableError, match="cannot be read: Is a directory"):
        read_table(tmp_path / "folder.csv")


def test_formats_are_checked_before_the_work():
    check_format("-")
    check_format("a.CSV")
    with pytest.raises(TableError, match="no known format"):
        check_format("a.docx")


def test_arrays_are_found_by_the_usual_names_and_may_name_their_columns(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(2), D=np.eye(2), label_names=np.array(["joy", "fear"]))
    assert list(read_table(tmp_path / "a.npz").columns) == ["feature_0", "feature_1", "joy", "fear"]
    np.savez(
        tmp_path / "a.npz", X=np.eye(2), D=np.eye(2), feature_names=[10, 20], label_names=[b"joy", b"Gl\xc3\xbcck"]
    )
    assert list(read_table(tmp_path / "a.npz").columns) == ["10", "20", "joy", "Glück"]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"other": np.eye(2)}, "neither features nor labels: it holds other"),
        ({"features": np.eye(2), "labels": np.eye(3)}, "2 rows of features and 3 rows of labels"),
    ],
)
def test_arrays_that_are_no_table(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(TableError, match=message):
        read_table(tmp_path / "a.npz")


def test_objects_in_archives_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", features=np.array([[object()]], dtype=object))
    with pytest.raises(TableError, match="plain arrays"):
        read_table(tmp_path / "a.npz")


def test_an_index_that_pandas_saved_is_a_column_if_it_has_a_name(tmp_path):
    table = pd.DataFrame({"x": [1.0, 2.0]}, index=pd.Index(["a", "b"], name="item"))
    table.to_parquet(tmp_path / "a.parquet")
    assert read_table(tmp_path / "a.parquet")["item"].tolist() == ["a", "b"]


def test_a_full_standard_output_is_an_error(monkeypatch):
    with open("/dev/full", "w") as stream:
        monkeypatch.setattr("sys.stdout", stream)
        with pytest.raises(OutputError, match="Standard output cannot be written: No space left"):
            write_table(pd.DataFrame({"a": ["1"]}), "-")


def test_long_lists_are_shortened():
    assert listed(range(14)).endswith("10, 11 and 2 more")
