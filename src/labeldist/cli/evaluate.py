"""``labeldist evaluate``: how good predicted distributions are, and whether better than nothing."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import typer

from labeldist._tables.columns import degrees, match_columns, one_column
from labeldist._tables.tables import STANDARD, read_table
from labeldist._typing import Array
from labeldist.cli import options
from labeldist.cli.doubts import ROUNDED, doubt_degrees
from labeldist.cli.inputs import item_names, matched_rows, weights_of
from labeldist.cli.pictures import SHOW_HELP, OfPredictions, check_picture, draw_predictions, save_drawn
from labeldist.cli.telling import Teller
from labeldist.metrics import MEASURES
from labeldist.metrics._skill import Score, describe_skill, score_with_baselines
from labeldist.simplex import normalize


def evaluate(
    truth: Annotated[str, typer.Argument(help="A table with the true degrees.")],
    predicted: Annotated[str, typer.Argument(help="A table with the predicted ones, the same columns of labels.")],
    labels: options.Labels,
    item: options.Item = None,
    weights: options.Weights = None,
    picture: options.Picture = None,
    show: Annotated[OfPredictions, typer.Option(help=SHOW_HELP)] = OfPredictions.CALIBRATION,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Compare predicted distributions with true ones, by six measures, beside the mean and the even answer.

    Skill is the share of Kullback-Leibler that the prediction saves against always answering the mean of the truth: 0
    is no better than that, 1 is perfect, less than 0 is worse than nothing.

    **Examples**

    `labeldist evaluate dist.csv pred.csv --labels joy,fear,calm`

    `labeldist evaluate dist.csv pred.csv --labels 'emotion_*' --item id --picture calibration.png`

    `labeldist evaluate dist.csv pred.csv --labels joy,fear,calm --json` — for a machine
    """
    teller = Teller(as_json=as_json)
    if truth == predicted == STANDARD:
        raise typer.BadParameter("only one of the two tables can come from standard input.")
    check_picture(picture, force=force)
    frames = {name: read_table(name) for name in (truth, predicted)}
    columns = match_columns(labels, frames[truth].columns, "label")
    for column in columns:
        one_column(column, frames[predicted].columns, "label")
    check_picture(picture, labels=len(columns), kind=show, force=force)
    answers = matched_rows(frames[truth], frames[predicted], item, (truth, predicted))
    D, P = (
        _distributions(degrees(frame, columns), name, teller)
        for name, frame in ((truth, frames[truth]), (predicted, answers))
    )
    weight = weights_of(frames[truth], weights)
    scores = score_with_baselines(D, {predicted: P}, sample_weight=weight)
    if picture:
        save_drawn(draw_predictions(show, D, P, columns, item_names(frames[truth], item)), picture, force=force)
    measures = dict(zip(("predicted", "mean", "uniform"), (score.values for score in scores), strict=True))
    teller.result(
        _text(scores, len(D)), {"items": len(D), "labels": columns, "skill": scores[0].skill, "measures": measures}
    )


def _distributions(table: Any, name: str, teller: Teller) -> Array:
    """Divide rows by their sums; tell where that changes more than rounding does."""
    doubt_degrees(table, name)
    sums = table.to_numpy().sum(axis=1)
    off = np.flatnonzero(np.abs(sums - 1) > ROUNDED)
    if off.size:
        teller.note(
            f"{off.size} of {len(sums)} rows of {name} do not sum to 1 (data row {off[0] + 1}: {sums[off[0]]:g}); they "
            "are divided by their sums."
        )
    return normalize(table.to_numpy(), name=name)


def _text(scores: list[Score], n: int) -> str:
    """Return the measures as a table for people, the prediction and the answers of nobody side by side."""
    skill = scores[0].skill
    lines = [f"{n} items, skill {skill:.2f}: it {describe_skill(skill)}.", ""]
    width = max(len(measure.title) for measure in MEASURES.values()) + 2
    lines.append(" " * width + "  ".join(f"{score.name:>12}" for score in scores))
    for measure in MEASURES.values():
        arrow = "↑" if measure.higher_is_better else "↓"
        cells = (f"{score.values[measure.name]:>{max(12, len(score.name))}.4f}" for score in scores)
        lines.append(f"{measure.title + ' ' + arrow:<{width}}" + "  ".join(cells))
    return "\n".join(lines)
