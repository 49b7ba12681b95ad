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
    n_samples: int | None  # None: not published.
    n_features: int
    n_labels: int
    sha256: str
    description: str
    citation: str
    # Git object id of a second version of the file, with the same arrays.
    git_blob: str | None = None
    kind: Kind = "benchmark"
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
        for fields in group["sets"]:
            registry[fields["name"]] = _to_info({**group, **fields}, content["citations"])
    return registry


def _to_info(fields: dict[str, Any], citations: dict[str, str]) -> DatasetInfo:
    """Return the entry of a set, given its fields and those of its group."""
    about = fields.get("about", "")
    return DatasetInfo(
        name=fields["name"],
        n_samples=fields.get("n_samples"),
        n_features=fields.get("n_features", 0),
        n_labels=fields["n_labels"],
        sha256=fields["sha256"],
        description=f"{fields['description']} {about}".strip(),
        citation="\n".join(citations[key] for key in fields["citations"]),
        git_blob=fields.get("git_blob"),
        kind=fields["kind"],
        url=fields.get("folder", "") + fields.get("file", ""),
        terms=fields.get("terms", ""),
        label_names=tuple(fields.get("label_names", ())),
    )


REGISTRY = _read_registry()
"""All sets: the benchmark sets in the order of the literature's tables, additional ones, votes."""
