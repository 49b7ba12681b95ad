"""Atomic writing of output files."""

import os
import platform
import re
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import IO

from labeldist.exceptions import Hint, OutputError


@contextmanager
def whole_file(path: str | os.PathLike[str], *, overwrite: bool = True) -> Iterator[IO[bytes]]:
    """Open a temporary file, and move it to `path` when the block ends without an error.

    The folder is created if needed. After an error or an interrupt, the temporary file is removed
    and `path` is unchanged. A killed process cannot remove its temporary file; the next write to
    `path` does. With ``overwrite=False`` an existing `path` raises an `OutputError`,
    also if it appeared while the block was running; of two simultaneous writers one fails.

    An existing file keeps its permissions and, if the system allows it, its owner and group; the
    temporary file is never more readable. If `path` is a symbolic link, its target is written.
    """
    path = Path(path)
    with output_errors(path):
        _check_regular(path)
        if overwrite:
            path = Path(os.path.realpath(path))
        old = path.stat() if path.exists() else None
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = _temporary_for(path)
        file = _create(temporary, old)
    try:
        yield file
        with output_errors(path):
            file.flush()
            # A power failure must not leave the new name without its content.
            os.fsync(file.fileno())
            file.close()
            if old is not None:
                _copy_permissions(old, temporary)
            _move(temporary, path, overwrite)
    finally:
        with suppress(OSError):  # on a full disk, closing fails again
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
    except FileExistsError:
        raise OutputError(f"{path} exists.", hint=Hint.OVERWRITE) from None
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}.") from error


def _check_regular(path: Path) -> None:
    """Raise an OutputError if `path` is a folder, a pipe, a device or a circular link."""
    if path.is_dir():
        raise OutputError(f"{path} is a folder. Give the name of a file.")
    is_circular = os.path.islink(os.path.realpath(path))
    if is_circular or (path.exists() and not path.is_file()):
        advice = "Give the name of a file; the name of standard output is -"
        raise OutputError(f"{path} is not a regular file. {advice}.")


def _create(path: Path, old: os.stat_result | None) -> IO[bytes]:
    """Create a file, which only its owner can read if it is to replace an `old` one."""
    mode = 0o666 if old is None else old.st_mode & 0o700
    return open(path, "x+b", opener=lambda name, flags: os.open(name, flags, mode))


def _copy_permissions(old: os.stat_result, path: Path) -> None:
    """Give `path` the owner, the group and the permissions of an `old` file.

    If the system does not allow the owner or group, another group gets no permissions.
    """
    mode = old.st_mode & 0o777
    if hasattr(os, "chown"):
        try:
            os.chown(path, old.st_uid, old.st_gid)
        except OSError:
            mode &= 0o707
    path.chmod(mode)


def _temporary_for(path: Path) -> Path:
    """Return a new temporary name, and remove the files that dead processes left for `path`."""
    # Only this computer knows its processes. File names have at most 255 bytes.
    start = f"labeldist-{path.name[:40]}-{platform.node()[:30]}-"
    for left in path.parent.glob(f"{escape(start)}*.part"):
        process = re.fullmatch(r"(\d{1,9})-[0-9a-f]{8}\.part", left.name.removeprefix(start))
        if process and not _is_running(int(process[1])):
            with suppress(OSError):
                left.unlink()
    return path.with_name(f"{start}{os.getpid()}-{uuid.uuid4().hex[:8]}.part")


def _is_running(process: int) -> bool:
    if os.name == "nt":  # os.kill would end the process
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # a process of another user
        return True
    return True


def _move(temporary: Path, path: Path, overwrite: bool) -> None:
    if not overwrite:
        try:
            return os.link(temporary, path)  # unlike os.replace, it fails if the name is taken
        except OSError:  # Without hard links, reserve the name; this also fails if it is taken.
            path.touch(exist_ok=False)
    return os.replace(temporary, path)


def write_whole(path: str | os.PathLike[str], content: bytes, *, overwrite: bool = True) -> None:
    """Write `content` to `path` atomically, by `whole_file`."""
    with whole_file(path, overwrite=overwrite) as file, output_errors(path):
        file.write(content)


def check_free(path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Raise an `OutputError` if `path` exists (unless `force`) or cannot be written."""
    path = Path(path).absolute()
    with output_errors(path):
        _check_regular(path)
        if os.path.lexists(path) and not force:
            raise FileExistsError
    folder = Path(os.path.realpath(path)).parent
    while not folder.exists():
        folder = folder.parent
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise OutputError(f"{path} cannot be written: {folder} is not a writable folder.")


def write_to_standard_output(content: bytes) -> None:
    """Write `content` to standard output.

    A reader that closes the pipe early, such as ``head``, raises no error.
    """
    if sys.stdout is None:
        raise OutputError("Standard output is closed.")
    try:
        sys.stdout.flush()
        # Bytes do not depend on the encoding and the line ends of the terminal.
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except OSError as error:
        # Python would write the rest of its buffer at exit, and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise OutputError(
                f"Standard output cannot be written: {error.strerror or error}."
            ) from error
