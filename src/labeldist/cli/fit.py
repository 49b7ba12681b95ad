"""``labeldist fit``: learn to predict label distributions, keep the model, and say what it is worth."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from labeldist._files import write_whole
from labeldist._tables.columns import typed
from labeldist.cli import options
from labeldist.cli.doubts import doubt_degrees, doubt_features
from labeldist.cli.inputs import read_labelled, weights_of
from labeldist.cli.methods import LEARNERS, make
from labeldist.cli.outputs import check_files
from labeldist.cli.pictures import (
    SHOW_HELP,
    OfModels,
    OfPredictions,
    check_picture,
    draw_model,
    draw_predictions,
    save_drawn,
)
from labeldist.cli.telling import Teller
from labeldist.exceptions import ModelError
from labeldist.metrics import MEASURES

AUTO = "auto"
MEASURED_AGAINST = (
    "This is measured against the degrees in the table: where labeldist enhance has recovered them, it says how well "
    "they are repeated, not how near the truth they are."
)


def fit(
    table: options.Table,
    labels: options.Labels,
    output: Annotated[str, typer.Option("--output", "-o", help="Where the model goes, such as model.skops.")],
    method: Annotated[
        str, typer.Option(help=f"{AUTO} compares learners and chooses one; or one of {', '.join(LEARNERS)}.")
    ] = AUTO,
    settings: options.Settings = None,
    features: options.Features = None,
    ignore: options.Ignore = "",
    prepare: options.Prepare = False,
    weights: options.Weights = None,
    folds: Annotated[int, typer.Option(min=2, help="How many times a part of the rows is held out to judge by.")] = 5,
    seed: options.Seed = 0,
    onnx: Annotated[str | None, typer.Option(help="Also export the model to this .onnx file.")] = None,
    picture: options.Picture = None,
    show: Annotated[OfModels, typer.Option(help=SHOW_HELP)] = OfModels.CALIBRATION,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Learn to predict label distributions from the features of a table, and keep the model.

    Every method is judged on rows that it did not see, beside the mean of the distributions, which knows no features:
    what is no better than that is not worth having, and is said so.

    **Examples**

    `labeldist fit dist.csv --labels joy,fear,calm -o model.skops`

    `labeldist fit dist.csv --labels 'emotion_*' --ignore id --prepare --weights votes -o model.skops`

    `labeldist fit dist.csv --labels joy,fear,calm --method bdldl --set ridge=0.1 -o model.skops --onnx model.onnx`
    """
    from labeldist._tables.preparation import prepare_columns
    from labeldist.learning import choose_learner
    from labeldist.models import exportable, save, to_onnx

    teller = Teller(as_json=as_json)
    check_files(output, onnx, picture, force=force)
    check_picture(picture, force=force)
    candidates = None
    if method != AUTO:
        candidates = {method: make(LEARNERS, method, options.parse_settings(settings))}
        if onnx and not exportable(candidates[method]):
            raise ModelError(f"{LEARNERS[method]} cannot be exported to ONNX. Leave --onnx out, or --method.")
    elif settings:
        raise typer.BadParameter("--set needs a --method whose parameter it is.")
    given = read_labelled(table, labels, teller, features=features, ignore=ignore, prepare=prepare, others=[weights])
    D, weight = given.Y, weights_of(given.frame, weights)
    X = typed(given.frame, given.features) if prepare else given.X
    preparation = prepare_columns(X) if prepare else None
    doubt_degrees(D, table)
    doubt_features(given, X, D, teller)
    with teller.working("Comparing learners") as watch:
        choice = choose_learner(
            X,
            D,
            candidates=candidates,
            cv=folds,
            prepare=preparation,
            sample_weight=weight,
            random_state=seed,
            watch=watch,
            insist=candidates is not None,
            only=exportable if onnx else None,
        )
    for text in choice.warnings:
        teller.note(text)
    summary = f"{choice.paragraph} {MEASURED_AGAINST}"
    measures = {"skill": choice.skill, **{name: choice.chosen.mean(name) for name in MEASURES}}
    # Not every model can be exported or drawn: what fails does so before anything is written.
    about: dict[str, Any] = {"summary": summary, "measures": measures, "training_rows": len(D)}
    graph = to_onnx(choice.estimator, **about).SerializeToString() if onnx else None
    drawn = None
    if picture and show == OfModels.CALIBRATION:
        drawn = draw_predictions(OfPredictions.CALIBRATION, choice.truth, choice.chosen.predictions, given.labels, None)
    elif picture:
        drawn = draw_model(show, choice.estimator, X)
    save(choice.estimator, output, **about, force=force)
    if onnx and graph:
        write_whole(onnx, graph, overwrite=force)
    save_drawn(drawn, picture, force=force)
    teller.result(
        f"{summary}\n\n{output}: {len(D)} items, {len(given.labels)} labels, {len(given.features)} features.",
        {
            "items": len(D),
            "labels": given.labels,
            "features": given.features,
            "left_out": given.left_out,
            "chosen": choice.name,
            "skill": choice.skill,
            "paragraph": summary,
            "learners": choice.table,
            "output": output,
        },
    )
