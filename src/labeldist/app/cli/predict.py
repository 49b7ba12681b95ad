"""``labeldist predict``: predict label distributions with a saved model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from labeldist.app.cli import options, pictures
from labeldist.app.cli import table_files as tables
from labeldist.app.cli.reporter import Reporter
from labeldist.app.cli.saved_model import SavedModel
from labeldist.app.tables.chunks import can_stream, read_chunks, write_chunks
from labeldist.app.tables.column_selection import check_apart, one_column
from labeldist.app.tables.read_and_write import STANDARD
from labeldist.exceptions import TableError

if TYPE_CHECKING:
    import pandas as pd


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
    reporter = Reporter(as_json=as_json, output=output)
    tables.check_outputs(picture, table=output, force=force)
    loaded = SavedModel.read(model, reporter, trust_boosters=trust_boosters)
    labels = loaded.labels
    check_apart("label", labels, [item])
    is_streamed = picture is None and loaded.preparation is None
    if is_streamed and can_stream(table, output):
        n_items = _predict_in_chunks(loaded, table, output, item, reporter, force=force)
    else:
        frame = tables.read(table, reporter, item)
        items = tables.item_names(frame, item)
        pictures.check_picture(picture, show, len(labels))
        D, result = loaded.with_predictions(frame, reporter)
        drawn = pictures.draw_distributions(show, D, labels, items) if picture else None
        features = loaded.card.feature_names or ()
        tables.write_output(result, output, labels, features, item=item, force=force)
        pictures.save_drawn(drawn, picture, force=force)
        n_items = len(frame)
    facts = {"items": n_items, "labels": labels, "model": model, "output": output}
    reporter.result(f"{output}: {n_items} items, {len(labels)} labels.", facts)


def _predict_in_chunks(
    model: SavedModel, table: str, output: str, item: str | None, reporter: Reporter, *, force: bool
) -> int:
    """Write the table with predictions, one chunk in memory at a time; return its rows."""
    n_items = 0

    def predicted() -> Iterator[pd.DataFrame]:
        nonlocal n_items
        for frame in read_chunks(table):
            if item is not None:
                one_column(item, frame.columns, "item")
            n_items += len(frame)
            yield model.with_predictions(frame, reporter)[1]
        if not n_items:
            raise TableError(f"{table} has no rows.")

    write_chunks(output, predicted(), table, model.labels, overwrite=force)
    return n_items
