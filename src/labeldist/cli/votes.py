"""``labeldist votes``: label distributions from the votes of annotators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from labeldist._tables.columns import match_columns
from labeldist._tables.kinds import MISSING
from labeldist._tables.tables import STANDARD, listed, read_table
from labeldist.cli import options
from labeldist.cli.inputs import keys_of
from labeldist.cli.outputs import check_output, deliver
from labeldist.cli.telling import Teller
from labeldist.exceptions import LabelDistError, TableError
from labeldist.votes._from_votes import AGGREGATORS, VOTES_COLUMN, VoteDistributions, from_votes

if TYPE_CHECKING:
    import pandas as pd

WHERE_ARE_THE_VOTES = (
    "say where the votes are: --item and --label (and --annotator) where each row is a vote, --annotators where each "
    "annotator has a column, or --counts where each label has a column of counts."
)


def votes(
    table: options.Table,
    output: options.Output = STANDARD,
    item: Annotated[str | None, typer.Option(help="The column that names what was voted on.")] = None,
    annotator: Annotated[str | None, typer.Option(help="The column that names who voted, if it is known.")] = None,
    label: Annotated[str | None, typer.Option(help="The column that names the label that was voted for.")] = None,
    annotators: Annotated[
        str | None, typer.Option(help="Instead of --label: columns of labels, an annotator each; rater_* works too.")
    ] = None,
    counts: Annotated[
        str | None, typer.Option(help="Instead of --label: columns of numbers of votes, a label each.")
    ] = None,
    label_names: Annotated[
        str | None, typer.Option(help="All labels there are, in order, commas between them. Else those voted for.")
    ] = None,
    smoothing: Annotated[
        float, typer.Option(min=0, help="How many votes of the prior every item gets beside its own.")
    ] = 0.0,
    prior: Annotated[
        str, typer.Option(help="uniform, overall (the shares in all votes), or degrees with commas between them.")
    ] = "uniform",
    aggregator: Annotated[
        str | None,
        typer.Option(
            help=f"{' or '.join(AGGREGATORS)}: model one true label an item and annotators who err; "
            "all disagreement is then taken for error."
        ),
    ] = None,
    join: Annotated[
        str | None, typer.Option(help="A table that describes the items, whose columns are joined by that of --item.")
    ] = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Turn votes into label distributions: the degree of a label is its share of the item's votes.

    The table that comes out has a row an item: its name, a column of degrees a label, and the number of its votes,
    `votes`, by which `labeldist fit --weights votes` knows how much each row says.

    **Examples**

    `labeldist votes votes.csv --item id --annotator who --label emotion -o dist.csv`

    `labeldist votes ratings.csv --item id --annotators ann,bob,cem -o dist.csv` — a column an annotator

    `labeldist votes counts.csv --item id --counts joy,fear,calm --smoothing 1 -o dist.csv` — counts, with few votes

    `labeldist votes votes.csv --item id --label emotion --join items.csv -o dist.csv` — then
    `labeldist fit dist.csv --labels joy,fear,calm --weights votes --ignore id -o model.skops`
    """
    teller = Teller(as_json=as_json, output=output)
    if [label, annotators, counts].count(None) != 2 or (label and not item) or (annotator and not label):
        raise typer.BadParameter(WHERE_ARE_THE_VOTES)
    if join and not item:
        raise typer.BadParameter("--join needs --item, the column by which rows are matched.")
    check_output(output, force=force)
    frame = read_table(table)
    with teller.working(f"Counting the votes of {len(frame)} rows"):
        try:
            found = from_votes(
                frame,
                item=item,
                annotator=annotator,
                label=label,
                annotators=annotators and match_columns(annotators, frame.columns, "annotator"),
                labels=counts and match_columns(counts, frame.columns, "count"),
                label_names=None if label_names is None else [name.strip() for name in label_names.split(",")],
                smoothing=smoothing,
                prior=_degrees(prior),
                aggregator=aggregator,  # type: ignore[arg-type]  # checked where it is used
            )
        except LabelDistError:
            raise
        except ValueError as error:  # of the options, not of the table
            raise typer.BadParameter(str(error)) from None
    _note_doubts(found, teller, smoothed=smoothing > 0)
    result = found.to_frame()
    if join:
        result = _joined(result, found.item_name, join, teller)
    deliver(result, output, found.label_names, force=force)
    mean = result[found.label_names].mean().to_dict()
    facts = {
        "items": len(result),
        "votes": int(result[VOTES_COLUMN].sum()),
        "labels": found.label_names,
        "output": output,
        "mean_distribution": mean,
    }
    degrees = ", ".join(f"{name} {degree:.2f}" for name, degree in mean.items())
    teller.result(f"{output}: {facts['items']} items, {facts['votes']} votes. On average: {degrees}.", facts)


def _degrees(prior: str) -> str | list[float]:
    try:
        return [float(degree) for degree in prior.split(",")]
    except ValueError:
        return prior


def _note_doubts(found: VoteDistributions, teller: Teller, *, smoothed: bool) -> None:
    nothing = [name for name in found.label_names if name in MISSING]
    if nothing:
        teller.note(
            f"{listed(nothing)} is taken for a label; if it means no vote, drop those rows or empty those cells."
        )
    folded: dict[str, list[str]] = {}
    for name in found.label_names:
        folded.setdefault(name.casefold(), []).append(name)
    for names in folded.values():
        if len(names) > 1:
            teller.note(f"{listed(names)} are taken for different labels; if they are one, write them alike.")
    single = np.count_nonzero(found.weights == 1)
    if not smoothed and 2 * single > len(found.weights):
        teller.note(f"{single} of {len(found.weights)} items have a single vote, which says little; see --smoothing.")


def _joined(voted: pd.DataFrame, item: str, path: str, teller: Teller) -> pd.DataFrame:
    """Return the items that are in both tables, with the columns that describe them behind their names."""
    described = read_table(path)
    taken = [column for column in described.columns if column in voted.columns and column != item]
    if taken:
        raise TableError(f"{path} has columns that the distributions have, too: {listed(taken)}. Rename them.")
    keys, wanted = keys_of(described, item, path), voted[item].astype(str)
    known, used = wanted.isin(keys), keys.isin(wanted)
    if not known.any():
        raise TableError(f"None of the items that were voted on is in {path}, column {item!r}: {listed(wanted, 3)}.")
    for which, names in (
        (f"that were voted on are not in {path}", wanted[~known]),
        (f"of {path} have no votes", keys[~used]),
    ):
        if len(names):
            teller.note(f"{len(names)} items {which} and are left out: {listed(names, 3)}.")
    features = described.drop(columns=item).set_index(keys).loc[wanted[known]].reset_index(drop=True)
    together = features.join(voted[known].reset_index(drop=True))
    return together[[item, *features.columns, *voted.columns.drop(item)]]
