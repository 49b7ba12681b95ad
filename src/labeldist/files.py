"""Write files that nobody ever finds half written, and none over another by accident."""

import os
import sys
from pathlib import Path

from labeldist.exceptions import OutputError


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write `content` to `path`, whose folder is made if needed; a failure leaves what was there before."""
    path = Path(path)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            unfinished.write_bytes(content)
            os.replace(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}.") from error


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


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Refuse, before any work is done, a folder that cannot be made or written to."""
    folder = Path(folder)
    above = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise OutputError(f"Nothing can be written to {folder}: {above} is no folder, or not one to write to.")
