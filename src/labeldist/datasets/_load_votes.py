"""Loading of sets of votes by name."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from labeldist._extras import require
from labeldist.datasets._fetch import fetch
from labeldist.datasets._registry import DatasetInfo
from labeldist.exceptions import LabelDistError

if TYPE_CHECKING:
    import pandas as pd

    from labeldist.votes import VoteDistributions

    # The votes and the parameters that `from_votes` needs for them, and the items.
    Read = tuple[Any, dict[str, Any], pd.DataFrame | None]


@dataclass(frozen=True, eq=False, repr=False)
class VoteData:
    """A set of votes with its items.

    Parameters
    ----------
    votes : VoteDistributions
        Shares of the votes, as `labeldist.votes.from_votes` returns them.
    items : DataFrame or None
        One row per item, in the order of the votes. The first column, ``votes.item_name``, names
        the items; the others are their texts and names. None if nothing but votes is published.
    description : str
        Size, description, terms and references.
    filename : str
        Path of the file.

    See Also
    --------
    load_votes : Load it by name.

    Examples
    --------
    See `load_votes`.
    """

    votes: VoteDistributions
    items: pd.DataFrame | None
    description: str
    filename: str

    def __repr__(self) -> str:
        columns = [] if self.items is None else list(self.items.columns)
        return f"VoteData({self.votes!r}, items={columns})"


def load_votes(
    name: str, *, data_home: str | os.PathLike[str] | None = None, download_if_missing: bool = True
) -> VoteData:
    """Load a set of votes from the data folder, or from its public source.

    A file that is not in the folder is downloaded. The terms of the set are logged before its
    download. Tables of items need ``labeldist[app]``.

    Parameters
    ----------
    name : str
        One of ``list_datasets("votes")``.
    data_home : path-like or None, default=None
        Folder of the data files. None is ``$LABELDIST_VOTES``, or else ``$LABELDIST_DATA``, or else
        ``~/labeldist_data``.
    download_if_missing : bool, default=True
        Download a file that is not in the folder. This needs ``labeldist[app]``.

    Returns
    -------
    VoteData
        ``votes``, ``items``, ``description`` and ``filename``.

    See Also
    --------
    list_datasets : Names of the sets.
    labeldist.votes.from_votes : Convert votes of your own.

    Examples
    --------
    >>> from labeldist.datasets import load_votes
    >>> load_votes("ChaosNLI_SNLI")  # doctest: +SKIP
    VoteData(VoteDistributions(1514 items, 3 labels, 151400 votes), items=['uid', 'premise', ...])
    """
    from labeldist.votes import from_votes  # It imports SciPy, which would delay every command.

    info = DatasetInfo.of(name)
    if info.kind != "votes":
        raise LabelDistError(f"{name} is a set with distributions. Load it with load_dataset.")
    path = fetch(info, data_home, download_if_missing)
    table, columns, items = _READERS[path.suffix](path, list(info.label_names))
    return VoteData(from_votes(table, **columns), items, str(info), str(path))


def _read_counts_and_texts(path: Path, labels: list[str]) -> Read:
    """Read ChaosNLI: one record per line, with a list of counts in the order of `labels`."""
    # Texts may hold line separators of Unicode, at which splitlines would split.
    lines = path.read_text(encoding="utf-8").split("\n")
    records = [json.loads(line) for line in lines if line.strip()]
    frame = require("pandas", "app").json_normalize(records)
    items = frame.filter(regex=r"^example\.").rename(
        columns=lambda name: name.removeprefix("example.")
    )
    return frame, {"item": "uid", "counts": ["label_count"], "label_names": labels}, items


def _read_annotations_and_texts(path: Path, labels: list[str]) -> Read:
    """Read LeWiDi: a JSON object of items, with annotators and labels separated by commas."""
    pandas = require("pandas", "app")
    records = json.loads(path.read_text(encoding="utf-8"))
    frame = pandas.DataFrame([{"item": item, **record} for item, record in records.items()])
    named = zip(frame["item"], frame["text"], strict=True)
    items = pandas.DataFrame([{"item": item, **_texts(text)} for item, text in named])
    columns = {"item": "item", "annotator": "annotators", "label": "annotations", "separator": ","}
    return frame, {**columns, "label_names": labels}, items


def _texts(text: str) -> dict[str, Any]:
    """Return the parts of a dialogue, which is a JSON object, or else the text."""
    try:
        parts = json.loads(text)
    except ValueError:
        parts = None
    return parts if isinstance(parts, dict) else {"text": text}


def _read_array_of_counts(path: Path, labels: list[str]) -> Read:
    """Read CIFAR-10H: a matrix of counts."""
    return np.load(path, allow_pickle=False), {"label_names": labels}, None


def _read_table_of_counts(path: Path, labels: list[str]) -> Read:
    """Read FER+: one column of counts per label.

    Rows are numbered, since items that are not faces have no name.
    """
    frame = require("pandas", "app").read_csv(path, keep_default_na=False)
    frame.insert(0, "item", range(len(frame)))
    return frame, {"item": "item", "counts": labels}, frame.drop(columns=labels)


_READERS: dict[str, Callable[[Path, list[str]], Read]] = {
    ".jsonl": _read_counts_and_texts,
    ".json": _read_annotations_and_texts,
    ".npy": _read_array_of_counts,
    ".csv": _read_table_of_counts,
}
