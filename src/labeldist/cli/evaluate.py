"""``labeldist evaluate``: compare predicted distributions with true ones and with trivial baselines."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from labeldist._tables.columns import check_apart, degrees, match_columns
from labeldist._tables.tables import STANDARD, listed
from labeldist._typing import Array
from labeldist.cli import io, options
from labeldist.cli.reporter import Reporter
from labeldist.simplex import normalize


def evaluate(
    truth: Annotated[str, typer.Argument(help="Table with the true degrees.")],
    predicted: Annotated[str, typer.Argument(help="Table with the predicted degrees, in the same label columns.")],
    labels: options.Labels,
    item: options.Item = None,
    weights: options.Weights = None,
    measures: Annotated[
        str, typer.Option(metavar="NAMES", help="paper (six measures), ordered, all, or names such as kendall.")
    ] = "paper",
    ordered: Annotated[
        str | None, typer.Option(metavar="COLUMNS", help="The labels in their order; adds measures for ordered labels.")
    ] = None,
    picture: options.Picture = None,
    show: options.ShowPredictions = "calibration",
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Compare predicted with true label distributions by six or more measures, next to two trivial baselines.

    The baselines are the mean of the true distributions and the uniform distribution. Skill is the share of the
    Kullback-Leibler divergence of the mean that the prediction avoids: 1 is perfect, 0 is as good as the mean, and
    negative values are worse.

    **Examples**

    - `labeldist evaluate dist.csv pred.csv --labels joy,fear,calm`
    - `labeldist evaluate dist.csv pred.csv --labels 'emotion_*' --item id --picture calibration.png`
    - `labeldist evaluate dist.csv pred.csv --labels 'grade_*' --ordered grade_low,grade_mid,grade_high`
    """
    from labeldist.metrics._measures import select_measures
    from labeldist.metrics._skill import score_with_baselines

    reporter = Reporter(as_json=as_json)
    if truth == predicted == STANDARD:
        raise typer.BadParameter("only one of the two tables can come from standard input.")
    try:
        shown = select_measures(measures if ordered is None else f"{measures},ordered")
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    io.check_outputs(picture, force=force)
    frame = io.read(truth, reporter, item)
    columns = match_columns(labels, frame.columns, "label")
    io.check_several(columns)
    check_apart("label", columns, [item, weights])
    if ordered is not None:
        columns, found = match_columns(ordered, columns, "label"), columns
        if missing := [name for name in found if name not in columns]:
            raise typer.BadParameter(f"--ordered must name all labels; it lacks {', '.join(missing)}.")
    if any(measure.needs_order for measure in shown.values()) and ",".join(columns) not in (labels, ordered):
        reporter.note(f"the order of the labels is {listed(columns)}. Change it with --ordered.")
    io.check_picture(picture, show, len(columns))
    given = degrees(frame, columns)
    D = _distributions(given, truth, reporter, frame.drop(columns=columns))
    P = _distributions(io.read_degrees(predicted, frame, columns, item, truth, reporter), predicted, reporter, {})
    weight = io.weights_of(frame, weights)
    scores = score_with_baselines(D, {predicted: P}, sample_weight=weight, measures=shown)
    ceiling, about_ceiling = io.noise_ceiling_of(frame, given.to_numpy(), weight, scores[0].skill)
    if picture:
        drawn = io.draw_predictions(show, D, P, columns, io.item_names(frame, item))
        io.save_drawn(drawn, picture, force=force)
    values = dict(zip(("predicted", "mean", "uniform"), (score.values for score in scores), strict=True))
    reporter.result(
        _text(scores, len(D), about_ceiling),
        {"items": len(D), "labels": columns, "skill": scores[0].skill, "noise_ceiling": ceiling, "measures": values},
    )


def _distributions(table: Any, name: str, reporter: Reporter, others: Any) -> Array:
    """Divide rows by their sums, with a note if a sum differs from one by more than rounding."""
    io.check_degrees(table, name)
    io.note_sums(table, name, reporter, others, counts=False)
    return normalize(table.to_numpy(), name=name)


def _text(scores: list[Any], n: int, about_ceiling: str) -> str:
    """Return a table with one row per measure and one column per prediction or baseline."""
    from labeldist.metrics import MEASURES
    from labeldist.metrics._skill import describe_skill

    skill = scores[0].skill
    lines = [f"{n} items, skill {skill:.2f}: it {describe_skill(skill)}. {about_ceiling}".rstrip(), ""]
    measures = [MEASURES[name] for name in scores[0].values]
    width = max(len(measure.title) for measure in measures) + 2
    lines.append(" " * width + "  ".join(f"{score.name:>12}" for score in scores))
    for measure in measures:
        arrow = "↑" if measure.higher_is_better else "↓"
        cells = (f"{score.values[measure.name]:>{max(12, len(score.name))}.4f}" for score in scores)
        lines.append(f"{measure.title + ' ' + arrow:<{width}}" + "  ".join(cells))
    return "\n".join(lines)
