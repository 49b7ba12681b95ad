"""``labeldist report``: write the report of one or several stores of records."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from labeldist.experiments.errors import StoreError
from labeldist.experiments.files import write_whole
from labeldist.experiments.findings_page import findings_markdown
from labeldist.experiments.store import read_stores

OUT = Path("reproduction")
OUT_HELP = "The folder of the report and the tables."


def report(
    stores: Annotated[list[Path], typer.Argument(help="Stores of records; several are compared.")],
    out: Annotated[Path, typer.Option(help=OUT_HELP)] = OUT,
    findings: Annotated[
        Path | None, typer.Option(help="Also write what was found, in plain words, to this Markdown file.")
    ] = None,
) -> None:
    """Write the report again from the records that `labeldist reproduce` has stored.

    **Examples**

    `labeldist report labeldist.sqlite --out reproduction`

    `labeldist report before.sqlite after.sqlite --out comparison` — two runs side by side
    """
    check_folder(out)
    records = read_stores(stores)
    write_outputs(records, out)
    if findings:
        check_folder(findings.parent)
        write_whole(findings, findings_markdown(records).encode())
        print(findings)


def check_folder(folder: Path) -> None:
    """Refuse, before anything is done, a folder that cannot be one."""
    above = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise StoreError(f"Nothing can be written to {folder}: {above} is no folder, or not one to write to.")


def write_outputs(records: Any, folder: Path) -> None:
    """Write the report and the tables, and say where they are."""
    from labeldist.experiments.report import write_report
    from labeldist.experiments.tables import write_tables

    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "report.html"
    write_report(records, page)
    write_tables(records, folder / "tables")
    print(page)
