"""Is the reconstruction term more than shrinkage? The paper's methods beside such with a plain ridge instead."""

from dataclasses import dataclass
from typing import Literal

import pandas as pd

from labeldist.experiments.cases import ABLATION_MEASURES, DIGITS, HOLDS, beside_control, better
from labeldist.experiments.statistics import LEVEL, wilcoxon
from labeldist.metrics import MEASURES

Outcome = Literal["better", "no better", "undecided", "missing"]


@dataclass(frozen=True)
class BesideControl:
    """A method beside its control.

    Attributes
    ----------
    outcome : str
        ``"better"``: in every measure, in most sets and by Wilcoxon's test. ``"no better"``: in some measure worse by
        the same rule, or equal on all sets. ``"undecided"``: neither. ``"missing"``: so few sets have both that
        nothing can be said.
    sentence : str
        The outcome in words.
    evidence : str
        The tests.
    """

    outcome: Outcome
    sentence: str
    evidence: str


def judge_shrinkage(table: pd.DataFrame, task: str) -> BesideControl:
    """Judge "LE" or "LDL" by a `statistics.summary`."""
    cases, weights = beside_control(table, task)
    method, control = cases.columns
    found, tests = {}, []
    for measure in ABLATION_MEASURES:
        title = MEASURES[measure].title
        found[title], test = _judge(cases.xs(measure, level="measure"))
        tests.append(f"{title}: {test}")
    worse = [title for title, outcome in found.items() if outcome == "no better"]
    pairs = cases.notna().all(axis=1).groupby(level="dataset").all()
    outcome: Outcome = (
        "no better" if worse else next(name for name in ("missing", "undecided", "better") if name in found.values())
    )
    sentence = {
        "better": f"The term is more than shrinkage: {weights} {method} beats {control}.",
        "no better": (
            f"The term is no more than shrinkage: {weights} {control} is as good as {method}, or better, "
            f"in {' and '.join(worse)}."
        ),
        "undecided": (
            f"Whether the term is more than shrinkage stays open: {weights} {method} and {control} cannot be told "
            f"apart in {' and '.join(title for title, name in found.items() if name == 'undecided')}."
        ),
        "missing": (
            f"Whether the term is more than shrinkage cannot be judged: {pairs.sum()} of {len(pairs)} sets have "
            f"records of both {method} and {control}."
        ),
    }[outcome]
    return BesideControl(outcome, sentence, "; ".join(tests))


def _judge(cases: pd.DataFrame) -> tuple[Outcome, str]:
    """Judge one measure: cases of the method and of its control, a row a set."""
    method, control = cases.columns
    cases = cases.round(DIGITS)
    known = cases.dropna()
    if known.empty:
        return "missing", "no set has both"
    test = wilcoxon(known, method).squeeze()
    told = (
        f"{method} is better on {test['wins']}, equal on {test['ties']} and worse on {test['losses']} sets, "
        f"Wilcoxon's p = {test['pvalue']:.2g}"
    )
    # Half of all sets may be against it; sets without records may go either way.
    allowed, significant = (len(cases) - 1) // 2, test["pvalue"] < LEVEL
    if better(cases, method, control).verdict(allowed) == HOLDS and significant and test["lead"] > 0:
        return "better", told
    not_better = test["ties"] + test["losses"] > allowed
    if not_better and ((significant and test["lead"] < 0) or test["ties"] == len(known)):
        return "no better", told
    return ("undecided" if len(known) > allowed else "missing"), told
