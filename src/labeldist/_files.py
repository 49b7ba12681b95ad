"""Atomic writing of output files."""

import os
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from labeldist.exceptions import OutputError

_TAKEN = "{} exists. Give another name, or --force (force=True) to replace it."


@contextmanager
def whole_file(path: str | os.PathLike[str], *, overwrite: bool = True) -> Iterator[IO[bytes]]:
    """Open a temporary file in the folder of `path`, and move it to `path` when the block ends without an error.

    The folder is created if needed. After an error or an interrupt, the temporary file is removed and `path` is
    unchanged. With ``overwrite=False`` an existing `path` is an error, also if it appeared while the block was
    running; of two simultaneous writers one fails.
    """
    path = Path(path)
    temporary = path.with_name(f"labeldist-{uuid.uuid4().hex}.part")
    file = None
    try:
        with output_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            file = temporary.open("x+b")
        yield file
        with output_errors(path):
            file.flush()
            os.fsync(file.fileno())  # a power failure must not leave the new name without its content
            file.close()
            try:
                _move(temporary, path, overwrite)
            except FileExistsError:
                raise OutputError(_TAKEN.format(path)) from None
    finally:
        with suppress(OSError):  # on a full disk, closing fails again
            if file is not None:
                file.close()
        with suppress(OSError):
            temporary.unlink()


@contextmanager
def output_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Raise the system's errors in the block as an `OutputError` that names `path`."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}.") from error


def _move(temporary: Path, path: Path, overwrite: bool) -> None:
    if not overwrite:
        try:
            return os.link(temporary, path)  # unlike os.replace, it fails if the name is taken
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links: reserve the name
            path.touch(exist_ok=False)
    return os.replace(temporary, path)


def write_whole(path: str | os.PathLike[str], content: bytes, *, overwrite: bool = True) -> None:
    """Write `content` to `path` atomically, as `whole_file` does."""
    with whole_file(path, overwrite=overwrite) as file, output_errors(path):
        file.write(content)


def check_free(path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Raise an error, before any work is done, if `path` exists (unless `force`) or cannot be written."""
    if os.path.isdir(path):
        raise OutputError(f"{path} is a folder. Give the name of a file.")
    is_taken = False
    with output_errors(path), suppress(FileNotFoundError, NotADirectoryError):
        os.lstat(path)  # unlike os.path.lexists, it raises an error if the name is too long
        is_taken = not force
    if is_taken:
        raise OutputError(_TAKEN.format(path))
    folder = Path(path).parent
    existing = next(parent for parent in (folder, *folder.absolute().parents) if os.path.exists(parent))
    if not os.path.isdir(existing) or not os.access(existing, os.W_OK):
        raise OutputError(f"{folder} cannot be written: {existing} is not a folder, or not writable.")


def write_to_standard_output(content: bytes) -> None:
    """Write `content` to standard output; a reader that closes the pipe early, such as ``head``, is not an error."""
    if sys.stdout is None:
        raise OutputError("Standard output is closed.")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)  # bytes, whatever the encoding and the line ends of the terminal
        sys.stdout.buffer.flush()
    except OSError as error:
        # Python would write the rest of its buffer at exit, and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise OutputError(f"Standard output cannot be written: {error.strerror or error}.") from error
