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
from reproduction.paper import misprinted_deviations, recomputed_ranks
from reproduction.significance import LEVEL, skill
from reproduction.spec import load_spec, shipped
from reproduction.tables import STATUSES, Block, make_blocks
from reproduction.verdicts import MARGIN, VERDICTS, gaps, judge_cells

TITLES = {name: measure.title for name, measure in PAPER_MEASURES.items()}
CELL = {"table": "Table", "dataset": "Set", "method": "Method", "value": "Paper"}


def write_report(
    records: pd.DataFrame, path: str | Path, *, title: str = "Reproduction of the paper"
) -> Path:
    """Write the report of `records` to an HTML file.

    Parameters
    ----------
    records : DataFrame
        Raw records of a store.
    path : path-like
    title : str
        Heading of the page.

    Returns
    -------
    Path
    """
    path = Path(path)
    write_text(path, render(records, title))
    return path


def render(records: pd.DataFrame, title: str) -> str:
    """Return the page."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True
    )
    environment.filters["cell"] = format_cell
    blocks, cells, claims = make_blocks(records), judge_cells(records), judge_claims(records)
    template = environment.get_template("report.html.jinja")
    return template.render(
        title=title,
        records=records,
        n_runs=records["run"].nunique(),
        findings=summarize(records, cells, claims),
        verdict_counts={verdict: int((cells["verdict"] == verdict).sum()) for verdict in VERDICTS},
        chapters=chapters(blocks),
        measures=list(PAPER_MEASURES.values()),
        cells=cell_table(cells),
        claims=pd.DataFrame(
            [(claim.text, claim.where, claim.verdict, claim.evidence) for claim in claims],
            columns=["Claim", "Where", "Verdict", "Evidence"],
        ),
        tuned=tuned_table(records),
        ranks=rank_table(),
        deviations=deviation_table(),
        comparisons=list(comparisons(blocks)),
        skills=skill_tables(records),
        figures=paper_figures(records),
        failures=failure_table(records),
        times=time_table(records),
        versions=list(records["versions"].unique()),
        margin=f"{100 * MARGIN:g} %",
        level=f"{100 * LEVEL:g} %",
    )


def format_cell(value: Any, column: str = "") -> str:
    """Format the value of a table's column."""
    if isinstance(value, str):
        return value
    if pd.isna(value):
        return "–"
    if "%" in column:
        return f"{value:+.1%}".replace("-", "−")
    if column == "p":
        return f"{value:.2g}"
    return f"{value:g}" if value == int(value) else f"{value:.4f}"


def chapters(blocks: list[Block]) -> dict[str, list[Block]]:
    """Return the blocks of each experiment under its title."""
    titles = {name: load_spec(name).title for name in shipped()}
    groups = groupby(blocks, key=lambda block: block.experiment)
    return {titles.get(name, name): list(group) for name, group in groups}


def _renamed(frame: pd.DataFrame, heads: dict[str, str]) -> pd.DataFrame:
    return frame.rename(columns=heads)[list(heads.values())]


def cell_table(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the judged cells of the paper."""
    ours = {
        "std": "Paper ±",
        "ours": "Ours",
        "ours_std": "Ours ±",
        "gap": "Gap %",
        "trivial": "Trivial",
    }
    return _renamed(
        cells,
        CELL | ours | {"trivial_gap": "Trivial gap %", "verdict": "Verdict", "reason": "Reason"},
    )


def tuned_table(records: pd.DataFrame) -> pd.DataFrame:
    """Return the gaps of tuned BD-LDL and of the mean distribution to the printed BD-LDL."""
    heads = {
        "dataset": "Set",
        "measure": "Measure",
        "paper": "Paper",
        "tuned": "Tuned",
        "tuned_gap": "Gap %",
    }
    heads |= {"mean": "Mean", "mean_gap": "Gap of the mean %", "verdict": "Verdict"}
    return _renamed(gaps(records).replace({"measure": TITLES}), heads)


def rank_table() -> pd.DataFrame:
    """Return the printed ranks that disagree with the printed values."""
    ranks = recomputed_ranks()
    return _renamed(
        ranks[~ranks["agree"]], CELL | {"rank": "Printed rank", "lowest": "Rank of the value"}
    )


def deviation_table() -> pd.DataFrame:
    """Return the printed standard deviations that are impossible or implausible."""
    return _renamed(
        misprinted_deviations(), CELL | {"std": "Printed ±", "grade": "Grade", "reason": "Reason"}
    )


def failure_table(records: pd.DataFrame) -> pd.DataFrame:
    """Return the failed runs; runs with the same reason are counted."""
    keys = ["experiment", "dataset", "method", "variant", "status", "reason"]
    failed = records[records["status"] != "ok"].replace({"status": STATUSES})
    counts = failed.groupby(keys, sort=False)["run"].nunique().reset_index(name="Runs")
    return counts.rename(columns={name: name.capitalize() for name in keys} | {"dataset": "Set"})


def time_table(records: pd.DataFrame) -> pd.DataFrame:
    """Return the seconds of the runs of each method."""
    runs = records.drop_duplicates("run")
    table = runs.groupby(["experiment", "method"], sort=False)["seconds"]
    table = table.agg(Runs="count", Median="median", Longest="max", Sum="sum").reset_index()
    return table.rename(columns={"experiment": "Experiment", "method": "Method"})


def skill_tables(records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return, for each measure, the skill of all methods over the data sets."""
    table = skill(records)
    table = table[(table["role"] != "trivial") & table["skill"].notna()]
    keys = ["experiment", "variant", "method"]
    found = {}
    for name, part in table.groupby("measure", sort=False):
        rows = part.groupby(keys, sort=False)["skill"].agg(
            Lowest="min",
            Median="median",
            Highest="max",
            Sets="count",
            Above=lambda skill: int((skill > 0).sum()),
        )
        rows = rows.reset_index().rename(
            columns={key: key.capitalize() for key in keys} | {"Above": "Sets above 0"}
        )
        found[str(name)] = rows
    return found


def comparisons(blocks: list[Block]) -> Iterator[dict[str, Any]]:
    """Yield the tests of each table with at least three methods on at least two data sets."""
    for block, measure in product(blocks, PAPER_MEASURES.values()):
        comparison = block.comparison
        if measure.name not in comparison.measures:
            continue
        own = next((name for name in ("BD-LE", "BD-LDL") if name in comparison.methods), None)
        tests = comparison.test(measure.name, against=own)
        if math.isnan(tests.pvalue):
            continue
        rows = [
            (name, test.wins, test.ties, test.losses, test.pvalue)
            for name, test in tests.over_sets.items()
        ]
        yield {
            "heading": block.heading,
            "measure": measure,
            "tests": tests,
            "differ": tests.pvalue < LEVEL,
            "image": critical_differences(comparison, measure.name),
            "wilcoxon": pd.DataFrame(rows, columns=["Against", "Wins", "Ties", "Losses", "p"]),
        }
