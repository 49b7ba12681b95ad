"""The store is one file that is whole, or says that it is not."""

import math
import shutil
import sqlite3
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from labeldist.experiments.errors import StoreError
from labeldist.experiments.protocols import Value
from labeldist.experiments.runner import run
from labeldist.experiments.spec import runs_of
from labeldist.experiments.store import Outcome, Store, read_stores
from tests.experiments.small import small, with_part, without_times

PAGE = 4096
"""Bytes of a page of SQLite."""


def test_stores_that_cannot_be_used_say_why(tmp_path):
    other = tmp_path / "notes.txt"
    other.write_text("Not a database, and long enough to be taken for one by mistake. " * 100)
    with pytest.raises(StoreError, match="cannot be used as a store"):
        Store(other)
    with pytest.raises(StoreError, match="There is no store"):
        read_stores([tmp_path / "none.sqlite"])
    newer = tmp_path / "newer.sqlite"
    with Store(newer) as store:
        store._connection.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="no store of records that this version"):
        Store(newer)
    with pytest.raises(StoreError, match="no records yet"):
        read_stores([Store(tmp_path / "empty.sqlite").path])


def test_reading_leaves_a_file_alone(finished, records, tmp_path):
    foreign = tmp_path / "bookmarks.sqlite"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE bookmarks (address TEXT)")
    before = foreign.read_bytes()
    for opening in (lambda: Store(foreign), lambda: read_stores([foreign])):
        with pytest.raises(StoreError, match="no store of records"):
            opening()
    assert foreign.read_bytes() == before
    folder = tmp_path / "locked"
    folder.mkdir()
    shutil.copy(finished, folder / "records.sqlite")
    (folder / "records.sqlite").chmod(0o444)
    folder.chmod(0o555)
    try:
        assert len(read_stores([folder / "records.sqlite"])) == len(records)
    finally:
        folder.chmod(0o755)


def test_experiments_stand_in_the_order_of_the_paper(tmp_path):
    with Store(tmp_path / "records.sqlite") as store:
        for name in ("ablation", "small", "le-recovery"):
            uniform = b'[[part]]\nkind = "recovery"\n[[part.method]]\nname = "Uniform"\nuse = "Uniform"\n'
            run([replace(with_part(uniform), name=name)], store, jobs=1)
        assert list(store.records()["experiment"].unique()) == ["le-recovery", "ablation", "small"]


def test_several_stores_are_told_apart(finished, records, tmp_path):
    for name in ("one.sqlite", "two.sqlite"):
        shutil.copy(finished, tmp_path / name)
    both = read_stores([tmp_path / "one.sqlite", tmp_path / "two.sqlite"])
    assert both.groupby("store").size().to_dict() == {"one.sqlite": len(records), "two.sqlite": len(records)}
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "one.sqlite").write_bytes((tmp_path / "one.sqlite").read_bytes())
    assert read_stores([tmp_path / "one.sqlite", tmp_path / "folder" / "one.sqlite"])["store"].nunique() == 2


@pytest.fixture
def copied(finished, tmp_path):
    """The path of a store of the test's own, with all records of the small experiment."""
    return shutil.copy(finished, tmp_path / "records.sqlite")


def test_roles_are_those_of_the_spec_as_it_is_now(copied):
    with Store(copied) as store:
        run([small((b'role = "trivial"', b'role = "ours"'))], store, jobs=1)
        assert "trivial" not in set(store.records()["role"])


def test_a_changed_experiment_does_not_mix_with_what_it_was(copied):
    with Store(copied) as store:
        with pytest.raises(StoreError, match="other settings of BD-LDL"):
            run([small((b'use = "BDLDL"\n[', b'use = "BDLDL"\nparameters = { ridge = 9.0 }\n['))], store)
        other_folds = (b"folds = 3", b"folds = 4")
        with pytest.raises(StoreError, match="other settings"):
            run([small(other_folds)], store)
        run([small(other_folds, (b'"small"', b'"other"'))], store, jobs=1)


def test_a_store_of_the_first_version_is_read_as_it_is_and_written_with_seals(copied, records):
    with sqlite3.connect(copied) as connection:
        connection.execute("ALTER TABLE runs DROP COLUMN seal")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    before = copied.read_bytes()
    assert read_stores([copied]).equals(records)
    assert copied.read_bytes() == before
    with Store(copied) as store, Store(copied) as second:
        assert store.records().equals(records)
        assert second.forget_damaged() == 0
        store.add(Outcome(next(runs_of(small())), (Value("", 0, "cosine", -0.0), Value("", 0, "clark", math.nan)), 1))
        assert second.forget_damaged() == 0
    assert len(read_stores([copied])) == len(records) - 4


def change_a_value(path):
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE numbers SET value = value + 1e-9 WHERE rowid = 7")
    connection.close()


def lose_a_value(path):
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM numbers WHERE rowid = 7")
    connection.close()


@pytest.mark.parametrize("damage", [change_a_value, lose_a_value])
def test_a_run_that_is_not_as_it_was_written_is_told_and_done_again(copied, records, damage):
    damage(copied)
    with pytest.raises(StoreError, match=r"1 run\(s\) are not as they were written. `labeldist reproduce --store"):
        read_stores([copied])
    with Store(copied) as store:
        run([small()], store, jobs=1)
        pd.testing.assert_frame_equal(without_times(store.records()), without_times(records), rtol=1e-12)


def truncate(content, rng):
    return content[: rng.integers(1, len(content))]


def fill_a_page(content, rng, what=None):
    at = int(rng.integers(len(content) // PAGE)) * PAGE
    return content[:at] + (rng.bytes(PAGE) if what is None else what) + content[at + PAGE :]


def clear_a_page(content, rng):
    return fill_a_page(content, rng, bytes(PAGE))


def flip_a_bit(content, rng):
    flipped = bytearray(content)
    flipped[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
    return bytes(flipped)


@pytest.mark.parametrize("damage", [truncate, fill_a_page, clear_a_page, flip_a_bit])
@pytest.mark.parametrize("times", [60, pytest.param(1000, marks=pytest.mark.soak)])
def test_a_damaged_file_is_told_or_has_all_records(finished, records, tmp_path, damage, times):
    rng, sound, told = np.random.default_rng(0), finished.read_bytes(), 0
    path = tmp_path / "records.sqlite"
    for _ in range(times):
        path.write_bytes(damage(sound, rng))
        try:
            found = read_stores([path])
        except StoreError:
            told += 1
        else:  # what was hit is not used
            assert found.equals(records)
    assert told > 0.5 * times  # a quarter of all bytes is in no use, which a bit may hit
