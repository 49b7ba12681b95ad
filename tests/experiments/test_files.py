"""Files are written whole or not at all."""

import pytest

from labeldist.experiments import files


def test_the_folder_is_made_and_nothing_unfinished_is_left(tmp_path):
    files.write_whole(tmp_path / "new" / "page.html", b"content")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["page.html"]
    assert (tmp_path / "new" / "page.html").read_bytes() == b"content"


def test_a_page_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError("no space left")

    page = tmp_path / "page.html"
    files.write_whole(page, b"old")
    monkeypatch.setattr(files.os, "replace", fail)
    with pytest.raises(OSError, match="no space left"):
        files.write_whole(page, b"new")
    assert page.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [page]
