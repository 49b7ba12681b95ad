"""Download and verification of the files of the registry."""

import hashlib
import io
import logging
import os
from pathlib import Path

from labeldist._extras import require
from labeldist._files import write_whole
from labeldist.datasets import _registry as registry
from labeldist.datasets._registry import DatasetInfo
from labeldist.exceptions import ChecksumError, DatasetNotFoundError

TIMEOUT = 30.0  # Seconds without data after which the next source is tried.
_logger = logging.getLogger("labeldist")


def data_folder(data_home: str | os.PathLike[str] | None = None, *, votes: bool = False) -> Path:
    """Return `data_home`, or else the folder of an environment variable, or else the default.

    The variable is ``LABELDIST_VOTES`` for votes, or else ``LABELDIST_DATA``.
    """
    variable = (votes and os.environ.get("LABELDIST_VOTES")) or os.environ.get("LABELDIST_DATA")
    return Path(data_home or variable or "~/labeldist_data").expanduser()


def locate(
    info: DatasetInfo,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
) -> Path:
    """Return the path of the verified file of a set, after a download if necessary."""
    path = data_folder(data_home, votes=info.kind == "votes") / info.filename
    if not path.exists():
        if not download_if_missing:
            by_hand = _by_hand(info, path)
            raise DatasetNotFoundError(
                f"There is no file {path}. Set download_if_missing=True, or {by_hand}"
            )
        _download(info, path)
    difference = _difference(path.read_bytes(), info)
    if difference:
        raise ChecksumError(
            f"{path} is not the published file: {difference}. Delete it to download it again."
        )
    return path


def _difference(content: bytes, info: DatasetInfo) -> str:
    """Return how the checksum differs from the published one, or an empty string if it agrees."""
    sha256 = hashlib.sha256(content).hexdigest()
    return "" if sha256 == info.sha256 else f"expected SHA-256 {info.sha256}, found {sha256}"


def _download(info: DatasetInfo, path: Path) -> None:
    """Write the file of a set to `path`, from the first source that has the published content."""
    downloader = require("pooch", "app").HTTPDownloader
    # A warning, since Python shows messages of lower levels only if a program configures logging.
    if info.terms:
        _logger.warning("Terms of %s: %s", info.name, info.terms)
    download = downloader(chunk_size=2**16, timeout=TIMEOUT)
    failures = []
    for url in _urls(info):
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


def _urls(info: DatasetInfo) -> list[str]:
    return [info.url] if info.url else [source + info.filename for source in registry.SOURCES]


def _by_hand(info: DatasetInfo, path: Path) -> str:
    variable = "LABELDIST_VOTES" if info.kind == "votes" else "LABELDIST_DATA"
    choose = f"To use another folder, set {variable} or pass data_home."
    return f"put {_urls(info)[0]} into {path.parent} by hand. {choose}"
