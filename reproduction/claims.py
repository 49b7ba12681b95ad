"""Claims in the paper's text, judged by rule on our records and on the printed values."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from labeldist.comparison import signed_rank_test
from labeldist.metrics import PAPER_MEASURES
from reproduction.paper import dataset_sizes, impossible_cells
from reproduction.rules import (
    ABLATION_MEASURES,
    DIGITS,
    FAILS,
    HOLDS,
    OPEN,
    TUNED,
    Judgement,
    Tally,
    ablation,
    any_reconstruction_does,
    best_at,
    better,
    control_cases,
    enumerate_names,
    first,
    flat_in_reconstruction,
    gains,
    percent,
    printed,
    recorded,
    tally,
)
from reproduction.significance import LEVEL, grid_points, summary
from reproduction.verdicts import MARGIN

_LE_ORDER = ["BD-LE", "GLLE", "LP", "FCM", "ML", "KM"]
_NOT_FIRST, _EITHER_FIRST = 0.047, 0.911
_LEARNERS = ("BD-LDL", "SA-BFGS")
_TRIVIAL_ENHANCERS = ("Uniform", "LogicalSoftmax")


@dataclass(frozen=True)
class Claim:
    """A claim of the paper with its verdict.

    Attributes
    ----------
    id : str
    text : str
    where : str
        The section of the paper.
    verdict : str
        "holds", "does not hold" or "cannot be judged" (records are missing, or a test is not
        significant).
    evidence : str
    """

    id: str
    text: str
    where: str
    verdict: str
    evidence: str


@dataclass(frozen=True)
class _Tables:
    means: pd.DataFrame
    grid: pd.DataFrame


def judge_claims(records: pd.DataFrame) -> list[Claim]:
    """Judge the claims about the experiments that the records contain."""
    tables = _Tables(summary(records), grid_points(records))
    experiments = set(records["experiment"])
    return [
        Claim(name, text, where, *judge(tables))
        for name, experiment, text, where, judge in _CLAIMS
        if experiment in experiments
    ]


# Reconstruction against its control


def judge_control(table: pd.DataFrame, task: str) -> Judgement:
    """Judge that BD-LE ("LE") or BD-LDL ("LDL") is better than its control.

    `table` is a `significance.summary`. The claim holds if the method is better in every measure:
    on most data sets, and by Wilcoxon's test. It does not hold if in some measure the method is
    worse by the same rule, or equal on all data sets.
    """
    cases, weights = control_cases(table, task)
    found = {
        measure: _judge_measure(cases.xs(measure, level="measure")) for measure in ABLATION_MEASURES
    }
    verdicts = [verdict for verdict, _ in found.values()]
    verdict = next(verdict for verdict in (FAILS, OPEN, HOLDS) if verdict in verdicts)
    tests = [
        f"{PAPER_MEASURES[measure].title}: {evidence}" for measure, (_, evidence) in found.items()
    ]
    return verdict, f"{weights.capitalize()}: {'; '.join(tests)}."


def _judge_measure(cases: pd.DataFrame) -> Judgement:
    """Judge one measure by cases of the method and of its control, one row per data set."""
    method, control = cases.columns
    cases = cases.round(DIGITS)
    known = cases.dropna()
    if known.empty:
        return OPEN, "no data set has records of both"
    test = signed_rank_test(known[control] - known[method])
    evidence = (
        f"{method} is better than {control} on {test.wins} data sets, "
        f"equal on {test.ties} and worse on {test.losses} "
        f"(Wilcoxon p = {test.pvalue:.2g})"
    )
    allowed, significant = _most(len(cases)), test.pvalue < LEVEL
    if better(cases, method, control).verdict(allowed) == HOLDS and significant and test.lead > 0:
        return HOLDS, evidence
    not_better = test.ties + test.losses > allowed
    if not_better and ((significant and test.lead < 0) or test.ties == len(known)):
        return FAILS, evidence
    return OPEN, evidence


def _most(total: int) -> int:
    """Return how many cases may be against a claim about most cases."""
    return (total - 1) // 2


def _of_measure(cases: pd.DataFrame, measure: str) -> pd.DataFrame:
    return cases.xs(measure, level="measure")


# The tables


def _recovery(tables: _Tables, *further: str) -> pd.DataFrame:
    return recorded(tables.means, "le-recovery", [*_LE_ORDER, *further], list(PAPER_MEASURES))


def _first_in_recovery(tables: _Tables, champions: list[str]) -> tuple[Tally, str]:
    cases, in_paper = _recovery(tables), printed("le-recovery")
    count = first(cases, champions)
    in_two = first(cases.loc[cases.index.isin(in_paper.index)], champions)
    evidence = f"{count} in all six measures, {in_two} in the two that the paper prints; "
    return count, f"{evidence}by the printed values: {first(in_paper, champions)}."


def _bdle_first(tables: _Tables) -> Judgement:
    count, evidence = _first_in_recovery(tables, ["BD-LE"])
    allowed = math.ceil(_NOT_FIRST * count.total)
    trivial = [better(_recovery(tables, name), "BD-LE", name) for name in _TRIVIAL_ENHANCERS]
    beside = [
        f"{name} in {beaten}" for name, beaten in zip(_TRIVIAL_ENHANCERS, trivial, strict=True)
    ]
    evidence = f"BD-LE is not first in {evidence} It is not better than {enumerate_names(beside)}."
    return count.verdict(
        allowed
    ), f"{evidence} (4.7 % is read as at most {allowed} of {count.total}.)"


def _either_first(tables: _Tables) -> Judgement:
    count, evidence = _first_in_recovery(tables, ["BD-LE", "GLLE"])
    allowed = math.ceil((1 - _EITHER_FIRST) * count.total)
    reading = f"91.1 % is read as all but {allowed} of {count.total}."
    return count.verdict(allowed), f"Another method is first in {evidence} ({reading})"


def _order_of_enhancers(tables: _Tables) -> Judgement:
    cases = _recovery(tables)
    whole = cases.dropna()
    in_paper = f"By the printed values: {_ranking(printed('le-recovery'))}."
    if len(whole) < len(cases):
        return OPEN, f"Only {len(whole)} of {len(cases)} cases have all six methods. {in_paper}"
    order = list(whole.rank(axis=1).mean().sort_values(kind="stable").index)
    return HOLDS if order == _LE_ORDER else FAILS, f"Average ranks: {_ranking(whole)}. {in_paper}"


def _ranking(cases: pd.DataFrame) -> str:
    ranks = cases.rank(axis=1).mean().sort_values(kind="stable")
    return ", ".join(f"{method} {rank:.2f}" for method, rank in ranks.items())


def _best_in_cosine(tables: _Tables) -> Judgement:
    in_paper = printed("ldl-prediction").loc[pd.IndexSlice[:, "cosine"], :]
    cases = recorded(tables.means, "ldl-prediction", [*in_paper.columns], ["cosine"])
    count = first(cases, ["BD-LDL"])
    rivals = cases.dropna().idxmin(axis=1)
    winners = enumerate_names(list(rivals[rivals != "BD-LDL"].unique()))
    mean = better(
        recorded(tables.means, "ldl-prediction", ["BD-LDL", "Mean"], ["cosine"]), "BD-LDL", "Mean"
    )
    return count.verdict(), (
        f"BD-LDL is not first in {count}; first instead: {winners}. "
        f"It is not better than the mean distribution in {mean}. "
        f"By the printed values: not first in {first(in_paper, ['BD-LDL'])}."
    )


# The ablation


def _against(cases: pd.DataFrame, method: str, other: str) -> str:
    saved = gains(cases, method, other)
    change = saved.median() if len(saved) else 0.0
    size = ""
    if change:
        direction = "smaller" if change > 0 else "larger"
        size = f", its distance {percent(abs(change))} {direction} in the median"
    return f"{method} is not better than {other} in {better(cases, method, other)}{size}"


def _helps_learning(tables: _Tables) -> Judgement:
    cases, tuned = (
        ablation(tables.means, "LDL", variant) for variant in ("published", TUNED["LDL"])
    )
    evidence = (
        f"At the published weights {_against(cases, 'BD-LDL', 'UD-LDL')}. "
        f"Both tuned: {_against(tuned, 'BD-LDL', 'UD-LDL')}. "
        f"By the printed values: {better(printed('ablation'), 'BD-LDL', 'UD-LDL')}, "
        f"with {len(impossible_cells())} impossible cells."
    )
    return better(cases, "BD-LDL", "UD-LDL").verdict(), evidence


def _helps_enhancement(tables: _Tables) -> Judgement:
    cases, at_best = (
        ablation(tables.means, "LE", variant) for variant in ("published", TUNED["LE"])
    )
    count = better(cases, "BD-LE", "UD-LE")
    by_print = better(printed("le-recovery"), "BD-LE", "GLLE")
    evidence = (
        f"At the published weights {_against(cases, 'BD-LE', 'UD-LE')}. "
        f"Each at the best of its grid by the truth: {_against(at_best, 'BD-LE', 'UD-LE')}. "
        f"By the printed values, with GLLE as UD-LE: {by_print}."
    )
    return count.verdict(_most(count.total)), evidence


def _not_shrinkage(task: str) -> Callable[[_Tables], Judgement]:
    return lambda tables: judge_control(tables.means, task)


def _gains_where_gap_is_large(tables: _Tables) -> Judgement:
    sizes = dataset_sizes()
    gap = sizes["features"] - sizes["labels"]
    widest = gap.nlargest(3)
    ours, in_paper = (
        ablation(tables.means, "LDL", "published")[["BD-LDL", "UD-LDL"]],
        printed("ablation"),
    )
    impossible = impossible_cells()["dataset"].tolist()
    verdicts, evidence = (
        [],
        [f"Widest gaps: {enumerate_names([f'{name} ({size})' for name, size in widest.items()])}."],
    )
    for measure in ABLATION_MEASURES:
        title, known = PAPER_MEASURES[measure].title, _of_measure(ours, measure).dropna()
        claimed = gains(_of_measure(in_paper, measure), "BD-LDL", "UD-LDL").nlargest(3)
        if len(known) == len(gap):
            largest = gains(known, "BD-LDL", "UD-LDL").nlargest(3)
            verdicts.append(
                HOLDS if set(largest.index) == set(widest.index) and (largest > 0).all() else FAILS
            )
            evidence.append(
                f"Largest savings in {title}: {_named(largest)}; printed: {_named(claimed)}."
            )
        else:
            verdicts.append(OPEN)
            evidence.append(
                f"{title} is recorded on {len(known)} of {len(gap)} data sets; "
                f"printed: {_named(claimed)}."
            )
    evidence.append(f"The printed Canberra cells of {enumerate_names(impossible)} are impossible.")
    return next((verdict for verdict in (FAILS, OPEN) if verdict in verdicts), HOLDS), " ".join(
        evidence
    )


def _named(shares: pd.Series) -> str:
    return enumerate_names([f"{name} ({percent(share)})" for name, share in shares.items()])


# Enhancement before learning


def _chain(tables: _Tables, learner: str) -> pd.DataFrame:
    methods = ["BD-LE", "Ground truth"]
    return recorded(
        tables.means, "le-then-ldl", methods, ["chebyshev"], variant=learner, kind="chain"
    )


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
    evidence = (
        "Chebyshev after learning from distributions that BD-LE recovered is over "
        f"{percent(MARGIN)} worse than after learning from the truth in {count}"
    )
    if count.known:
        medians = excess.groupby(level=0).median().dropna()
        evidence += "; in the median by " + enumerate_names(
            [f"{percent(share)} with {name}" for name, share in medians.items()]
        )
    return count.verdict(_most(count.total)), f"{evidence}."


_CLAIMS: tuple[tuple[str, str, str, str, Callable[[_Tables], Judgement]], ...] = (
    (
        "le-first",
        "le-recovery",
        "BD-LE recovers best in all but about 4.7 % of cases",
        "BD-LE performance",
        _bdle_first,
    ),
    (
        "le-either-first",
        "le-recovery",
        "BD-LE or GLLE is first in 91.1 % of cases",
        "BD-LE performance",
        _either_first,
    ),
    (
        "le-order",
        "le-recovery",
        "From best to worst they are BD-LE, GLLE, LP, FCM, ML, KM",
        "BD-LE performance",
        _order_of_enhancers,
    ),
    (
        "ldl-cosine",
        "ldl-prediction",
        "BD-LDL is best in cosine on every set",
        "BD-LDL performance",
        _best_in_cosine,
    ),
    (
        "chain-closer",
        "le-then-ldl",
        "Trained on what BD-LE recovers, BD-LDL comes closer to its ground truth than SA-BFGS "
        "on every data set",
        "LDL algorithm predictive performance",
        _closer_with_bdldl,
    ),
    (
        "le-no-overfit",
        "le-then-ldl",
        "Label enhancement does not over-fit: learning from what it recovers is mostly close "
        "to learning from truth",
        "Bi-directional for label enhancement; LDL algorithm predictive performance",
        _recovered_is_as_good,
    ),
    (
        "ldl-reconstruction",
        "ablation",
        "Reconstruction helps BD-LDL on every set",
        "Ablation experiment",
        _helps_learning,
    ),
    (
        "le-reconstruction",
        "ablation",
        "Reconstruction helps BD-LE in most cases",
        "Ablation experiment",
        _helps_enhancement,
    ),
    (
        "ldl-not-shrinkage",
        "ablation",
        "What helps BD-LDL is reconstruction, not shrinkage: it beats UD-LDL with a plain ridge",
        "Implied by the ablation; the control is ours",
        _not_shrinkage("LDL"),
    ),
    (
        "le-not-shrinkage",
        "ablation",
        "What helps BD-LE is reconstruction, not shrinkage: it beats UD-LE with a plain ridge",
        "Implied by the ablation; the control is ours",
        _not_shrinkage("LE"),
    ),
    (
        "dimensional-gap",
        "ablation",
        "Reconstruction gains most where features outnumber labels most",
        "Ablation experiment",
        _gains_where_gap_is_large,
    ),
    (
        "le-best-weights",
        "parameters",
        "BD-LE is best with α and λ about 1e-2",
        "Influence of parameters",
        lambda tables: best_at(tables.grid, "BD-LE", -2),
    ),
    (
        "le-any-alpha",
        "parameters",
        "BD-LE recovers well with any α while λ is at most 0.1",
        "Influence of parameters",
        lambda tables: any_reconstruction_does(tables.grid, "BD-LE", -1, MARGIN),
    ),
    (
        "ldl-flat",
        "parameters",
        "BD-LDL hardly depends on λ₁ between 0.1 and 1000",
        "Influence of parameters",
        lambda tables: flat_in_reconstruction(tables.grid, "BD-LDL", -1, MARGIN),
    ),
)
"""Name, experiment, text and section of every claim, and the function that judges it."""
