"""Download and verification of the files of the registry."""

import hashlib
import logging
import os
from pathlib import Path

from labeldist._extras import require
from labeldist.datasets import _registry as registry
from labeldist.datasets._registry import DatasetInfo
from labeldist.exceptions import LabelDistError

TIMEOUT = 30.0  # Seconds without data after which the next source is tried.
_logger = logging.getLogger("labeldist")


def fetch(
    info: DatasetInfo,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
) -> Path:
    """Return the path of the verified file of a set, after a download if necessary."""
    path = info.path(data_home)
    if not path.exists():
        if not download_if_missing:
            by_hand = _by_hand(info, path)
            raise LabelDistError(
                f"There is no file {path}. Set download_if_missing=True, or {by_hand}"
            )
        _download(info, path)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    if sha256 != info.sha256:
        raise LabelDistError(
            f"{path} is not the published file: expected SHA-256 {info.sha256}, found {sha256}. "
            "Delete it to download it again."
        )
    return path


def _download(info: DatasetInfo, path: Path) -> None:
    """Write the file of a set to `path`, from the first source that has the published content."""
    pooch = require("pooch", "app")
    # A warning, since Python shows messages of lower levels only if a program configures logging.
    if info.terms:
        _logger.warning("Terms of %s: %s", info.name, info.terms)
    downloader = pooch.HTTPDownloader(chunk_size=2**16, timeout=TIMEOUT)
    failures = []
    for url in _urls(info):
        try:
            pooch.retrieve(url, info.sha256, path.name, path.parent, downloader=downloader)
        except (OSError, ValueError) as error:  # of the connection, and of another checksum
            failures.append(f"{url}: {error}")
        else:
            return
    advice = f"Try again later, or {_by_hand(info, path)}"
    raise LabelDistError("\n".join([f"{path} could not be downloaded.", *failures, advice]))


def _urls(info: DatasetInfo) -> list[str]:
    return [info.url] if info.url else [source + info.filename for source in registry.SOURCES]


def _by_hand(info: DatasetInfo, path: Path) -> str:
    variable = "LABELDIST_VOTES" if info.kind == "votes" else "LABELDIST_DATA"
    choose = f"To use another folder, set {variable} or pass data_home."
    return f"put {_urls(info)[0]} into {path.parent} by hand. {choose}"
