"""What the page lists, as tables with the headings that it shows."""

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd
from markupsafe import Markup

from labeldist.experiments import statistics
from labeldist.experiments.claims import judge_claims
from labeldist.experiments.figures import critical_difference
from labeldist.experiments.illustrations import Figure
from labeldist.experiments.merging import runs
from labeldist.experiments.statistics import LEVEL
from labeldist.experiments.tables import BLOCK, STATUSES, Table
from labeldist.experiments.verdicts import gaps, misprinted_deviations, recomputed_ranks
from labeldist.metrics import MEASURES, Measure

TITLES = {name: measure.title for name, measure in MEASURES.items()}
BIDIRECTIONAL = ("BD-LE", "BD-LDL")


@dataclass(frozen=True)
class Comparison:
    """The tests of one table: Friedman's in words, Nemenyi's as a picture, Wilcoxon's as a list.

    `main` tells the experiments without variants, which the page shows at once, from the others.
    """

    heading: str
    main: bool
    measure: Measure
    sentence: str
    figure: Figure | None
    against: str
    wilcoxon: pd.DataFrame


def judged(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the judged cells of the paper."""
    heads = {
        "table": "Table",
        "dataset": "Set",
        "method": "Method",
        "value": "Paper",
        "std": "Paper ±",
        "ours": "Ours",
        "ours_std": "Ours ±",
        "gap": "Gap %",
        "trivial": "Trivial",
        "trivial_gap": "Trivial gap %",
        "verdict": "Verdict",
        "reason": "Reason",
    }
    return cells.rename(columns=heads)[list(heads.values())]


def tuned_gaps(records: pd.DataFrame) -> pd.DataFrame:
    """Return how far BD-LDL tuned without the test rows is from the paper's BD-LDL, the mean's gap beside it."""
    heads = {
        "dataset": "Set",
        "measure": "Measure",
        "paper": "Paper",
        "tuned": "Tuned",
        "tuned_gap": "Gap %",
        "mean": "Mean",
        "mean_gap": "Mean’s gap %",
        "verdict": "Verdict",
    }
    return gaps(records).replace({"measure": TITLES}).rename(columns=heads)[list(heads.values())]


def misprints() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the paper's ranks that disagree with its values, and its deviations that cannot be believed."""
    cell = {"table": "Table", "dataset": "Set", "method": "Method", "value": "Value"}
    ranks, deviations = recomputed_ranks(), misprinted_deviations()
    ranks = ranks[~ranks["agree"]].rename(columns={**cell, "rank": "Printed rank", "lowest": "Rank by its value"})
    deviations = deviations.rename(columns={**cell, "std": "Printed ±", "grade": "Grade", "reason": "Reason"})
    return (
        ranks[[*cell.values(), "Printed rank", "Rank by its value"]],
        deviations[[*cell.values(), "Printed ±", "Grade", "Reason"]],
    )


def claims(records: pd.DataFrame) -> pd.DataFrame:
    """Return the judged claims of the paper's text."""
    rows = [(claim.text, claim.where, claim.verdict, claim.evidence) for claim in judge_claims(records)]
    return pd.DataFrame(rows, columns=["Claim", "Where", "Verdict", "Evidence"])


def failures(records: pd.DataFrame) -> pd.DataFrame:
    """Return what gave no value, each with its reason, folds with the same reason counted."""
    keys = ["experiment", "dataset", "method", "variant", "status", "reason"]
    failed = records[records["status"] != "ok"]
    counts = failed.groupby(keys, sort=False)["run"].nunique().reset_index(name="Runs")
    heads = {"dataset": "Set", "status": "What"} | {
        name: name.capitalize() for name in keys if name not in ("dataset", "status")
    }
    table = counts.replace({"status": STATUSES}).rename(columns=heads)
    return table[["Experiment", "Set", "Method", "Variant", "What", "Runs", "Reason"]]


def times(records: pd.DataFrame) -> pd.DataFrame:
    """Return the seconds that each method took, in all and for its longest run."""
    groups = runs(records).groupby(["experiment", "method"], sort=False)["seconds"]
    table = groups.agg(Runs="count", Median="median", Longest="max", Sum="sum").reset_index()
    return table.rename(columns={"experiment": "Experiment", "method": "Method"})


def skills(records: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Return for each measure a list of all methods' skill over the sets: caption, measure and table."""
    table = statistics.skill(records)
    table = table[(table["role"] != "trivial") & table["skill"].notna()]
    found = []
    for name, part in table.groupby("measure", sort=False):
        groups = part.groupby([*BLOCK, "method"], sort=False)
        rows = groups["skill"].agg(Lowest="min", Median="median", Highest="max", Sets="count").reset_index()
        rows["Sets above 0"] = groups["skill"].agg(lambda skill: int((skill > 0).sum())).to_numpy()
        rows = rows.rename(columns={"experiment": "Experiment", "variant": "Variant", "method": "Method"})
        note = f" {statistics.KL_NOTE}" if name == "kl_divergence" else ""
        caption = f"Skill by {TITLES[name]}: the lowest, median and highest over the sets.{note}"
        found.append((caption, name, rows.drop(columns="kind")))
    return found


def comparisons(records: pd.DataFrame, tables: Iterable[Table]) -> list[Comparison]:
    """Test each table that has at least three ranked methods on at least two sets."""
    summary = statistics.summary(records)
    found = []
    for table in tables:
        measure = table.measure
        distances = statistics.by_set(summary, table.experiment, measure.name, kind=table.kind, variant=table.variant)
        test = statistics.friedman(distances)
        if test is None:
            continue
        ranks = distances.rank(axis=1).mean().to_dict()
        difference = statistics.nemenyi(distances)
        left_out = [m for m, role in table.methods.items() if role != "oracle" and m not in ranks]
        title = f"Critical-difference diagram of {table.heading}, {measure.title}"
        order = ", ".join(f"{method} {rank:.2f}" for method, rank in sorted(ranks.items(), key=lambda item: item[1]))
        svg = critical_difference(
            ranks, difference, description=f"{title}. Average ranks: {order}. Critical difference {difference:.2f}."
        )
        numbers = pd.DataFrame({"Method": list(ranks), "Average rank": list(ranks.values())})
        caption = f"Average ranks over {test.sets} sets; a thick bar joins methods that do not differ at {LEVEL:.0%}."
        figure = Figure(title, caption, Markup(svg), numbers)  # noqa: S704  # figures.py escapes its text
        finding = "differ" if test.pvalue < LEVEL else "cannot be told apart"
        sentence = (
            f"{test.methods} methods on {test.sets} sets: Friedman’s χ² is {test.statistic:.1f}, "
            f"p = {test.pvalue:.2g}, so the methods {finding} at {LEVEL:.0%}."
            + (f" Left out, as values are missing: {', '.join(left_out)}." if left_out else "")
        )
        own = next((method for method in BIDIRECTIONAL if method in distances), "")
        heads = {"method": "Against", "wins": "Wins", "ties": "Ties", "losses": "Losses", "pvalue": "p"}
        wilcoxon = statistics.wilcoxon(distances, own).rename(columns=heads)[list(heads.values())]
        found.append(Comparison(table.heading, not table.variant, measure, sentence, figure, own, wilcoxon))
    return found
