"""``labeldist votes``: convert votes of annotators to label distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from labeldist._tables.columns import match_columns
from labeldist._tables.kinds import MISSING
from labeldist._tables.tables import STANDARD, listed, read_table
from labeldist.cli import io, options
from labeldist.cli.reporter import Reporter
from labeldist.exceptions import LabelDistError, TableError

if TYPE_CHECKING:
    import pandas as pd

SHAPES = "name the columns of the votes: --item and --label (and --annotator), or --annotators, or --counts."


def votes(
    table: options.Table,
    output: options.Output = STANDARD,
    item: Annotated[str | None, typer.Option(help="Column with the names of the items.")] = None,
    annotator: Annotated[str | None, typer.Option(help="Column with the names of the annotators, if known.")] = None,
    label: Annotated[str | None, typer.Option(help="Column with the labels, if each row is a vote.")] = None,
    annotators: Annotated[str | None, typer.Option(help="Columns of labels, one per annotator: rater_*.")] = None,
    counts: Annotated[str | None, typer.Option(help="Columns with numbers of votes, one per label.")] = None,
    label_names: Annotated[str | None, typer.Option(help="All labels, in order. Default: those with votes.")] = None,
    smoothing: Annotated[float, typer.Option(min=0, help="Number of votes of the prior, added to each item.")] = 0.0,
    prior: Annotated[str, typer.Option(help="uniform, overall (all votes), or degrees: 0.2,0.8.")] = "uniform",
    aggregator: Annotated[str | None, typer.Option(help="dawid_skene: one true label per item.")] = None,
    join: Annotated[str | None, typer.Option(metavar="FILE", help="Table to join by the column --item.")] = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Convert votes to label distributions: the degree of a label is its share of the item's votes.

    The output has one row per item: its name, one column of degrees per label, and the number of votes in the column
    `votes`, for `labeldist fit --weights votes`.

    **Examples**

    - `labeldist votes votes.csv --item id --annotator who --label emotion -o dist.csv`
    - `labeldist votes ratings.csv --item id --annotators ann,bob,cem -o dist.csv` — one column per annotator
    - `labeldist votes counts.csv --item id --counts joy,fear,calm --smoothing 1 -o dist.csv` — few votes per item
    - `labeldist votes votes.csv --item id --label emotion --join items.csv -o dist.csv` — then
      `labeldist fit dist.csv --labels joy,fear,calm --weights votes --ignore id -o model.skops`
    """
    from labeldist.votes import from_votes

    reporter = Reporter(as_json=as_json, output=output)
    if [label, annotators, counts].count(None) != 2 or (label and not item) or (annotator and not label):
        raise typer.BadParameter(SHAPES)
    if join and not item:
        raise typer.BadParameter("--join needs --item, the column by which rows are matched.")
    io.check_outputs(table=output, force=force)
    frame = read_table(table)
    with reporter.working(f"Counting the votes of {len(frame)} rows"):
        try:
            found = from_votes(
                frame,
                item=item,
                annotator=annotator,
                label=label,
                annotators=annotators and match_columns(annotators, frame.columns, "annotator"),
                counts=counts and match_columns(counts, frame.columns, "count"),
                label_names=None if label_names is None else [name.strip() for name in label_names.split(",")],
                smoothing=smoothing,
                prior=_parse_prior(prior),
                aggregator=aggregator,  # type: ignore[arg-type]  # from_votes checks it
            )
        except LabelDistError:
            raise
        except ValueError as error:  # an invalid option, not an invalid table
            raise typer.BadParameter(str(error)) from None
    _note_labels(found, reporter, smoothed=smoothing > 0)
    result = found.to_frame()
    if join:
        result = _join(result, found.item_name, join, reporter)
    io.write_output(result, output, found.label_names, force=force)
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


def _note_labels(found: Any, reporter: Reporter, *, smoothed: bool) -> None:
    """Print notes about labels that may be missing values, and about items with one vote."""
    missing = [name for name in found.label_names if name in MISSING]
    if missing:
        reporter.note(f"{listed(missing)} is used as a label. If it means that there is no vote, drop those rows.")
    single = np.count_nonzero(found.weights == 1)
    if not smoothed and 2 * single > len(found.weights):
        reporter.note(f"{single} of {len(found.weights)} items have only one vote. Consider --smoothing.")


def _join(voted: pd.DataFrame, item: str, path: str, reporter: Reporter) -> pd.DataFrame:
    """Return the items that are in both tables, with the columns of the table at `path` before the degrees."""
    described = read_table(path)
    common = [column for column in described.columns if column in voted.columns and column != item]
    if common:
        raise TableError(f"Both {path} and the result have the column {listed(common)}. Rename it in {path}.")
    keys, wanted = io.item_keys(described, item, path), io.item_keys(voted, item, "the result")
    known, used = wanted.isin(keys), keys.isin(wanted)
    if not known.any():
        raise TableError(f"{path}, column {item!r}, contains none of the items with votes: {listed(wanted, 3)}.")
    for problem, names in (
        (f"with votes are not in {path}", wanted[~known]),
        (f"of {path} have no votes", keys[~used]),
    ):
        if len(names):
            reporter.note(f"{len(names)} items {problem} and are left out: {listed(names, 3)}.")
    features = described.drop(columns=item).set_index(keys).loc[wanted[known]].reset_index(drop=True)
    joined = features.join(voted[known].reset_index(drop=True))
    return joined[[item, *features.columns, *voted.columns.drop(item)]]
