"""What the reproduction found, in plain words, generated from the records: the report's opening."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from labeldist.experiments.cases import (
    DIGITS,
    FAILS,
    HOLDS,
    OPEN,
    count_sets,
    enumerate_names,
    percent,
    printed,
    recorded,
    signed_percent,
    where,
)
from labeldist.experiments.claims import Claim, judge_claims
from labeldist.experiments.in_short import TASKS, in_short, reconstruction, without_records
from labeldist.experiments.merging import first_of_each, runs
from labeldist.experiments.misprints import impossible_cells, misprinted_deviations, recomputed_ranks
from labeldist.experiments.statistics import KL_NOTE, failures, paired_leads, skill, summary, unfinished
from labeldist.experiments.verdicts import MARGIN, VERDICTS, gaps, judge_cells
from labeldist.metrics import MEASURES


@dataclass(frozen=True)
class Finding:
    """Something that the reproduction found: a `heading`, and the `sentences` under it."""

    heading: str
    sentences: tuple[str, ...]


def opening(records: pd.DataFrame) -> list[Finding]:
    """Say what the records, of one store or several, show; what they do not show is said to be missing."""
    records = first_of_each(records)
    table, claims, cells = summary(records), judge_claims(records), judge_cells(records)
    helps = (sentence for task in TASKS for sentence in reconstruction(table, task))
    return [
        Finding("In short", tuple(in_short(records, cells, claims))),
        Finding("The paper's figures, cell by cell", tuple(_cells(cells))),
        Finding("The paper's claims", tuple(_claims(claims))),
        Finding(
            "Does the reconstruction term help?",
            tuple(helps),
        ),
        Finding("How far above trivial", tuple(_trivial(table, records))),
        Finding("Beside the paper and the mean", tuple(_beside(table, records))),
        Finding("The gap on the Yeast sets", tuple(_yeast(gaps(records)))),
        Finding("What failed, took too long or has not run", tuple(_failures(records))),
        Finding("What the paper prints and cannot be", tuple(_misprints())),
    ]


def _cells(cells: pd.DataFrame) -> Iterator[str]:
    yield f"Of the {len(cells)} cells of the paper's tables: {_counts(cells)}."
    for table, part in cells.groupby("table", sort=False):
        yield f"{table}: {_counts(part)}."
    yield (
        f"Reproduced is within {percent(MARGIN)} of the printed figure, for cosine and intersection of one minus it; "
        "better and worse are further from it; impossible contradicts another figure of the paper."
    )


def _counts(cells: pd.DataFrame) -> str:
    counts = cells["verdict"].value_counts()
    return ", ".join(f"{counts.get(verdict, 0)} {verdict}" for verdict in VERDICTS)


def _claims(claims: list[Claim]) -> Iterator[str]:
    texts = {verdict: [claim.text for claim in claims if claim.verdict == verdict] for verdict in (HOLDS, FAILS, OPEN)}
    counts = ", ".join(f"{verdict}: {len(found)}" for verdict, found in texts.items())
    yield f"Of {len(claims)} claims in the paper's text, judged by rule, {counts}."
    for verdict, found in texts.items():
        yield from (f"{verdict.capitalize()}: {text}." for text in found)


_BASELINES = {
    "Uniform": ("the uniform distribution", "le-recovery", "BD-LE", ["chebyshev", "cosine"]),
    "LogicalSoftmax": ("the softmax of the logical labels", "le-recovery", "BD-LE", ["chebyshev", "cosine"]),
    "Mean": ("the mean of the training rows", "ldl-prediction", "BD-LDL", ["clark", "cosine"]),
}


def _trivial(table: pd.DataFrame, records: pd.DataFrame) -> Iterator[str]:
    for baseline, (what, experiment, method, measures) in _BASELINES.items():
        ours = recorded(table, experiment, [baseline, method], measures).round(DIGITS)
        in_paper = printed(experiment).reindex(ours.index).round(DIGITS)
        for measure in measures:
            rows = ours.xs(measure, level="measure")
            value = rows[baseline].dropna()
            title = MEASURES[measure].title
            if value.empty:
                yield f"{baseline} ({what}) has no records in {title} ({experiment})."
                continue
            paper = in_paper.xs(measure, level="measure").loc[value.index]
            own = rows.loc[value.index, method].dropna()
            beside_own = (
                f"our {method} on {(value[own.index] < own).sum()} of {len(own)}"
                if len(own)
                else f"no {method} of ours"
            )
            yield (
                f"In {title}, {baseline} ({what}) is better than the paper's {method} on "
                f"{count_sets((value < paper[method]).sum(), len(value))}, than every method of the paper on "
                f"{(value < paper.min(axis=1)).sum()}, and than {beside_own}."
            )
    yield from _skills(skill(records))


def _skills(skills: pd.DataFrame) -> Iterator[str]:
    chosen = skills[(skills["measure"] == "kl_divergence") & skills["skill"].notna() & (skills["variant"] == "")]
    chosen = chosen[chosen["experiment"].isin(["le-recovery", "ldl-prediction"]) & (chosen["role"] != "trivial")]
    for experiment, part in chosen.groupby("experiment", sort=False):
        medians = part.groupby("method")["skill"].median().sort_values(ascending=False)
        told = ", ".join(f"{method} {signed_percent(share)}" for method, share in medians.items())
        yield f"Kullback-Leibler saved of the best trivial baseline, median over sets, {experiment}: {told}."
    if len(chosen):
        yield KL_NOTE


def _beside(table: pd.DataFrame, records: pd.DataFrame) -> Iterator[str]:
    ours = recorded(table, "le-recovery", ["BD-LE"], ["chebyshev"])["BD-LE"].dropna()
    lead = (ours < printed("le-recovery")["BD-LE"].reindex(ours.index)).droplevel("measure")
    if len(lead):
        yield f"BD-LE recovers better (Chebyshev) than the paper prints on {where(lead)}."
    else:
        yield "BD-LE has no records in le-recovery."
    tuned = recorded(table, "ldl-prediction", ["BD-LDL tuned"], ["clark"])["BD-LDL tuned"]["Movie", "clark"]
    movie = printed("ldl-prediction")["BD-LDL"]["Movie", "clark"]
    relation = "has no record beside" if pd.isna(tuned) else "beats" if tuned < movie else "does not beat"
    figures = f"printed {movie:.4f}" if pd.isna(tuned) else f"{tuned:.4f}, printed {movie:.4f}"
    yield f"BD-LDL tuned on the training rows {relation} the paper's Clark on Movie ({figures})."
    leads = paired_leads(records, "ldl-prediction", "BD-LDL tuned", "Mean")
    for measure in ("clark", "cosine"):
        rows = leads[leads["measure"] == measure].set_index("dataset")
        title = MEASURES[measure].title
        if rows.empty:
            yield f"BD-LDL tuned and the mean have no common records in {title}."
        else:
            no_worse = where(rows["lead"] >= 0)
            shuffles = rows["seeds"].min()
            yield f"BD-LDL tuned is no worse than the mean in {title} on {no_worse}; shuffles, paired: {shuffles}."


def _yeast(table: pd.DataFrame) -> Iterator[str]:
    yeast = table[table["dataset"].str.startswith("Yeast")]
    yield (
        "How much further from the truth than the paper's BD-LDL is ours, tuned on the training rows "
        f"(the mean distribution in brackets); over {percent(MARGIN)} is not reproduced:"
    )
    for dataset, rows in yeast.groupby("dataset", sort=False):
        told = []
        for row in rows.itertuples():
            name = f"1 − {row.measure}" if MEASURES[row.measure].higher_is_better else MEASURES[row.measure].title
            found = "missing" if row.verdict == "missing" else f"{signed_percent(row.tuned_gap)}, {row.verdict}"
            mean = "missing" if pd.isna(row.mean_gap) else signed_percent(row.mean_gap)
            told.append(f"{name} {found} ({mean})")
        yield f"{dataset}: {'; '.join(told)}."
    known = yeast[yeast["verdict"] != "missing"]
    if len(known):
        found = (known["verdict"] == "not reproduced").groupby(known["dataset"], sort=False).any()
        yield f"Of those with records, in one measure or both not reproduced: {where(found)}."
    missing = (yeast["verdict"] == "missing").groupby(yeast["dataset"], sort=False).any()
    if missing.any():
        yield f"In one measure or both missing: {where(missing)}."


def _failures(records: pd.DataFrame) -> Iterator[str]:
    failed = failures(records)
    if records.empty:
        yield "There are no records."
        return
    if failed.empty:
        yield f"None of the runs in the records ({len(runs(records))})."
    absent = without_records(records)
    if absent:
        yield f"Not run at all: {enumerate_names(absent)}."
    keys = ["experiment", "method", "variant", "status"]
    for (experiment, method, variant, status), rows in failed.groupby(keys, sort=False):
        what = "took too long" if status == "timeout" else "failed"
        whole = _whole_name(method, variant)
        reasons = "; ".join(filter(None, rows["reason"].unique()))
        yield f"{whole} {what} on {_sets(rows)} ({experiment})" + (f": {reasons.rstrip('.')}." if reasons else ".")
    for (experiment, method, variant, reason), rows in unfinished(records).groupby(
        ["experiment", "method", "variant", "reason"], sort=False
    ):
        yield f"{_whole_name(method, variant)} has run in {reason} on {_sets(rows)} ({experiment})."


def _whole_name(method: str, variant: str) -> str:
    return f"{method} ({variant})" if variant else method


def _misprints() -> Iterator[str]:
    impossible, ranks, deviations = impossible_cells(), recomputed_ranks(), misprinted_deviations()
    for cell in impossible.itertuples():
        yield f"{cell.method} on {cell.dataset}: {cell.reason}."
    wrong = ranks[~ranks["agree"]]
    yield f"{len(wrong)} of {len(ranks)} printed ranks disagree with the printed values, on {_sets(wrong)}."
    for grade, rows in deviations.groupby("grade", sort=False):
        told = [
            f"{row.std:.3f} ({row.method}, {row.dataset}, {MEASURES[row.measure].title})" for row in rows.itertuples()
        ]
        yield f"{len(rows)} of the printed standard deviations are {grade}: {enumerate_names(told)}."


def _sets(cells: pd.DataFrame) -> str:
    return enumerate_names(list(cells["dataset"].unique()))
