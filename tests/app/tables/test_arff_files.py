"""ARFF files."""

import pytest

from labeldist.app.tables.read_and_write import read_table

HEADER = """@relation 'music'
@attribute acc numeric
@attribute 'tempo class' {slow,'very fast'}
@attribute joy {0,1}
"""


def test_dense_arff(write):
    table = read_table(write("a.arff", f"% comment\n{HEADER}@data\n0.5,slow,1\n?,'very fast',0\n"))
    assert list(table.columns) == ["acc", "tempo class", "joy"]
    assert table["acc"].isna().tolist() == [False, True]
    assert table["joy"].tolist() == ["1", "0"]
    assert table["tempo class"].cat.categories.tolist() == ["slow", "very fast"]


def test_sparse_arff_omits_zeros_and_first_values(write):
    rows = "% comment\n{0 0.5,2 1}\n{1 'very fast'}\n"
    table = read_table(write("a.arff", f"{HEADER}@DATA\n{rows}"))
    assert table.to_numpy().tolist() == [[0.5, "slow", "1"], [0.0, "very fast", "0"]]


def test_integer_attributes_keep_fractions(write):
    header = "@relation r\n@attribute a INTEGER\n@attribute b Integer\n"
    table = read_table(write("a.arff", f"{header}@data\n0.5,?\n1.7,3\n"))
    assert table["a"].tolist() == [0.5, 1.7]
    assert table["b"].isna().tolist() == [True, False]


@pytest.mark.parametrize(
    ("attribute", "cell", "column", "value"),
    [
        (r"'Steller\'s Jay' {0,1}", "1", "Steller's Jay", "1"),
        ("'x {1}' numeric", "7", "x {1}", 7.0),
        (r"x { 'it\'s' , b}", r"'it\'s'", "x", "it's"),
    ],
)
def test_quotes_and_braces(write, attribute, cell, column, value):
    table = read_table(write("a.arff", f"@relation r\n@attribute {attribute}\n@data\n{cell}\n"))
    assert table[column].tolist() == [value]
