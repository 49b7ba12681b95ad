"""``labeldist estimate``: estimate label distributions from few votes per item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from labeldist.app.cli import columns, options
from labeldist.app.cli import table_files as tables
from labeldist.app.cli.estimating import Estimate, fit_vote_le
from labeldist.app.cli.reporter import Reporter
from labeldist.app.cli.vote_tables import VoteColumns, note_labels
from labeldist.app.cli.voted_items import VotedItems, check_join, describe_items, join_table
from labeldist.app.tables.read_and_write import STANDARD
from labeldist.app.types import VOTES_COLUMN

if TYPE_CHECKING:
    import pandas as pd


def estimate(
    table: options.Table,
    output: options.Output = STANDARD,
    item: options.VoteItem = None,
    annotator: options.Annotator = None,
    label: options.VoteLabel = None,
    annotators: options.AnnotatorColumns = None,
    counts: options.Counts = None,
    label_names: options.LabelNames = None,
    separator: options.Separator = None,
    drop_copies: options.DropCopies = False,
    tool: options.Tool = None,
    join: options.Join = None,
    features: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMNS", help="Columns that are features. Default: the columns of --join."
        ),
    ] = None,
    ignore: options.Ignore = "",
    prepare: options.Prepare = False,
    text: options.Text = None,
    categories: options.Categories = None,
    intervals: Annotated[
        bool, typer.Option("--intervals", help="Add bounds of 90 % intervals of the degrees.")
    ] = False,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Estimate from few votes what many people would vote.

    `VoteLE` estimates the shares among many people from the votes on an item, the votes on all
    items, and the features of `--join`. Other columns of the table of votes can be computed from
    the votes, so that they are features only if `--features` names them. The output is that of
    `labeldist votes`, with the estimates as degrees. `--intervals` adds columns of lower and upper
    bounds.

    **Examples**

    - `labeldist estimate votes.csv --item id --annotator who --label emotion -o dist.csv`
    - `labeldist estimate votes.csv --item id --label emotion --join items.csv --prepare
      -o dist.csv` — with numbers and text as features
    - `labeldist estimate counts.csv --item id --counts joy,fear,calm --intervals -o dist.csv`
    """
    reporter = Reporter(as_json=as_json, output=output)
    names = VoteColumns(
        item, annotator, label, annotators, counts, label_names, separator, tool, drop_copies
    )
    check_join(join, item, tool)
    tables.check_outputs(table=output, force=force)
    frame, names = names.read(table, reporter)
    found = names.count(frame, reporter, allow_empty=True)
    note_labels(found, reporter)
    items = describe_items(found, frame, names, reporter, advise=features is None)
    if join:
        items = join_table(items, join, table, reporter)
    named = columns.Columns(
        items.labels, features, ignore, prepare, text, categories, found.item_name
    )
    known = items.table.drop(columns=VOTES_COLUMN)
    if features is None and not tool:  # other columns may be computed from the votes
        known = known[[items.item, *items.joined, *items.labels]]
    given = columns.choose(known, named, reporter, need_features=False)
    estimated = fit_vote_le(items.counts, given, reporter, prepare=prepare)
    result = _with_estimates(items, estimated, reporter, intervals=intervals)
    tables.write_output(result, output, items.labels, item=names.item, force=force)
    summary, facts = items.summary(result, output)
    if output == STANDARD:  # The text is not printed.
        reporter.note(" ".join(estimated.sentences))
    reporter.result("\n".join([summary, *estimated.sentences]), facts | estimated.facts)


def _with_estimates(
    items: VotedItems, estimated: Estimate, reporter: Reporter, *, intervals: bool
) -> pd.DataFrame:
    """Return the table of the items with estimated degrees, and their bounds if `intervals`."""
    result = items.table.copy()
    result[items.labels] = estimated.enhancer.label_distributions_
    if intervals:
        with reporter.working("Computing intervals"):
            bounds = estimated.enhancer.interval()
        for ending, bound in zip(columns.BOUNDS, bounds, strict=True):
            result[[f"{label}{ending}" for label in items.labels]] = bound
    return result
