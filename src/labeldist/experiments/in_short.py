"""What a reader wants to know first, in a few sentences that are generated from the records."""

from collections.abc import Iterator

import pandas as pd

from labeldist.experiments.cases import (
    ABLATION_MEASURES,
    DIGITS,
    OPEN,
    ablation,
    enumerate_names,
    percent,
    where,
)
from labeldist.experiments.claims import Claim
from labeldist.experiments.shrinkage import judge_shrinkage
from labeldist.experiments.spec import DEFAULT
from labeldist.experiments.statistics import failures, skill, summary, unfinished
from labeldist.experiments.verdicts import MARGIN
from labeldist.metrics import MEASURES

TASKS = ("LE", "LDL")


def in_short(records: pd.DataFrame, cells: pd.DataFrame, claims: list[Claim]) -> Iterator[str]:
    """Say how much is reproduced, if reconstruction helps, how the methods stand, and what cannot be judged."""
    table = summary(records)
    yield _figures(cells)
    yield from (" ".join(reconstruction(table, task)) for task in TASKS)
    yield _beside_trivial(records)
    yield _not_judged(records, claims)


def _figures(cells: pd.DataFrame) -> str:
    counts = cells["verdict"].value_counts()
    judged = len(cells) - counts.get("missing", 0) - counts.get("impossible", 0)
    if not judged:
        return f"None of the {len(cells)} figures that the paper prints can be judged: its experiments are not through."
    return (
        f"Of the {judged} figures of the paper that can be judged (it prints {len(cells)}), "
        f"{counts.get('reproduced', 0)} ({percent(counts.get('reproduced', 0) / judged)}) are reproduced within "
        f"{percent(MARGIN)}, {counts.get('better', 0)} came out better and {counts.get('worse', 0)} worse."
    )


def reconstruction(table: pd.DataFrame, task: str) -> Iterator[str]:
    """Say if the reconstruction term helps "LE" or "LDL", and if it is more than shrinkage."""
    method, plain = f"BD-{task}", f"UD-{task}"
    known = ablation(table, task, "published")[[method, plain]].dropna().round(DIGITS)
    if known.empty:
        yield f"Whether reconstruction helps {method} cannot be judged: the ablation has no set with it and {plain}."
        return
    helped = (known[method] < known[plain]).groupby(level="dataset", sort=False).all()
    titles = " and ".join(MEASURES[measure].title for measure in ABLATION_MEASURES)
    yield (
        f"At the published weights reconstruction helps {method}, which is to say that it is better than {plain} in "
        f"{titles}, on {where(helped)}."
    )
    yield judge_shrinkage(table, task).sentence


def _beside_trivial(records: pd.DataFrame) -> str:
    skills, told = skill(records), []
    for experiment, method in (("le-recovery", "BD-LE"), ("ldl-prediction", "BD-LDL")):
        own = (skills["experiment"] == experiment) & (skills["method"] == method) & (skills["variant"] == "")
        known = skills.loc[own, "skill"].dropna()
        if len(known):
            share = f"{(known > 0).sum()} of {len(known)} cases"
            told.append(f"{method} is better than the best trivial baseline in {share}")
        else:
            told.append(f"how {method} stands beside trivial baselines is not known")
    sentence = "; ".join(told)
    return f"{sentence[0].upper()}{sentence[1:]} (a case is a set and a measure)."


def _not_judged(records: pd.DataFrame, claims: list[Claim]) -> str:
    still_open = sum(claim.verdict == OPEN for claim in claims)
    told = [f"{still_open} of {len(claims)} claims"] if still_open else []
    for rows, what in ((failures(records), "failed or took too long"), (unfinished(records), "not in all folds yet")):
        count = len(rows.drop_duplicates(["experiment", "kind", "variant", "dataset", "method"]))
        if count:
            told.append(f"{count} {'entry' if count == 1 else 'entries'} of our tables ({what})")
    absent = without_records(records)
    if absent:
        told.append(f"whatever rests on {enumerate_names(absent)}, of which there is no record")
    return f"Not judged: {enumerate_names(told)}." if told else "Nothing was left unjudged."


def without_records(records: pd.DataFrame) -> list[str]:
    """Return the paper's experiments of which there is no record."""
    return [name for name in DEFAULT if name not in set(records["experiment"])]
