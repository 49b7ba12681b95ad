"""The HTML report: one page with tables, verdicts, claims, statistics and figures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby, product
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader

from labeldist.metrics import PAPER_MEASURES
from reproduction.claims import judge_claims
from reproduction.figures import critical_differences, paper_figures
from reproduction.files import write_text
from reproduction.findings import summarize
from reproduction.paper import MARGIN, misprinted_deviations, recomputed_ranks
from reproduction.rules import percent
from reproduction.significance import LEVEL, skill
from reproduction.spec import load_spec, shipped
from reproduction.tables import Block, make_blocks
from reproduction.verdicts import count_verdicts, gaps, judge_cells

HIDDEN = ["experiment", "measure", "distance"]
"""Columns of the paper's cells that the report does not show; `table` names the measure."""


def write_report(records: pd.DataFrame, path: Path) -> Path:
    """Write the report of the records of a store to an HTML file."""
    write_text(path, render(records))
    return path


def render(records: pd.DataFrame) -> str:
    """Return the page."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True
    )
    environment.filters |= {"cell": format_cell, "percent": percent}
    blocks, cells, claims = make_blocks(records), judge_cells(records), judge_claims(records)
    ranks = recomputed_ranks()
    template = environment.get_template("report.html.jinja")
    return template.render(
        records=records,
        findings=summarize(records, cells, claims),
        verdict_counts=count_verdicts(cells),
        chapters=chapters(blocks),
        measures=PAPER_MEASURES,
        cells=cells.drop(columns=[*HIDDEN, "rank"]),
        claims=claims,
        tuned=gaps(records),
        ranks=ranks[~ranks["agree"]].drop(columns=[*HIDDEN, "std", "agree"]),
        deviations=misprinted_deviations().drop(columns=[*HIDDEN, "rank"]),
        comparisons=list(comparisons(blocks)),
        skills=skill_tables(records),
        figures=paper_figures(records),
        failures=failure_table(records),
        times=time_table(records),
        margin=MARGIN,
        level=LEVEL,
    )


def format_cell(value: Any, column: str = "") -> str:
    """Format the value of a table's column."""
    if isinstance(value, str):
        return value
    if pd.isna(value):
        return "–"
    if "gap" in column:
        return f"{value:+.1%}".replace("-", "−")
    if column == "pvalue":
        return f"{value:.2g}"
    return f"{value:g}" if value == int(value) else f"{value:.4f}"


def chapters(blocks: list[Block]) -> dict[str, list[Block]]:
    """Return the blocks of each experiment under its title."""
    titles = {name: load_spec(name).title for name in shipped()}
    groups = groupby(blocks, key=lambda block: block.experiment)
    return {titles.get(name, name): list(group) for name, group in groups}


def failure_table(records: pd.DataFrame) -> pd.DataFrame:
    """Return the failed runs; runs with the same reason are counted."""
    keys = ["experiment", "dataset", "method", "variant", "status", "reason"]
    failed = records[records["status"] != "ok"]
    return failed.groupby(keys, sort=False)["run"].nunique().reset_index(name="runs")


def time_table(records: pd.DataFrame) -> pd.DataFrame:
    """Return the seconds of the runs of each method."""
    runs = records.drop_duplicates("run")
    table = runs.groupby(["experiment", "method"], sort=False)["seconds"]
    return table.agg(["count", "median", "max", "sum"]).reset_index()


def skill_tables(records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return, for each measure, the skill of all methods over the data sets."""
    table = skill(records)
    table = table[(table["role"] != "trivial") & table["skill"].notna()]
    keys = ["experiment", "variant", "method"]
    figures = {"lowest": "min", "median": "median", "highest": "max", "sets": "count"}
    found = {}
    for name, part in table.groupby("measure", sort=False):
        found[str(name)] = part.groupby(keys, sort=False)["skill"].agg(**figures).reset_index()
    return found


def comparisons(blocks: list[Block]) -> Iterator[dict[str, Any]]:
    """Yield the tests of each table with at least three methods on at least two data sets."""
    for block, measure in product(blocks, PAPER_MEASURES.values()):
        comparison = block.comparison
        if measure.name not in comparison.measures:
            continue
        own = next((name for name in ("BD-LE", "BD-LDL") if name in comparison.methods), None)
        tests = comparison.test(measure.name, against=own)
        if math.isnan(tests["pvalue"]):
            continue
        over_sets = tests["over_sets"]
        yield {
            "heading": block.heading,
            "measure": measure,
            "tests": tests,
            "image": critical_differences(comparison, measure.name),
            "wilcoxon": pd.DataFrame(over_sets.values()).assign(method=list(over_sets)),
        }
