"""One self-contained page about all that was run: what was found, tables, verdicts, statistics, figures."""

from dataclasses import dataclass
from itertools import groupby
from os import PathLike
from pathlib import Path

import pandas as pd
from jinja2 import Environment

from labeldist._files import write_whole
from labeldist._pages import environment
from labeldist.experiments import digest
from labeldist.experiments.comparison import compare_stores
from labeldist.experiments.findings import opening
from labeldist.experiments.illustrations import paper_figures
from labeldist.experiments.merging import first_of_each, runs
from labeldist.experiments.paper import paper_cells
from labeldist.experiments.rerun import commands, own_experiments
from labeldist.experiments.statistics import LEVEL
from labeldist.experiments.tables import Table, make_tables
from labeldist.experiments.verdicts import MARGIN, VERDICTS, judge_cells
from labeldist.metrics import MEASURES, Measure

SECTIONS = {
    "findings": "What was found",
    "tables": "The tables",
    "verdicts": "The verdict, cell by cell",
    "claims": "The claims",
    "statistics": "Statistics",
    "figures": "Figures",
    "runs": "The runs",
}

EXPERIMENTS = {
    "le-recovery": (
        "Recovering distributions",
        "Every enhancer gets the features and the logical labels of all rows, and its distributions are compared with "
        "the true ones.",
    ),
    "ldl-prediction": (
        "Predicting distributions",
        "Every learner is trained on true distributions and judged on held-out rows, in ten folds.",
    ),
    "le-then-ldl": (
        "Recovering, then predicting",
        "A learner is trained on what each enhancer recovered, or on the ground truth, and judged on held-out rows. "
        "Enhancers see the training rows only, except where it says transductive: there they saw the features and "
        "logical labels of all rows.",
    ),
    "ablation": (
        "Without the reconstruction term",
        "UD leaves the reconstruction term out; the control puts a plain ridge in its place. Published weights are the "
        "paper’s; tuned ones were chosen by inner cross-validation; oracle ones by looking at the truth.",
    ),
    "quick": ("The quick experiment", "A small version of the others, on data that needs no download."),
}
"""Heading and explanation of the shipped experiments; a user's own has its name only."""

PROSE = ("Reason", "Claim", "Where", "Evidence", "Where the largest is")
"""Columns of sentences, which may break."""


@dataclass(frozen=True)
class Chapter:
    """The tables of one experiment, under one choice of the measure."""

    anchor: str
    title: str
    about: str
    measures: list[Measure]
    chosen: str
    parts: dict[str, list[Table]]


def write_report(records: pd.DataFrame, path: str | PathLike[str], *, title: str = "The paper, run again") -> Path:
    """Write one HTML page about `records` that needs nothing else, and return its path.

    Parameters
    ----------
    records : DataFrame
        Raw records, as a store gives them; those of several stores one after another are also compared.
    path : path-like
        The file; its folder is made if needed.
    title : str
        The page's heading.
    """
    if records.empty:
        raise ValueError("There are no records to report: run an experiment first, with 'labeldist reproduce'.")
    path = Path(path)
    write_whole(path, render(records, title).encode("utf-8"))
    return path


def render(records: pd.DataFrame, title: str) -> str:
    """Return the page."""
    chosen = first_of_each(records)
    tables, cells = make_tables(chosen), judge_cells(chosen)
    counts = cells["verdict"].value_counts()
    ranks, deviations = digest.misprints()
    return (
        _template_environment()
        .get_template("report.html.jinja")
        .render(
            title=title,
            sections=SECTIONS,
            findings=opening(chosen),
            verdict_counts={verdict: int(counts.get(verdict, 0)) for verdict in VERDICTS},
            chapters=_chapters(tables),
            cells=digest.judged(cells),
            tuned_gaps=digest.tuned_gaps(chosen),
            misprinted_ranks=ranks,
            misprinted_deviations=deviations,
            claims=digest.claims(chosen),
            comparisons=_by_heading(digest.comparisons(chosen, tables)),
            skills=digest.skills(chosen),
            figures=paper_figures(chosen, tables),
            failures=digest.failures(chosen),
            times=digest.times(chosen),
            store_differences=compare_stores(records),
            stores=list(records["store"].unique()),
            commands=commands(records),
            own_experiments=own_experiments(records),
            margin=f"{100 * MARGIN:g} %",
            level=f"{100 * LEVEL:g} %",
            versions=list(records["versions"].unique()),
            n_runs=len(runs(chosen)),
            n_sets=chosen["dataset"].nunique(),
            n_values=int((chosen["status"] == "ok").sum()),
            measures=list(MEASURES.values()),
        )
    )


def _template_environment() -> Environment:
    jinja = environment("labeldist.experiments")
    jinja.filters.update(sort_key=_sort_key, shown=_shown)
    jinja.globals.update(PROSE=PROSE)
    return jinja


def _chapters(tables: list[Table]) -> list[Chapter]:
    printed = paper_cells().drop_duplicates("experiment").set_index("experiment")["measure"]
    chapters: list[Chapter] = []
    for experiment, group in groupby(tables, key=lambda table: table.experiment):
        parts: dict[str, list[Table]] = {}
        found = list(group)
        for table in found:
            parts.setdefault(table.part, []).append(table)
        title, about = EXPERIMENTS.get(experiment, (experiment, ""))
        measures = [measure for measure in MEASURES.values() if any(table.measure == measure for table in found)]
        chosen = printed.get(experiment, measures[0].name)
        chapters.append(Chapter(f"tables-{len(chapters)}", title, about, measures, chosen, parts))
    return chapters


def _by_heading(comparisons: list[digest.Comparison]) -> dict[str, list[digest.Comparison]]:
    return {heading: list(group) for heading, group in groupby(comparisons, key=lambda found: found.heading)}


def _sort_key(value: str | float) -> str:
    """Return what the page's script sorts a cell by; nothing if there is no value."""
    if isinstance(value, str):
        return value
    return "" if pd.isna(value) else f"{value:.8g}"


def _shown(value: str | float, name: str, digits: int) -> str:
    """Write the value of a cell in a column of that name."""
    if isinstance(value, str):
        return value
    if pd.isna(value):
        return "–"
    if "%" in name:
        return f"{value:+.1%}".replace("-", "−")
    if name == "p":
        return f"{value:.2g}"
    return f"{value:g}" if value == int(value) else f"{value:.{digits}f}"
