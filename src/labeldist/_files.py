"""Output files that appear complete or not at all."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from labeldist.exceptions import Hint, OutputError


@contextmanager
def whole_file(path: str | os.PathLike[str], *, overwrite: bool = True) -> Iterator[IO[bytes]]:
    """Open a temporary file, and give it the name `path` when the block ends without an error.

    After an error or an interrupt, `path` is unchanged and the temporary file is removed. The
    folder is created if needed. A replaced file keeps its permissions and, if the system allows
    it, its owner and group. If `path` is a symbolic link, its target is replaced.

    Parameters
    ----------
    path : path-like
        The file to write.
    overwrite : bool, default=True
        Whether to replace an existing file. If False, an existing file raises an `OutputError`,
        also if it appeared while the block was running; of two simultaneous writers one fails.
        This needs a file system with hard links.

    Yields
    ------
    file
        The temporary file, open for binary writing. If the system cannot write it, for example on
        a full disk, an `OutputError` is raised.

    See Also
    --------
    check_free : Find problems of `path` before the content is computed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from labeldist.utils import whole_file
    >>> with TemporaryDirectory() as folder:
    ...     with whole_file(f"{folder}/notes.txt") as file:
    ...         _ = file.write(b"complete")
    ...     Path(folder, "notes.txt").read_text()
    'complete'
    """
    path = Path(path)
    with _output_errors(path):
        _check_regular(path)
        if overwrite:
            path = Path(os.path.realpath(path))
        old = path.stat() if path.exists() else None
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f"labeldist-{uuid.uuid4().hex}.part")
        file = _create(temporary, old)
    try:
        with _output_errors(path, of_open_files=True):
            yield file
        with _output_errors(path):
            file.flush()
            # A power failure must not leave the new name without its content.
            os.fsync(file.fileno())
            file.close()
            if old is not None:
                _copy_permissions(old, temporary)
            if overwrite:
                os.replace(temporary, path)
            else:
                os.link(temporary, path)  # unlike os.replace, it fails if the name is taken
    finally:
        with suppress(OSError):  # on a full disk, closing fails again
            file.close()
        with suppress(OSError):
            temporary.unlink()


def write_whole(path: str | os.PathLike[str], content: bytes, *, overwrite: bool = True) -> None:
    """Write `content` to `path` by `whole_file`."""
    with whole_file(path, overwrite=overwrite) as file:
        file.write(content)


def check_free(path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Raise an `OutputError` if a file cannot be written.

    Call it before a long computation whose result `whole_file` writes.

    Parameters
    ----------
    path : path-like
        The file to write.
    overwrite : bool, default=False
        Whether the file may exist.

    See Also
    --------
    whole_file : Write the file.

    Examples
    --------
    >>> from labeldist.utils import check_free
    >>> check_free("folder/that/is/created/notes.txt")
    """
    path = Path(path).absolute()
    with _output_errors(path):
        _check_regular(path)
        if os.path.lexists(path) and not overwrite:
            raise FileExistsError
    folder = Path(os.path.realpath(path)).parent
    while not folder.exists():
        folder = folder.parent
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise OutputError(f"{path} cannot be written: {folder} is not a writable folder.")


@contextmanager
def _output_errors(path: Path, *, of_open_files: bool = False) -> Iterator[None]:
    """Raise the system's errors in the block as an `OutputError` that names `path`.

    The errors `of_open_files` name no file; others are raised as they are.
    """
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        if of_open_files and error.filename is not None:
            raise
        if isinstance(error, FileExistsError):
            raise OutputError(f"{path} exists.", hint=Hint.OVERWRITE) from None
        raise OutputError(f"{path} cannot be written: {error.strerror or error}.") from error


def _check_regular(path: Path) -> None:
    """Raise an OutputError if `path` is a folder, a pipe, a device or a circular link."""
    if path.is_dir():
        raise OutputError(f"{path} is a folder. Give the name of a file.")
    is_circular = os.path.islink(os.path.realpath(path))
    if is_circular or (path.exists() and not path.is_file()):
        raise OutputError(f"{path} is not a regular file. Give the name of a file.")


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
