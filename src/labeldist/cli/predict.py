"""``labeldist predict``: label distributions of new items, by a model that was kept."""

from __future__ import annotations

from typing import Annotated

import typer

from labeldist._tables.columns import with_columns
from labeldist._tables.tables import STANDARD, read_table
from labeldist.cli import options
from labeldist.cli.answers import predict_by
from labeldist.cli.inputs import item_names
from labeldist.cli.outputs import check_output, deliver, refuse_words
from labeldist.cli.pictures import SHOW_HELP, OfDistributions, check_picture, draw_distributions, save_drawn
from labeldist.cli.telling import Teller


def predict(
    model: Annotated[str, typer.Argument(help="A model that `labeldist fit` or `labeldist.models.save` has written.")],
    table: options.Table,
    output: options.Output = STANDARD,
    item: options.ItemName = None,
    picture: options.Picture = None,
    show: Annotated[OfDistributions, typer.Option(help=SHOW_HELP)] = OfDistributions.AMBIGUOUS,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Predict label distributions of the items of a table.

    The model finds its features by the names of their columns, in whatever order they are. The table comes out as it
    was, with the predicted degrees in columns that are called as the labels.

    **Examples**

    `labeldist predict model.skops new.csv -o pred.csv`

    `labeldist predict model.skops new.csv | head` — CSV to standard output

    `labeldist predict model.skops new.csv -o pred.csv --picture pred.png` — the most ambiguous items
    """
    from labeldist.models import label_names_of, load

    teller = Teller(as_json=as_json, output=output)
    check_output(output, force=force)
    check_picture(picture, force=force)
    with teller.working("Loading the model"):
        kept = load(model)
    frame = read_table(table)
    items = item_names(frame, item)
    labels = label_names_of(kept)
    check_picture(picture, labels=len(labels), kind=show, force=force)
    refuse_words(frame, output, labels)
    D = predict_by(kept, frame, teller)
    drawn = draw_distributions(show, D, labels, items) if picture else None
    deliver(with_columns(frame, dict(zip(labels, D.T, strict=True))), output, labels)
    save_drawn(drawn, picture)
    teller.result(
        f"{output}: {len(frame)} items, {len(labels)} labels.",
        {"items": len(frame), "labels": labels, "model": model, "output": output},
    )
