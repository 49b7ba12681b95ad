"""The findings as a page of the documentation."""

from __future__ import annotations

from typing import Any

from labeldist.experiments.claims import judge_claims
from labeldist.experiments.findings import opening

HEAD = """\
# What the reproduction found

Written by `labeldist report STORE --findings FILE` from the records of `labeldist reproduce`; every sentence and figure
here is generated from them.
"""


def findings_markdown(records: Any) -> str:
    """Return the report's opening and its judgement of the paper's claims as Markdown."""
    parts = [HEAD]
    for finding in opening(records):
        parts += [f"## {finding.heading}\n", *(f"- {sentence}" for sentence in finding.sentences), ""]
    parts += ["## The claims, one by one\n", "| claim | where | verdict | evidence |", "|---|---|---|---|"]
    for claim in judge_claims(records):
        cells = (claim.text, claim.where, f"**{claim.verdict}**", claim.evidence)
        parts.append(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |")
    return "\n".join(parts) + "\n"
