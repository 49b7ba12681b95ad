"""Download and verification of the files of the benchmark sets."""

import hashlib
import io
import logging
import os
from pathlib import Path

from labeldist._files import write_whole
from labeldist.datasets import _registry as registry
from labeldist.datasets._registry import DatasetInfo
from labeldist.exceptions import ChecksumError, DatasetNotFoundError

TIMEOUT = 30.0  # Seconds without data after which the next source is tried.
_CHOOSE_A_FOLDER = "To use another folder, set LABELDIST_DATA or pass data_home."
_logger = logging.getLogger("labeldist")


def data_folder(data_home: str | os.PathLike[str] | None = None) -> Path:
    """Return the data folder: `data_home`, else ``$LABELDIST_DATA``, else ``~/labeldist_data``."""
    return Path(data_home or os.environ.get("LABELDIST_DATA") or "~/labeldist_data").expanduser()


def locate(
    info: DatasetInfo, data_home: str | os.PathLike[str] | None = None, download_if_missing: bool = True
) -> Path:
    """Return the path of the verified file of a set, after a download if necessary."""
    path = data_folder(data_home) / info.filename
    if not path.exists():
        if not download_if_missing:
            by_hand = _by_hand(info, path)
            raise DatasetNotFoundError(f"There is no file {path}. Set download_if_missing=True, or {by_hand}")
        _download(info, path)
    difference = _difference(path.read_bytes(), info)
    if difference:
        raise ChecksumError(f"{path} is not the published file: {difference}. Delete it to download it again.")
    return path


def _difference(content: bytes, info: DatasetInfo) -> str:
    """Return how the checksum differs from the published one, or an empty string if it agrees."""
    sha256 = hashlib.sha256(content).hexdigest()
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    if info.sha256 == sha256 or info.git_blob == blob:
        return ""
    return f"expected SHA-256 {info.sha256}, found {sha256}"


def _download(info: DatasetInfo, path: Path) -> None:
    """Write the file of a set to `path`, from the first source that has the published content."""
    try:
        from pooch import HTTPDownloader
    except ImportError:
        raise DatasetNotFoundError(
            f"The download of {path} needs pooch. Run pip install 'labeldist[app]', or {_by_hand(info, path)}"
        ) from None
    download = HTTPDownloader(chunk_size=2**16, timeout=TIMEOUT)
    failures = []
    for source in registry.SOURCES:
        url = source + info.filename
        content = io.BytesIO()
        _logger.info("Downloading %s to %s", url, path.parent)
        try:
            download(url, content, None)
        except OSError as error:  # the base class of the exceptions of requests
            failures.append(f"{url}: {error}")
            continue
        difference = _difference(content.getvalue(), info)
        if not difference:
            write_whole(path, content.getvalue())
            return
        failures.append(f"{url}: not the published file: {difference}")
    advice = f"Try again later, or {_by_hand(info, path)}"
    raise DatasetNotFoundError("\n".join([f"{path} could not be downloaded.", *failures, advice]))


def _by_hand(info: DatasetInfo, path: Path) -> str:
    return f"put {registry.SOURCES[0]}{info.filename} into {path.parent} by hand. {_CHOOSE_A_FOLDER}"
