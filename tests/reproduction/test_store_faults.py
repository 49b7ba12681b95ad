"""Stores of records on a full disk, and written by several processes."""

import os
import subprocess
import sys

import pandas as pd
import pytest
from labeldist.experiments.errors import StoreError
from labeldist.experiments.runner import run
from labeldist.experiments.spec import runs_of
from labeldist.experiments.store import Store, read_stores
from tests.experiments.small import small, without_times

from tests.disks import grow, small_disk

TOGETHER = """
import os, sys, traceback
from labeldist.experiments.runner import run
from labeldist.experiments.store import Store
from tests.experiments.small import small
children = []
for _ in range(4):
    children.append(os.fork())
    if not children[-1]:
        try:
            with Store(sys.argv[1]) as store:
                run([small()], store, jobs=1)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
sys.exit(max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))
"""


def test_four_processes_can_share_one_store(records, tmp_path):
    path = tmp_path / "records.sqlite"
    subprocess.run([sys.executable, "-c", TOGETHER, path], check=True, env=os.environ | {"PYTHONPATH": _path()})
    pd.testing.assert_frame_equal(without_times(read_stores([path])), without_times(records), rtol=1e-12)


def _path():
    return os.pathsep.join(filter(None, sys.path))


def test_full_disk_keeps_finished_runs(records, tmp_path):
    with small_disk(tmp_path / "disk", room=160 * 1024) as disk:
        with Store(disk / "records.sqlite") as store:
            with pytest.raises(StoreError, match=r"has not taken the last record; those before it are safe: .*full"):
                run([small()], store, jobs=1)
            done = len(store.finished())
            assert 0 < done < len(list(runs_of(small())))
        assert len(read_stores([disk / "records.sqlite"])["run"].unique()) == done
        grow(disk, 2**22)
        with Store(disk / "records.sqlite") as store:
            assert len(store.finished()) == done
            run([small()], store, jobs=1)
            pd.testing.assert_frame_equal(without_times(store.records()), without_times(records), rtol=1e-12)
