"""Atomic writing: complete or not at all, and without overwriting where that is not allowed."""

import errno
import os
import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from labeldist import _files as files
from labeldist.exceptions import OutputError
from tests.disks import read_only, small_disk

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="permissions and pipes of POSIX")


def test_folder_is_created_and_no_temporary_file_remains(tmp_path):
    page = tmp_path / "new" / "page.html"
    files.write_whole(page, b"content")
    assert page.read_bytes() == b"content"
    assert list(page.parent.iterdir()) == [page]


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a tmpfs")
def test_full_or_read_only_disk_keeps_the_old_file(tmp_path):
    with small_disk(tmp_path / "disk", room=64 * 1024) as disk:
        page = disk / "page.html"
        files.write_whole(page, b"old")
        with pytest.raises(OutputError, match="No space left"):
            files.write_whole(page, bytes(2**20))
        assert page.read_bytes() == b"old"
        assert list(disk.iterdir()) == [page]
        with read_only(disk), pytest.raises(OutputError, match="Read-only"):
            files.write_whole(page, b"new")


def write_and_call(path, function, *, content=b"new", **options):
    """Call a function between writing and closing a file."""
    with files.whole_file(path, **options) as file:
        file.write(content)
        function()


def interrupt():
    raise KeyboardInterrupt


def test_interrupts_leave_everything_unchanged(tmp_path):
    page = tmp_path / "page.html"
    page.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        write_and_call(page, interrupt)
    assert page.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [page]


def test_file_that_appears_during_the_write_is_not_overwritten(tmp_path):
    page = tmp_path / "page.html"
    with pytest.raises(OutputError, match=r"page\.html exists"):
        write_and_call(page, lambda: page.write_bytes(b"other"), overwrite=False)
    assert page.read_bytes() == b"other"
    page.unlink()
    files.write_whole(page, b"new", overwrite=False)
    assert page.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [page]


KILLED = """
import os, signal, sys
from labeldist.utils import whole_file

with whole_file(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_process_leaves_the_old_file_and_does_not_disturb_later_writes(tmp_path):
    page = tmp_path / "page.html"
    page.write_bytes(b"old")
    process = subprocess.run([sys.executable, "-c", KILLED, page])
    assert process.returncode == -signal.SIGKILL
    assert page.read_bytes() == b"old"
    files.write_whole(page, b"new")
    assert page.read_bytes() == b"new"


def test_errors_of_other_files_in_the_block_are_not_those_of_the_output(tmp_path):
    page = tmp_path / "page.html"
    with pytest.raises(FileNotFoundError, match="missing"):
        write_and_call(page, (tmp_path / "missing").read_bytes)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a tmpfs")
def test_full_disk_raises_within_the_block(tmp_path):
    with small_disk(tmp_path / "disk", room=64 * 1024) as disk:
        with pytest.raises(OutputError, match=r"page\.html cannot be written: No space left"):
            write_and_call(disk / "page.html", lambda: None, content=bytes(2**20))
        assert not list(disk.iterdir())


def unsupported(*_):
    raise OSError(errno.EPERM, "Operation not permitted")


def test_one_of_many_simultaneous_writers_succeeds(tmp_path):
    page = tmp_path / "page.html"
    contents = [bytes([letter]) * 100_000 for letter in b"abcdefgh"]

    def write(content):
        try:
            files.write_whole(page, content, overwrite=False)
        except OutputError:
            return None
        return content

    with ThreadPoolExecutor(8) as threads:
        written = [content for content in threads.map(write, contents) if content]
    assert written == [page.read_bytes()]
    assert list(tmp_path.iterdir()) == [page]


def test_check_free_finds_existing_files_folders_and_links(tmp_path):
    path = tmp_path / "there.csv"
    files.check_free(path)
    path.symlink_to(tmp_path / "missing")
    with pytest.raises(OutputError, match=r"there\.csv.*overwrite"):
        files.check_free(path)
    files.check_free(path, overwrite=True)
    with pytest.raises(OutputError, match="folder"):
        files.check_free(tmp_path, overwrite=True)
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="writable folder"):
        files.check_free(tmp_path / "file" / "page.html")


def test_long_file_names_are_written(tmp_path):
    path = tmp_path / ("ü" * 127)
    files.check_free(path)
    files.write_whole(path, b"new", overwrite=False)
    assert path.read_bytes() == b"new"


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@on_posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o400])
def test_replaced_file_keeps_its_permissions_and_owner(tmp_path, mode):
    page = tmp_path / "page.html"
    page.write_bytes(b"old")
    page.chmod(mode)
    if os.geteuid() == 0:
        os.chown(page, 1234, 1234)
    before = page.stat()
    with files.whole_file(page) as file:
        file.write(b"new")
        (temporary,) = tmp_path.glob("*.part")
        assert mode_of(temporary) & ~(mode & 0o700) == 0
    assert page.read_bytes() == b"new"
    assert mode_of(page) == mode
    assert (page.stat().st_uid, page.stat().st_gid) == (before.st_uid, before.st_gid)


@on_posix
def test_group_that_cannot_be_kept_gives_no_permissions(tmp_path, monkeypatch):
    page = tmp_path / "page.html"
    page.write_bytes(b"old")
    page.chmod(0o664)
    monkeypatch.setattr(os, "chown", unsupported)
    files.write_whole(page, b"new")
    assert mode_of(page) == 0o604


@on_posix
def test_new_file_has_the_permissions_of_the_umask(tmp_path):
    umask = os.umask(0o027)
    try:
        files.write_whole(tmp_path / "page.html", b"new")
    finally:
        os.umask(umask)
    assert mode_of(tmp_path / "page.html") == 0o640


@on_posix
def test_target_of_a_link_is_written(tmp_path):
    (tmp_path / "disk").mkdir()
    target = tmp_path / "disk" / "page.html"
    link = tmp_path / "page.html"
    link.symlink_to(target)
    with pytest.raises(OutputError, match=r"page\.html exists"):
        files.write_whole(link, b"new", overwrite=False)
    assert not target.exists()
    for content in (b"new", b"newer"):
        files.write_whole(link, content)
        assert link.is_symlink()
        assert target.read_bytes() == content
    assert list(target.parent.iterdir()) == [target]


@on_posix
def test_pipes_devices_and_circular_links_are_refused(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    linked = tmp_path / "linked.csv"
    linked.symlink_to(pipe)
    circular = tmp_path / "circular.csv"
    circular.symlink_to(circular)
    device = tmp_path / "null.csv"
    device.symlink_to(os.devnull)
    for path in (pipe, linked, circular, device):
        for refuse in (files.check_free, lambda path: files.write_whole(path, b"new")):
            with pytest.raises(OutputError, match=r"\.csv is not a regular file"):
                refuse(path)
    assert pipe.is_fifo()
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    assert not list(tmp_path.glob("*.part"))


def test_name_that_is_too_long(tmp_path):
    for refuse in (files.check_free, lambda path: files.write_whole(path, b"new")):
        with pytest.raises(OutputError, match="cannot be written"):
            refuse(tmp_path / f"{'a' * 300}.csv")
