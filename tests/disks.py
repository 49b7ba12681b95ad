"""Small file systems that are full or read-only. Only root can mount them."""

import subprocess
from contextlib import contextmanager

import pytest


@contextmanager
def small_disk(folder, room):
    """Mount a file system of `room` bytes at a new folder."""
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
    """Mount a small disk read-only within the block."""
    _run("mount", "-o", "remount,ro", disk)
    try:
        yield
    finally:
        _run("mount", "-o", "remount,rw", disk)


def grow(disk, room):
    """Change the size of a small disk to `room` bytes."""
    _run("mount", "-o", f"remount,size={room}", disk)


def _run(*command):
    subprocess.run([str(part) for part in command], check=True, capture_output=True)
