"""The store of records."""

import shutil
import sqlite3

import pytest

from reproduction.errors import StoreError
from reproduction.protocols import Value
from reproduction.runner import run
from reproduction.spec import runs_of
from reproduction.store import Outcome, Store, read_store
from tests.reproduction.small import small


@pytest.fixture
def copied(finished, tmp_path):
    return shutil.copy(finished, tmp_path / "records.sqlite")


def test_unusable_files_raise(tmp_path):
    other = tmp_path / "notes.txt"
    other.write_text("Not a database, and long enough to be read as one. " * 100)
    foreign = tmp_path / "bookmarks.sqlite"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE bookmarks (address TEXT)")
    connection.close()
    before = foreign.read_bytes()
    for path in (other, foreign):
        for function in (Store, read_store):
            with pytest.raises(StoreError, match=path.name):
                function(path)
    assert foreign.read_bytes() == before
    with pytest.raises(StoreError, match=r"none\.sqlite"):
        read_store(tmp_path / "none.sqlite")


def test_roles_are_updated_from_spec(copied):
    with Store(copied) as store:
        run([small(('role = "trivial"', 'role = "ours"'))], store, jobs=1)
        assert "trivial" not in set(store.records()["role"])


def test_changed_experiment_raises(copied):
    with Store(copied) as store:
        with pytest.raises(StoreError, match="BD-LDL"):
            run(
                [small(('use = "BDLDL"\n[', 'use = "BDLDL"\nparameters = { ridge = 9.0 }\n['))],
                store,
            )
        with pytest.raises(StoreError, match="small"):
            run([small(("folds = 3", "folds = 4"))], store)


def test_run_is_written_in_one_transaction(copied):
    one = next(iter(runs_of(small(('"small"', '"other"')))))
    value = Value("", 0, "clark", 0.5)
    with Store(copied) as store:
        finished = store.finished()
        records = store.records()
        with pytest.raises(StoreError, match="UNIQUE"):
            store.add(Outcome(one, (value, value), 1.0))  # violates the primary key
        assert store.finished() == finished
        assert store.records().equals(records)
