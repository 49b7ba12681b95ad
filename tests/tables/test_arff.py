"""ARFF and the XML beside it, as MULAN's sets have them."""

import io

import pytest

from labeldist._tables.arff import read_arff, read_label_names
from labeldist.exceptions import DatasetNotFoundError, TableError

HEADER = """% emotions in music
@relation 'music'
@attribute Mean_Acc1298 numeric
@attribute 'tempo class' {slow,fast}
@attribute amazed-suprised {0,1}
@data
"""
XML = '<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">{}</labels>'


def arff(rows):
    return read_arff("music.arff", io.BytesIO((HEADER + rows).encode()))


def test_dense_rows():
    table = arff("0.5,slow,1\n?,fast,0\n")
    assert list(table.columns) == ["Mean_Acc1298", "tempo class", "amazed-suprised"]
    assert table["Mean_Acc1298"].isna().tolist() == [False, True]
    assert table["amazed-suprised"].tolist() == ["1", "0"]


def test_sparse_rows_have_zeros_and_first_values_where_they_say_nothing():
    table = arff("% a comment\n{0 0.5,2 1}\n{1 fast}\n")
    assert table.to_numpy().tolist() == [[0.5, "slow", "1"], [0.0, "fast", "0"]]


def test_a_value_that_is_not_declared():
    with pytest.raises(TableError, match=r"music.arff cannot be read as ARFF: .*line 7"):
        arff("0.5,medium,1\n")


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_labels_of_xml_and_of_lines(tmp_path):
    nested = '<label name="sad"><label name="very sad"></label></label><label name="calm"/>'
    assert read_label_names(write(tmp_path / "a.xml", XML.format(nested))) == ["sad", "very sad", "calm"]
    assert read_label_names(write(tmp_path / "a.txt", "\ufeffsad\n\n very sad \n")) == ["sad", "very sad"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.xml", "<labels>", "cannot be read as XML"),
        ("a.xml", XML.format(""), "names no labels"),
        ("a.xml", '<!DOCTYPE l [<!ENTITY a "b">]><labels><label name="&a;"/></labels>', "declares a document type"),
        ("a.txt", "\n", "names no labels"),
    ],
)
def test_files_that_name_no_labels(tmp_path, name, text, message):
    with pytest.raises(TableError, match=message):
        read_label_names(write(tmp_path / name, text))


def test_files_that_are_not_there_or_no_text(tmp_path):
    with pytest.raises(DatasetNotFoundError, match="There is no file"):
        read_label_names(tmp_path / "none.xml")
    with pytest.raises(TableError, match="cannot be read"):
        read_label_names(tmp_path)
    (tmp_path / "a.txt").write_bytes(b"\xff")
    with pytest.raises(TableError, match="no text in UTF-8"):
        read_label_names(tmp_path / "a.txt")


@pytest.mark.parametrize(
    ("attribute", "cell", "column"),
    [
        ("'x{1}' numeric", "7", "x{1}"),
        ("'x {1}' numeric", "7", "x {1}"),
        ("x {'p{q',r}\t", "'p{q'", "x"),
        ("x {a,b} ", "b", "x"),
    ],
)
def test_braces_in_names_and_values(attribute, cell, column):
    text = f"@relation r\n@attribute {attribute}\n@data\n{cell}\n"
    found = read_arff("a.arff", io.BytesIO(text.encode()))
    assert found[column].tolist() in ([7.0], [cell.strip("'")])
