"""Tables as the paper prints them, "mean ± std (rank)", in Markdown, LaTeX and CSV."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, product
from pathlib import Path

import pandas as pd

from labeldist.datasets import list_datasets
from labeldist.metrics import PAPER_MEASURES, Measure
from reproduction.files import write_text
from reproduction.paper import paper_cells
from reproduction.significance import KL_NOTE, average_ranks, failures, summary, unfinished

ROLES = {
    "paper": "",
    "control": "control",
    "ours": "ours",
    "oracle": "oracle, chosen by the truth",
    "trivial": "trivial",
}
"""The roles in the order of the columns, and the marks of their methods."""

REFERENCE = "Ground truth"
"""The method of a chain whose learner is trained on true distributions."""

BLOCK = ["experiment", "kind", "variant"]
"""The columns that identify a group of tables, one per measure."""

TABLE = [*BLOCK, "measure"]
"""The columns that identify a table."""

LATEX = {
    "_": r"\_",
    "%": r"\%",
    "&": r"\&",
    "±": r"$\pm$",
    "↓": r"$\downarrow$",
    "↑": r"$\uparrow$",
    "–": "--",
}

STATUSES = {"failed": "failed", "timeout": "time-out"}


@dataclass(frozen=True)
class Cell:
    """One value of a table, or the reason why it is missing."""

    mean: float = math.nan
    std: float = math.nan
    rank: float = math.nan
    best: bool = False
    problem: str = "–"

    @property
    def text(self) -> str:
        """The value as the paper prints it."""
        if math.isnan(self.mean):
            return self.problem
        deviation = "" if math.isnan(self.std) else f" ± {self.std:.3f}"
        rank = "" if math.isnan(self.rank) else f" ({self.rank:g})"
        return f"{self.mean:.4f}{deviation}{rank}"


@dataclass(frozen=True)
class Table:
    """One measure of one experiment: data sets down, methods across, their average ranks below.

    Attributes
    ----------
    part : str
        The variant, and the kind if the experiment has several.
    methods : dict of str to str
        The role of each method, in the order of the columns.
    rows : dict of str to list of Cell
        The cells of each data set, in the order of the methods.
    average_ranks : list of float
        Over the sets on which the method has a rank; NaN if there are none.
    """

    experiment: str
    kind: str
    variant: str
    part: str
    measure: Measure
    methods: dict[str, str]
    rows: dict[str, list[Cell]]
    average_ranks: list[float]

    @property
    def arrow(self) -> str:
        """The direction of better values."""
        return "↑" if self.measure.higher_is_better else "↓"

    @property
    def heading(self) -> str:
        """The experiment and which part of it."""
        return f"{self.experiment}, {self.part}" if self.part else self.experiment

    @property
    def caption(self) -> str:
        """A description of the table."""
        floor = f". {KL_NOTE}" if self.measure.name == "kl_divergence" else ""
        return f"{self.heading}: {self.measure.title} {self.arrow}{floor}"

    @property
    def marks(self) -> dict[str, str]:
        """The mark of each method; methods of the paper have none."""
        return {
            method: "benchmark" if method == REFERENCE else ROLES[role]
            for method, role in self.methods.items()
        }

    @property
    def heads(self) -> list[str]:
        """The methods with their marks."""
        return [f"{method} ({mark})" if mark else method for method, mark in self.marks.items()]


def make_tables(records: pd.DataFrame) -> list[Table]:
    """Return all tables of `records`, grouped by experiment; grids have none."""
    records = records[records["kind"] != "grid"]
    values = summary(records)
    ranks = average_ranks(values).set_index([*TABLE, "method"])["average_rank"].to_dict()
    found = dict(iter(values.groupby(TABLE)))
    failed = failures(records)
    short = pd.concat([unfinished(records), failed.assign(reason=failed["status"].map(STATUSES))])
    known_problems = short.set_index([*BLOCK, "dataset", "method"])["reason"].to_dict()
    kinds = records.groupby("experiment")["kind"].nunique()
    tables = []
    for block, part in records.groupby(BLOCK, sort=False):
        experiment, kind, variant = block
        name_of_part = ", ".join(filter(None, [kind if kinds[experiment] > 1 else "", variant]))
        roles = dict(part[["method", "role"]].drop_duplicates("method").itertuples(index=False))
        methods = dict(
            sorted(
                roles.items(), key=lambda item: (list(ROLES).index(item[1]), method_place(item[0]))
            )
        )
        datasets = sorted(part["dataset"].unique(), key=dataset_place)
        problems = {
            pair: known_problems.get((*block, *pair), "–") for pair in product(datasets, methods)
        }
        for name, measure in PAPER_MEASURES.items():
            if (*block, name) not in found:
                continue
            rows = _rows(found[*block, name], datasets, list(methods), problems)
            average = [ranks.get((*block, name, method), math.nan) for method in methods]
            tables.append(
                Table(experiment, kind, variant, name_of_part, measure, methods, rows, average)
            )
    return tables


def _rows(
    values: pd.DataFrame,
    datasets: list[str],
    methods: list[str],
    problems: dict[tuple[str, str], str],
) -> dict[str, list[Cell]]:
    first = values.groupby("dataset")["rank"].min()
    cells = {
        (row.dataset, row.method): Cell(row.mean, row.std, row.rank, row.rank == first[row.dataset])
        for row in values.itertuples(index=False)
    }
    return {
        dataset: [
            cells.get((dataset, method), Cell(problem=problems[dataset, method]))
            for method in methods
        ]
        for dataset in datasets
    }


@cache
def _paper_order() -> list[str]:
    return list(dict.fromkeys(paper_cells()["method"]))


def method_place(method: str) -> tuple[int, str]:
    """Return a sort key: methods in the order of the paper, then others by name."""
    order = _paper_order()
    return (order.index(method) if method in order else len(order), method)


def dataset_place(dataset: str) -> tuple[int, str]:
    """Return a sort key: benchmark sets in their order, then others by name."""
    order = list_datasets()
    return (order.index(dataset) if dataset in order else len(order), dataset)


def to_markdown(tables: Iterable[Table]) -> str:
    """Format tables as Markdown with the best values in bold."""
    return "\n".join(_markdown(table) for table in tables)


def _markdown(table: Table) -> str:
    lines = [
        f"### {table.caption}",
        "",
        _pipes(["set", *table.heads]),
        "|---|" + "---:|" * len(table.methods),
    ]
    for dataset, row in table.rows.items():
        cells = (f"**{cell.text}**" if cell.best else cell.text for cell in row)
        lines.append(f"| {' | '.join([dataset, *cells])} |")
    return "\n".join([*lines, _pipes(_rank_row(table)), ""])


def _pipes(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def to_latex(tables: Iterable[Table]) -> str:
    """Format tables as LaTeX for the package booktabs, with the best values in bold."""
    return "\n".join(_latex(table) for table in tables)


def _latex(table: Table) -> str:
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex(table.caption)}}}",
        rf"\begin{{tabular}}{{l{'r' * len(table.methods)}}}",
        r"\toprule",
        _ampersands(["Data set", *table.heads]),
        r"\midrule",
    ]
    for dataset, row in table.rows.items():
        cells = (
            rf"\textbf{{{latex(cell.text)}}}" if cell.best else latex(cell.text) for cell in row
        )
        lines.append(" & ".join([latex(dataset), *cells]) + r" \\")
    end = [
        r"\midrule",
        _ampersands(_rank_row(table)),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
        "",
    ]
    return "\n".join([*lines, *end])


def latex(text: str) -> str:
    """Escape text for LaTeX."""
    for character, command in LATEX.items():
        text = text.replace(character, command)
    return text


def _ampersands(cells: Iterable[str]) -> str:
    return " & ".join(map(latex, cells)) + r" \\"


def to_csv(tables: Sequence[Table]) -> str:
    """Format tables as one CSV file: variants, measures and sets down, methods across."""
    heads = list(dict.fromkeys(head for table in tables for head in table.heads))
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["experiment", "kind", "variant", "measure", "dataset", *heads])
    for table in tables:
        for dataset, row in table.rows.items():
            texts = dict(zip(table.heads, (cell.text for cell in row), strict=True))
            what = [table.experiment, table.kind, table.variant, table.measure.name, dataset]
            writer.writerow([*what, *(texts.get(head, "") for head in heads)])
    return buffer.getvalue()


def _rank_row(table: Table) -> list[str]:
    return [
        "Average rank",
        *("–" if math.isnan(rank) else f"{rank:.2f}" for rank in table.average_ranks),
    ]


FORMATS = {".md": to_markdown, ".tex": to_latex, ".csv": to_csv}


def write_tables(records: pd.DataFrame, folder: Path) -> list[Path]:
    """Write the tables of each experiment to `folder` in every format, and return the paths."""
    written = []
    for experiment, group in groupby(make_tables(records), key=lambda table: table.experiment):
        tables = list(group)
        for suffix, write in FORMATS.items():
            path = folder / f"{experiment}{suffix}"
            write_text(path, write(tables))
            written.append(path)
    return written
