"""A damaged store: what is whole is taken over, the rest is run again."""

import re
import shutil
import sqlite3

import numpy as np
import pandas as pd
import pytest

from labeldist.experiments.errors import StoreError
from labeldist.experiments.rescue import rescue
from labeldist.experiments.runner import run
from labeldist.experiments.spec import runs_of
from labeldist.experiments.store import Store
from tests.experiments.small import small, without_times
from tests.experiments.test_store import PAGE

ALL = len(list(runs_of(small())))


def spoil(page, source, target):
    content = source.read_bytes()
    target.write_bytes(content[: page * PAGE] + b"garbage!" * (PAGE // 8) + content[(page + 1) * PAGE :])
    return target


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.soak)])
def test_whatever_page_is_spoilt_no_more_is_lost_than_was_on_it(finished, records, tmp_path, step):
    kept = []
    for page in range(3, finished.stat().st_size // PAGE, step):
        damaged = spoil(page, finished, tmp_path / "damaged.sqlite")
        with pytest.raises(StoreError, match=r"labeldist reproduce --rescue .*damaged\.sqlite --store another"):
            Store(damaged)
        before = damaged.read_bytes()
        with Store(tmp_path / f"{page}.sqlite") as store:
            kept.append(rescue(damaged, store))
            assert store.finished() <= set(records["run"])
            assert len(store.finished()) == kept[-1]
            found = store.records()
        expected = records[records["run"].isin(found["run"])].reset_index(drop=True)
        assert found.empty or found.drop(columns="store").equals(expected.drop(columns="store"))
        assert damaged.read_bytes() == before
    assert max(kept) == ALL  # a page of an index
    assert np.median(kept) > 0.7 * ALL  # a leaf; with the root of a table all is lost


def test_what_was_lost_is_run_again(finished, records, tmp_path):
    content = finished.read_bytes()
    page = next(
        number
        for number in range(2, len(content) // PAGE)
        if content[number * PAGE] == 13 and b"kl_divergence" in content[number * PAGE : (number + 1) * PAGE]
    )  # a leaf of a table
    with Store(tmp_path / "another.sqlite") as store:
        assert 0 < rescue(spoil(page, finished, tmp_path / "damaged.sqlite"), store) < ALL
        run([small()], store, jobs=1)
        pd.testing.assert_frame_equal(without_times(store.records()), without_times(records), rtol=1e-12)


def test_what_has_no_seal_or_no_beginning_is_not_rescued(finished, tmp_path):
    first_version = shutil.copy(finished, tmp_path / "first.sqlite")
    with sqlite3.connect(first_version) as connection:
        connection.execute("UPDATE runs SET seal = ''")
    connection.close()
    with Store(tmp_path / "another.sqlite") as store:
        assert rescue(first_version, store) == 0
        with pytest.raises(StoreError, match=re.escape("can be rescued: file is not a database. Run its experiments")):
            rescue(spoil(0, finished, tmp_path / "damaged.sqlite"), store)
        with pytest.raises(StoreError, match="There is no store"):
            rescue(tmp_path / "none.sqlite", store)


def test_bytes_that_make_a_number_a_text_cost_a_run_and_no_more(finished, records, tmp_path):
    rng, content = np.random.default_rng(0), finished.read_bytes()
    leaves = [at for at in range(2 * PAGE, len(content), PAGE) if content[at] == 13]
    kept = []
    for number in range(60):
        spoiled = bytearray(content)
        at = rng.choice(leaves)
        cells = int.from_bytes(spoiled[at + 3 : at + 5], "big")
        cell = at + int.from_bytes(spoiled[at + 8 + 2 * (number % cells) :][:2], "big")
        spoiled[cell + rng.integers(2, 10)] ^= 1 << int(rng.integers(8))  # in the types of its columns
        (tmp_path / "damaged.sqlite").write_bytes(spoiled)
        with Store(tmp_path / f"{number}.sqlite") as store:
            kept.append(rescue(tmp_path / "damaged.sqlite", store))
            assert store.finished() <= set(records["run"])
    assert min(kept) > 0.7 * ALL


def test_a_store_of_the_first_version_says_why_nothing_is_taken_over(finished, tmp_path):
    path = shutil.copy(finished, tmp_path / "first.sqlite")
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE runs DROP COLUMN seal")
    connection.close()
    with Store(tmp_path / "another.sqlite") as store, pytest.raises(StoreError, match="has no seals, so nothing tells"):
        rescue(path, store)
