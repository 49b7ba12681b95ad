"""From a set's row in the registry to a verified file on disk."""

import hashlib
import logging
import os
from pathlib import Path
from typing import Any

from labeldist._files import whole_file
from labeldist.datasets import _registry as registry
from labeldist.datasets._registry import DatasetInfo
from labeldist.exceptions import ChecksumError, DatasetNotFoundError, OutputError

DATA_VARIABLE = "LABELDIST_DATA"
"""The environment variable that names the data folder."""

SILENCE = 30.0
"""After so many seconds without a byte a source is given up for the next."""

_CHOOSE_A_FOLDER = f"To use another folder, set {DATA_VARIABLE} or pass data_home."

_logger = logging.getLogger("labeldist")


def data_folder(data_home: str | os.PathLike[str] | None = None) -> Path:
    """Return the data folder: `data_home`, else ``$LABELDIST_DATA``, else ``~/labeldist_data``."""
    return Path(data_home or os.environ.get(DATA_VARIABLE) or "~/labeldist_data").expanduser()


def locate(
    info: DatasetInfo, data_home: str | os.PathLike[str] | None = None, download_if_missing: bool = True
) -> Path:
    """Return the path of a set's file, downloaded if need be, its bytes verified to be the published ones.

    Parameters
    ----------
    info : DatasetInfo
        The set's row in the registry.
    data_home : path-like or None
        See `data_folder`.
    download_if_missing : bool
        Whether to ask `registry.SOURCES` for a file that is not in the folder. This needs ``labeldist[app]``.

    Raises
    ------
    ChecksumError
        The file in the folder is not the published one.
    DatasetNotFoundError
        The file is not in the folder, and could not, or was not to, be downloaded.
    """
    path = data_folder(data_home) / info.filename
    if not path.exists():
        if not download_if_missing:
            raise DatasetNotFoundError(
                f"There is no {path}. Let it be downloaded (download_if_missing=True), or {_by_hand(info, path)}"
            )
        _download(info, path)
        return path
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DatasetNotFoundError(
            f"{path} cannot be read: {error.strerror}. Make it a readable file. {_CHOOSE_A_FOLDER}"
        ) from error
    difference = _difference(content, info)
    if difference:
        raise ChecksumError(
            f"{path} is not the published file: {difference}. Delete it, so that it is downloaded anew, or restore it."
        )
    return path


def _difference(content: bytes, info: DatasetInfo) -> str:
    """Say how the checksum differs from the published one; nothing if the bytes are the published ones."""
    sha256 = hashlib.sha256(content).hexdigest()
    found, expected = f"SHA-256 {sha256}", f"SHA-256 {info.sha256}"
    genuine = sha256 == info.sha256
    if info.git_blob is not None:
        blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
        found, expected = f"{found}, git blob {blob}", f"{expected} or git blob {info.git_blob}"
        genuine = genuine or blob == info.git_blob
    return "" if genuine else f"expected {expected}, found {found}"


def _download(info: DatasetInfo, path: Path) -> None:
    """Put the set's file at `path`, from the first source that has the published bytes."""
    download = _downloader(info, path)
    failures = []
    for source in registry.SOURCES:
        url = source + info.filename
        try:
            with whole_file(path) as file:
                _logger.info("Downloading %s to %s", url, path.parent)
                download(url, file, None)
                file.seek(0)
                difference = _difference(file.read(), info)
                if difference:
                    raise ChecksumError(f"other bytes than the published ones: {difference}")
        except OutputError as error:
            raise DatasetNotFoundError(
                f"{info.filename} cannot be stored: the folder {path.parent} cannot be created or written. {error} "
                f"Make it writable. {_CHOOSE_A_FOLDER}"
            ) from error
        except OSError as error:  # requests' exceptions are OSErrors too
            failures.append(f"{url}: {error}")
        else:
            return
    reasons = "".join(f"\n  {failure}" for failure in failures)
    raise DatasetNotFoundError(
        f"{info.filename} is not in {path.parent} and could not be downloaded:{reasons}\n"
        f"Try again later, or {_by_hand(info, path)}"
    )


def _downloader(info: DatasetInfo, path: Path) -> Any:
    try:
        from pooch import HTTPDownloader
    except ImportError:
        raise DatasetNotFoundError(
            f"{info.filename} is not in {path.parent}, and downloading it needs pooch. Run "
            f"pip install 'labeldist[app]', or {_by_hand(info, path)}"
        ) from None
    return HTTPDownloader(chunk_size=2**16, timeout=SILENCE)


def _by_hand(info: DatasetInfo, path: Path) -> str:
    return f"put {registry.SOURCES[0]}{info.filename} into {path.parent} by hand. {_CHOOSE_A_FOLDER}"
