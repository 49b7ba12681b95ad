"""``labeldist explore``: write a page to look through the items of a table and their label distributions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from labeldist._files import check_free
from labeldist._tables.columns import degrees, match_columns, one_column, typed
from labeldist._tables.tables import STANDARD, read_table
from labeldist._typing import Array
from labeldist.cli import options
from labeldist.cli.answers import predict_by
from labeldist.cli.inputs import choose_told, features_of, matched_rows
from labeldist.cli.methods import BAYES, ENHANCERS, choose_regressor, make
from labeldist.cli.telling import Teller
from labeldist.exceptions import TableError
from labeldist.simplex import normalize


def explore(
    table: options.Table,
    labels: options.Labels,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="The page; else it is called as the table, with .html.")
    ] = None,
    item: options.Item = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            help=f"What recovers distributions from labels of 0 and 1: {', '.join(ENHANCERS)}; several are compared. "
            "Default bayes.",
        ),
    ] = None,
    intervals: Annotated[
        bool, typer.Option("--intervals", help="Draw the 90 % interval of each degree that --method bayes recovers.")
    ] = False,
    predicted: Annotated[
        list[str] | None, typer.Option(help="A table of predicted degrees to show beside; may be given several times.")
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option("--model", help="A model whose predictions to show beside; may be given several times."),
    ] = None,
    features: options.Features = None,
    ignore: options.Ignore = "",
    prepare: options.Prepare = False,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Write one page, for any browser, to look through items and their label distributions.

    Labels that are 0 or 1 are shown beside the distributions that are recovered from them; degrees beside those of
    `--predicted` and `--model`, or else beside what is predicted of each item by a model that has not seen it.

    **Examples**

    `labeldist explore in.csv --labels joy,fear,calm --item title --intervals` — writes in.html

    `labeldist explore in.csv --labels joy,fear,calm --method bdle --method glle -o two.html`

    `labeldist explore dist.csv --labels 'emotion_*' --predicted pred.csv --item id -o page.html`
    """
    from labeldist.explorer._contents import check_contents, from_degrees, from_logical, is_logical
    from labeldist.explorer._page import write_page
    from labeldist.explorer._summary import scores, sentences

    teller = Teller(as_json=as_json)
    source = "standard input" if table == STANDARD else Path(table).name
    page = output or ("explorer.html" if table == STANDARD else Path(table).with_suffix(".html").name)
    if Path(page).suffix.lower() not in (".html", ".htm"):
        raise typer.BadParameter(f"the page must end in .html; got {page}.")
    check_free(page, force=force)
    enhancers = {name: make(ENHANCERS, name, {}) for name in methods or [BAYES]}
    if intervals and BAYES not in enhancers:
        raise typer.BadParameter("--intervals is for --method bayes only.")
    frame = read_table(table)
    columns = match_columns(labels, frame.columns, "label")
    if item is not None:
        one_column(item, frame.columns, "item")
    Y = degrees(frame, columns)
    answers = {
        **{f"predicted in {name}": _read(name, frame, columns, item, source) for name in predicted or ()},
        **{f"predicted by {name}": _predict(name, frame, columns, teller) for name in models or ()},
    }
    choice: dict[str, Any] = {"features": features, "ignore": ignore, "prepare": prepare, "others": [item]}
    if is_logical(Y):
        need_features = list(enhancers) != [BAYES]
        X = features_of(choose_told(frame, labels, teller, **choice, need_features=need_features), prepare=prepare)
        if BAYES in enhancers:
            choose_regressor(enhancers[BAYES], X, teller)
        with teller.working(f"Recovering distributions of {len(Y)} items"):
            shown = from_logical(X, Y, enhancers.values(), answers, intervals=intervals)
    else:
        if methods or intervals:
            raise typer.BadParameter(
                "--method and --intervals recover distributions from labels that are 0 or 1; these are degrees."
            )
        shown = from_degrees(f"degrees in {source}", Y, answers or _held_out(frame, labels, Y, choice, teller))
    contents = check_contents(
        frame,
        columns,
        shown.versions,
        logical=shown.logical,
        truth=shown.truth,
        item=item,
        intervals=shown.intervals,
    )
    write_page(page, contents, f"Label distributions of {source}", overwrite=force)
    facts = {
        "items": len(frame),
        "labels": columns,
        "versions": list(shown.versions),
        "truth": shown.truth,
        "intervals": list(shown.intervals),
        "measures": {score.name: {**score.values, "skill": score.skill} for score in scores(contents)},
        "output": page,
    }
    teller.result("\n".join([f"{page}: open it in a browser.", *sentences(contents)]), facts)


def _read(name: str, frame: Any, columns: list[str], item: str | None, source: str) -> Array:
    """Read degrees that somebody predicted of the same items."""
    other = read_table(name)
    for column in columns:
        one_column(column, other.columns, "label")
    return normalize(degrees(matched_rows(frame, other, item, (source, name)), columns), name=name)


def _predict(name: str, frame: Any, columns: list[str], teller: Teller) -> Array:
    """Let a model that was kept predict the items."""
    from labeldist.models import label_names_of, load

    with teller.working("Loading the model"):
        learner = load(name)
    known = label_names_of(learner)
    if sorted(known) != sorted(columns):
        raise TableError(f"{name} predicts {', '.join(known)}, and not {', '.join(columns)}.")
    D = predict_by(learner, frame, teller)
    teller.note(f"if {name} has learned from some of these items, it looks better on them than it is.")
    return D[:, [known.index(column) for column in columns]]


def _held_out(frame: Any, labels: str, Y: Any, choice: dict[str, Any], teller: Teller) -> dict[str, Array]:
    """Predict each item by a model that has not seen it, where the table has features to learn from."""
    from labeldist._tables.preparation import prepare_columns
    from labeldist.explorer._contents import predict_out_of_fold

    preparation = None
    try:
        table = choose_told(frame, labels, teller, **choice)
        X = typed(frame, table.features) if choice["prepare"] else table.X
        if choice["prepare"]:
            preparation = prepare_columns(X)
    except TableError as error:
        teller.note(f"nothing is predicted, only the degrees are shown: {error}")
        return {}
    with teller.working(f"Predicting {len(Y)} items, each by a model that has not seen it"):
        return predict_out_of_fold(X, Y, prepare=preparation)
