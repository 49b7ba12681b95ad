"""``labeldist predict``: predict label distributions with a saved model."""

from __future__ import annotations

from typing import Annotated

import typer

from labeldist._tables.column_kinds import is_missing
from labeldist._tables.messages import listed
from labeldist._tables.tables import STANDARD, with_columns
from labeldist.cli import io, options, pictures
from labeldist.cli.reporter import Reporter


def predict(
    model: Annotated[
        str, typer.Argument(help="Model file of `labeldist fit` or `labeldist.models.save`.")
    ],
    table: options.Table,
    output: options.Output = STANDARD,
    item: options.Item = None,
    picture: options.Picture = None,
    show: options.ShowDistributions = "ambiguous",
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
    from labeldist.models import feature_names_of, label_names_of, load

    reporter = Reporter(as_json=as_json, output=output)
    io.check_outputs(picture, table=output, force=force)
    with reporter.working("Loading the model"):
        loaded = load(model)
    labels = label_names_of(loaded)
    frame = io.read(table, reporter, item)
    items = io.item_names(frame, item)
    pictures.check_picture(picture, show, len(labels))
    io.check_columns(frame, output, labels)
    present = [name for name in labels if name in frame.columns]
    replaced = [name for name in present if not is_missing(frame[name]).all()]
    if replaced:
        reporter.note(f"Columns {listed(replaced)} are overwritten by predictions.")
    D = io.predict_rows(loaded, frame, reporter)
    drawn = pictures.draw_distributions(show, D, labels, items) if picture else None
    result = with_columns(frame, dict(zip(labels, D.T, strict=True)))
    features = feature_names_of(loaded) or ()
    io.write_output(result, output, labels, features, item=item, force=force)
    pictures.save_drawn(drawn, picture, force=force)
    facts = {"items": len(frame), "labels": labels, "model": model, "output": output}
    reporter.result(f"{output}: {len(frame)} items, {len(labels)} labels.", facts)
