"""Tables and lists of names in text: fields, lines, quotes, encodings and entities as nobody would write them."""

import io

import pytest

from labeldist import _unpacking as unpacking
from labeldist._tables.arff import read_arff, read_label_names
from labeldist._tables.columns import match_columns
from labeldist._tables.tables import read_table
from labeldist.datasets import TableStream
from labeldist.exceptions import TableError
from tests.trust.attacks import MEGABYTE

XML = '<labels xmlns="http://mulan.sourceforge.net/labels">{}</labels>'


def stream(path):
    return list(TableStream(path).chunks_of_features())


def test_a_field_of_a_hundred_megabytes(refuses):
    content = "a,b\n1," + "x" * 100 * MEGABYTE
    refuses(read_table, "a.csv", content, "near line 2: field larger than field limit", room=2**31)
    refuses(stream, "a.csv", content, r"a\.csv")


def test_a_field_of_many_lines(refuses):
    refuses(read_table, "a.csv", 'a,b\n1,"' + "x\n" * MEGABYTE + '"\n', "field larger than field limit")


def test_a_million_columns(refuses):
    names = ",".join(map(str, range(1_000_000)))
    refuses(read_table, "a.csv", f"{names}\n1\n", "it has 1,000,000 columns, and text is read with up to 100,000")
    refuses(stream, "a.csv", f"{names}\n1\n", r"it has 1..,... columns")  # as far as it looks


def test_a_million_columns_of_one_name(refuses):
    refuses(read_table, "a.csv", "a," * 1_000_000 + "a\n", "more than one column a")
    refuses(stream, "a.csv", "a," * 1000 + "a\n", "more than one column a")


@pytest.mark.parametrize("content", [b"a,b\n1\0,2\n", b"a\0,b\n1,2\n", "a,b\n1,2\n".encode("utf-16-le"), bytes(100)])
def test_nul_bytes(refuses, content):
    refuses(read_table, "a.csv", content, r"Line [12] of .*a\.csv has a NUL character.* Save it as CSV \(UTF-8\)")


@pytest.mark.parametrize("text", ['a,b\n"1,2\n', 'a,b\n1,"', '"', '"a""', "a\n'\n\"\n", 'a,b\n"1"2,3\n'])
def test_quotes_that_do_not_end_or_end_early(refuses, text):
    refuses(read_table, "a.csv", text, r"a\.csv cannot be read, near line")


def test_line_ends_of_all_kinds_in_one_file(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"a,b\r1,2\n3,4\r\n\n\r5,6\n\r7,8")
    assert read_table(tmp_path / "a.csv")["b"].tolist() == ["2", "4", "6", "8"]


def test_what_only_looks_like_the_end_of_a_line_is_part_of_a_cell(tmp_path):
    """Form feeds and separators of paragraphs, at which Python's splitlines would split; and a cell of spaces."""
    cells = ["x\x0cy", "x\x1cy", "x\u2028y", "x\x85y", "   "]
    (tmp_path / "a.csv").write_text("a\n" + "\n".join(cells), encoding="utf-8")
    assert read_table(tmp_path / "a.csv")["a"].tolist() == cells


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1", "cp1252"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.arff"])
def test_wrong_encodings_of_tables(refuses, name, encoding):
    refuses(read_table, name, "ä,b\n1,2\n".encode(encoding), "UTF-8")


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_wrong_encodings_of_names(refuses, encoding):
    refuses(read_label_names, "a.txt", "ä\nö\n".encode(encoding), "no text in UTF-8")
    refuses(stream, "a.csv", "ä,b\n1,2\n".encode(encoding), r"a\.csv")


@pytest.mark.parametrize("encoding", ["utf-9", "x-sjis", "idna", "rot13"])
def test_an_encoding_that_an_xml_makes_up(refuses, encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?>' + XML.format("")
    refuses(read_label_names, "a.xml", text, "cannot be read as XML")


BILLION_LAUGHS = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))


@pytest.mark.parametrize(
    "document",
    [
        f'<!DOCTYPE x [<!ENTITY l0 "lol">{BILLION_LAUGHS}]>',
        f'<!DOCTYPE x [<!ENTITY a "{"a" * 100_000}">]>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">',
        '<!DOCTYPE x [<!ENTITY % a SYSTEM "http://127.0.0.1:9/x"> %a;]>',
    ],
    ids=["billion laughs", "quadratic", "file", "network", "parameter"],
)
def test_entities_in_xml(refuses, document):
    body = XML.format('<label name="&l9;&a;"/>')
    refuses(read_label_names, "a.xml", document + body, "is refused: it declares a document type or entities")


def test_xml_that_is_nested_without_end(refuses):
    refuses(read_label_names, "a.xml", "<label>" * 100_000, "cannot be read as XML")
    refuses(read_label_names, "a.xml", "<label>" * 100_000 + "</label>" * 100_000, "names no labels")


@pytest.mark.parametrize("name", ["../joy", "/etc/passwd", "../labels.txt", "*", "labels.txt"])
def test_names_in_a_file_are_columns_and_never_paths_or_patterns(tmp_path, name):
    (tmp_path / "labels.txt").write_text(name)
    with pytest.raises(TableError, match="names columns that are not in the table"):
        match_columns(str(tmp_path / "labels.txt"), ["joy", "fear"], "label")
    assert match_columns(str(tmp_path / "labels.txt"), ["joy", name], "label") == [name]


@pytest.mark.parametrize("values", ["{" + "a," * 60 + " b c}", "{" + "a," * 60, "{" + "'a'," * 60 + " b c}", "{a {b}"])
def test_values_of_arff_that_lack_their_quotes(refuses, values):
    """liac-arff alone takes twice as long with each value more: with 22 of them five seconds."""
    text = f"@relation r\n@attribute a {values}\n@data\n1\n"
    refuses(read_table, "a.arff", text, "Bad @ATTRIBUTE type, at line 2", seconds=5)


def test_values_of_arff_with_all_kinds_of_quotes():
    text = "@relation r\n@attribute x { 'it\\'s' , b, \"c d\" ,\te}\n@data\n'it\\'s'\nb\n'c d'\ne\n"
    assert read_arff("a.arff", io.BytesIO(text.encode()))["x"].tolist() == ["it's", "b", "c d", "e"]


def test_sparse_arff_that_expands_to_gigabytes(refuses):
    attributes = "".join(f"@attribute a{k} numeric\n" for k in range(30_000))
    refuses(read_table, "a.arff", f"@relation r\n{attributes}@data\n" + "{}\n" * 30_000, "unpacks to more than")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@relation\n@attribute a numeric\n@data\n1\n", "not enough values"),
        ("@relation r\n@attribute\n@data\n1\n", "not enough values"),
        ("@relation r\n@attribute a numeric\n@data\n{5 1}\n", "Bad @DATA"),
        ("@relation r\n@attribute a numeric\n@data\n{0 %d %s}\n", "Invalid layout"),
    ],
)
def test_what_liac_arff_stumbles_over(refuses, text, message):
    refuses(read_table, "a.arff", text, f"cannot be read as ARFF: .*{message}")


def test_arff_with_too_many_attributes(refuses, monkeypatch):
    monkeypatch.setattr(unpacking, "MOST_COLUMNS", 1)
    text = "@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n1,2\n"
    refuses(read_table, "a.arff", text, "it has 2 columns, and text is read with up to 1")
