"""Items with votes: one row per item, with what the table of votes and a joined table add."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from labeldist.app.cli import table_files as tables
from labeldist.app.cli.reporter import Reporter
from labeldist.app.cli.vote_tables import VoteColumns
from labeldist.app.text import counted
from labeldist.app.types import VOTES_COLUMN, Array
from labeldist.exceptions import TableError
from labeldist.utils import listed, name_of

if TYPE_CHECKING:
    import pandas as pd

    from labeldist.votes import VoteDistributions


@dataclass(frozen=True, eq=False)
class VotedItems:
    """Items with votes.

    The columns of `table` are the item, other columns, one column of degrees per label, and the
    number of votes. `counts` are the votes for each label, in the rows of the table. `joined` are
    the columns of a joined table.
    """

    table: pd.DataFrame
    counts: Array
    item: str
    labels: list[str]
    joined: list[str] = field(default_factory=list)

    def summary(self, table: pd.DataFrame, output: str) -> tuple[str, dict[str, object]]:
        """Return a sentence and facts about a table of these items with other degrees."""
        n_votes = int(self.counts.sum())
        mean = table[self.labels].mean().to_dict()
        size = f"{counted(len(table), 'item')}, {counted(n_votes, 'vote')}"
        facts = {
            "items": len(table),
            "votes": n_votes,
            "labels": self.labels,
            "output": output,
            "mean_distribution": mean,
        }
        return f"{output}: {size}. On average: {tables.mean_text(mean)}.", facts


def check_join(join: str | None, item: str | None, tool: str | None) -> None:
    """Raise an error if a table is to be joined without a column of items."""
    if join and not (item or tool):
        raise typer.BadParameter("--join needs --item, the column by which rows are matched.")


def describe_items(
    votes: VoteDistributions,
    frame: pd.DataFrame,
    names: VoteColumns,
    reporter: Reporter,
    *,
    advise: bool,
) -> VotedItems:
    """Return the items with the other columns of the table of votes that have one value per item.

    `advise` adds a note that these are no features if they are computed from the votes.
    """
    voted = votes.to_frame()
    others = frame.drop(columns=names.all_in(frame))
    if others.empty:
        return VotedItems(voted, votes.counts, votes.item_name, votes.label_names)
    items = frame[names.item].map(name_of) if names.label else frame.index.to_series()
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
        given = listed(kept.columns)
        reporter.note(f"Kept columns: {given}. {advice}: name the features with --features.")
    table = voted.iloc[:, :1].join(kept).join(voted.iloc[:, 1:])
    return VotedItems(table, votes.counts, votes.item_name, votes.label_names)


def join_table(items: VotedItems, path: str, source: str, reporter: Reporter) -> VotedItems:
    """Return the items that are also in the table at `path`, with its columns before the others.

    They replace columns of the votes that have the same names. The columns of the table of votes,
    `source`, are there already.
    """
    if Path(path).resolve() == Path(source).resolve():
        return items
    described = tables.read(path, reporter, items.item)
    keys = tables.item_keys(described, items.item, path)
    features = described.drop(columns=items.item).set_index(keys)
    common = features.columns.intersection([*items.labels, VOTES_COLUMN])
    if len(common):
        raise TableError(f"{path} and the result have duplicate columns: {listed(common)}.")
    wanted = tables.item_keys(items.table, items.item, "the result")
    is_found = wanted.isin(keys).to_numpy()
    if not is_found.any():
        raise TableError(f"{path} contains none of the items with votes: {listed(wanted, 3)}.")
    if not is_found.all():
        number = f"{(~is_found).sum()} of {len(wanted)} items with votes"
        missing = listed(wanted[~is_found], 3)
        reporter.note(f"{path} lacks {number}: {missing}. Their votes are dropped.")
    voted = items.table.drop(columns=features.columns, errors="ignore").set_index(wanted)
    joined = voted[is_found].join(features)
    row_of = dict(zip(keys, keys.index, strict=True))
    joined.index = joined.index.map(row_of)  # messages about features name these rows
    names = list(features.columns)
    columns = [items.item, *names, *voted.columns.drop(items.item)]
    return VotedItems(joined[columns], items.counts[is_found], items.item, items.labels, names)
