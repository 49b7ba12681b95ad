"""``labeldist evaluate``: compare predicted distributions with true ones and with baselines."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from labeldist._extras import require
from labeldist._tables.column_selection import check_apart, degrees, match_columns
from labeldist._tables.messages import listed
from labeldist._typing import Array
from labeldist._validation import looks_logical
from labeldist.cli import io, options, pictures
from labeldist.cli.reporter import Reporter
from labeldist.simplex import normalize


def evaluate(
    truth: Annotated[str, typer.Argument(help="Table with the true degrees.")],
    predicted: Annotated[
        str, typer.Argument(help="Table with the predicted degrees, in the same label columns.")
    ],
    labels: options.Labels,
    item: options.Item = None,
    weights: options.Weights = None,
    measures: Annotated[
        str,
        typer.Option(
            metavar="NAMES", help="paper (six measures), ordered, all, or names such as kendall."
        ),
    ] = "paper",
    ordered: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMNS", help="The labels in their order; adds measures for ordered labels."
        ),
    ] = None,
    picture: options.Picture = None,
    show: options.ShowPredictions = "calibration",
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Compare predicted with true label distributions by six or more measures.

    They are shown next to two baselines: the mean of the true distributions and the uniform
    distribution. Skill is the share by which the prediction reduces the Kullback-Leibler divergence
    (KL) of the mean: 1 is perfect, 0 is as good as the mean, and negative values are worse.

    **Examples**

    - `labeldist evaluate dist.csv pred.csv --labels joy,fear,calm`
    - `labeldist evaluate dist.csv pred.csv --labels 'emotion_*' --item id --picture curves.png`
    - `labeldist evaluate dist.csv pred.csv --labels 'grade_*' --ordered grade_low,grade_high`
    """
    from labeldist.metrics._measures import select_measures
    from labeldist.metrics._skill import describe_skill, score_with_baselines

    reporter = Reporter(as_json=as_json)
    try:
        shown = select_measures(measures if ordered is None else f"{measures},ordered")
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    io.check_outputs(picture, force=force)
    frame = io.read(truth, reporter, item)
    columns = _label_columns(labels, ordered, frame)
    check_apart("label", columns, [item, weights])
    if ordered is None and any(measure.needs_order for measure in shown.values()):
        reporter.note(f"the order of the labels is {listed(columns)}. Change it with --ordered.")
    pictures.check_picture(picture, show, len(columns))
    given = degrees(frame, columns)
    _note_tags(given, truth, reporter)
    D = _distributions(given, truth, reporter)
    found = io.read_degrees(predicted, frame, columns, item, truth, reporter)
    P = _distributions(found, predicted, reporter)
    weight = io.weights_of(frame, weights)
    scores = score_with_baselines(D, {predicted: P}, sample_weight=weight, measures=shown)
    skill = scores[0].skill
    ceiling, about_ceiling = io.noise_ceiling_of(frame, given.to_numpy(), weight, skill)
    if picture:
        drawn = pictures.draw_predictions(show, D, P, columns, io.item_names(frame, item))
        pictures.save_drawn(drawn, picture, force=force)
    values = [score.values for score in scores]
    facts = {
        "items": len(D),
        "labels": columns,
        "skill": skill,
        "noise_ceiling": ceiling,
        "measures": dict(zip(("predicted", "mean", "uniform"), values, strict=True)),
    }
    summary = f"{len(D)} items, skill {skill:.2f}: it {describe_skill(skill)}. {about_ceiling}"
    reporter.result(f"{summary.rstrip()}\n\n{_table(scores)}", facts)


def _label_columns(labels: str, ordered: str | None, frame: Any) -> list[str]:
    """Return the label columns, in the order of `ordered` if it is given."""
    columns = match_columns(labels, frame.columns, "label")
    io.check_several(columns)
    if ordered is None:
        return columns
    in_order = match_columns(ordered, columns, "label")
    missing = [name for name in columns if name not in in_order]
    if missing:
        raise typer.BadParameter(f"--ordered must name all labels; it lacks {', '.join(missing)}.")
    return in_order


def _note_tags(table: Any, name: str, reporter: Reporter) -> None:
    """Print a note if the true degrees look like tags."""
    if looks_logical(table.to_numpy()):
        problem = f"{name} holds only 0 and 1, with several 1 in a row: these look like tags"
        effect = "near 0 for labels without a tag, and near 1 for the only tag of a row"
        reporter.note(f"{problem}. The measures then reward predictions {effect}. Use degrees.")


def _distributions(table: Any, name: str, reporter: Reporter) -> Array:
    """Divide rows by their sums, with a note if a sum differs from one by more than rounding."""
    io.check_degrees(table, name)
    io.note_sums(table, name, reporter, counts=False)
    return normalize(table.to_numpy(), name=name)


def _table(scores: list[Any]) -> str:
    """Return a table with one row per measure and one column per prediction or baseline."""
    from labeldist.metrics import MEASURES

    pandas = require("pandas", "app")
    table = pandas.DataFrame({score.name: score.values for score in scores})
    arrows = {True: "↑", False: "↓"}
    measures = [MEASURES[name] for name in table.index]
    table.index = [f"{measure.title} {arrows[measure.higher_is_better]}" for measure in measures]
    return str(table.to_string(float_format="{:.4f}".format))
