"""Reading and writing of tables in every format except the matrices of MATLAB and NumPy."""

import io
from contextlib import suppress

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from labeldist._tables.tables import FORMATS, read_table, write_table
from labeldist.exceptions import LabelDistWarning, TableError

TEXT_FORMATS = (".csv", ".tsv", ".arff", ".json", ".jsonl")


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize("suffix", FORMATS)
def test_numbers_round_trip(tmp_path, suffix):
    table = pd.DataFrame({"a b": [1.5, -2e-8], "joy": [0.25, 1.0]})
    write_table(table, tmp_path / f"table{suffix}")
    assert_frame_equal(read_table(tmp_path / f"table{suffix}").astype(float), table)


@pytest.mark.parametrize("suffix", [suffix for suffix in FORMATS if suffix not in (".npz", ".mat")])
def test_words_round_trip(tmp_path, suffix):
    table = pd.DataFrame({"id": ["007", "008"], "said": ['a "b", c;d', "è\tü"], "x": [1.5, 2.0]})
    write_table(table, tmp_path / f"table{suffix}")
    read = read_table(tmp_path / f"table{suffix}")
    assert read["id"].tolist() == ["007", "008"]
    assert read["said"].tolist() == table["said"].tolist()


@pytest.mark.parametrize("text", ["id,x\n007,1.10\n008,\n", "id,note\n=1+1,@SUM(A1)\n-2,__import__('os')\n"])
def test_csv_cells_are_written_back_unchanged(write, tmp_path, text):
    write_table(read_table(write("in.csv", text)), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "\ufeffa,b\n1,2\n"),
        ("a.csv", "a;b\r\n1;2\r\n"),
        ("a.csv", "a\tb\n1\t2"),
        ("a.CSV", "a,b\r1,2\r"),
        ("a.tsv", "a\tb\n\n1\t2\n"),
        ("a.csv", "sep=;\r\na;b\r\n1;2\r\n"),
    ],
)
def test_separators_and_line_ends(write, name, text):
    assert read_table(write(name, text)).to_dict("list") == {"a": ["1"], "b": ["2"]}


def test_decimal_commas_between_semicolons(write):
    with pytest.warns(LabelDistWarning, match="Column a: decimal commas are replaced"):
        table = read_table(write("a.csv", "a;b;c\n1,5;x,1;2\n2;y,2;3\n"))
    assert table.to_dict("list") == {"a": ["1.5", "2"], "b": ["x,1", "y,2"], "c": ["2", "3"]}
    with pytest.warns(LabelDistWarning, match=r"Column 'b' holds 1\.234, .*read as decimals"):
        assert read_table(write("a.csv", "a;b\nx;1.234\ny;2.345\n"))["b"].tolist() == ["1.234", "2.345"]
    for cells in (["0.234", "2.345"], ["0.234", "1"], ["1.25", "3"], ["950", "1200"]):
        assert read_table(write("a.csv", "a;b\nx,1;{}\nx,1;{}\n".format(*cells)))["b"].tolist() == cells


@pytest.mark.parametrize(("suffix", "separator"), [("csv", ","), ("tsv", "\t")])
def test_points_that_may_separate_thousands_warn(write, suffix, separator):
    with pytest.warns(LabelDistWarning, match=r"Column 'b' holds 1\.200, which may have a thousands separator"):
        read_table(write(f"a.{suffix}", "a,b\nx,950\ny,1.200\n".replace(",", separator)))
    for cells in (["1.200", "2.345"], ["0.200", "950"], ["1.5", "1.200"]):
        read_table(write(f"a.{suffix}", "a,b\nx,{}\ny,{}\n".format(*cells).replace(",", separator)))


def test_repeated_header_is_an_error(write):
    with pytest.raises(TableError, match="line 3 repeats the header"):
        read_table(write("a.csv", "a,b\n1,2\na,b\n3,4\n"))


def test_decimal_commas_of_text_columns_are_kept(write):
    path = write("a.csv", "id;r_1;r_2;x\n1,5;1,2;1;0,5\n2,5;2;2,1;1\n")
    with pytest.warns(LabelDistWarning, match="Column x: "):
        table = read_table(path, text=["id", "r_*", None])
    assert table.to_dict("list") == {"id": ["1,5", "2,5"], "r_1": ["1,2", "2"], "r_2": ["1", "2,1"], "x": ["0.5", "1"]}
    with pytest.warns(LabelDistWarning, match="Column id, r_1, r_2: "):
        assert read_table(path, text=["x"])["id"].tolist() == ["1.5", "2.5"]


def test_decimal_commas_next_to_words_for_gaps(write):
    """R's write.csv2 writes NA."""
    with pytest.warns(LabelDistWarning, match="Column x: "):
        table = read_table(write("a.csv", '"x";"y"\n1,5;"a"\nNA;NA\n'))
    assert table.to_dict("list") == {"x": ["1.5", "NA"], "y": ["a", "NA"]}
    with pytest.raises(TableError, match=r"column 'y' holds 1\.234"):
        read_table(write("a.csv", "x;y\n1,5;1.234\n2,5;NA\n"))


@pytest.mark.parametrize(
    ("header", "separator"),
    [
        ('"How, if at all, do you feel?";b', ";"),
        ('"a; b; c",d', ","),
        ('"a,\n,b";"c ""d,e,f"""', ";"),
        ('5" disk;b', ";"),
    ],
)
def test_separators_in_quoted_names_do_not_count(write, header, separator):
    table = read_table(write("a.csv", f"{header}\n1{separator}2\n"))
    assert table.to_numpy().tolist() == [["1", "2"]]


def test_empty_columns_without_a_name_are_dropped(write):
    table = read_table(write("a.csv", "a,b,, ,\n1,,,,\n2,, ,,x\n"))
    assert table.to_dict("list") == {"a": ["1", "2"], "b": ["", ""], "": ["", "x"]}


def test_cells_may_be_long(write):
    assert len(read_table(write("a.csv", f"a,b\n1,{'x' * 200_000}\n"))["b"][0]) == 200_000


def test_quotes_that_would_join_rows_of_tsv_are_errors(write):
    path = write("a.tsv", 'id\ttext\tjoy\n1\t"Hi there\t0.5\n2\tbye"\t0.25\n3\ta\tb\n')
    with pytest.raises(TableError, match=r"from line 2 on, has tabs and line breaks\. If its quotes"):
        read_table(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", 'text,joy\n"Hi\nthere",0.5\n'),
        ("a.csv", 'id,text\n1,"Hi\nthere, you"\n2,"Well,\nyes"\n'),
        ("a.csv", 'id,text,joy\n1,"Hi there,0.5\n2,bye",0.25\n\n3,a,b\n'),
        ("a.csv", 'id,text,joy\n1,"a,b\nc,d\ne",0.5\n2,"a,b",1\n'),
        ("a.tsv", 'id\ttext\n1\t"Hi\nthere, you"\n2\t"a\tb"\n'),
    ],
)
def test_line_breaks_in_quotes_are_read(write, tmp_path, name, text):
    table = read_table(write(name, text))
    assert table["text"].str.contains("\n").iloc[0]
    write_table(table, tmp_path / f"out_{name}")
    assert_frame_equal(read_table(tmp_path / f"out_{name}"), table)


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_carriage_returns_round_trip(tmp_path, suffix):
    table = pd.DataFrame({"id": ["1", "2"], "text": ["a\rb", "c\r\nd"], "x": ["", "0.5"]})
    write_table(table, tmp_path / f"a{suffix}")
    assert_frame_equal(read_table(tmp_path / f"a{suffix}"), table.astype(object), check_dtype=False)


def test_standard_input_and_output_are_csv(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a\tb\n1\t2\n")))
    write_table(read_table("-"), "-")
    assert capsys.readouterr().out == "a,b\n1,2\n"


@pytest.mark.parametrize(
    ("name", "content", "fact"),
    [
        ("a.csv", "", "empty"),
        ("a.csv", "a;b\n", "no rows.* a, b"),
        ("a.csv", "a,b\n1,2\n3\n", "line 3 has 1 cells.* 2"),
        ("a.csv", 'a,b\n"1"2,3\n', "line 2"),
        ("a.csv", "a;b;a\n1,5;2;3\n", "more than one column a"),
        ("a.csv", "Survey,,\nid,who,label\n1,a,joy\n", "more than one column without a name"),
        ("a.csv", "a;b\n1,5;999\n2,5;1.234\n", "column 'b' holds 1.234.*thousands"),
        ("a.csv", "a;b\n1;950\n2;1.234\n", "column 'b' holds 1.234.*thousands"),
        ("a.csv", b"a,b\n\xff,1\n", "byte 4"),
        ("a.csv", "a,b\n1,2\n".encode("utf-16-le"), "NUL"),
        ("a.json", '{"a": {"b": 1}, "c": {"b": 1}, "a": {"b": 2}}', "key 'a' more than once"),
        ("a.jsonl", '{"a": 1, "b": 2, "a": 3}', "key 'a' more than once"),
        ("a.json", '{"a": 1}', "list of records"),
        ("a.json", '[{"a": 1}, 2]', "list of records"),
        ("a.json", '[{"a": 1,', "cannot be read"),
        ("a.json", "[]", "no rows"),
        ("a.jsonl", '{"a": 1}\n\n{"a": }\n', "line 3 is not JSON.*column 7"),
        ("a.jsonl", '{"a": 1}\n[2]\n', "line 2 is not a record"),
        ("a.xlsx", b"PK", r"\.csv, \.tsv"),
        ("a.parquet", b"PAR1", "cannot be read"),
        ("a.feather", b"ARROW1", "cannot be read"),
        ("a.npz", b"PK\x03\x04", "cannot be read"),
        ("a.arff", "@relation x\n@data\n", "cannot be read"),
        ("a.arff", "@relation x\n@attribute b {slow}\n@data\nmedium\n", "medium.*line 4"),
    ],
)
def test_errors_name_the_file_and_the_place(write, name, content, fact):
    with pytest.raises(TableError, match=rf"{name}.*{fact}"):
        read_table(write(name, content))


@given(suffix=st.sampled_from(TEXT_FORMATS), content=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_arbitrary_text_is_read_or_a_table_error(tmp_path_factory, suffix, content):
    path = tmp_path_factory.getbasetemp() / f"any{suffix}"
    path.write_bytes(b"@relation r\n@attribute a {x,y}\n@data\n" * (suffix == ".arff") + content)
    with suppress(TableError):
        assert read_table(path).size


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '[{"id": "a", "n": {"e": 3}, "votes": [1, 2]}, {"id": "b", "n": {"e": 4, "c": 5}}]'),
        ("a.json", '{"a": {"n": {"e": 3}, "votes": [1, 2]}, "b": {"n": {"e": 4, "c": 5}}}'),
        ("a.json", '\ufeff{"id": "a", "n": {"e": 3}, "votes": [1, 2]}\n{"id": "b", "n": {"e": 4, "c": 5}}'),
        ("a.jsonl", '{"id": "a", "n": {"e": 3}, "votes": [1, 2]}\r\n\n{"id": "b", "n": {"e": 4, "c": 5}}\n'),
    ],
    ids=["records", "items", "lines", "jsonl"],
)
def test_json(write, tmp_path, name, text):
    table = read_table(write(name, text))
    assert table.to_dict("list") == {"id": ["a", "b"], "n.e": [3, 4], "votes": [[1, 2], None], "n.c": [None, 5]}
    for suffix in (".json", ".jsonl"):
        write_table(table, tmp_path / f"out{suffix}")
        assert_frame_equal(read_table(tmp_path / f"out{suffix}"), table)
    for suffix in (".csv", ".parquet"):
        write_table(table, tmp_path / f"out{suffix}")
        assert read_table(tmp_path / f"out{suffix}")["votes"][0] == "[1, 2]"


def test_items_with_an_id_have_another_key(write):
    assert read_table(write("a.json", '{"a": {"id": 7}}')).to_dict("list") == {"key": ["a"], "id": [7]}
    both = read_table(write("a.json", '{"a": {"id": 7, "key": "x"}}')).to_dict("list")
    assert both == {"_key": ["a"], "id": [7], "key": ["x"]}


def test_digits_and_mixed_types_in_json(write, tmp_path):
    write("a.jsonl", f'{{"n": {2**53 + 1}, "label": "0"}}\n{{"n": null, "label": 0}}\n')
    table = read_table(tmp_path / "a.jsonl")
    assert table.to_dict("list") == {"n": [2**53 + 1, None], "label": ["0", "0"]}


@pytest.mark.parametrize("records", ['{"c": {"x": 1}, "c.x": 2}', '{"c": {"x": 1}}, {"c.x": 2}'])
def test_keys_of_json_that_would_be_one_column_are_errors(write, records):
    with pytest.raises(TableError, match=r"more than one column c\.x"):
        read_table(write("a.json", f"[{records}]"))


def test_null_in_place_of_an_object_is_empty(write):
    table = read_table(write("a.json", '[{"c": {"x": 1, "y": {"z": 2}}}, {"c": null}, {"c": {"y": null}}]'))
    assert table.to_dict("list") == {"c.x": [1, None, None], "c.y.z": [2, None, None]}


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
@pytest.mark.parametrize("cells", [["x", 0.5, True, None], [2**64, 1, None, 2], [["a", 1], 2.5, None, "b"]])
def test_cells_of_several_types_are_written_as_text(tmp_path, suffix, cells):
    write_table(pd.DataFrame({"a": pd.Series(cells, dtype=object)}), tmp_path / f"a{suffix}")
    found = read_table(tmp_path / f"a{suffix}")["a"]
    assert [None if pd.isna(cell) else cell for cell in found] == [
        None if cell is None else '["a", 1]' if isinstance(cell, list) else str(cell) for cell in cells
    ]


def test_braces_and_question_marks_round_trip_through_arff(tmp_path):
    table = pd.DataFrame({"a": ["{c}", "?", "{0 1}", None], "b": pd.Categorical(["{c}", "?", "x y", None])})
    write_table(table, tmp_path / "a.arff")
    found = read_table(tmp_path / "a.arff")
    assert found.fillna({"a": "gap"})["a"].tolist() == ["{c}", "?", "{0 1}", "gap"]
    assert found["b"].tolist()[:3] == ["{c}", "?", "x y"]
    assert found["b"].isna().tolist() == [False, False, False, True]


ARFF = "@relation 'music'\n@attribute acc numeric\n@attribute 'tempo class' {slow,'very fast'}\n@attribute joy {0,1}\n"


def test_dense_arff(write):
    table = read_table(write("a.arff", f"% comment\n{ARFF}@data\n0.5,slow,1\n?,'very fast',0\n"))
    assert list(table.columns) == ["acc", "tempo class", "joy"]
    assert table["acc"].isna().tolist() == [False, True]
    assert table["joy"].tolist() == ["1", "0"]
    assert table["tempo class"].cat.categories.tolist() == ["slow", "very fast"]


def test_sparse_arff_omits_zeros_and_first_values(write):
    table = read_table(write("a.arff", f"{ARFF}@DATA\n% comment\n{{0 0.5,2 1}}\n{{1 'very fast'}}\n"))
    assert table.to_numpy().tolist() == [[0.5, "slow", "1"], [0.0, "very fast", "0"]]


def test_integer_attributes_of_arff_keep_fractions(write):
    header = "@relation r\n@attribute a INTEGER\n@attribute b integer\n@attribute c Integer\n"
    table = read_table(write("a.arff", f"{header}@data\n0.5,7,?\n1.7,-2,?\n"))
    assert table["a"].tolist() == [0.5, 1.7]
    assert table["b"].tolist() == [7, -2]
    assert table["b"].dtype.kind == "i"  # so that identifiers are not written as 7.0
    assert table["c"].isna().all()
    large = read_table(write("a.arff", f"{header}@data\n1,12345678901234567,?\n?,12345678901234568,-3\n"))
    assert large["b"].tolist() == [12345678901234567, 12345678901234568]
    assert large["a"].tolist() == [1, None]


@pytest.mark.parametrize(
    ("attribute", "cell", "column", "value"),
    [
        (r"'Steller\'s Jay' {0,1}", "1", "Steller's Jay", "1"),
        ('"a \\"b\\"" numeric', "7", 'a "b"', 7.0),
        ("it's numeric", "7", "it's", 7.0),
        ("'x {1}' numeric", "7", "x {1}", 7.0),
        ("'x' {'p' , 'q'}", "q", "x", "q"),
        (r"x { 'it\'s' , b}", r"'it\'s'", "x", "it's"),
        ("x {'p{q',r}\t", "'p{q'", "x", "p{q"),
    ],
)
def test_quotes_and_braces_in_arff(write, attribute, cell, column, value):
    table = read_table(write("a.arff", f"@relation r\n@attribute {attribute}\n@data\n{cell}\n"))
    assert table[column].tolist() == [value]


@pytest.mark.parametrize("values", ["{" + "a," * 60 + " b c}", "{" + "'a'," * 60])
def test_arff_values_without_quotes_fail_quickly(write, values):
    with pytest.raises(TableError, match="line 2"):
        read_table(write("a.arff", f"@relation r\n@attribute a {values}\n@data\n1\n"))


def test_categories_and_gaps_round_trip_through_arff(tmp_path):
    table = pd.DataFrame({"kind": pd.Categorical(["x", None], ["x", "y z"]), "n": [1.0, None], "w": ["a", None]})
    write_table(table, tmp_path / "a.arff")
    read = read_table(tmp_path / "a.arff")
    assert_frame_equal(read, table, check_dtype=False, check_categorical=False)
    assert read["kind"].cat.categories.tolist() == ["x", "y z"]


def test_large_integers_and_quotes_in_names_are_kept_in_arff(tmp_path):
    table = pd.DataFrame({'say "hi"?': [2**53 + 1, 2**53 + 3], "'x'": [1, 2], "a\\n\tb": [1.5, 2.5]})
    write_table(table, tmp_path / "a.arff")
    read = read_table(tmp_path / "a.arff")
    assert list(read.columns) == list(table.columns)
    assert read['say "hi"?'].tolist() == [str(2**53 + 1), str(2**53 + 3)]
    assert read["'x'"].tolist() == [1, 2]
    for suffix in ("mat", "npz"):
        with pytest.raises(TableError, match=r"not numeric: say \"hi\"\?"):
            write_table(table, tmp_path / f"a.{suffix}")


@pytest.fixture(
    params=[(".parquet", pa.parquet.write_table), (".feather", pa.feather.write_feather)], ids=lambda p: p[0]
)
def through(request, tmp_path):
    """Write an Arrow table, and read it."""
    suffix, save = request.param

    def through(table):
        save(table, tmp_path / f"a{suffix}")
        return read_table(tmp_path / f"a{suffix}")

    return through


ARROW = pa.table(
    {
        "word": ["a", None, "c"],
        "long": pa.array(["a", None, "c"], pa.large_string()),
        "raw": pa.array([b"a", None, b"c"]),
        "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
        "when": pa.array([1, None, 3], pa.timestamp("us", tz="UTC")),
        "number": [1.5, None, 2.0],
        "whole": pa.array([1, 2, 3], pa.int8()),
        "yes": [True, False, True],
        "none": pa.nulls(3),
    }
)


def test_arrow_types(through):
    found = through(ARROW)
    assert_frame_equal(found, ARROW.to_pandas(), check_dtype=False)
    assert str(found["kind"].dtype) == "category"


def test_integers_and_truth_values_with_gaps_are_exact(through):
    found = through(pa.table({"id": pa.array([2**53 + 1, None]), "on": [True, None], "n": [1, 2]}))
    assert found["id"].tolist() == [2**53 + 1, None]
    assert found["on"].tolist() == [True, None]
    assert found["n"].dtype == "int64"


@pytest.mark.parametrize(
    ("index", "columns"),
    [
        (pd.RangeIndex(2), ["x"]),
        (pd.Index([7, 3]), ["__index_level_0__", "x"]),
        (pd.Index(["a", "b"], name="item"), ["item", "x"]),
        (pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["song", "part"]), ["song", "part", "x"]),
    ],
)
def test_index_of_pandas_other_than_row_numbers_is_a_column(through, index, columns):
    assert list(through(pa.Table.from_pandas(pd.DataFrame({"x": [1.0, 2.0]}, index=index))).columns) == columns


def test_arrow_tables_that_are_errors(through):
    with pytest.raises(TableError, match="more than one column a"):
        through(pa.table([[1.0], [3.0]], names=["a", "a"]))


def test_lists_and_records_in_arrow_tables(through):
    read = through(pa.table({"ok": [1], "pair": [[1.0, 2.0]], "record": [{"a": 3, "b": {"c": "x"}}]}))
    assert read.to_dict("records") == [{"ok": 1, "pair": [1.0, 2.0], "record.a": 3, "record.b.c": "x"}]


def test_damaged_feather_is_an_error(write):
    """Without validation, Arrow would follow offsets out of the buffer and crash the process."""
    buffer = io.BytesIO()
    pa.feather.write_feather(pa.table({"a": ["one", "two", "three"]}), buffer, compression="uncompressed")
    offsets = b"".join(n.to_bytes(4, "little") for n in (0, 3, 6, 11))
    assert buffer.getvalue().count(offsets) == 1
    damaged = offsets[:-4] + (2**30).to_bytes(4, "little")
    with pytest.raises(TableError, match=r"a\.feather"):
        read_table(write("a.feather", buffer.getvalue().replace(offsets, damaged)))
