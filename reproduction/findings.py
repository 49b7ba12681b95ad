"""Findings of the reproduction in a few sentences, and as a Markdown page with a verdict on every claim."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from reproduction.claims import Claim, judge_claims
from reproduction.errors import StoreError
from reproduction.paper import impossible_cells, misprinted_deviations, recomputed_ranks
from reproduction.rules import FAILS, HOLDS, OPEN, percent
from reproduction.statistics import failures, skill, unfinished
from reproduction.verdicts import MARGIN, VERDICTS, gaps, judge_cells

CELLS = (
    "The paper prints {total} values. Of the {judged} that can be judged, {reproduced} ({share}) are reproduced within "
    "{margin}, {better} are better and {worse} are worse; {impossible} contradict other printed values and {missing} "
    "have no value of ours."
)
SKILL = (
    "{method} is better than the best trivial baseline in {wins} of {known} cases (a case is a data set and a measure)."
)
CLAIMS = "Of {total} claims in the text of the paper, {holds} hold, {fails} do not hold and {open} cannot be judged."


def summarize(records: pd.DataFrame, cells: pd.DataFrame, claims: list[Claim]) -> list[str]:
    """Return the main findings, one sentence each."""
    counts = {verdict: int((cells["verdict"] == verdict).sum()) for verdict in VERDICTS}
    judged = len(cells) - counts["missing"] - counts["impossible"]
    share = percent(counts["reproduced"] / judged) if judged else "–"
    sentences = [CELLS.format(total=len(cells), judged=judged, share=share, margin=percent(MARGIN), **counts)]
    skills = skill(records)
    for experiment, method in (("le-recovery", "BD-LE"), ("ldl-prediction", "BD-LDL"), ("le-recovery", "BayesLE")):
        own = (skills["experiment"] == experiment) & (skills["method"] == method) & (skills["variant"] == "")
        known = skills.loc[own, "skill"].dropna()
        sentences.append(SKILL.format(method=method, wins=int((known > 0).sum()), known=len(known)))
    verdicts = [claim.verdict for claim in claims]
    numbers = {"holds": verdicts.count(HOLDS), "fails": verdicts.count(FAILS), "open": verdicts.count(OPEN)}
    sentences.append(CLAIMS.format(total=len(claims), **numbers))
    problems = len(failures(records)), len(unfinished(records))
    sentences.append(f"{problems[0]} entries of our tables failed or timed out, and {problems[1]} lack folds.")
    return sentences


def findings_markdown(records: pd.DataFrame) -> str:
    """Return the findings as a Markdown page."""
    cells, claims = judge_cells(records), judge_claims(records)
    counts = cells.groupby(["table", "verdict"], sort=False).size().unstack("verdict", fill_value=0)
    verdicts = counts.reindex(columns=list(VERDICTS), fill_value=0).reset_index()
    judgements = pd.DataFrame([(claim.text, f"**{claim.verdict}**", claim.evidence) for claim in claims])
    yeast = gaps(records)
    for column in ("tuned_gap", "mean_gap"):
        yeast[column] = yeast[column].map(lambda gap: "–" if pd.isna(gap) else f"{100 * gap:+.1f} %".replace("-", "−"))
    yeast = yeast[["dataset", "measure", "tuned_gap", "mean_gap", "verdict"]]
    ranks, deviations = recomputed_ranks(), misprinted_deviations()
    misprints = pd.concat([impossible_cells(), deviations])[["table", "dataset", "method", "value", "reason"]]
    return "\n".join(
        [
            "# Findings of the reproduction\n",
            "Written by `python -m reproduction report STORE` from the records of a run.\n",
            *(f"- {sentence}" for sentence in summarize(records, cells, claims)),
            "\n## Cells of the paper's tables\n",
            markdown_table(verdicts),
            "\n## Claims\n",
            markdown_table(judgements.set_axis(["claim", "verdict", "evidence"], axis=1)),
            "\n## BD-LDL tuned on the training rows\n",
            "Relative gaps to the printed BD-LDL, in distances (1 − cosine); positive is worse.\n",
            markdown_table(yeast.set_axis(["data set", "measure", "BD-LDL tuned", "mean", "verdict"], axis=1)),
            "\n## Misprints\n",
            f"{int((~ranks['agree']).sum())} of {len(ranks)} printed ranks disagree with the printed values.\n",
            markdown_table(misprints),
            "",
        ]
    )


def replace_block(page: Path, name: str, text: str) -> None:
    """Replace the text between the comments ``<!-- name -->`` and ``<!-- end -->`` of a Markdown page."""
    before, start, rest = page.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition("<!-- end -->")
    if not (start and end):
        raise StoreError(f"{page} has no block {name!r}.")
    page.write_text(f"{before}{start}{text}\n{end}{after}", encoding="utf-8")


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
