"""CSV and TSV files."""

import csv
import time

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from labeldist.app.tables.column_selection import read_labelled, typed
from labeldist.app.tables.read_and_write import read_table, write_table
from labeldist.exceptions import LabelDistWarning, TableError


@pytest.mark.parametrize(
    "text", ["id,x\n007,1.10\n008,\n", "id,note\n=1+1,@SUM(A1)\n-2,__import__('os')\n"]
)
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
        ("a.csv", "a,b,,\n1,2,,\n"),
    ],
)
def test_separators_line_ends_and_empty_columns(write, name, text):
    assert read_table(write(name, text)).to_dict("list") == {"a": ["1"], "b": ["2"]}


@pytest.mark.parametrize(
    "header",
    [
        '"How, if at all, do you feel?";b',
        '"a,\n,b";"c ""d,e,f"""',
        '5" disk;b',
    ],
)
def test_separators_in_quoted_names_do_not_count(write, header):
    table = read_table(write("a.csv", f"{header}\n1;2\n"))
    assert table.to_numpy().tolist() == [["1", "2"]]


def test_decimal_commas_between_semicolons(write):
    """R's write.csv2 writes NA."""
    path = write("a.csv", "id;a;b;c\n1,5;1,5;x,1;2\n2,5;NA;y,2;3\n")
    with pytest.warns(LabelDistWarning, match="Column id, a: "):
        table = read_table(path)
    assert table["a"].tolist() == ["1.5", "NA"]
    assert table["b"].tolist() == ["x,1", "y,2"]
    with pytest.warns(LabelDistWarning, match="Column a: "):
        assert read_table(path, text=["i*", None])["id"].tolist() == ["1,5", "2,5"]


def test_quotes_that_would_join_rows_of_tsv_raise(write):
    path = write("a.tsv", 'id\ttext\tjoy\n1\t"Hi there\t0.5\n2\tbye"\t0.25\n3\ta\tb\n')
    with pytest.raises(TableError, match="tabs and line breaks"):
        read_table(path)


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_line_breaks_round_trip(tmp_path, name):
    table = pd.DataFrame({"id": ["1", "2"], "text": ["Hi\nthere, you", "a\tb"]})
    write_table(table, tmp_path / name)
    assert_frame_equal(read_table(tmp_path / name), table)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Column")
@pytest.mark.parametrize(("separator", "cell"), [(",", "0.5"), (";", "0,5")])
def test_time_is_linear_in_the_number_of_columns(write, separator, cell):
    def seconds(n):
        names = [*(f"x{i}" for i in range(n)), "joy", "fear"]
        cells = [cell] * n + ["1", "0"]
        path = write("a.csv", f"{separator.join(names)}\n{separator.join(cells)}\n")
        start = time.process_time()
        table = read_labelled(path, "joy,fear")
        assert table.X.shape == (1, n)
        typed(table.frame, table.features, table.features)
        return time.process_time() - start

    seconds(10)
    few = seconds(4000)
    assert seconds(16_000) < 6 * few


def test_columns_of_numbers_need_no_methods_for_text(write, monkeypatch):
    """They take 1 ms per column, which is 16 s for 16,000 columns."""
    path = write("a.csv", "x,joy,fear\n1,1,0\n2,0,1\n")
    monkeypatch.setattr(pd.Series, "str", property(lambda _: pytest.fail("slow")))
    monkeypatch.setattr(pd.Series, "isin", lambda *_: pytest.fail("slow"))
    assert read_labelled(path, "joy,fear").X["x"].tolist() == [1, 2]


def test_limit_of_the_csv_module_stays(write):
    before = csv.field_size_limit()
    text = "x" * (2 * before)
    assert read_table(write("a.csv", f"id,text\n1,{text}\n"))["text"].tolist() == [text]
    assert csv.field_size_limit() == before
