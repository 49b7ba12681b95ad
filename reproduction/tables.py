"""Tables of the experiments, in Markdown, LaTeX and CSV."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd

from labeldist.comparison import Comparison, Record
from labeldist.datasets import list_datasets
from labeldist.metrics import PAPER_MEASURES
from reproduction.files import write_text
from reproduction.paper import paper_cells
from reproduction.significance import place, summary, without_grids

MARKS = {"paper": "", "control": "control", "ours": "ours", "oracle": "", "trivial": "trivial"}
"""The roles in the order of the columns, and the marks of their methods."""


@dataclass(frozen=True)
class Block:
    """The methods of an experiment under one protocol; those that know the truth stand apart."""

    experiment: str
    heading: str
    comparison: Comparison

    def caption(self, measure: str) -> str:
        """Return a description of the table of a measure."""
        return f"{self.heading}: {PAPER_MEASURES[measure].heading}"


def make_blocks(records: pd.DataFrame) -> list[Block]:
    """Return one comparison for each protocol of each experiment; grids have none."""
    records = without_grids(records)
    knows_truth = records["role"] == "oracle"
    kinds = records.groupby("experiment")["kind"].nunique()
    blocks = []
    keys = ["experiment", "kind", "variant", knows_truth]
    for (experiment, kind, variant, oracle), part in records.groupby(keys, sort=False):
        shown_kind = kind if kinds[experiment] > 1 else ""
        names = [experiment, shown_kind, variant, "chosen by the truth" if oracle else ""]
        comparison = Comparison(_records(part), cross_validated=kind != "recovery")
        blocks.append(Block(experiment, ", ".join(filter(None, names)), comparison))
    return blocks


def _records(part: pd.DataFrame) -> Iterator[Record]:
    """Yield the records of a block, methods and data sets in the order of the tables."""
    datasets = list_datasets()
    methods = list(paper_cells()["method"].unique())
    roles = list(MARKS)

    def order(row: Any) -> list[Any]:
        return [place(row.dataset, datasets), roles.index(row.role), place(row.method, methods)]

    for row in sorted(part.itertuples(), key=order):
        name = f"{row.method} ({MARKS[row.role]})" if MARKS[row.role] else row.method
        yield Record(name, row.dataset, row.fold, row.measure, row.value, row.seconds, row.reason)
        # So that a method which lacks the last folds has no mean.
        yield Record(name, row.dataset, row.folds - 1, "", float("nan"))


def write_tables(records: pd.DataFrame, folder: Path) -> None:
    """Write the tables of each experiment to `folder` in every format."""
    means = summary(records)
    for experiment, group in groupby(make_blocks(records), key=lambda block: block.experiment):
        tables = [(block, measure) for block in group for measure in block.comparison.measures]
        for suffix, method in ((".md", Comparison.to_markdown), (".tex", Comparison.to_latex)):
            texts = [
                method(block.comparison, measure, caption=block.caption(measure))
                for block, measure in tables
            ]
            write_text(folder / f"{experiment}{suffix}", "\n".join(texts))
        own = means[means["experiment"] == experiment]
        write_text(folder / f"{experiment}.csv", own.to_csv(index=False))
