"""Reading and writing of tables by the suffix of the file: all formats together."""

import io
from contextlib import suppress

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from labeldist.app.tables.read_and_write import READERS, WRITABLE, WRITERS, read_table, write_table
from labeldist.exceptions import TableError

TEXT_FORMATS = (".csv", ".tsv", ".arff", ".json", ".jsonl")


@pytest.mark.parametrize("suffix", WRITABLE)
def test_numbers_round_trip(tmp_path, suffix):
    table = pd.DataFrame({"a b": [1.5, -2e-8], "joy": [0.25, 1.0]})
    write_table(table, tmp_path / f"table{suffix}")
    assert_frame_equal(read_table(tmp_path / f"table{suffix}").astype(float), table)


@pytest.mark.parametrize("suffix", WRITERS)
def test_words_round_trip(tmp_path, suffix):
    table = pd.DataFrame({"id": ["007", "008"], "said": ['a "b", c;d', "è\tü"]})
    write_table(table, tmp_path / f"table{suffix}")
    assert_frame_equal(read_table(tmp_path / f"table{suffix}"), table, check_dtype=False)


def test_standard_input_and_output_are_csv(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a\tb\n1\t2\n")))
    write_table(read_table("-"), "-")
    assert capsys.readouterr().out == "a,b\n1,2\n"


@pytest.mark.parametrize(
    ("name", "content", "fact"),
    [
        ("a.csv", "", "cannot be read"),
        ("a.csv", "a;b\n", "no rows.* a, b"),
        ("a.csv", "a,b\n1,2\n3,4,5\n", "line 3"),
        ("a.csv", "a;b;a\n1,5;2;3\n", "duplicate columns: a"),
        ("a.csv", "Survey,,\nid,who,label\n1,a,joy\n", r"duplicate columns: \(without a name\)"),
        ("a.csv", b"a,b\n\xff,1\n", "byte 4"),
        ("a.json", '{"a": 1}', "list of records"),
        ("a.jsonl", '{"a": 1}\n\n{"a": }\n', "line 3 is not a record.*column 7"),
        ("a.jsonl", '{"a": 1}\n[2]\n', "line 2 is not a record: '.2.'"),
        ("a.jsonl", '{"a": 1}\nnull\n', "line 2 is not a record: 'null'"),
        ("a.json", "[" * 100_000, "nested too deeply"),
        ("a.json", '[{"a": 1}, {"b": "\\ud83d"}]', "record 2, field 'b', has half of a surrogate"),
        ("a.jsonl", '{"a": ["\\uDE00"]}', "record 1, field 'a', has half of a surrogate"),
        ("a.xlsx", b"PK", r"\.csv, \.tsv"),
        ("a.parquet", b"PAR1", "cannot be read"),
        ("a.arff", "@relation x\n@attribute b {slow}\n@data\n5%\n", "5%.*line 4"),
    ],
)
def test_errors_name_the_file_and_the_place(write, name, content, fact):
    with pytest.raises(TableError, match=rf"{name}.*{fact}"):
        read_table(write(name, content))


def test_missing_file(tmp_path):
    with pytest.raises(TableError, match=r"absent\.csv"):
        read_table(tmp_path / "absent.csv")


@pytest.mark.parametrize("suffix", sorted(READERS.keys() - set(WRITABLE)))
def test_formats_that_are_only_read(tmp_path, suffix):
    with pytest.raises(TableError, match="unsupported"):
        write_table(pd.DataFrame({"a": [1]}), tmp_path / f"a{suffix}")


@settings(max_examples=50)
@given(
    suffix=st.sampled_from(TEXT_FORMATS),
    content=st.binary(max_size=200) | st.text(max_size=200).map(str.encode),
)
def test_arbitrary_text_is_read_or_a_table_error(tmp_path_factory, suffix, content):
    path = tmp_path_factory.getbasetemp() / f"any{suffix}"
    path.write_bytes(b"@relation r\n@attribute a {x,y}\n@data\n" * (suffix == ".arff") + content)
    with suppress(TableError):
        assert read_table(path).size


def test_surrogate_pairs_are_read(tmp_path):
    (tmp_path / "a.json").write_text('[{"a": "\\ud83d\\ude00"}]')
    assert read_table(tmp_path / "a.json").iloc[0, 0] == "\U0001f600"


def test_closed_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(TableError, match="Standard input is closed"):
        read_table("-")


def test_name_of_a_file_that_is_too_long(tmp_path):
    with pytest.raises(TableError, match=r"cannot be read: [^\[\]]*$"):
        read_table(tmp_path / f"{'a' * 300}.csv")
