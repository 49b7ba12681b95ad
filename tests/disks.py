"""Real file systems with no room, or that cannot be written to; only root can make them."""

import subprocess
from contextlib import contextmanager

import pytest


@contextmanager
def small_disk(folder, room):
    """Mount a file system of so many bytes at a folder, which is made."""
    folder.mkdir()
    try:
        _run("mount", "-t", "tmpfs", "-o", f"size={room}", "tmpfs", folder)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("only root can mount a small file system")
    try:
        yield folder
    finally:
        _run("umount", folder)


@contextmanager
def read_only(disk):
    """Make a small disk one that cannot be written to."""
    _run("mount", "-o", "remount,ro", disk)
    try:
        yield
    finally:
        _run("mount", "-o", "remount,rw", disk)


def grow(disk, room):
    """Give a small disk more bytes."""
    _run("mount", "-o", f"remount,size={room}", disk)


def _run(*command):
    subprocess.run([str(part) for part in command], check=True, capture_output=True)
