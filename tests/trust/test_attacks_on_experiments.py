"""Specs and stores of records that were made to keep the machine busy, or to write elsewhere."""

import sqlite3
from contextlib import closing

import pytest

from labeldist.experiments.spec import parse_spec, runs_of
from labeldist.experiments.store import Store, read_stores
from tests.cli.in_process import run as run_command
from tests.trust.guard import watched
from tests.trust.readers import READERS

HEAD = 'name = "mine"\ntitle = "Mine"\ndatasets = ["artificial_40"]\n'
METHOD = '[[part]]\nkind = "prediction"\n[[part.method]]\nname = "m"\nuse = "BDLDL"\n'
GRID = METHOD.replace("prediction", "grid")
KERNEL = METHOD.replace('"BDLDL"', '"KernelBDLDLCV"')
KEY = ".".join("a" * 400)


def read(path):
    return [one.key for one in runs_of(parse_spec(path.read_bytes(), path.name))]


def row_of_values(values):
    return f"[{', '.join(map(str, values))}]"


SPECS = {
    "lists within lists": ("a = " + "[" * 30_000, "more than 20 deep"),
    "tables within tables": ("a = " + "{a = " * 10_000, "more than 20 deep"),
    "a key of many parts": (".".join("a" * 20_000) + " = 1", "a line with more than 500 points"),
    "a heading of many parts": ("[" + ".".join("a" * 20_000) + "]", "a line with more than 500 points"),
    "many keys of many parts": ("".join(f"{KEY}.b{k} = 1\n" for k in range(70)), "more than 20 deep"),
    "a value of many parts": (HEAD + METHOD + f"parameters = {{ridge = {{{KEY} = 1}}}}", "more than 20 deep"),
    "more than a spec": ("a = 1\n" * 20_000, "more than the 65,536 bytes that a spec may have"),
    "a number of many digits": ("a = " + "9" * 5000, "is not TOML: Exceeds the limit"),
    "no text": (b"\xff\xfe", "is not TOML"),
    "seeds that are tables": (HEAD + "seeds = [{a = 1}]\n" + METHOD, "seeds must be whole numbers"),
    "seeds of several kinds": (HEAD + 'seeds = [1, "a"]\n' + METHOD, "seeds must be whole numbers"),
    "seeds that no generator takes": (HEAD + f"seeds = [{2**32}]\n" + METHOD, "seeds must be whole numbers from 0"),
    "seeds of a method": (HEAD + METHOD + 'seeds = [0, "a"]\n', "seeds must be whole numbers"),
    "no measures": (HEAD + "measures = []\n" + METHOD, "there are no measures"),
    "a set without end": (HEAD.replace("40", "9" * 30) + METHOD, "there is no set"),
    "a set of no rows": (HEAD.replace("40", "0") + METHOD, "there is no set"),
    "an empty grid": (HEAD + GRID + "grid = {ridge = []}\n", "must have a list of values"),
    "a grid without end": (
        HEAD + GRID + f"grid = {{ridge = {row_of_values(range(1, 200))}, floor = {row_of_values(range(1, 200))}}}\n",
        "the grids have more than 10,000 points",
    ),
    "folds without end": (HEAD + METHOD.replace("\n[[", "\nfolds = 1001\n[[", 1), "folds must be at least 2, and at"),
    "runs without end": (
        HEAD + f"seeds = {row_of_values(range(2000))}\n" + METHOD.replace("\n[[", "\nfolds = 1000\n[[", 1),
        "these are 2,000,000 runs",
    ),
    "time without end": (HEAD + "time_limit = inf\n" + METHOD, "time_limit must be a positive number of seconds"),
    "a time that is no number to a computer": (HEAD + f"time_limit = {'9' * 400}\n" + METHOD, "time_limit must be"),
    "a date for a number": (HEAD + KERNEL + "parameters = {cv = 1979-05-27}\n", "cannot be kept in the records"),
    "a name that leaves the folder": (HEAD.replace("mine", "../mine") + METHOD, "name may have"),
    "a name that no file can have": (HEAD.replace("mine", "x" * 300) + METHOD, "name may have up to 100"),
}


@pytest.mark.parametrize("attack", SPECS)
def test_specs(refuses, attack):
    content, message = SPECS[attack]
    refuses(read, "a.toml", content, message)


@pytest.fixture
def records(tmp_path):
    """A sound store, and a way to change it with SQL."""
    path = tmp_path / "records.sqlite"
    path.write_bytes(READERS["store"].seeds[0][0])

    def change(*commands):
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for command in commands:
                connection.executescript(command)
        return path.read_bytes()

    return change


def read_store(path):
    read_stores([path])


def open_store(path):
    Store(path).close()


ENDLESS = "WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n) SELECT 'a' AS key, k AS experiment FROM n"
STRANGERS = {
    "a view that never ends": ("DROP TABLE runs", f"CREATE VIEW runs AS {ENDLESS}"),
    "a trigger": ("CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END",),
    "another table": ("CREATE TABLE other (a)",),
    "another index": ("CREATE INDEX i ON runs (lower(method))",),
    "tables of other names": ("ALTER TABLE runs RENAME TO walks",),
    "tables that take anything": ("DROP TABLE numbers", "CREATE TABLE numbers (key, variant, fold, measure, value)"),
    "a computed column": ("ALTER TABLE runs ADD COLUMN more TEXT AS (upper(method))",),
    "a virtual table": ("DROP TABLE numbers", "CREATE VIRTUAL TABLE numbers USING fts5(key, variant, fold)"),
    "a later version": ("PRAGMA user_version = 99",),
    "no version": ("PRAGMA user_version = 0",),
}


@pytest.mark.parametrize("stranger", STRANGERS)
@pytest.mark.parametrize("use", [read_store, open_store])
def test_databases_of_another_schema(refuses, records, stranger, use):
    refuses(use, "records.sqlite", records(*STRANGERS[stranger]), "is no store of records that this version")


@pytest.mark.parametrize("use", [read_store, open_store])
def test_files_that_are_no_databases(refuses, use):
    for content in (b"SQLite format 3\0" + bytes(100), b"a,b\n1,2\n" * 100, bytes(4096)):
        refuses(use, "records.sqlite", content, r"records\.sqlite")


FOREIGN = {
    "experiment": ("../../evil", "/evil", "a/b", "", "x" * 200, "a\nb"),
    "role": ("boss", ""),
    "kind": ("other",),
    "status": ("fine",),
    "parameters": ("{", "[]", "[" * 5000, "7"),
    "key": ("{", "[]", "7", "[1, 2]", '["a", "prediction", 7]', "[" * 5000),
}


@pytest.mark.parametrize(("column", "value"), [(column, value) for column in FOREIGN for value in FOREIGN[column]])
def test_records_that_no_experiment_leaves(refuses, records, column, value):
    change = f"UPDATE runs SET {column} = '{value}' WHERE rowid = 1"  # noqa: S608  # our own text
    refuses(read_store, "records.sqlite", records(change), "records that no experiment leaves|is damaged")


def test_measures_that_there_are_not(refuses, records):
    content = records("UPDATE numbers SET measure = 'other' WHERE rowid = 1")
    refuses(read_store, "records.sqlite", content, "records that no experiment leaves: measure 'other'|is damaged")


def test_a_store_cannot_make_a_report_write_elsewhere(tmp_path, records):
    """Tables are named by experiments, and a store of somebody else says how these are called."""
    (tmp_path / "records.sqlite").write_bytes(records("UPDATE runs SET experiment = '../../evil'"))
    out = tmp_path / "deep" / "out"
    out.mkdir(parents=True)
    with watched(out):
        result = run_command("report", tmp_path / "records.sqlite", "--out", out, fails=True)
    assert result.exit_code == 1
    assert "records.sqlite" in result.stderr
    assert list(tmp_path.rglob("evil*")) == []


def test_a_store_that_is_larger_than_it_is(refuses, records):
    """Pages that are all the same one: each says that its hundreds of children are the next."""
    content = bytearray(records())
    size = int.from_bytes(content[16:18], "big")
    for page in range(size, len(content), size):  # every leaf of tables becomes a branch to a page of all
        if content[page] == 13:
            children = (size - 12) // 7
            content[page : page + size] = _branch(size, children, to=page // size + 1)
    refuses(read_store, "records.sqlite", bytes(content), r"records\.sqlite")


def _branch(size, children, to):
    """Return an inner page of a table with many children, all of them the same page."""
    page = bytearray(size)
    page[0] = 5
    page[3:5] = children.to_bytes(2, "big")
    page[8:12] = to.to_bytes(4, "big")
    for k in range(children):
        at = size - 5 * (k + 1)
        page[12 + 2 * k : 14 + 2 * k] = at.to_bytes(2, "big")
        page[at : at + 5] = to.to_bytes(4, "big") + bytes([k % 127])
    return page
