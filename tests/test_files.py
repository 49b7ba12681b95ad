"""Files are written whole or not at all, and never over another by accident."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from labeldist import _files as files
from labeldist.exceptions import OutputError
from tests.disks import read_only, small_disk


def test_the_folder_is_made_and_nothing_unfinished_is_left(tmp_path):
    files.write_whole(tmp_path / "new" / "page.html", b"content")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["page.html"]
    assert (tmp_path / "new" / "page.html").read_bytes() == b"content"


def test_a_disk_without_room_leaves_the_old_page(tmp_path):
    with small_disk(tmp_path / "disk", room=64 * 1024) as disk:
        page = disk / "page.html"
        files.write_whole(page, b"old")
        with pytest.raises(OutputError, match=r"page.html cannot be written: No space left on device"):
            files.write_whole(page, bytes(2**20))
        assert page.read_bytes() == b"old"
        assert list(disk.iterdir()) == [page]
        with read_only(disk), pytest.raises(OutputError, match="cannot be written: Read-only file system"):
            files.write_whole(page, b"new")
        files.write_whole(page, b"new")
        assert page.read_bytes() == b"new"


WRITE_SLOWLY = """
import sys, time
from labeldist._files import whole_file
with whole_file(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("begun", flush=True)
    sys.stdin.read()
"""


def begin_to_write(path):
    """Start a process that has written half of a file, and goes on when it is spoken to."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITE_SLOWLY, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "begun\n"
    return process


def test_what_a_killed_process_left_is_removed_and_what_another_is_writing_is_not(tmp_path):
    page = tmp_path / "page[1].html"
    killed, alive = begin_to_write(page), begin_to_write(page)
    files.write_whole(tmp_path / "page1.html", b"of another name")
    assert len(list(tmp_path.glob("*.part"))) == 2
    killed.kill()
    killed.communicate()
    files.write_whole(page, b"whole")
    assert page.read_bytes() == b"whole"
    assert len(list(tmp_path.glob("*.part"))) == 1
    alive.communicate("go on")
    assert alive.returncode == 0
    assert page.read_bytes() == b"half"  # the last to end has its way
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page1.html", page.name]


def test_a_file_of_the_users_own_is_no_rest(tmp_path):
    mine = tmp_path / "page.html.part"
    mine.write_text("precious")
    files.write_whole(tmp_path / "page.html", b"content")
    assert mine.read_text() == "precious"


def test_without_locks_the_system_guards_what_is_open(tmp_path, monkeypatch):
    page = tmp_path / "page.html"
    (tmp_path / f"page.html.{'0' * 32}.part").touch()
    monkeypatch.setattr(files, "fcntl", None)
    files.write_whole(page, b"content")
    assert list(tmp_path.iterdir()) == [page]


def test_threads_that_write_one_file_all_succeed_and_one_of_them_has_its_way(tmp_path):
    page, contents = tmp_path / "page.html", [bytes([letter]) * 100_000 for letter in b"abcdefgh"]
    with ThreadPoolExecutor(8) as threads:
        for _ in threads.map(lambda content: files.write_whole(page, content), contents * 10):
            assert page.read_bytes() in contents
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


@pytest.mark.parametrize("letter", ["x", "ü"])
def test_a_name_as_long_as_the_file_system_takes_is_written(tmp_path, letter):
    path = tmp_path / (letter * (255 // len(letter.encode())))
    files.write_whole(path, b"new")
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [(path.name, b"new")]
