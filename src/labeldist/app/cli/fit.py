"""``labeldist fit``: fit and save a model that predicts label distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from labeldist.app.cli import columns, options, pictures
from labeldist.app.cli import table_files as tables
from labeldist.app.cli.noise_ceilings import noise_ceiling_of
from labeldist.app.cli.options import LEARNERS, make
from labeldist.app.cli.reporter import Reporter
from labeldist.app.cli.table_notes import note_sums
from labeldist.app.text import counted
from labeldist.metrics import best_constant

if TYPE_CHECKING:
    from labeldist.app.tables.column_kinds import TableKinds
    from labeldist.learning import Choice

AUTO = "auto"
MEAN = "mean"
TRUTH = "degree in the table (true or recovered)"


def fit(
    table: options.Table,
    labels: options.Labels,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Model file, such as model.skops.")
    ],
    method: Annotated[
        str,
        typer.Option(
            help=f"{AUTO} compares learners and chooses one; or one of {', '.join(LEARNERS)}."
        ),
    ] = AUTO,
    settings: options.Settings = None,
    features: options.Features = None,
    ignore: options.Ignore = "",
    prepare: options.Prepare = False,
    text: options.Text = None,
    categories: options.Categories = None,
    weights: options.Weights = None,
    scoring: options.Scoring = None,
    folds: Annotated[int, typer.Option(min=2, help="Number of folds of the cross-validation.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 0,
    picture: options.Picture = None,
    show: options.ShowModel = "calibration",
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Fit a model that predicts label distributions from features, and save it.

    Every method is scored by cross-validation and compared with the mean distribution, which
    ignores the features. With another measure than Kullback-Leibler as --scoring, the constant that
    is best for this measure takes the place of the mean, such as a median for manhattan.

    **Examples**

    - `labeldist fit dist.csv --labels joy,fear,calm -o model.skops`
    - `labeldist fit dist.csv -l 'emotion_*' --ignore id --prepare --weights votes -o model.skops`
    - `labeldist fit dist.csv -l joy,fear,calm --method bdldl --set ridge=0.1 -o m.skops`
    """
    from labeldist.app.cli.choice_summary import summarise_choice
    from labeldist.models import save

    reporter = Reporter(as_json=as_json)
    tables.check_outputs(output, picture, force=force)
    pictures.check_picture(picture)
    measure = _measure(scoring, settings)
    candidates = _candidates(method, settings, seed, measure)
    is_requested = bool(candidates)
    named = columns.Columns(labels, features, ignore, prepare, text, categories, weights=weights)
    frame = tables.read(table, reporter, ignore, text, categories)
    given = columns.choose(frame, named, reporter)
    tables.check_several(given.labels)
    D = given.Y
    X = given.kinds.converted(given.features) if prepare else given.X
    weight = columns.weights_of(frame, weights)
    tables.check_degrees(D, table)
    note_sums(D, table, reporter)
    if columns.bounds_in(frame, given.labels):
        compared = "the skill compares predictions with them, not with votes"
        reporter.note(f"the degrees are estimates; {compared}.")
    settings_of_choice = {
        "cv": folds,
        "sample_weight": weight,
        "random_state": seed,
        "scoring": measure,
    }
    if prepare:
        settings_of_choice |= _preparations(X, candidates, given.kinds)
    choice = _choose(X, D, candidates, reporter, **settings_of_choice)
    ceiling, about_ceiling = noise_ceiling_of(frame, D.to_numpy(), weight, choice.skill, measure)
    summary = f"{summarise_choice(choice, requested=is_requested)} {about_ceiling}".rstrip()
    about = _about(choice, summary, len(D))
    # A model that cannot be drawn raises an error here, before any file is written.
    drawn = _draw(show, choice, X, D, weight, seed, reporter) if picture else None
    save(
        choice.estimator, output, **about, training_mean=_training_mean(D, weight), overwrite=force
    )
    pictures.save_drawn(drawn, picture, force=force)
    facts = {
        **columns.facts(given, output),
        "chosen": choice.name,
        "weights": choice.weights,
        "scoring": measure,
        "baseline": choice.table[0]["name"],
        "skill": choice.skill,
        "noise_ceiling": ceiling,
        "paragraph": summary,
        "learners": choice.table,
    }
    sizes = [
        counted(len(D), "item"),
        counted(len(given.labels), "label"),
        counted(len(given.features), "feature"),
    ]
    reporter.result(f"{summary}\n\n{output}: {', '.join(sizes)}.", facts)


def _measure(scoring: str | None, settings: list[str] | None) -> str:
    """Return the measure that decides: the option, or else the one that the learner searches by."""
    given = scoring or options.parse_settings(settings).get("scoring", "kl_divergence")
    return options.check_measure(given)


def _training_mean(D: Any, weight: Any) -> dict[str, float]:
    """Return the weighted mean degree of each label."""
    mean = best_constant(D, sample_weight=weight)
    return dict(zip(map(str, D.columns), mean.tolist(), strict=True))


def _candidates(
    method: str, settings: list[str] | None, seed: int, measure: str
) -> dict[str, Any] | None:
    """Return the requested learner by name, nothing for the mean, or None for all candidates."""
    parameters = options.parse_settings(settings)
    if method == AUTO:
        if parameters:
            raise typer.BadParameter("--set needs a --method, to which the parameter belongs.")
        return None
    learner = make(LEARNERS, method, parameters)
    for name, value in {"random_state": seed, "scoring": measure}.items():
        if name in learner.get_params() and name not in parameters:
            learner.set_params(**{name: value})
    return {} if method == MEAN else {method: learner}


def _preparations(X: Any, candidates: dict[str, Any] | None, kinds: TableKinds) -> dict[str, Any]:
    """Return transformers of the columns, as parameters of `choose_learner`.

    Linear learners get sparse weights of text: those of the comparison, or the requested one.
    """
    from labeldist.app.tables.preparation import (
        CHARACTERS,
        WORDS,
        prepare_columns,
        prepare_for_linear,
    )
    from labeldist.learning import SoftmaxRegression

    requested = list((candidates or {}).values())
    is_linear = bool(requested) and isinstance(requested[0], SoftmaxRegression)
    terms = [WORDS, CHARACTERS] if is_linear else []
    return {
        "prepare": prepare_columns(X, terms, kinds),
        "prepare_linear": prepare_for_linear(X, kinds),
    }


def _choose(
    X: Any, D: Any, candidates: dict[str, Any] | None, reporter: Reporter, **settings: Any
) -> Choice:
    """Compare learners, or score the requested one; warnings of its fit become notes."""
    from labeldist.learning import choose_learner

    with reporter.working("Comparing learners") as callback:
        choice = choose_learner(
            X, D, candidates=candidates, allow_mean=not candidates, callback=callback, **settings
        )
    for text in choice.warnings:
        reporter.note(text)
    return choice


def _about(choice: Choice, summary: str, n_items: int) -> dict[str, Any]:
    """Return what is saved with the model."""
    from labeldist.metrics import PAPER_MEASURES

    chosen = next(row for row in choice.table if row["name"] == choice.name)
    measures = {name: chosen[name] for name in [*PAPER_MEASURES, choice.scoring]}
    return {
        "summary": summary,
        "measures": {"skill": choice.skill, **measures},
        "training_rows": n_items,
    }


def _draw(
    show: str, choice: Choice, X: Any, D: Any, weight: Any, seed: int, reporter: Reporter
) -> Any:
    """Draw the predictions or the model of a choice."""
    from labeldist.plots import CalibrationDisplay

    if show == "calibration":
        return CalibrationDisplay.from_predictions(choice.truth, choice.predictions, truth=TRUTH)
    if show == "importance":
        return pictures.draw_importance(choice.estimator, X, D, weight, seed, reporter)
    return pictures.draw_model(show, choice.estimator, X)
