"""``labeldist predict``: predict label distributions with a saved model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labeldist._text import listed
from labeldist.app.cli import io, options, pictures
from labeldist.app.cli.reporter import Reporter
from labeldist.app.tables.chunks import can_stream, read_chunks, write_chunks
from labeldist.app.tables.column_kinds import is_missing
from labeldist.app.tables.column_selection import check_apart, one_column
from labeldist.app.tables.tables import STANDARD, with_columns
from labeldist.exceptions import TableError

if TYPE_CHECKING:
    import pandas as pd

    from labeldist._typing import Array


def predict(
    model: Annotated[
        str, typer.Argument(help="Model file of `labeldist fit` or `labeldist.models.save`.")
    ],
    table: options.Table,
    output: options.Output = STANDARD,
    item: options.Item = None,
    picture: options.Picture = None,
    show: options.ShowDistributions = "ambiguous",
    trust_boosters: options.TrustBoosters = False,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Predict label distributions of the rows of a table.

    The output is the table with the predicted degrees in one column per label; columns with these
    names are replaced. Features are found by the names of their columns, in any order.

    **Examples**

    - `labeldist predict model.skops new.csv -o pred.csv`
    - `labeldist predict model.skops new.csv -o pred.csv --picture pred.png`
    """
    from labeldist.models import load
    from labeldist.models._inside_pipelines import feature_names_of, label_names_of
    from labeldist.models._persistence import BOOSTERS

    reporter = Reporter(as_json=as_json, output=output)
    io.check_outputs(picture, table=output, force=force)
    with reporter.working("Loading the model"):
        loaded = load(model, trusted=BOOSTERS if trust_boosters else ())
    labels = label_names_of(loaded)
    check_apart("label", labels, [item])
    is_streamed = picture is None and io.preparation_of(loaded) is None
    if is_streamed and can_stream(table, output):
        n_items = _predict_in_chunks(loaded, table, output, item, reporter, force=force)
    else:
        frame = io.read(table, reporter, item)
        items = io.item_names(frame, item)
        pictures.check_picture(picture, show, len(labels))
        D, result = _with_predictions(loaded, frame, reporter)
        drawn = pictures.draw_distributions(show, D, labels, items) if picture else None
        features = feature_names_of(loaded) or ()
        io.write_output(result, output, labels, features, item=item, force=force)
        pictures.save_drawn(drawn, picture, force=force)
        n_items = len(frame)
    facts = {"items": n_items, "labels": labels, "model": model, "output": output}
    reporter.result(f"{output}: {n_items} items, {len(labels)} labels.", facts)


def _with_predictions(
    model: Any, frame: pd.DataFrame, reporter: Reporter
) -> tuple[Array, pd.DataFrame]:
    """Predict the rows of a table, and return the degrees, and the table with them."""
    from labeldist.models._inside_pipelines import label_names_of

    labels = label_names_of(model)
    present = [name for name in labels if name in frame.columns]
    replaced = [name for name in present if not is_missing(frame[name]).all()]
    if replaced:
        reporter.note(f"Columns {listed(replaced)} are overwritten by predictions.")
    D = io.predict_rows(model, frame, reporter)
    return D, with_columns(frame, dict(zip(labels, D.T, strict=True)))


def _predict_in_chunks(
    model: Any, table: str, output: str, item: str | None, reporter: Reporter, *, force: bool
) -> int:
    """Write the table with predictions, one chunk in memory at a time; return its rows."""
    from labeldist.models._inside_pipelines import label_names_of

    n_items = 0

    def predicted() -> Iterator[pd.DataFrame]:
        nonlocal n_items
        for frame in read_chunks(table):
            if item is not None:
                one_column(item, frame.columns, "item")
            n_items += len(frame)
            yield _with_predictions(model, frame, reporter)[1]
        if not n_items:
            raise TableError(f"{table} has no rows.")

    write_chunks(output, predicted(), table, label_names_of(model), overwrite=force)
    return n_items
