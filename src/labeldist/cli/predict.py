"""``labeldist predict``: label distributions of new items, by a model that was kept."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from labeldist.cli import options
from labeldist.cli.inputs import item_names
from labeldist.cli.pictures import SHOW_HELP, OfDistributions, check_picture, draw_distributions
from labeldist.cli.telling import Teller
from labeldist.datasets.columns import numbers, typed
from labeldist.datasets.tables import STANDARD, check_format, listed, read_table, write_table
from labeldist.exceptions import ModelError
from labeldist.files import check_free


def predict(
    model: Annotated[str, typer.Argument(help="A model that `labeldist fit` or `labeldist.models.save` has written.")],
    table: options.Table,
    output: options.Output = STANDARD,
    item: options.Item = None,
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
    check_format(output)
    if output != STANDARD:
        check_free(output, force=force)
    check_picture(picture, force=force)
    with teller.working("Loading the model"):
        learner = load(model)
    frame = read_table(table)
    labels = label_names_of(learner)
    check_picture(picture, labels=len(labels), kind=show, force=force)
    X = model_features(learner, frame, labels, teller)
    with teller.working(f"Predicting {len(frame)} items"):
        D = learner.predict(X)
    write_table(frame.assign(**dict(zip(labels, D.T, strict=True))), output)
    if picture:
        draw_distributions(show, D, labels, item_names(frame, item), picture)
    teller.result(
        f"{output}: {len(frame)} items, {len(labels)} labels.",
        {"items": len(frame), "labels": labels, "model": model, "output": output},
    )


def model_features(learner: Any, frame: Any, labels: list[str], teller: Teller) -> Any:
    """Return the columns that a model was fitted on, in its order."""
    from labeldist.models import feature_names_of

    names = feature_names_of(learner)
    if names is None:
        names = [name for name in frame.columns if name not in labels]
        if len(names) != learner.n_features_in_:
            raise ModelError(
                f"The model takes {learner.n_features_in_} features and does not know their names; the table has "
                f"{len(names)} columns beside the labels. Give it those columns alone, in the order of its training."
            )
        teller.note("the model does not know the names of its features: the columns are taken in their order.")
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise ModelError(f"The table lacks columns of which the model makes its prediction: {listed(missing)}.")
    return typed(frame, names) if _prepares(learner) else numbers(frame, names)


def _prepares(learner: Any) -> bool:
    """Whether a model begins by turning the cells of a table into numbers."""
    from sklearn.compose import ColumnTransformer

    return hasattr(learner, "steps") and isinstance(learner.steps[0][1], ColumnTransformer)
