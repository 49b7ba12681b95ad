"""``labeldist fit``: fit and save a model that predicts label distributions."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

import typer

from labeldist._files import write_whole
from labeldist._tables.kinds import kind_of
from labeldist.cli import io, options
from labeldist.cli.options import LEARNERS, make
from labeldist.cli.reporter import Reporter
from labeldist.exceptions import LabelWarning, ModelError

AUTO = "auto"
RECOVERED = "If labeldist enhance recovered the degrees, the scores do not measure the distance to the truth."
TAGS = "the labels are 0 or 1, and are used as equal degrees. labeldist enhance recovers other degrees from them."


def fit(
    table: options.Table,
    labels: options.Labels,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Model file, such as model.skops.")],
    method: Annotated[
        str, typer.Option(help=f"{AUTO} compares learners and chooses one; or one of {', '.join(LEARNERS)}.")
    ] = AUTO,
    settings: options.Settings = None,
    features: options.Features = None,
    ignore: options.Ignore = "",
    prepare: options.Prepare = False,
    weights: options.Weights = None,
    folds: Annotated[int, typer.Option(min=2, help="Number of folds of the cross-validation.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 0,
    onnx: Annotated[str | None, typer.Option(metavar="FILE", help="Also export the model to this .onnx file.")] = None,
    picture: options.Picture = None,
    show: options.ShowModel = "calibration",
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Fit a model that predicts label distributions from features, and save it.

    Every method is scored by cross-validation and compared with the mean distribution, which ignores the features.

    **Examples**

    - `labeldist fit dist.csv --labels joy,fear,calm -o model.skops`
    - `labeldist fit dist.csv --labels 'emotion_*' --ignore id --prepare --weights votes -o model.skops`
    - `labeldist fit dist.csv --labels joy,fear,calm --method bdldl --set ridge=0.1 -o model.skops --onnx model.onnx`
    """
    from sklearn.utils.validation import has_fit_parameter

    from labeldist._tables.preparation import prepare_columns
    from labeldist.learning import choose_learner
    from labeldist.metrics import PAPER_MEASURES
    from labeldist.models import exportable, save, to_onnx
    from labeldist.plots import CalibrationDisplay

    reporter = Reporter(as_json=as_json)
    io.check_outputs(output, onnx, picture, force=force)
    candidates = None
    if method != AUTO:
        learner = make(LEARNERS, method, {})
        parameters = {"random_state": seed} if "random_state" in learner.get_params() else {}
        candidates = {method: make(LEARNERS, method, parameters | options.parse_settings(settings))}
        if weights and not has_fit_parameter(learner, "sample_weight"):
            reporter.note(f"{LEARNERS[method]} is fitted without weights; they enter its scores only.")
        if onnx and not exportable(candidates[method]):
            raise ModelError(f"{LEARNERS[method]} cannot be exported to ONNX. Omit --onnx, or choose another --method.")
    elif settings:
        raise typer.BadParameter("--set needs a --method, to which the parameter belongs.")
    io.check_picture(picture)
    frame = io.read(table, reporter, ignore)
    given = io.choose(frame, labels, reporter, features=features, ignore=ignore, prepare=prepare, other=weights)
    D, weight = given.Y, io.weights_of(frame, weights)
    X = frame[given.features] if prepare else given.X
    io.check_degrees(D, table)
    if onnx and any(kind_of(X[name]).kind not in ("number", "truth") for name in X.columns):
        raise ModelError("Only numeric features can be exported to ONNX. Omit --onnx, or --prepare.")
    are_tags = D.isin([0, 1]).all(axis=None) and (D.sum(axis=1) > 1).any()
    if not are_tags:
        io.note_sums(D, table, reporter, frame[given.features])
    with reporter.working("Comparing learners") as watch:
        if are_tags:
            reporter.note(TAGS)
            warnings.simplefilter("ignore", LabelWarning)  # its advice is about Python classes
        search: dict[str, Any] = {"cv": folds, "sample_weight": weight, "random_state": seed, "watch": watch}
        search |= {"prepare": prepare_columns(X) if prepare else None, "only": exportable if onnx else None}
        choice = choose_learner(X, D, candidates=candidates, insist=candidates is not None, **search)
    for text in choice.warnings:
        reporter.note(text)
    may_be_recovered = not (weights or io.VOTES in frame.columns or are_tags)
    ceiling, about_ceiling = io.noise_ceiling_of(frame, D.to_numpy(), weight, choice.skill)
    summary = f"{choice.paragraph} {RECOVERED if may_be_recovered else about_ceiling}".rstrip()
    measures = {"skill": choice.skill, **{name: choice.chosen.mean(name) for name in PAPER_MEASURES}}
    # Models that cannot be exported or drawn raise an error here, before any file is written.
    about: dict[str, Any] = {"summary": summary, "measures": measures, "training_rows": len(D)}
    graph = to_onnx(choice.estimator, **about).SerializeToString() if onnx else b""
    drawn = None
    if picture and show == "calibration":
        truth = "share of votes" if io.VOTES in frame.columns else "degree in the table (true or recovered)"
        drawn = CalibrationDisplay.from_predictions(choice.truth, choice.chosen.predictions, truth=truth)
    elif picture and show == "importance":
        drawn = io.draw_importance(choice.estimator, X, D, weight, seed, reporter)
    elif picture:
        drawn = io.draw_model(show, choice.estimator, X)
    save(choice.estimator, output, **about, force=force)
    if onnx:
        write_whole(onnx, graph, overwrite=force)
    io.save_drawn(drawn, picture, force=force)
    sizes = f"{len(D)} items, {len(given.labels)} labels, {len(given.features)} features"
    facts = {"chosen": choice.name, "skill": choice.skill, "noise_ceiling": ceiling, "paragraph": summary}
    reporter.result(f"{summary}\n\n{output}: {sizes}.", {**io.facts(given, output), **facts, "learners": choice.table})
