"""Registry of the data sets by name: sizes, checksums, sources and terms."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

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
    """Size, checksum, description and references (one per line) of a set, a published file."""

    name: str
    kind: Kind
    n_labels: int
    sha256: str
    description: str
    citation: str
    n_samples: int | None = None  # None: not published.
    n_features: int = 0
    url: str = ""  # Address of the file; empty: the file is in each of SOURCES.
    terms: str = ""
    # Labels of votes, in the order of the file or of their meaning.
    label_names: tuple[str, ...] = ()

    @property
    def filename(self) -> str:
        """Name of the file, on disk and in every source."""
        return self.url.rpartition("/")[2] or f"{self.name}.mat"


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
    """Return the entry of a set, given its fields and those of its group."""
    return DatasetInfo(
        description=f"{description} {about}".strip(),
        citation="\n".join(references[key] for key in citations),
        url=folder + file,
        **fields,
    )


REGISTRY = _read_registry()
"""All sets: the benchmark sets in the order of the literature's tables, additional ones, votes."""
