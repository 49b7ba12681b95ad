"""Registry of the data sets by name: sizes, checksums, sources and terms."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args

from labeldist._text import did_you_mean
from labeldist.exceptions import LabelDistError

Kind = Literal["benchmark", "additional", "votes"]

_GITHUB = "https://raw.githubusercontent.com/"

# Public folders with the files of the benchmark sets, in order of preference, each pinned to a
# commit.
SOURCES: tuple[str, ...] = (
    f"{_GITHUB}palm-ml/GLLE/bfc0287bec235b8b83748074bfee7582bf48689b/LDL_DataSets/",
    f"{_GITHUB}SpriteMisaka/PyLDL/082937638e075b35d349a2e69e36219d52512dc8/datasets/",
)


@dataclass(frozen=True)
class DatasetInfo:
    """Description of a data set, one published file.

    Parameters
    ----------
    name : str
        The name in the registry.
    kind : {"benchmark", "additional", "votes"}
        A set of the literature's tables, a further set with distributions, or votes.
    n_labels : int
        Number of labels.
    sha256 : str
        Checksum of the file.
    description, citation : str
        What the set contains, and references, one per line.
    n_samples, n_features : int
        Numbers of rows, None if it is not published, and of features.
    url : str
        Address of the file; empty for the benchmark sets, which have several sources.
    terms : str
        Terms of use if known.
    label_names : tuple of str
        Labels of votes, in the order of the file or of their meaning.

    See Also
    --------
    list_datasets : Names of the sets.

    Examples
    --------
    >>> from labeldist.datasets import DatasetInfo
    >>> DatasetInfo.of("SBU_3DFE").n_features
    243
    """

    name: str
    kind: Kind
    n_labels: int
    sha256: str
    description: str
    citation: str
    n_samples: int | None = None
    n_features: int = 0
    url: str = ""
    terms: str = ""
    label_names: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str) -> DatasetInfo:
        """Return the description of a data set.

        Parameters
        ----------
        name : str
            A name in `list_datasets`, of any kind.

        Returns
        -------
        DatasetInfo
            The description; ``str`` of it is a text.
        """
        if name not in REGISTRY:
            similar = did_you_mean(name, REGISTRY)
            names = ", ".join(REGISTRY)
            raise LabelDistError(f"There is no data set {name!r}.{similar} There are: {names}.")
        return REGISTRY[name]

    @property
    def filename(self) -> str:
        """Name of the file, on disk and in every source."""
        return self.url.rpartition("/")[2] or f"{self.name}.mat"

    def path(self, data_home: str | os.PathLike[str] | None = None) -> Path:
        """Return the place of the file in the data folder, whether or not it exists.

        Parameters
        ----------
        data_home : path-like or None, default=None
            The folder. None is the folder in ``$LABELDIST_DATA``, or ``~/labeldist_data``. Votes
            are in ``$LABELDIST_VOTES`` if that is set.

        Returns
        -------
        Path
            The place.
        """
        variables = ["LABELDIST_VOTES"] if self.kind == "votes" else []
        named = (os.environ.get(name) for name in [*variables, "LABELDIST_DATA"])
        folder = data_home or next(filter(None, named), "~/labeldist_data")
        return Path(folder).expanduser() / self.filename

    def fetch(
        self,
        *,
        data_home: str | os.PathLike[str] | None = None,
        download_if_missing: bool = True,
    ) -> Path:
        """Download the file if it is not in the data folder, and verify its checksum.

        The terms of the set, if known, are logged before its download.

        Parameters
        ----------
        data_home : path-like or None, default=None
            The folder, as in `path`.
        download_if_missing : bool, default=True
            Download a file that is not in the folder. This needs ``labeldist[app]``.

        Returns
        -------
        Path
            The file.
        """
        from labeldist.datasets._fetch import fetch

        return fetch(self, data_home, download_if_missing)

    def __str__(self) -> str:
        rows = "?" if self.n_samples is None else self.n_samples
        is_votes = self.kind == "votes"
        features = "items with votes" if is_votes else f"rows, {self.n_features} features"
        terms = f"Terms: {self.terms}\n\n" if self.terms else ""
        title = f"{self.name}: {rows} {features}, {self.n_labels} labels"
        return f"{title}\n\n{self.description}\n\n{terms}References:\n\n{self.citation}\n"


def _read_registry() -> dict[str, DatasetInfo]:
    """Read registry.toml."""
    text = files("labeldist.datasets").joinpath("registry.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    registry = {}
    for group in content["groups"]:
        for one in group.pop("sets"):
            info = _to_info(content["citations"], **{**group, **one})
            registry[info.name] = info
    return registry


def _to_info(
    references: dict[str, str],
    *,
    citations: list[str],
    description: str,
    about: str = "",
    folder: str = "",
    file: str = "",
    **fields: Any,
) -> DatasetInfo:
    """Return the entry of a set, given its fields and the fields of its group."""
    return DatasetInfo(
        description=f"{description} {about}".strip(),
        citation="\n".join(references[key] for key in citations),
        url=folder + file,
        **fields,
    )


REGISTRY = _read_registry()
"""All sets: the benchmark sets in the order of the literature's tables, additional ones, votes."""


def list_datasets(kind: Kind = "benchmark") -> list[str]:
    """Return the names of data sets.

    Parameters
    ----------
    kind : {"benchmark", "additional", "votes"}, default="benchmark"
        The thirteen benchmark sets in the order of the literature's tables, additional sets with
        distributions, or sets of votes.

    Returns
    -------
    list of str
        The names.

    See Also
    --------
    load_dataset : Load a benchmark set or an additional set.
    load_votes : Load a set of votes.
    DatasetInfo : Description of a set.

    Examples
    --------
    >>> from labeldist.datasets import list_datasets
    >>> list_datasets()[-3:]
    ['Natural_Scene', 'Movie', 'SBU_3DFE']
    >>> list_datasets("votes")[-2:]
    ['CIFAR-10H', 'FER+']
    """
    if kind not in get_args(Kind):
        raise ValueError(f"kind must be one of {get_args(Kind)}; got {kind!r}.")
    return [info.name for info in REGISTRY.values() if info.kind == kind]
