"""Write files that nobody ever finds half written, and none over another by accident."""

import glob
import os
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from labeldist.exceptions import OutputError

try:
    import fcntl
except ImportError:  # Windows, which lets nobody remove a file that is open: a lock of its own kind
    fcntl = None  # type: ignore[assignment]

UNFINISHED = ".part"
"""How the name of a file ends while it is being written."""

LONGEST_BEGINNING = 200
"""Bytes of a file's name; with 38 more it is still one that file systems take, which mostly have room for 255."""

ARCHIVE_YEARS = (1980, 2107)
"""The first and the last that a date in a ZIP archive can tell."""


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that takes the place of `path` when the block ends well; until then, and else, all stays as it was.

    It can be read as well. The folder is made if needed. What a killed process has left of the same file is removed;
    what another is writing just now is not: the last to end well has its way.
    """
    path = Path(path)
    unfinished = path.with_name(f"{_beginning(path)}.{uuid.uuid4().hex}{UNFINISHED}")
    file = None
    try:
        with output_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            _remove_abandoned(path)
            file = _open_locked(unfinished)
        yield file
        with output_errors(path):
            file.flush()
            os.fsync(file.fileno())  # or a power failure might leave the new name with none of the content
            if fcntl is None:
                file.close()  # Windows moves no open file; elsewhere the lock must hold until it has its name
            os.replace(unfinished, path)
    finally:
        with suppress(OSError):  # what the disk has no room for is tried once more, and has been told
            if file is not None:
                file.close()
        with suppress(OSError):
            unfinished.unlink()


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write `content` to `path`, whose folder is made if needed; a failure leaves what was there before."""
    with whole_file(path) as file, output_errors(path):
        file.write(content)


@contextmanager
def output_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say of the system's errors in the block that `path` cannot be written."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}.") from error


def _beginning(path: Path) -> str:
    """Return the beginning of a file's name, so much that what is added to it while it is written has room."""
    return path.name.encode()[:LONGEST_BEGINNING].decode(errors="ignore")


def _open_locked(unfinished: Path) -> IO[bytes]:
    """Open a file that nobody else has, and lock it: the lock ends with the process, however that ends."""
    while True:
        file = unfinished.open("w+b")
        if fcntl is not None:
            with suppress(OSError):  # a file system without locks: nothing is then taken for abandoned
                fcntl.flock(file, fcntl.LOCK_EX)
        if unfinished.exists():
            return file
        file.close()  # somebody who cleaned up was quicker than the lock


def _remove_abandoned(path: Path) -> None:
    """Remove what processes that are no more have left of a file: what nobody holds a lock on."""
    for unfinished in path.parent.glob(f"{glob.escape(_beginning(path))}.{'[0-9a-f]' * 32}{UNFINISHED}"):
        with suppress(OSError):  # locked, or removed by another who cleans up
            if fcntl is None:
                unfinished.unlink()
                continue
            with unfinished.open("r+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(os.fstat(file.fileno()), unfinished.stat()):  # else the name is a new file's
                    unfinished.unlink()


def write_to_standard_output(content: bytes) -> None:
    """Write `content` to standard output; a reader that has seen enough and left, such as ``head``, is no mistake."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)  # bytes as they are, whatever the terminal's encoding and line ends
        sys.stdout.buffer.flush()
    except OSError as error:
        # What could not be written is still in Python's buffer, which it would try to write, and complain, at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise OutputError(f"Standard output cannot be written: {error.strerror or error}.") from error


def check_free(path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Refuse, before any work is done, a file that exists (unless `force`) or that cannot be written."""
    path = Path(path)
    if path.is_dir():
        raise OutputError(f"{path} is a folder; name a file.")
    if path.exists() and not force:
        raise OutputError(f"{path} exists. Give another name, or --force (force=True) to replace it.")
    check_folder(path.parent)


def check_clock() -> None:
    """Refuse, before any work is done, to make an archive while the clock tells a year that archives do not know."""
    year = time.localtime().tm_year
    if not ARCHIVE_YEARS[0] <= year <= ARCHIVE_YEARS[1]:
        raise OutputError(
            f"The clock of this computer says that it is {year}, and archives, as models and .npz files are, know the "
            f"years {ARCHIVE_YEARS[0]} to {ARCHIVE_YEARS[1]}. Set the clock."
        )


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Refuse, before any work is done, a folder that cannot be made or written to."""
    folder = Path(folder)
    above = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise OutputError(f"Nothing can be written to {folder}: {above} is no folder, or not one to write to.")
