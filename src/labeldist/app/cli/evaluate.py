"""``labeldist evaluate``: compare predicted distributions with true ones and with baselines."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import typer

from labeldist.app.cli import columns, options, pictures
from labeldist.app.cli import table_files as tables
from labeldist.app.cli.noise_ceilings import noise_ceiling_of
from labeldist.app.cli.reporter import Reporter
from labeldist.app.cli.table_notes import note_sums
from labeldist.app.scores import UNIFORM, Baseline, Score, describe_skill, score_with_baselines
from labeldist.app.tables.column_selection import check_apart, degrees, match_columns, one_column
from labeldist.app.types import Array
from labeldist.metrics import MEASURES
from labeldist.simplex import normalize
from labeldist.utils import require

MODEL_SUFFIX = ".skops"
RANKING = {"auc": "AUC ↑", "average_precision": "average precision ↑"}


def evaluate(
    truth: Annotated[str, typer.Argument(help="Table with the true degrees.")],
    predicted: Annotated[
        list[str],
        typer.Argument(help="Tables with predicted degrees, in the same label columns."),
    ],
    labels: options.Labels,
    item: options.Item = None,
    weights: options.Weights = None,
    scoring: options.Scoring = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Table with the training degrees, or model of fit, for the baseline of the skill.",
        ),
    ] = None,
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

    Several predictions are shown side by side, next to two baselines: the mean of the true
    distributions and the uniform distribution. Skill is the share by which the prediction reduces
    the Kullback-Leibler divergence (KL) of the mean: 1 is perfect, 0 is as good as the mean, and
    negative values are worse.

    The mean of the true distributions is not known when a model is fitted. --baseline takes the
    mean of the training degrees instead: of a table, or of a model that fit has saved. With
    --scoring the skill is by another measure, and its baseline is the constant that is best for
    this measure, such as a median for manhattan and wasserstein.

    If the truth are tags (0/1, several 1 in a row), degrees cannot be compared. How well the
    predictions rank the tags of an item before its other labels is shown instead: AUC and average
    precision.

    **Examples**

    - `labeldist evaluate dist.csv pred.csv --labels joy,fear,calm`
    - `labeldist evaluate dist.csv pred.csv other.csv --labels joy,fear,calm`
    - `labeldist evaluate dist.csv pred.csv --labels joy,fear,calm --baseline model.skops`
    - `labeldist evaluate dist.csv pred.csv --labels 'emotion_*' --item id --picture curves.png`
    - `labeldist evaluate dist.csv pred.csv --labels 'grade_*' --ordered grade_low,grade_high`
    """
    reporter = Reporter(as_json=as_json)
    try:
        shown = options.measures_in(measures if ordered is None else f"{measures},ordered")
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if picture and len(predicted) > 1:
        raise typer.BadParameter("--picture shows one prediction; name one table.")
    measure = options.check_measure(scoring or "kl_divergence")
    tables.check_outputs(picture, force=force)
    frame = tables.read(truth, reporter, item)
    names = _label_columns(labels, ordered, frame)
    check_apart("label", names, [item, weights])
    pictures.check_picture(picture, show, len(names))
    given = degrees(frame, names)
    found = {}
    for path in predicted:
        table = tables.read_degrees(path, frame, names, item, truth, reporter)
        found[path] = _distributions(table, path, reporter)
    weight = columns.weights_of(frame, weights)
    facts = {"items": len(given), "labels": names}
    if tables.are_logical(given) and (given.sum(axis=1) > 1).any():
        if picture:
            raise typer.BadParameter(f"--picture shows degrees, but {truth} holds tags.")
        reporter.note(f"{truth} holds tags. They have no degrees to compare with.")
        text, more = _rank_tags(given.to_numpy(), found, weight)
    else:
        D = _distributions(given, truth, reporter)
        if baseline is None:
            constant = Baseline.of(D, "the truth", measure=measure, weight=weight)
        else:
            constant = _read_baseline(baseline, names, weights, measure, reporter)
        scores = score_with_baselines(
            D, found, baseline=constant, sample_weight=weight, measures=shown, scoring=measure
        )
        best = max(score.skill for score in scores if not score.trivial)
        ceiling = noise_ceiling_of(frame, given.to_numpy(), weight, best, measure)
        text, more = _describe_scores(scores, constant.name, measure, ceiling)
        text = f"{len(D)} items, {text}"
        if picture:
            items = tables.item_names(frame, item)
            drawn = pictures.draw_predictions(show, D, found[predicted[0]], names, items)
            pictures.save_drawn(drawn, picture, force=force)
    reporter.result(text, facts | more)


def _read_baseline(
    path: str, labels: list[str], weights: str | None, measure: str, reporter: Reporter
) -> Baseline:
    """Return the best constant for the degrees of a table, or the mean that a model file states."""
    if path.endswith(MODEL_SUFFIX):
        from labeldist.models import read_card

        mean = read_card(path).training_mean or {}
        missing = [name for name in labels if name not in mean]
        if missing:
            raise typer.BadParameter(
                f"{path} states no mean of its training rows for {', '.join(missing)}. "
                "Name the training table instead."
            )
        name = f"the mean of the training rows of {path}"
        return Baseline(name, np.array([mean[label] for label in labels]))
    frame = tables.read(path, reporter)
    for label in labels:
        one_column(label, frame.columns, "label")
    D = _distributions(degrees(frame, labels), path, reporter)
    weight = columns.weights_of(frame, weights if weights in frame.columns else None)
    return Baseline.of(D, path, measure=measure, weight=weight)


def _describe_scores(
    scores: list[Score], baseline: str, measure: str, ceiling: tuple[float | None, str]
) -> tuple[str, dict[str, Any]]:
    """Return a text and facts about the scores of predictions and baselines."""
    skills = {score.name: score.skill for score in scores if not score.trivial}
    best = max(skills.values())
    if len(skills) == 1:
        summary = f"skill {best:.2f}: it {describe_skill(best, measure, baseline)}."
    else:
        listed = ", ".join(f"skill of {name} {skill:.2f}" for name, skill in skills.items())
        summary = f"{listed}, over {baseline}."
    table = {score.name: score.values for score in scores}
    facts = {
        "skill": best if len(skills) == 1 else skills,
        "scoring": measure,
        "baseline": baseline,
        "noise_ceiling": ceiling[0],
        "measures": _named(table),
    }
    titles = {name: MEASURES[name].heading for name in scores[0].values}
    text = f"{summary} {ceiling[1]}".rstrip()
    return f"{text}\n\n{_table(table, titles)}", facts


def _rank_tags(tags: Array, found: dict[str, Array], weight: Any) -> tuple[str, dict[str, Any]]:
    """Return a text and facts about how well predictions rank tags before other labels."""
    n_tags = tags.sum(axis=1)
    is_used = (n_tags > 0) & (n_tags < tags.shape[1])
    used = tags[is_used]
    used_weight = None if weight is None else weight[is_used]
    frequencies = np.average(tags, axis=0, weights=weight)
    baselines = {
        "frequency of the tags": np.broadcast_to(frequencies, tags.shape),
        UNIFORM: np.ones(tags.shape),
    }
    table = {
        name: _ranking(used, degrees[is_used], used_weight)
        for name, degrees in (found | baselines).items()
    }
    text = f"{len(used)} items with tags and other labels."
    facts = {"skill": None, "noise_ceiling": None, "measures": _named(table)}
    return f"{text}\n\n{_table(table, RANKING)}", facts


def _ranking(tags: Array, P: Array, weight: Any) -> dict[str, float]:
    """Return the means over rows of the AUC and of the average precision of the labels of a row."""
    from scipy.stats import rankdata
    from sklearn.metrics import label_ranking_average_precision_score

    n_tags = tags.sum(axis=1)
    n_others = tags.shape[1] - n_tags
    rank_sums = (rankdata(P, axis=1) * tags).sum(axis=1)
    auc = (rank_sums - n_tags * (n_tags + 1) / 2) / (n_tags * n_others)
    precision = label_ranking_average_precision_score(tags, P, sample_weight=weight)
    return {"auc": np.average(auc, weights=weight), "average_precision": float(precision)}


def _named(table: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """Return the entries of the JSON: a single prediction is called ``predicted``."""
    *files, _, _ = table
    names = ["predicted"] if len(files) == 1 else files
    return dict(zip([*names, "baseline", "uniform"], table.values(), strict=True))


def _label_columns(labels: str, ordered: str | None, frame: Any) -> list[str]:
    """Return the label columns, in the order of `ordered` if it is given."""
    names = match_columns(labels, frame.columns, "label")
    tables.check_several(names)
    if ordered is None:
        return names
    in_order = match_columns(ordered, names, "label")
    missing = [name for name in names if name not in in_order]
    if missing:
        raise typer.BadParameter(f"--ordered must name all labels; it lacks {', '.join(missing)}.")
    return in_order


def _distributions(table: Any, name: str, reporter: Reporter) -> Array:
    """Divide rows by their sums, with a note if a sum differs from one by more than rounding."""
    tables.check_degrees(table, name)
    note_sums(table, name, reporter, counts=False)
    return normalize(table.to_numpy(), name=name)


def _table(values: dict[str, dict[str, float]], titles: dict[str, str]) -> str:
    """Return a table with one row per measure and one column per prediction or baseline."""
    table = require("pandas", "app").DataFrame(values).rename(index=titles)
    return str(table.to_string(float_format="{:.4f}".format))
