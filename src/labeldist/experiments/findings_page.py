"""The findings as a page of the documentation."""

from __future__ import annotations

from typing import Any

from labeldist.experiments.claims import judge_claims
from labeldist.experiments.escapes import markdown
from labeldist.experiments.findings import opening
from labeldist.experiments.merging import first_of_each

HEAD = """\
# What the reproduction found

Written by `labeldist report STORE --findings FILE` from the records of `labeldist reproduce`; every sentence and figure
here is generated from them. `BayesLE`, which is not the paper's, has [a page of its own](bayes_le.md).
"""


def findings_markdown(records: Any) -> str:
    """Return the report's opening and its judgement of the paper's claims as Markdown."""
    records = first_of_each(records)
    parts = [HEAD]
    for finding in opening(records):
        parts += [f"## {finding.heading}\n", *(f"- {markdown(sentence)}" for sentence in finding.sentences), ""]
    parts += ["## The claims, one by one\n", "| claim | where | verdict | evidence |", "|---|---|---|---|"]
    for claim in judge_claims(records):
        text, where, evidence = map(markdown, (claim.text, claim.where, claim.evidence))
        parts.append(f"| {text} | {where} | **{claim.verdict}** | {evidence} |")
    return "\n".join(parts) + "\n"
