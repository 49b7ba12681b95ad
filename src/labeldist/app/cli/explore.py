"""``labeldist explore``: write an HTML page to browse items and their label distributions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labeldist._text import counted, listed
from labeldist._typing import Array
from labeldist._validation import is_logical
from labeldist.app.cli import io, options
from labeldist.app.cli.estimate import MAX_FEATURES, Estimate, fit_vote_le
from labeldist.app.cli.options import BAYES, ENHANCERS, make, use_features
from labeldist.app.cli.reporter import Reporter
from labeldist.app.tables.column_selection import (
    LabelledTable,
    check_apart,
    degrees,
    match_columns,
    one_column,
)
from labeldist.app.tables.tables import STANDARD
from labeldist.exceptions import TableError
from labeldist.simplex import normalize
from labeldist.votes._vote_distributions import VOTES_COLUMN

if TYPE_CHECKING:
    import pandas as pd

    from labeldist.app.explorer.contents import Versions


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
    from labeldist.app.explorer.contents import check_contents
    from labeldist.app.explorer.page import write_page
    from labeldist.app.explorer.summary import scores, sentences

    page = _page_path(table, output)
    reporter = Reporter(as_json=as_json, output=page)
    source = "standard input" if table == STANDARD else Path(table).name
    io.check_outputs(page, force=force)
    enhancers = {name: make(ENHANCERS, name, {}) for name in methods or [BAYES]}
    frame = io.read(table, reporter, item, ignore, text, categories)
    if item:
        one_column(item, frame.columns, "item")
    match_columns(features or "", frame.columns, "feature")
    try:
        columns = match_columns(labels, frame.columns, "label")
        Y = degrees(frame, columns)
    except TableError as error:
        raise TableError(f"{error} If each row is a vote, use labeldist votes first.") from None
    io.check_several(columns)
    check_apart("label", columns, [item])
    predictions = {}
    for name in predicted or ():
        P = io.read_degrees(name, frame, columns, item, source, reporter)
        io.note_sums(P, name, reporter)
        predictions[f"predicted in {name}"] = normalize(P, name=name)
    used: list[str] = []
    estimate = None
    named = io.Columns(labels, features, ignore, prepare, text, categories, item)
    if _are_tags(Y, frame):
        shown = _versions_of_tags(frame, Y, named, enhancers, predictions, reporter)
    elif methods:
        raise typer.BadParameter("--method is for tags; these are degrees.")
    else:
        io.note_sums(Y, source, reporter)
        table_of_degrees = LabelledTable(frame, columns, [])
        shown, used, estimate = _versions_of_degrees(
            table_of_degrees, named, predictions, source, reporter
        )
    contents = check_contents(frame, columns, item=item, **vars(shown))
    scored = scores(contents)
    skills = [score.skill for score in scored if not score.trivial]
    ceiling = None
    remarks = []
    if used:
        number = counted(len(used), "feature")
        remarks.append(f"Predicted from {number}: {listed(used, MAX_FEATURES)}.")
    if skills:
        ceiling, about_ceiling = io.noise_ceiling_of(frame, Y.to_numpy(), None, max(skills))
        remarks.append(about_ceiling)
    if estimate:
        remarks += estimate.sentences
    remarks = list(filter(None, remarks))
    title = f"Label distributions of {source}"
    write_page(page, contents, title, remarks=remarks, overwrite=force)
    facts = {
        "output": page,
        "features": used,
        "noise_ceiling": ceiling,
        "estimate": estimate.facts if estimate else None,
        "items": len(contents.names),
        "labels": contents.labels,
        "versions": list(contents.versions),
        "truth": contents.truth,
        "intervals": list(contents.intervals),
        "measures": {score.name: score.values | {"skill": score.skill} for score in scored},
    }
    first = f"{page}: open it in a browser."
    reporter.result("\n".join([first, *sentences(contents), *remarks]), facts)


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
    return is_logical(Y.to_numpy()) and not are_shares


def _versions_of_tags(
    frame: pd.DataFrame,
    L: pd.DataFrame,
    columns: io.Columns,
    enhancers: dict[str, Any],
    predictions: dict[str, Array],
    reporter: Reporter,
) -> Versions:
    """Return what enhancers recover from tags; `BayesLE` uses the features if there are any."""
    from labeldist.app.explorer.contents import from_logical

    given = io.choose(frame, columns, reporter, need_features=list(enhancers) != [BAYES])
    X = io.feature_matrix(given, prepare=columns.prepare)
    if BAYES in enhancers:
        use_features(enhancers[BAYES], X, reporter)
    with reporter.working(f"Recovering distributions of {len(L)} items") as watch:
        return from_logical(X, L, enhancers.values(), predictions, watch)


def _versions_of_degrees(
    table: LabelledTable,
    columns: io.Columns,
    predictions: dict[str, Array],
    source: str,
    reporter: Reporter,
) -> tuple[Versions, list[str], Estimate | None]:
    """Return versions of degrees, the features of cross-validated predictions, and an estimate.

    The estimate is None unless the degrees are shares of votes. Given predictions replace
    cross-validated ones.
    """
    from labeldist.app.explorer.contents import from_degrees, from_votes, predict_out_of_fold

    used: list[str] = []
    counts = io.counts_of_votes(table.frame, table.Y.to_numpy())
    if counts is not None:
        ignored = match_columns(columns.ignore, table.frame.columns, "ignored")
        columns = replace(columns, ignore=[*ignored, VOTES_COLUMN])
    if counts is not None or not predictions:
        table = _choose_features(table, columns, reporter)
    if table.features and not predictions:
        X, preparation = _feature_columns(table, prepare=columns.prepare)
        with reporter.working(f"Predicting {len(X)} items by cross-validation"):
            predictions = predict_out_of_fold(X, table.Y, preparation)
        used = table.features if predictions else []
    if counts is None:
        return from_degrees(f"degrees in {source}", table.Y, predictions), used, None
    estimate = fit_vote_le(counts, table, reporter, prepare=columns.prepare)
    with reporter.working("Computing intervals"):
        shown = from_votes(f"votes in {source}", counts, estimate.enhancer, predictions)
    return shown, used, estimate


def _choose_features(
    without: LabelledTable, columns: io.Columns, reporter: Reporter
) -> LabelledTable:
    """Return the table with its features.

    If they cannot be used, print a note and return the table without features.
    """
    try:
        given = io.choose(without.frame, columns, reporter)
        _feature_columns(given, prepare=columns.prepare)
    except TableError as error:
        reporter.note(f"the page shows no predictions from features: {error}")
        return without
    return given


def _feature_columns(given: LabelledTable, *, prepare: bool) -> tuple[pd.DataFrame, Any]:
    """Return the features, and the transformer that prepares them, if any."""
    from labeldist.app.tables.preparation import prepare_columns

    if not prepare:
        return given.X, None
    columns = given.kinds.converted(given.features)
    return columns, prepare_columns(columns, kinds=given.kinds)
