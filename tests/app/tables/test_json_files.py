"""JSON files."""

import pandas as pd
import pytest

from labeldist.app.tables.read_and_write import read_table, write_table

FIRST = '"n": {"e": 3}, "votes": [1, 2]'
SECOND = '"n": {"e": 4, "c": 5}'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", f'[{{"id": "a", {FIRST}}}, {{"id": "b", {SECOND}}}]'),
        ("a.json", f'{{"a": {{{FIRST}}}, "b": {{{SECOND}}}}}'),
        ("a.json", f'\ufeff{{"id": "a", {FIRST}}}\n{{"id": "b", {SECOND}}}'),
        ("a.jsonl", f'{{"id": "a", {FIRST}}}\r\n\n{{"id": "b", {SECOND}}}\n'),
    ],
    ids=["records", "items", "lines", "jsonl"],
)
def test_json(write, name, text):
    table = read_table(write(name, text))
    assert table.to_dict("list") == {
        "id": ["a", "b"],
        "n.e": [3, 4],
        "votes": [[1, 2], None],
        "n.c": [None, 5],
    }


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv", ".parquet"])
def test_lists_are_written(tmp_path, suffix):
    write_table(pd.DataFrame({"votes": [[1, 2], None]}), tmp_path / f"out{suffix}")
    expected = [1, 2] if suffix.startswith(".json") else "[1, 2]"
    assert read_table(tmp_path / f"out{suffix}")["votes"][0] == expected


def test_integers_with_gaps_keep_their_digits(write):
    table = read_table(write("a.jsonl", f'{{"n": {2**53 + 1}}}\n{{"n": null}}\n'))
    assert table["n"].tolist() == [2**53 + 1, None]
