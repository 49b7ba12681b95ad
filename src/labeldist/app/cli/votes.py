"""``labeldist votes``: convert votes of annotators to label distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from labeldist.app.cli import options
from labeldist.app.cli import table_files as tables
from labeldist.app.cli.reporter import Reporter
from labeldist.app.cli.vote_tables import VoteColumns, note_labels
from labeldist.app.cli.voted_items import check_join, describe_items, join_table
from labeldist.app.tables.read_and_write import STANDARD

if TYPE_CHECKING:
    from labeldist.votes import VoteDistributions


def _parse_smoothing(text: str) -> Any:
    return text if text == "auto" else float(text)


def votes(
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
    smoothing: Annotated[
        Any,
        typer.Option(
            parser=_parse_smoothing,
            help="Votes of the prior added to each item: a number, or auto.",
        ),
    ] = "0",
    prior: Annotated[
        str, typer.Option(help="uniform, overall (all votes), or degrees: 0.2,0.8.")
    ] = "uniform",
    aggregator: Annotated[
        str | None, typer.Option(help="dawid_skene: one true label per item.")
    ] = None,
    join: options.Join = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Convert votes to label distributions.

    The degree of a label is its share of the item's votes. The output has one row per item: its
    name, other columns of the table, one column of degrees per label, and the number of votes in
    the column `votes`, for `labeldist fit --weights votes`. If each row is a vote, other columns
    are kept only if they have the same value in all votes on an item.

    `labeldist estimate` estimates the shares among many people from few votes, and
    `labeldist plan` shows how many votes are enough.

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
    - `labeldist votes votes.csv --item id --label emotion --join items.csv -o dist.csv` — then
      `labeldist fit dist.csv --labels joy,fear,calm --weights votes --ignore id -o model.skops`
    """
    reporter = Reporter(as_json=as_json, output=output)
    names = VoteColumns(
        item, annotator, label, annotators, counts, label_names, separator, tool, drop_copies
    )
    check_join(join, item, tool)
    tables.check_outputs(table=output, force=force)
    frame, names = names.read(table, reporter)
    found = names.count(
        frame, reporter, smoothing=smoothing, prior=_parse_prior(prior), aggregator=aggregator
    )
    note_labels(found, reporter)
    _note_smoothing(found, reporter)
    items = describe_items(found, frame, names, reporter, advise=True)
    if join:
        items = join_table(items, join, table, reporter)
    tables.write_output(items.table, output, items.labels, item=names.item, force=force)
    reporter.result(*items.summary(items.table, output))


def _parse_prior(prior: str) -> str | list[float]:
    try:
        return [float(degree) for degree in prior.split(",")]
    except ValueError:
        return prior


def _note_smoothing(found: VoteDistributions, reporter: Reporter) -> None:
    """Print a note about the prior that is added, or about many items with one vote."""
    if found.prior is not None:
        prior = tables.mean_text(dict(zip(found.label_names, found.prior, strict=True)))
        reporter.note(f"{found.smoothing:.2f} votes of the prior are added to each item: {prior}.")
        return
    n_single = np.count_nonzero(found.weights == 1)
    n_items = len(found.weights)
    if 2 * n_single > n_items:
        advice = "Consider labeldist estimate"
        reporter.note(f"{n_single} of {n_items} items have only one vote. {advice}.")
