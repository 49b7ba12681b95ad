"""Output files of the reproduction on a full disk."""

import errno
import os

import pytest

from labeldist.exceptions import OutputError
from reproduction.findings import replace_block
from reproduction.pages import write_pages
from reproduction.report import write_report
from reproduction.tables import write_tables
from tests.reproduction.record_tables import runs, table


@pytest.fixture(scope="module")
def few_records():
    return table(runs({"BD-LE": 0.1, "Uniform": 0.2}))


def report(records, folder):
    write_report(records, folder / "report.html")


def pages(records, folder):
    write_pages(records, folder)


def block(records, folder):
    path = folder / "page.md"
    if not path.exists():
        path.write_text("<!-- name -->\n<!-- end -->")
    replace_block(path, "name", "text")


@pytest.mark.parametrize("write", [report, write_tables, pages, block])
def test_full_disk_leaves_earlier_files(write, few_records, tmp_path, monkeypatch):
    write(few_records, tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert before

    def fail(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OutputError, match="No space left"):
        write(few_records, tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
