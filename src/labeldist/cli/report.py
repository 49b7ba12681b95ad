"""``labeldist report``: write the report of one or several stores of records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from labeldist._files import check_folder, write_whole
from labeldist.cli import options
from labeldist.cli.telling import Teller

OUT = Path("reproduction")
OUT_HELP = "The folder of the report and the tables."


def report(
    stores: Annotated[list[Path], typer.Argument(help="Stores of records; several are compared.")],
    out: Annotated[Path, typer.Option(help=OUT_HELP)] = OUT,
    findings: Annotated[
        Path | None, typer.Option(help="Also write what was found, in plain words, to this Markdown file.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Write the report again from the records that `labeldist reproduce` has stored.

    **Examples**

    `labeldist report labeldist.sqlite --out reproduction`

    `labeldist report before.sqlite after.sqlite --out comparison` — two runs side by side
    """
    # Commands import what they need when they are called: the others need not wait for it.
    from labeldist.experiments.findings_page import findings_markdown
    from labeldist.experiments.store import read_stores

    check_folder(out)
    records = read_stores(stores)
    facts = write_outputs(records, out)
    if findings:
        check_folder(findings.parent)
        write_whole(findings, findings_markdown(records).encode())
        facts["findings"] = str(findings)
    Teller(as_json=as_json).result("\n".join(str(facts[key]) for key in ("page", "findings") if key in facts), facts)


def write_outputs(records: Any, folder: Path) -> dict[str, Any]:
    """Write the report and the tables over those that are there; return where they are, and what was counted."""
    from labeldist.experiments.report import write_report
    from labeldist.experiments.tables import write_tables

    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "report.html"
    write_report(records, page)
    write_tables(records, folder / "tables")
    failed = records.loc[records["status"] != "ok", "run"].nunique()
    return {"page": str(page), "tables": str(folder / "tables"), "runs": records["run"].nunique(), "failed": failed}
