"""Files are written whole or not at all, and never over another by accident."""

import errno
import os

import pytest

from labeldist import files
from labeldist.exceptions import OutputError


def test_the_folder_is_made_and_nothing_unfinished_is_left(tmp_path):
    files.write_whole(tmp_path / "new" / "page.html", b"content")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["page.html"]
    assert (tmp_path / "new" / "page.html").read_bytes() == b"content"


def test_a_page_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    page = tmp_path / "page.html"
    files.write_whole(page, b"old")
    monkeypatch.setattr(files.os, "replace", fail)
    with pytest.raises(OutputError, match=r"page.html cannot be written: No space left on device"):
        files.write_whole(page, b"new")
    assert page.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [page]


def test_what_is_there_is_replaced_only_by_force(tmp_path):
    path = tmp_path / "there.csv"
    files.check_free(path)
    path.touch()
    with pytest.raises(OutputError, match=r"there.csv exists. Give another name, or --force"):
        files.check_free(path)
    files.check_free(path, force=True)


def test_a_folder_is_no_file_and_a_file_no_folder(tmp_path):
    with pytest.raises(OutputError, match="is a folder; name a file"):
        files.check_free(tmp_path, force=True)
    with pytest.raises(OutputError, match=f"{os.devnull} is no folder"):
        files.check_free(f"{os.devnull}/page.html")
