"""``labeldist votes``: convert votes of annotators to label distributions."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from labeldist._tables.columns import match_columns
from labeldist._tables.kinds import MISSING, clean
from labeldist._tables.tables import STANDARD, listed
from labeldist.cli import io, options
from labeldist.cli.reporter import Reporter
from labeldist.exceptions import LabelDistError, TableError

if TYPE_CHECKING:
    import pandas as pd

AUTO = "auto"
NOT_AVAILABLE = re.compile(r"[-\u2013\u2014.]+|[<#]?n[./]?a[.nt]?>?", re.IGNORECASE)
SHAPES = "name the columns of the votes: --item and --label (and --annotator), or --annotators, or --counts."


def _parse_smoothing(text: str) -> Any:
    with suppress(ValueError):
        if text == AUTO or 0 <= float(text) < inf:
            return text if text == AUTO else float(text)
    raise typer.BadParameter(f"it must be a number of votes, 0 or more, or {AUTO}; got {text!r}.")


def votes(
    table: options.Table,
    output: options.Output = STANDARD,
    item: Annotated[str | None, typer.Option(help="Column with the names of the items.")] = None,
    annotator: Annotated[str | None, typer.Option(help="Column with the names of the annotators, if known.")] = None,
    label: Annotated[str | None, typer.Option(help="Column with the labels, if each row is a vote.")] = None,
    annotators: Annotated[str | None, typer.Option(help="Columns of labels, one per annotator: rater_*.")] = None,
    counts: Annotated[
        str | None, typer.Option(help='Columns with numbers of votes, one per label or {"joy": 3}.')
    ] = None,
    label_names: Annotated[str | None, typer.Option(help="All labels, in order. Default: those with votes.")] = None,
    separator: Annotated[str | None, typer.Option(help="Text between several labels and annotators in a cell.")] = None,
    smoothing: Annotated[
        Any, typer.Option(parser=_parse_smoothing, help="Votes of the prior added to each item: a number, or auto.")
    ] = "0",
    prior: Annotated[str, typer.Option(help="uniform, overall (all votes), or degrees: 0.2,0.8.")] = "uniform",
    aggregator: Annotated[str | None, typer.Option(help="dawid_skene: one true label per item.")] = None,
    join: Annotated[str | None, typer.Option(metavar="FILE", help="Table to join by the column --item.")] = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Convert votes to label distributions: the degree of a label is its share of the item's votes.

    The output has one row per item: its name, other columns of the table, one column of degrees per label, and the
    number of votes in the column `votes`, for `labeldist fit --weights votes`. If each row is a vote, other columns are
    kept only if they have the same value in all votes on an item.

    **Examples**

    - `labeldist votes votes.csv --item id --annotator who --label emotion -o dist.csv`
    - `labeldist votes ratings.csv --item id --annotators ann,bob,cem -o dist.csv` — one column per annotator
    - `labeldist votes counts.csv --item id --counts joy,fear,calm --smoothing auto -o dist.csv` — few votes per item
    - `labeldist votes chaosNLI_snli.jsonl --item uid --counts label_counter -o dist.csv` — counts in one column
    - `labeldist votes dev.json --item id --label annotations --annotator annotators --separator , -o dist.csv` — LeWiDi
    - `labeldist votes votes.csv --item id --label emotion --join items.csv -o dist.csv` — then
      `labeldist fit dist.csv --labels joy,fear,calm --weights votes --ignore id -o model.skops`
    """
    from labeldist.votes import from_votes
    from labeldist.votes._vote_tables import nested_columns

    reporter = Reporter(as_json=as_json, output=output)
    if [label, annotators, counts].count(None) != 2 or (label and not item) or (annotator and not label):
        raise typer.BadParameter(SHAPES)
    if join and not item:
        raise typer.BadParameter("--join needs --item, the column by which rows are matched.")
    if separator is not None and (counts or not separator):
        raise typer.BadParameter("--separator is a text such as ';' in cells of labels, not of counts.")
    io.check_outputs(table=output, force=force)
    frame = io.read(table, reporter, item, annotator, label, annotators)
    nested = nested_columns(frame, str(counts or label)) if counts or label else []
    given = annotators or counts or ""
    columns = [given] if counts and nested else match_columns(given, frame.columns, "vote")
    with reporter.working(f"Counting the votes of {len(frame)} rows"):
        try:
            found = from_votes(
                frame,
                item=item,
                annotator=annotator,
                label=label,
                annotators=columns if annotators else None,
                counts=columns if counts else None,
                label_names=None if label_names is None else [name.strip() for name in label_names.split(",")],
                separator=separator,
                smoothing=smoothing,
                prior=_parse_prior(prior),
                aggregator=aggregator,  # type: ignore[arg-type]  # from_votes checks it
            )
        except LabelDistError:
            raise
        except ValueError as error:  # an invalid option, not an invalid table
            raise typer.BadParameter(str(error)) from None
    _note_labels(found, reporter, show_prior=smoothing == AUTO or isinstance(_parse_prior(prior), list))
    items = frame[item].map(clean) if label else frame.index.to_series()
    others = frame.drop(columns=[item, annotator, label, *columns, *nested], errors="ignore")
    result = _keep_columns(found.to_frame(), others, items, reporter)
    if join and Path(join).resolve() != Path(table).resolve():  # the columns of the table itself are kept already
        result = _join(result, found, join, reporter)
    io.write_output(result, output, found.label_names, item=item, force=force)
    n_items, n_votes, mean = len(result), int(result[io.VOTES].sum()), result[found.label_names].mean().to_dict()
    reporter.result(
        f"{output}: {n_items} items, {n_votes} votes. On average: {io.mean_text(mean)}.",
        {"items": n_items, "votes": n_votes, "labels": found.label_names, "output": output, "mean_distribution": mean},
    )


def _parse_prior(prior: str) -> str | list[float]:
    try:
        return [float(degree) for degree in prior.split(",")]
    except ValueError:
        return prior


def _note_labels(found: Any, reporter: Reporter, *, show_prior: bool) -> None:
    """Print notes about labels and votes that may mislead, and the prior."""
    from labeldist.votes._from_votes import has_several_votes

    missing = [name for name in found.label_names if name in MISSING or NOT_AVAILABLE.fullmatch(name)]
    if missing:
        reporter.note(f"{listed(missing)} is used as a label. If it means that there is no vote, remove these votes.")
    if len(found.label_names) == 1:
        reporter.note(f"{found.label_names[0]} is the only label, so that its degree is always 1. Name all labels.")
    rounded = [name for name in map(str, found.items) if re.fullmatch(r"\d\.\d+E\+\d+", name)]
    if rounded:
        reporter.note(f"item {listed(rounded, 3)} looks rounded by a spreadsheet. Different items may be merged.")
    for kind, names in (("labels", found.label_names), ("items", list(map(str, found.items)))):
        words = [unicodedata.normalize("NFKC", name).replace("\u2019", "'").casefold() for name in names]
        times = Counter(words)
        alike = [name for name, word in zip(names, words, strict=True) if times[word] > 1]
        if alike:
            reporter.note(f"{listed(alike)} are different {kind}. If some are the same, write them in the same way.")
    for separator in ";|,/#":
        bare = {name: name.strip(f"{separator} ") for name in found.label_names}
        parts = {name: {part.strip() for part in name.split(separator)} for name in bare}
        joined = [name for name in bare if parts[name] & {*bare.values()} - {bare[name]}]
        if joined:
            reporter.note(f"{listed(joined)} is one label. If it is several, use --separator {separator!r}.")
    if has_several_votes(found):
        effect = "In the noise ceiling of labeldist fit and evaluate these count as independent votes, so it is too low"
        reporter.note(f"annotators have several votes on an item. {effect}.")
    single = np.count_nonzero(found.weights == 1)
    if not found.smoothing and 2 * single > len(found.weights):
        reporter.note(f"{single} of {len(found.weights)} items have only one vote. Consider --smoothing.")
    if show_prior:
        prior = io.mean_text(dict(zip(found.label_names, found.prior, strict=True)))
        reporter.note(f"{found.smoothing:.2f} votes of the prior are added to each item: {prior}.")


def _keep_columns(voted: pd.DataFrame, others: pd.DataFrame, items: pd.Series, reporter: Reporter) -> pd.DataFrame:
    """Insert the other columns of the votes that have one value per item before the degrees, with notes."""
    taken = [name for name in others.columns if name in voted.columns]
    varying = [name for name in others.columns if others[name].map(str).groupby(items).nunique().gt(1).any()]
    if taken:
        reporter.note(f"column {listed(map(repr, taken))} is left out: the result has a column of this name.")
    if varying:
        reporter.note(f"column {listed(map(repr, varying))} is left out: the votes on an item differ in it.")
    kept = others.drop(columns={*taken, *varying})[~items.duplicated()].reset_index(drop=True)
    if len(kept.columns):
        advice = "Do not use columns that are computed from the votes as features: labeldist fit --features"
        reporter.note(f"column {listed(map(repr, kept.columns))} is kept. {advice}.")
    return voted.iloc[:, :1].join(kept).join(voted.iloc[:, 1:])


def _join(voted: pd.DataFrame, found: Any, path: str, reporter: Reporter) -> pd.DataFrame:
    """Return the items that are in both tables, with the columns of the table at `path` before the degrees.

    They replace columns of the votes that have the same names.
    """
    item = found.item_name
    described = io.read(path, reporter, item)
    replaced = voted.columns.drop([item, *found.label_names, io.VOTES]).intersection(described.columns)
    if len(replaced):
        reporter.note(f"column {listed(map(repr, replaced))} of the votes is replaced by that of {path}.")
    voted = voted.drop(columns=replaced)
    common = [column for column in described.columns if column in voted.columns and column != item]
    if common:
        raise TableError(f"Both {path} and the result have the column {listed(common)}. Rename it in {path}.")
    keys, wanted = io.item_keys(described, item, path), io.item_keys(voted, item, "the result")
    known, used = wanted.isin(keys), keys.isin(wanted)
    if not known.any():
        raise TableError(f"{path}, column {item!r}, contains none of the items with votes: {listed(wanted, 3)}.")
    problems = {f"with votes are not in {path}": wanted[~known], f"of {path} have no votes": keys[~used]}
    for problem, names in problems.items():
        if len(names):
            reporter.note(f"{len(names)} items {problem} and are left out: {listed(names, 3)}.")
    features = described.drop(columns=item).set_index(keys).loc[wanted[known]].reset_index(drop=True)
    joined = features.join(voted[known].reset_index(drop=True))
    return joined[[item, *features.columns, *voted.columns.drop(item)]]
