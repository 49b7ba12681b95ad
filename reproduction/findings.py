"""Findings of the reproduction in a few sentences, and Markdown tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from labeldist.exceptions import LabelDistError
from reproduction.claims import judge_claims
from reproduction.files import write_text
from reproduction.paper import MARGIN, misprinted_deviations, paper_cells, recomputed_ranks
from reproduction.rules import DIGITS, FAILS, HOLDS, OPEN, ablation, enumerate_names, percent
from reproduction.significance import failures, skill, summary, unfinished, where
from reproduction.spec import PAPER
from reproduction.verdicts import count_verdicts, gaps, judge_cells

CELLS = (
    "The paper prints {printed} values, {total} of them for the data sets and experiments of this "
    "run. Of the {judged} that can be judged, {reproduced} ({share}) are reproduced within "
    "{margin}, {better} are better and {worse} are worse; {impossible} contradict other printed "
    "values and {missing} have no value of ours."
)
SKILL = (
    "{method} is better than the best trivial baseline in {wins} of {known} cases (a case is a "
    "data set and a measure)."
)
CLAIMS = (
    "Of {} claims in the text of the paper and {} controls of ours, those that hold: {}; that do "
    "not hold: {}; that cannot be judged: {}."
)
ABLATION = (
    "At the published weights, reconstruction improves {} in both Canberra and Intersection "
    "on {} of {} data sets."
)
TUNED = (
    "BD-LDL tuned on the training rows is over {margin} worse than the printed BD-LDL in Clark or "
    "cosine on {n_worse} of {known} Yeast sets: {names}."
)
MISPRINTS = (
    "{} of {} printed ranks disagree with the printed values, and {} printed "
    "standard deviations are impossible."
)
RUNS = (
    "All of this is from {} runs. {} entries of our tables failed or timed out, and {} lack folds."
)


def summarize(records: pd.DataFrame, cells: pd.DataFrame, claims: pd.DataFrame) -> list[str]:
    """Return the main findings, one sentence each; those without records are left out."""
    sentences = [
        *_on_cells(cells),
        *_on_skill(records),
        *_on_claims(claims),
        *_on_ablation(records),
        *_on_tuned(records),
    ]
    ranks, deviations = recomputed_ranks(), misprinted_deviations()
    n_wrong = int((~ranks["agree"]).sum())
    n_impossible = len(where(deviations, grade="impossible"))
    sentences.append(MISPRINTS.format(n_wrong, len(ranks), n_impossible))
    n_runs = records["run"].nunique()
    sentences.append(RUNS.format(n_runs, len(failures(records)), len(unfinished(records))))
    return sentences


def _on_cells(cells: pd.DataFrame) -> Iterator[str]:
    counts = count_verdicts(cells)
    judged = len(cells) - counts["missing"] - counts["impossible"]
    if judged:
        yield CELLS.format(
            printed=len(paper_cells()),
            total=len(cells),
            judged=judged,
            share=percent(counts["reproduced"] / judged),
            margin=percent(MARGIN),
            **counts,
        )


def _on_skill(records: pd.DataFrame) -> Iterator[str]:
    skills = where(skill(records), variant="")
    for experiment, method in (
        ("le-recovery", "BD-LE"),
        ("ldl-prediction", "BD-LDL"),
        ("le-recovery", "BayesLE"),
    ):
        known = where(skills, experiment=experiment, method=method)["skill"].dropna()
        if len(known):
            yield SKILL.format(method=method, wins=int((known > 0).sum()), known=len(known))


def _on_claims(claims: pd.DataFrame) -> Iterator[str]:
    counts = claims["verdict"].value_counts().reindex([HOLDS, FAILS, OPEN], fill_value=0)
    if len(claims):
        n_own = int(claims["where"].str.endswith("ours").sum())
        yield CLAIMS.format(len(claims) - n_own, n_own, *counts)


def _on_ablation(records: pd.DataFrame) -> Iterator[str]:
    means = summary(records)
    for task in ("LE", "LDL"):
        pair = [f"BD-{task}", f"UD-{task}"]
        cases = ablation(means, task, "published")[pair].round(DIGITS).dropna()
        improved = (cases[pair[0]] < cases[pair[1]]).groupby(level="dataset", sort=False).all()
        if len(improved):
            yield ABLATION.format(pair[0], int(improved.sum()), len(improved))


def _on_tuned(records: pd.DataFrame) -> Iterator[str]:
    found = gaps(records)
    found = found[found["dataset"].str.startswith("Yeast") & (found["verdict"] != "missing")]
    worse = list(where(found, verdict="worse")["dataset"].unique())
    if len(found):
        yield TUNED.format(
            margin=percent(MARGIN),
            n_worse=len(worse),
            known=found["dataset"].nunique(),
            names=enumerate_names(worse),
        )


def bullets(sentences: list[str]) -> str:
    """Format sentences as a Markdown list."""
    return "\n".join(f"- {sentence}" for sentence in sentences)


def claim_table(claims: pd.DataFrame) -> str:
    """Format claims as a Markdown table with their verdicts and the evidence."""
    shown = claims.assign(claim=claims["text"], verdict=claims["verdict"].map("**{}**".format))
    return markdown_table(shown[["claim", "verdict", "evidence"]])


def rewrite_page(page: Path, records: pd.DataFrame) -> None:
    """Rewrite the findings and the claims on the documentation's page of the reproduction."""
    records = records[records["experiment"].isin(PAPER)]
    claims = judge_claims(records)
    findings = bullets(summarize(records, judge_cells(records), claims))
    replace_block(page, "reproduction: findings", f"\n{findings}\n")
    replace_block(page, "reproduction: claims", f"\n{claim_table(claims)}\n")


def replace_block(page: Path, name: str, text: str) -> None:
    """Replace the text between ``<!-- name -->`` and ``<!-- end -->`` of a Markdown page."""
    before, start, rest = page.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition("<!-- end -->")
    if not (start and end):
        raise LabelDistError(f"{page} has no block {name!r}.")
    write_text(page, f"{before}{start}{text}\n{end}{after}")


def bold_best(
    table: pd.DataFrame, *, higher_is_better: bool = False, rivals: list[str] | None = None
) -> pd.DataFrame:
    """Return the values of a table as text, with the best of the rivals of each row in bold."""
    rounded = table.round(DIGITS)
    competing = rounded[rivals or list(table)]
    best = competing.max(axis=1) if higher_is_better else competing.min(axis=1)
    texts = rounded.map(lambda value: _cell(value, DIGITS) or "–")
    return texts.where(~rounded.eq(best, axis=0), "**" + texts + "**")


def markdown_table(frame: pd.DataFrame, digits: int = 4) -> str:
    """Format a data frame as a Markdown table; columns of numbers are aligned to the right."""
    numeric = [pd.api.types.is_numeric_dtype(frame[name]) for name in frame.columns]
    lines = [
        f"| {' | '.join(map(str, frame.columns))} |",
        f"|{'|'.join('---:' if number else '---' for number in numeric)}|",
    ]
    for row in frame.itertuples(index=False, name=None):
        cells = [_cell(value, digits) for value in row]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(value: object, digits: int) -> str:
    if isinstance(value, float):
        return "" if pd.isna(value) else f"{value:.{digits}f}"
    return str(value)
