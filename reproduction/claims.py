"""Claims in the paper's text, judged by rule on our records and on the printed values."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pandas as pd

from labeldist.comparison import signed_rank_test
from labeldist.metrics import PAPER_MEASURES
from reproduction.paper import MARGIN, dataset_sizes, impossible_cells, read_claims
from reproduction.rules import (
    ABLATION_MEASURES,
    DIGITS,
    FAILS,
    HOLDS,
    OPEN,
    TUNED,
    Judgement,
    ablation,
    best_about_a_hundredth,
    better,
    enumerate_names,
    first,
    flat_from_a_tenth,
    gains,
    good_up_to_a_tenth,
    judge_maps,
    percent,
    printed,
    recorded,
    tally,
)
from reproduction.significance import LEVEL, grid_points, summary

_LE_ORDER = ["BD-LE", "GLLE", "LP", "FCM", "ML", "KM"]
_LEARNERS = ("BD-LDL", "SA-BFGS")


@dataclass(frozen=True)
class _Tables:
    means: pd.DataFrame
    grid: pd.DataFrame


def judge_claims(records: pd.DataFrame) -> pd.DataFrame:
    """Judge the claims about the experiments that the records contain.

    Returns
    -------
    DataFrame
        The columns of `read_claims`, `verdict` ("holds", "does not hold" or "cannot be judged",
        if records are missing or a test is not significant) and `evidence`.
    """
    tables = _Tables(summary(records), grid_points(records))
    claims = read_claims()
    claims = claims[claims["experiment"].isin(records["experiment"])]
    judged = [_JUDGES[claim](tables) for claim in claims["id"]]
    return claims.join(pd.DataFrame(judged, claims.index, ["verdict", "evidence"]))


# Reconstruction against its control


def judge_control(tables: _Tables, task: str) -> Judgement:
    """Judge that BD-LE ("LE") or BD-LDL ("LDL") is better than its control.

    The claim holds if the method is better in every measure:
    on most data sets, and by Wilcoxon's test. It does not hold if in some measure the method is
    worse by the same rule, or equal on all data sets.
    """
    pair = [f"BD-{task}", f"UD-{task} + ridge"]
    cases = ablation(tables.means, task, TUNED[task])[pair]
    verdicts, tests = [], []
    for measure in ABLATION_MEASURES:
        verdict, evidence = _judge_measure(_of_measure(cases, measure))
        verdicts.append(verdict)
        tests.append(f"{PAPER_MEASURES[measure].title}: {evidence}")
    return _weakest(verdicts), f"With each at its best: {'; '.join(tests)}."


def _judge_measure(cases: pd.DataFrame) -> Judgement:
    """Judge one measure by cases of the method and of its control, one row per data set."""
    method, control = cases.columns
    cases = cases.round(DIGITS)
    known = cases.dropna()
    if known.empty:
        return OPEN, "no data set has records of both"
    test = signed_rank_test(known[control] - known[method])
    evidence = (
        f"{method} is better than {control} on {test['wins']} data sets, "
        f"equal on {test['ties']} and worse on {test['losses']} "
        f"(Wilcoxon p = {test['pvalue']:.2g})"
    )
    allowed = _most(len(cases))
    is_significant = test["pvalue"] < LEVEL
    lead = test["lead"]
    if better(cases, method, control).verdict(allowed) == HOLDS and is_significant and lead > 0:
        return HOLDS, evidence
    not_better = test["ties"] + test["losses"] > allowed
    if not_better and ((is_significant and lead < 0) or test["ties"] == len(known)):
        return FAILS, evidence
    return OPEN, evidence


def _most(total: int) -> int:
    """Return how many cases may be against a claim about most cases."""
    return (total - 1) // 2


def _of_measure(cases: pd.DataFrame, measure: str) -> pd.DataFrame:
    return cases.xs(measure, level="measure")


# The tables


def _recovery(tables: _Tables) -> pd.DataFrame:
    return recorded(tables.means, _LE_ORDER, list(PAPER_MEASURES), experiment="le-recovery")


def _first_in_recovery(tables: _Tables, champions: list[str], share: float) -> Judgement:
    """Judge that another method is first in at most a share of the cases."""
    cases, in_paper = _recovery(tables), printed("le-recovery")
    count = first(cases, champions)
    allowed = math.ceil(share * count.total)
    in_two = first(cases.loc[in_paper.index], champions)
    return count.verdict(allowed), (
        f"{' or '.join(champions)} is not first in {count} in all six measures, {in_two} in the "
        f"two that the paper prints; by the printed values: {first(in_paper, champions)}. "
        f"The claim is read as at most {allowed} of {count.total}."
    )


def _order_of_enhancers(tables: _Tables) -> Judgement:
    cases = _recovery(tables)
    whole = cases.dropna()
    in_paper = f"By the printed values: {_ranking(printed('le-recovery'))}."
    verdict = HOLDS if list(_ranks(whole).index) == _LE_ORDER else FAILS
    if len(whole) < len(cases):
        verdict = OPEN
    return verdict, f"Average ranks in {len(whole)} cases: {_ranking(whole)}. {in_paper}"


def _ranks(cases: pd.DataFrame) -> pd.Series:
    return cases.rank(axis=1).mean().sort_values(kind="stable")


def _ranking(cases: pd.DataFrame) -> str:
    return ", ".join(f"{method} {rank:.2f}" for method, rank in _ranks(cases).items())


def _best_in_cosine(tables: _Tables) -> Judgement:
    in_paper = printed("ldl-prediction").loc[pd.IndexSlice[:, "cosine"], :]
    which = {"experiment": "ldl-prediction"}
    cases = recorded(tables.means, [*in_paper.columns], ["cosine"], **which)
    count = first(cases, ["BD-LDL"])
    rivals = cases.dropna().idxmin(axis=1)
    winners = enumerate_names(list(rivals[rivals != "BD-LDL"].unique()))
    pair = recorded(tables.means, ["BD-LDL", "Mean"], ["cosine"], **which)
    mean = better(pair, "BD-LDL", "Mean")
    return count.verdict(), (
        f"BD-LDL is not first in {count}; first instead: {winners}. "
        f"It is not better than the mean distribution in {mean}. "
        f"By the printed values: not first in {first(in_paper, ['BD-LDL'])}."
    )


# The ablation


def _against(cases: pd.DataFrame, method: str, other: str) -> str:
    saved = gains(cases, method, other)
    change = saved.median() if len(saved) else 0.0
    count = better(cases, method, other)
    direction = "smaller" if change > 0 else "larger"
    size = f"its distance is {percent(abs(change))} {direction} in the median"
    return f"{method} is not better than {other} in {count}, and {size}"


def _reconstruction_helps(tables: _Tables, task: str) -> Judgement:
    """Judge that the bidirectional method is better: in all cases of "LDL", in most of "LE"."""
    cases, tuned = (ablation(tables.means, task, one) for one in ("published", TUNED[task]))
    pair = f"BD-{task}", f"UD-{task}"
    count = better(cases, *pair)
    allowed = 0
    paper = better(printed("ablation"), "BD-LDL", "UD-LDL")
    note = f"{len(impossible_cells())} impossible cells"
    if task == "LE":
        allowed = _most(count.total)
        paper = better(printed("le-recovery"), "BD-LE", "GLLE")
        note = "GLLE as UD-LE"
    return count.verdict(allowed), (
        f"At the published weights {_against(cases, *pair)}. "
        f"Each at its best: {_against(tuned, *pair)}. By the printed values: {paper}, with {note}."
    )


def _gains_where_gap_is_large(tables: _Tables) -> Judgement:
    sizes = dataset_sizes()
    gap = sizes["features"] - sizes["labels"]
    widest = gap.nlargest(3)
    ours = ablation(tables.means, "LDL", "published")[["BD-LDL", "UD-LDL"]]
    verdicts = []
    gaps = [f"{name} ({size})" for name, size in widest.items()]
    evidence = [f"Widest gaps: {enumerate_names(gaps)}."]
    for measure in ABLATION_MEASURES:
        known = _of_measure(ours, measure).dropna()
        largest = gains(known, "BD-LDL", "UD-LDL").nlargest(3)
        claimed = gains(_of_measure(printed("ablation"), measure), "BD-LDL", "UD-LDL").nlargest(3)
        agrees = set(largest.index) == set(widest.index) and (largest > 0).all()
        verdict = HOLDS if agrees else FAILS
        verdicts.append(verdict if len(known) == len(gap) else OPEN)
        evidence.append(
            f"Largest savings in {PAPER_MEASURES[measure].title}, recorded on {len(known)} of "
            f"{len(gap)} data sets: {_named(largest)}; printed: {_named(claimed)}."
        )
    return _weakest(verdicts), " ".join(evidence)


def _weakest(verdicts: list[str]) -> str:
    return next(verdict for verdict in (FAILS, OPEN, HOLDS) if verdict in verdicts)


def _named(shares: pd.Series) -> str:
    return enumerate_names([f"{name} ({percent(share)})" for name, share in shares.items()])


# Enhancement before learning


def _chain(tables: _Tables, learner: str) -> pd.DataFrame:
    which = {"experiment": "le-then-ldl", "variant": learner}
    return recorded(tables.means, ["BD-LE", "Ground truth"], ["chebyshev"], **which)


def _closer_with_bdldl(tables: _Tables) -> Judgement:
    counts = {}
    for run in ("", ", transductive"):
        far = {
            name: _chain(tables, name + run).diff(axis=1)["Ground truth"].abs().round(DIGITS)
            for name in _LEARNERS
        }
        known = far["BD-LDL"].notna() & far["SA-BFGS"].notna()
        counts[run] = tally(far["BD-LDL"] >= far["SA-BFGS"], known)
    evidence = f"Chebyshev with BD-LDL is not closer to that of the ground truth in {counts['']}"
    return counts[""].verdict(), f"{evidence}; transductive, in {counts[', transductive']}."


def _recovered_is_as_good(tables: _Tables) -> Judgement:
    cases = pd.concat({learner: _chain(tables, learner) for learner in _LEARNERS})
    excess = cases["BD-LE"] / cases["Ground truth"] - 1
    count = tally(excess > MARGIN, excess.notna())
    medians = excess.groupby(level=0).median().dropna()
    return count.verdict(_most(count.total)), (
        "Chebyshev after learning from distributions that BD-LE recovered is over "
        f"{percent(MARGIN)} worse than after learning from the truth in {count}; "
        f"in the median by learner: {_named(medians)}."
    )


_JUDGES: dict[str, Callable[[_Tables], Judgement]] = {
    "le-first": partial(_first_in_recovery, champions=["BD-LE"], share=0.047),
    "le-either-first": partial(_first_in_recovery, champions=["BD-LE", "GLLE"], share=1 - 0.911),
    "le-order": _order_of_enhancers,
    "ldl-cosine": _best_in_cosine,
    "chain-closer": _closer_with_bdldl,
    "le-no-overfit": _recovered_is_as_good,
    "ldl-reconstruction": partial(_reconstruction_helps, task="LDL"),
    "le-reconstruction": partial(_reconstruction_helps, task="LE"),
    "ldl-not-shrinkage": partial(judge_control, task="LDL"),
    "le-not-shrinkage": partial(judge_control, task="LE"),
    "dimensional-gap": _gains_where_gap_is_large,
    "le-best-weights": lambda tables: judge_maps(tables.grid, "BD-LE", best_about_a_hundredth),
    "le-any-alpha": lambda tables: judge_maps(tables.grid, "BD-LE", good_up_to_a_tenth),
    "ldl-flat": lambda tables: judge_maps(tables.grid, "BD-LDL", flat_from_a_tenth),
}
"""The functions that judge the claims of ``published/claims.csv``."""
