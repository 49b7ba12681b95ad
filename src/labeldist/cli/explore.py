"""``labeldist explore``: write an HTML page to browse items and their label distributions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from labeldist._tables.columns import check_apart, degrees, match_columns
from labeldist._tables.tables import STANDARD
from labeldist._typing import Array
from labeldist.cli import io, options
from labeldist.cli.options import BAYES, ENHANCERS, make, use_features
from labeldist.cli.reporter import Reporter
from labeldist.exceptions import TableError
from labeldist.simplex import normalize


def explore(
    table: options.Table,
    labels: options.Labels,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Default: TABLE.html.")] = None,
    item: options.Item = None,
    methods: Annotated[
        list[str] | None, typer.Option("--method", help=f"For tags: {', '.join(ENHANCERS)}. Default: bayes.")
    ] = None,
    intervals: Annotated[bool, typer.Option("--intervals", help="Show 90 % intervals of bayes.")] = False,
    predicted: Annotated[list[str] | None, typer.Option(metavar="FILE", help="Tables of predicted degrees.")] = None,
    models: Annotated[list[str] | None, typer.Option("--model", metavar="FILE", help="Models to predict with.")] = None,
    features: options.Features = None,
    ignore: options.Ignore = "",
    prepare: options.Prepare = False,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Write one HTML page to browse items and their label distributions.

    The page shows tags next to the distributions that are recovered from them. It shows degrees next to those of
    `--predicted` and `--model`, or else next to cross-validated predictions. `--method`, `--predicted` and `--model`
    may be given several times.

    **Examples**

    - `labeldist explore in.csv --labels joy,fear,calm --item title --intervals` — writes in.html
    - `labeldist explore dist.csv --labels 'emotion_*' --predicted pred.csv --item id -o page.html`
    """
    from labeldist.explorer._contents import check_contents, from_degrees, from_logical, is_logical
    from labeldist.explorer._page import write_page
    from labeldist.explorer._summary import scores, sentences

    reporter = Reporter(as_json=as_json)
    source = "standard input" if table == STANDARD else os.fsencode(Path(table).name).decode(errors="replace")
    page = output or ("explorer.html" if table == STANDARD else Path(table).with_suffix(".html").name)
    if Path(page).suffix.lower() not in (".html", ".htm"):
        raise typer.BadParameter(f"the page must end in .html; got {page}.")
    io.check_outputs(page, force=force)
    enhancers = {name: make(ENHANCERS, name, {}) for name in methods or [BAYES]}
    if intervals and BAYES not in enhancers:
        raise typer.BadParameter("--intervals is for --method bayes only.")
    frame = io.read(table, reporter, item, ignore)
    columns = match_columns(labels, frame.columns, "label")
    check_apart("label", columns, [item, *match_columns(ignore, frame.columns, "ignored")])
    Y = degrees(frame, columns)
    predictions = {}
    for name in predicted or ():
        P = io.read_degrees(name, frame, columns, item, source, reporter)
        io.note_sums(P, name, reporter, {})
        predictions[f"predicted in {name}"] = normalize(P, name=name)
    for name in models or ():
        predictions[f"predicted by {name}"] = _predict(name, frame, columns, reporter)
    choice: dict[str, Any] = {"features": features, "ignore": ignore, "prepare": prepare, "other": item}
    are_shares = io.VOTES in frame.columns and (Y.sum(axis=1) == 1).all()  # of unanimous votes
    if is_logical(Y) and not are_shares:
        given = io.choose(frame, labels, reporter, **choice, need_features=list(enhancers) != [BAYES])
        X = io.feature_matrix(given, prepare=prepare)
        if BAYES in enhancers:
            use_features(enhancers[BAYES], X, reporter)
        with reporter.working(f"Recovering distributions of {len(Y)} items"):
            shown = from_logical(X, Y, enhancers.values(), predictions, intervals=intervals)
    else:
        if methods or intervals:
            raise typer.BadParameter("--method and --intervals are for tags, which are 0 or 1; these are degrees.")
        io.note_sums(Y, source, reporter, frame.drop(columns=columns))
        held_out = predictions or _predict_out_of_fold(frame, labels, Y, choice, reporter)
        shown = from_degrees(f"degrees in {source}", Y, held_out)
    contents = check_contents(frame, columns, item=item, **vars(shown))
    write_page(page, contents, f"Label distributions of {source}", overwrite=force)
    facts: dict[str, Any] = {"items": len(frame), "labels": columns, "output": page}
    facts |= {"versions": list(shown.versions), "truth": shown.truth, "intervals": list(shown.intervals)}
    facts["measures"] = {score.name: {**score.values, "skill": score.skill} for score in scores(contents)}
    reporter.result("\n".join([f"{page}: open it in a browser.", *sentences(contents)]), facts)


def _predict(name: str, frame: Any, columns: list[str], reporter: Reporter) -> Array:
    """Predict the items with a saved model."""
    from labeldist.models import label_names_of, load

    with reporter.working("Loading the model"):
        model = load(name)
    known = label_names_of(model)
    if sorted(known) != sorted(columns):
        raise TableError(f"{name} predicts {', '.join(known)}, but the labels are {', '.join(columns)}.")
    D = io.predict_rows(model, frame, reporter)
    reporter.note(f"if {name} was fitted to some of these items, its predictions of them look too good.")
    return D[:, [known.index(column) for column in columns]]


def _predict_out_of_fold(
    frame: Any, labels: str, Y: Any, choice: dict[str, Any], reporter: Reporter
) -> dict[str, Array]:
    """Return cross-validated predictions, or nothing if the table has no features."""
    from labeldist._tables.preparation import prepare_columns
    from labeldist.explorer._contents import predict_out_of_fold

    try:
        given = io.choose(frame, labels, reporter, **choice)
        X = frame[given.features] if choice["prepare"] else given.X
        preparation = prepare_columns(X) if choice["prepare"] else None
    except TableError as error:
        reporter.note(f"the page shows no predictions, only the given degrees: {error}")
        return {}
    with reporter.working(f"Predicting {len(Y)} items by cross-validation"):
        return predict_out_of_fold(X, Y, prepare=preparation)
