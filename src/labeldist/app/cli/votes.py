"""``labeldist votes``: convert votes of annotators to label distributions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from labeldist._text import counted, listed
from labeldist.app.cli import io, options, pictures
from labeldist.app.cli.estimate import Estimate, estimate_degrees
from labeldist.app.cli.plan import report_plan
from labeldist.app.cli.reporter import Reporter
from labeldist.app.cli.vote_tables import WITHOUT_VOTES, VoteColumns
from labeldist.app.tables.column_kinds import MISSING
from labeldist.app.tables.tables import STANDARD
from labeldist.exceptions import TableError
from labeldist.utils import name_of
from labeldist.votes._vote_distributions import VOTES_COLUMN

if TYPE_CHECKING:
    import pandas as pd

NO_VOTE = (*MISSING, "-", ".", "na", "#N/A", "<NA>")  # Words that mean that a vote is missing.
UNIFORM = "uniform"
OF_ESTIMATE = "--intervals, --features, --ignore, --prepare, --text and --categories"
OF_DEGREES = f"-o, --join, --smoothing, --prior, --aggregator, --estimate, {OF_ESTIMATE}"


def _parse_smoothing(text: str) -> Any:
    return text if text == "auto" else float(text)


def votes(
    table: options.Table,
    output: options.Output = STANDARD,
    item: options.VoteItem = None,
    annotator: options.Annotator = None,
    label: options.VoteLabel = None,
    annotators: options.AnnotatorColumns = None,
    counts: Annotated[
        str | None, typer.Option(help='Columns with numbers of votes, one per label or {"joy": 3}.')
    ] = None,
    label_names: options.LabelNames = None,
    separator: options.Separator = None,
    drop_copies: options.DropCopies = False,
    tool: options.Tool = None,
    smoothing: Annotated[
        Any,
        typer.Option(
            parser=_parse_smoothing,
            help="Votes of the prior added to each item: a number, or auto.",
        ),
    ] = "0",
    prior: Annotated[
        str, typer.Option(help="uniform, overall (all votes), or degrees: 0.2,0.8.")
    ] = UNIFORM,
    aggregator: Annotated[
        str | None, typer.Option(help="dawid_skene: one true label per item.")
    ] = None,
    join: Annotated[
        str | None, typer.Option(metavar="FILE", help="Table to join by the column --item.")
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Print how many votes are enough; write no degrees.")
    ] = False,
    picture: Annotated[
        str | None, typer.Option(metavar="FILE", help="Picture of --plan: .png, .svg or .pdf.")
    ] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Estimate what many people would vote (VoteLE).")
    ] = False,
    intervals: Annotated[
        bool, typer.Option("--intervals", help="Add bounds of 90 % intervals of the estimate.")
    ] = False,
    features: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMNS", help="Features for --estimate. Default: the columns of --join."
        ),
    ] = None,
    ignore: options.Ignore = "",
    prepare: options.Prepare = False,
    text: options.Text = None,
    categories: options.Categories = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Convert votes to label distributions.

    The degree of a label is its share of the item's votes. The output has one row per item: its
    name, other columns of the table, one column of degrees per label, and the number of votes in
    the column `votes`, for `labeldist fit --weights votes`. If each row is a vote, other columns
    are kept only if they have the same value in all votes on an item.

    With `--estimate`, the degrees are estimates of the shares among many people, from the votes and
    the features of `--join`. Other columns can be computed from the votes, so that they are
    features only if `--features` names them. `--intervals` adds columns of lower and upper bounds.

    **Examples**

    - `labeldist votes votes.csv --item id --annotator who --label emotion -o dist.csv`
    - `labeldist votes ratings.csv --item id --annotators ann,bob,cem -o dist.csv` — one column per
      annotator
    - `labeldist votes counts.csv --item id --counts joy,fear,calm --smoothing auto -o dist.csv` —
      few votes per item
    - `labeldist votes chaosNLI_snli.jsonl --item uid --counts label_counter -o dist.csv` — counts
      in one column
    - `labeldist votes dev.json --item id --label annotations --annotator annotators --separator ,
      -o dist.csv` — LeWiDi 2023
    - `labeldist votes dev.json --item id --annotators annotations -o dist.csv` — LeWiDi 2025, where
      annotations are objects such as {"Ann1": "2"}
    - `labeldist votes export.json --from label-studio -o dist.csv` — an annotation tool
    - `labeldist votes pilot.csv --item id --label emotion --plan` — how many votes are enough
    - `labeldist votes votes.csv --item id --label emotion --join items.csv --estimate --prepare
      -o dist.csv` — estimates from few votes, numbers and text
    - `labeldist votes votes.csv --item id --label emotion --join items.csv -o dist.csv` — then
      `labeldist fit dist.csv --labels joy,fear,calm --weights votes --ignore id -o model.skops`
    """
    reporter = Reporter(as_json=as_json, output=None if plan else output)
    names = VoteColumns(
        item, annotator, label, annotators, counts, label_names, separator, tool, drop_copies
    )
    if join and not (item or tool):
        raise typer.BadParameter("--join needs --item, the column by which rows are matched.")
    if picture and not plan:
        raise typer.BadParameter("--picture needs --plan.")
    of_features = features or ignore or prepare or text or categories
    of_estimate = estimate or intervals or of_features
    of_shares = smoothing or aggregator or prior != UNIFORM
    if plan and (output != STANDARD or join or of_shares or of_estimate):
        raise typer.BadParameter(f"--plan writes no degrees: remove {OF_DEGREES}.")
    if estimate and of_shares:
        raise typer.BadParameter("--estimate replaces --smoothing, --prior and --aggregator.")
    if of_estimate and not estimate:
        raise typer.BadParameter(f"{OF_ESTIMATE} need --estimate.")
    io.check_outputs(picture, table=output, force=force)
    pictures.check_picture(picture)
    frame, names = names.read(table, reporter)
    if plan or estimate:
        smoothing = WITHOUT_VOTES
    found = names.count(
        frame, reporter, smoothing=smoothing, prior=_parse_prior(prior), aggregator=aggregator
    )
    if plan:
        report_plan(found, picture, reporter, force=force)
        return
    _note_labels(found, reporter, estimate=estimate)
    items = frame[names.item].map(name_of) if names.label else frame.index.to_series()
    others = _without_votes(
        frame, [names.item, names.annotator, names.label, *names.of_votes(frame)]
    )
    result = _keep_columns(found.to_frame(), others, items, reporter, advise=features is None)
    joined: list[str] = []
    # The columns of the table itself are kept already.
    if join and Path(join).resolve() != Path(table).resolve():
        result, joined = _join(result, found, join, reporter)
    estimated = None
    if estimate:
        columns = io.Columns(
            found.label_names, features, ignore, prepare, text, categories, found.item_name
        )
        known = result.drop(columns=VOTES_COLUMN)
        if features is None and not tool:  # other columns may be computed from the votes
            known = known[[found.item_name, *joined, *found.label_names]]
        given = io.choose(known, columns, reporter, need_features=False)
        result, estimated = estimate_degrees(
            result, given, reporter, prepare=prepare, intervals=intervals
        )
    io.write_output(result, output, found.label_names, item=names.item, force=force)
    _report(result, found.label_names, output, estimated, reporter)


def _without_votes(frame: pd.DataFrame, columns: list[str | None]) -> pd.DataFrame:
    """Return the columns that are not part of the votes."""
    from labeldist.votes._vote_tables import nested_columns

    for name in filter(None, columns):
        frame = frame.drop(columns=nested_columns(frame, name) or name)
    return frame


def _report(
    result: pd.DataFrame,
    labels: list[str],
    output: str,
    estimated: Estimate | None,
    reporter: Reporter,
) -> None:
    n_votes = int(result[VOTES_COLUMN].sum())
    items = counted(len(result), "item")
    votes = counted(n_votes, "vote")
    mean = result[labels].mean().to_dict()
    text = f"{output}: {items}, {votes}. On average: {io.mean_text(mean)}."
    facts = {
        "items": len(result),
        "votes": n_votes,
        "labels": labels,
        "output": output,
        "mean_distribution": mean,
    }
    if estimated is not None:
        text = "\n".join([text, *estimated.sentences])
        facts |= estimated.facts
        if output == STANDARD:  # The text is not printed.
            reporter.note(" ".join(estimated.sentences))
    reporter.result(text, facts)


def _parse_prior(prior: str) -> str | list[float]:
    try:
        return [float(degree) for degree in prior.split(",")]
    except ValueError:
        return prior


def _note_labels(found: Any, reporter: Reporter, *, estimate: bool) -> None:
    """Print notes about labels and votes that may mislead, and the prior."""
    from labeldist.votes._vote_distributions import has_several_votes

    labels = found.label_names
    missing = [name for name in labels if name in NO_VOTE]
    if missing:
        names = " and ".join(missing)
        reporter.note(f"{names} are counted as labels; remove them if they mean no vote.")
    if has_several_votes(found):
        effect = "The noise ceiling takes them as independent, so it is too low"
        reporter.note(f"annotators have several votes on an item. {effect}.")
    n_single = np.count_nonzero(found.weights == 1)
    n_items = len(found.weights)
    if not (found.smoothing or estimate) and 2 * n_single > n_items:
        reporter.note(f"{n_single} of {n_items} items have only one vote. Consider --estimate.")
    if found.smoothing and not estimate:
        prior = io.mean_text(dict(zip(labels, found.prior, strict=True)))
        reporter.note(f"{found.smoothing:.2f} votes of the prior are added to each item: {prior}.")


def _keep_columns(
    voted: pd.DataFrame,
    others: pd.DataFrame,
    items: pd.Series,
    reporter: Reporter,
    *,
    advise: bool,
) -> pd.DataFrame:
    """Insert, before the degrees, the other columns that have one value per item; print notes."""
    n_values = others.map(str).groupby(items).nunique()
    differing = others.columns[n_values.gt(1).any()]
    taken = others.columns.drop(differing).intersection(voted.columns)
    if len(differing):
        reason = "because the values differ between the votes on an item"
        reporter.note(f"left out: {listed(differing)}, {reason}.")
    if len(taken):
        reporter.note(f"left out: {listed(taken)}, because the result has a column of this name.")
    kept = others.drop(columns=[*differing, *taken])
    kept = kept[~items.duplicated()].reset_index(drop=True)
    if advise and len(kept.columns):
        advice = "Do not use columns that are computed from the votes as features"
        names = listed(kept.columns)
        reporter.note(f"Kept columns: {names}. {advice}: name the features with --features.")
    return voted.iloc[:, :1].join(kept).join(voted.iloc[:, 1:])


def _join(
    voted: pd.DataFrame, found: Any, path: str, reporter: Reporter
) -> tuple[pd.DataFrame, list[str]]:
    """Return the items in both tables, with the columns of the table at `path` before the degrees.

    They replace columns of the votes that have the same names. The list has their names.
    """
    item = found.item_name
    described = io.read(path, reporter, item)
    keys = io.item_keys(described, item, path)
    features = described.drop(columns=item).set_index(keys)
    common = features.columns.intersection([*found.label_names, VOTES_COLUMN])
    if len(common):
        raise TableError(f"{path} and the result have duplicate columns: {listed(common)}.")
    voted = voted.drop(columns=features.columns, errors="ignore")
    wanted = io.item_keys(voted, item, "the result")
    joined = voted.set_index(wanted).join(features, how="inner")
    row_of = dict(zip(keys, keys.index, strict=True))
    joined.index = joined.index.map(row_of)  # messages about features name these rows
    if joined.empty:
        raise TableError(f"{path} contains none of the items with votes: {listed(wanted, 3)}.")
    unknown = wanted[~wanted.isin(keys)]
    if len(unknown):
        number = f"{len(unknown)} of {len(wanted)} items with votes"
        reporter.note(f"{path} lacks {number}: {listed(unknown, 3)}. Their votes are dropped.")
    names = list(features.columns)
    return joined[[item, *names, *voted.columns.drop(item)]], names
