"""``labeldist datasets``: list, describe and download data sets and votes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from labeldist.app.cli import options
from labeldist.app.cli.reporter import Reporter
from labeldist.datasets import DatasetInfo, list_datasets

Folder = Annotated[
    Path | None,
    typer.Option(help="Default: $LABELDIST_DATA or ~/labeldist_data; votes: $LABELDIST_VOTES."),
]

HELP = "List, describe and download benchmark sets, additional sets and sets of votes."
KINDS: tuple[Literal["benchmark", "additional", "votes"], ...] = (
    "benchmark",
    "additional",
    "votes",
)
ROW = "{name:<20}{kind:<12}{items:>7}{features:>10}{labels:>8}  {here}"
HEADER = "set                 kind          items  features  labels  here"
datasets = typer.Typer(
    cls=options.Group, help=HELP, no_args_is_help=True, rich_markup_mode="markdown"
)


def _size(info: DatasetInfo) -> dict[str, Any]:
    return {
        "name": info.name,
        "kind": info.kind,
        "items": info.n_samples,
        "features": info.n_features,
        "labels": info.n_labels,
    }


@datasets.command("list", cls=options.Command)
def list_all(folder: Folder = None, as_json: options.Json = False) -> None:
    """List the sets with their sizes, and whether they are on disk.

    **Example**

    - `labeldist datasets list`
    """
    infos = [DatasetInfo.of(name) for kind in KINDS for name in list_datasets(kind)]
    rows = []
    for info in infos:
        path = info.path(folder)
        rows.append({**_size(info), "folder": str(path.parent), "here": path.exists()})
    lines = [HEADER]
    for row in rows:
        shown = {"items": row["items"] or "?", "here": "yes" if row["here"] else "no"}
        lines.append(ROW.format(**row | shown))
    Reporter(as_json=as_json).result("\n".join(lines), {"datasets": rows})


@datasets.command(cls=options.Command)
def info(
    name: Annotated[str, typer.Argument(help="Name of a set.")], as_json: options.Json = False
) -> None:
    """Describe a set: its rows and labels, its terms, and what to cite.

    **Example**

    - `labeldist datasets info SBU_3DFE`
    """
    found = DatasetInfo.of(name)
    facts = {
        **_size(found),
        "sha256": found.sha256,
        "description": found.description,
        "terms": found.terms,
        "citation": found.citation.splitlines(),
    }
    Reporter(as_json=as_json).result(str(found).rstrip(), facts)


@datasets.command(cls=options.Command)
def fetch(
    names: Annotated[
        list[str] | None, typer.Argument(help="Names of sets. Default: the benchmark sets.")
    ] = None,
    folder: Folder = None,
    as_json: options.Json = False,
) -> None:
    """Download sets that are not on disk, and verify the checksums of all.

    Terms are shown before a download. The commands read the files:
    `labeldist fit ~/labeldist_data/Yeast_cold.mat --labels 'label_*' -o model.skops`.

    **Examples**

    - `labeldist datasets fetch Yeast_cold SBU_3DFE`
    - `labeldist datasets fetch --folder data`
    """
    # All names are checked before the first download.
    wanted = [DatasetInfo.of(name) for name in names or list_datasets()]
    reporter = Reporter(as_json=as_json)
    paths = []
    for one in wanted:
        with reporter.working(f"Fetching {one.name}"):
            paths.append(str(one.fetch(data_home=folder)))
    reporter.result("\n".join(paths), {"files": paths})
