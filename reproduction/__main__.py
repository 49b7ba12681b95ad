"""Command line of the reproduction: ``python -m reproduction run`` and ``… report``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from labeldist.comparison import Store
from labeldist.exceptions import LabelDistError
from labeldist.utils import check_free
from reproduction.findings import rewrite_page
from reproduction.pages import write_pages
from reproduction.report import write_report
from reproduction.runner import read_store, run
from reproduction.spec import PAPER, load_spec, restrict, shipped
from reproduction.tables import write_tables

FAILURES = 3
"""Exit code if some runs failed or exceeded their time limit."""


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m reproduction", description="Reproduce the experiments of the paper."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run", help="run experiments into a store, and write the report")
    runs.add_argument(
        "experiments",
        nargs="*",
        metavar="EXPERIMENT",
        default=list(PAPER),
        help=f"{', '.join(shipped())}, or the path of a .toml file (default: all of the paper)",
    )
    runs.add_argument(
        "--store",
        type=Path,
        default=Path("reproduction.sqlite"),
        help="SQLite file of the records; runs that it has are skipped",
    )
    runs.add_argument(
        "--dataset",
        action="append",
        help="run on this data set instead of the sets of the spec (repeatable)",
    )
    runs.add_argument(
        "--jobs",
        type=_jobs,
        default=-1,
        help="number of processes, each with one thread (default: one per core)",
    )
    runs.add_argument(
        "--retry", action="store_true", help="repeat runs that failed or exceeded their time limit"
    )
    report = commands.add_parser("report", help="write the report of a store")
    report.add_argument("store", type=Path, help="SQLite file of the records")
    report.add_argument(
        "--page", type=Path, help="Markdown page whose findings and claims are rewritten"
    )
    for command in (runs, report):
        command.add_argument(
            "--out",
            type=Path,
            default=Path("build/reproduction"),
            help="folder of the report and the tables",
        )
    return parser


def _jobs(text: str) -> int:
    number = int(text)
    if number == 0:
        raise argparse.ArgumentTypeError("0 processes cannot run anything; -1 is one per core")
    return number


def main(arguments: Sequence[str] | None = None) -> int:
    """Execute a command line and return the exit code."""
    options = make_parser().parse_args(arguments)
    try:
        check_free(options.out / "report.html", overwrite=True)
        if options.command == "run":
            return _run(options)
        if options.page:
            rewrite_page(options.page, read_store(options.store))
        return write_outputs(options.store, options.out)
    except (LabelDistError, OSError) as error:
        print(f"reproduction: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("reproduction: interrupted; the same command continues", file=sys.stderr)
        return 130


def _run(options: argparse.Namespace) -> int:
    specs = [load_spec(name) for name in options.experiments]
    if options.dataset:
        specs = [restrict(spec, options.dataset) for spec in specs]
    with Store(options.store) as store:
        if options.retry:
            store.forget_failures()
        run(specs, store, jobs=options.jobs)
    return write_outputs(options.store, options.out)


def write_outputs(store: Path, folder: Path) -> int:
    """Write the report, tables and pages of the documentation; return the exit code."""
    records = read_store(store)
    print(write_report(records, folder / "report.html"))
    write_tables(records, folder / "tables")
    write_pages(read_store(store, attributes=True), folder / "pages")
    failed = records.loc[records["status"] != "ok", "run"].nunique()
    if failed:
        print(
            f"reproduction: {failed} runs failed or timed out; run --retry repeats them",
            file=sys.stderr,
        )
    return FAILURES if failed else 0


if __name__ == "__main__":
    sys.exit(main())
