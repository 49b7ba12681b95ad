"""``labeldist explore``: write an HTML page to browse items and their label distributions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from labeldist.app.cli import options
from labeldist.app.cli import table_files as tables
from labeldist.app.cli.columns import Columns
from labeldist.app.cli.exploring import page_of_degrees, page_of_tags
from labeldist.app.cli.options import BAYES, ENHANCERS, make
from labeldist.app.cli.reporter import Reporter
from labeldist.app.cli.table_notes import note_sums
from labeldist.app.tables.column_selection import check_apart, degrees, match_columns, one_column
from labeldist.app.tables.read_and_write import STANDARD
from labeldist.app.types import VOTES_COLUMN
from labeldist.exceptions import TableError
from labeldist.simplex import normalize

if TYPE_CHECKING:
    import pandas as pd


def explore(
    table: options.Table,
    labels: options.Labels,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Default: TABLE.html.")
    ] = None,
    item: options.Item = None,
    methods: Annotated[
        list[str] | None,
        typer.Option("--method", help=f"For tags: {', '.join(ENHANCERS)}. Default: bayes."),
    ] = None,
    predicted: Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="Tables of predicted degrees.")
    ] = None,
    features: options.Features = None,
    ignore: options.Ignore = "",
    prepare: options.Prepare = False,
    text: options.Text = None,
    categories: options.Categories = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Write one HTML page to browse items and their label distributions.

    The page shows tags next to the distributions that are recovered from them, with the 90 %
    intervals of the method bayes. It shows degrees next to those of `--predicted`, which
    `labeldist predict` writes, or else next to cross-validated predictions. `--method` and
    `--predicted` may be given several times.

    Of the table that `labeldist votes` writes, the page also shows votes, the estimate of `VoteLE`
    and its 90 % intervals, sorted by disagreement. The shown list can be saved as CSV.

    **Examples**

    - `labeldist explore in.csv --labels joy,fear,calm --item title` — writes in.html
    - `labeldist explore dist.csv --labels 'emotion_*' --predicted pred.csv --item id -o page.html`
    """
    from labeldist.app.explorer.page import write_page

    path = _page_path(table, output)
    reporter = Reporter(as_json=as_json, output=path)
    source = "standard input" if table == STANDARD else Path(table).name
    tables.check_outputs(path, force=force)
    enhancers = {name: make(ENHANCERS, name, {}) for name in methods or [BAYES]}
    frame = tables.read(table, reporter, item, ignore, text, categories)
    if item:
        one_column(item, frame.columns, "item")
    match_columns(features or "", frame.columns, "feature")
    Y = _labels(frame, labels, item)
    predictions = {}
    for name in predicted or ():
        P = tables.read_degrees(name, frame, list(Y.columns), item, source, reporter)
        note_sums(P, name, reporter)
        predictions[f"predicted in {name}"] = normalize(P, name=name)
    named = Columns(labels, features, ignore, prepare, text, categories, item)
    if _are_tags(Y, frame):
        page = page_of_tags(frame, Y, named, enhancers, predictions, reporter)
    elif methods:
        raise typer.BadParameter("--method is for tags; these are degrees.")
    else:
        note_sums(Y, source, reporter)
        page = page_of_degrees(frame, Y, named, predictions, source, reporter)
    title = f"Label distributions of {source}"
    write_page(path, page.contents, title, remarks=page.remarks, overwrite=force)
    first = f"{path}: open it in a browser."
    reporter.result("\n".join([first, *page.sentences]), {"output": path, **page.facts})


def _labels(frame: pd.DataFrame, labels: str, item: str | None) -> pd.DataFrame:
    """Return the tags or degrees of a table."""
    try:
        names = match_columns(labels, frame.columns, "label")
        Y = degrees(frame, names)
    except TableError as error:
        raise TableError(f"{error} If each row is a vote, use labeldist votes first.") from None
    tables.check_several(names)
    check_apart("label", names, [item])
    return Y


def _page_path(table: str, output: str | None) -> str:
    """Return the file of the page, by default one that is named after the table."""
    path = Path("explorer" if table == STANDARD else table)
    page = output or path.with_suffix(".html").name
    if not page.lower().endswith((".html", ".htm")):
        raise typer.BadParameter(f"the page must end in .html; got {page}.")
    return page


def _are_tags(Y: pd.DataFrame, frame: pd.DataFrame) -> bool:
    """Return whether labels are 0 and 1, and not shares of unanimous votes."""
    are_shares = VOTES_COLUMN in frame.columns and (Y.sum(axis=1) == 1).all()
    return tables.are_logical(Y) and not are_shares
