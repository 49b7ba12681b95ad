"""Verdicts and tables on the further learners of the literature.

``make further-learners`` runs the experiment and then
``python -m reproduction.further_learners STORE PAGE``, which replaces what is between
``<!-- further-learners: NAME -->`` and ``<!-- end -->`` of the page
``docs/results/further_learners.md`` for each name of `BLOCKS`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from labeldist.comparison import Comparison, Record, signed_rank_test
from labeldist.datasets import list_datasets
from labeldist.exceptions import LabelDistError
from labeldist.metrics import MEASURES
from reproduction import pages
from reproduction.findings import bold_best, markdown_table, replace_block
from reproduction.runner import read_store
from reproduction.significance import LEVEL, failures, holm, place, where

EXPERIMENT = "further-learners"
BASE, MEAN = "SoftmaxRegressionCV", "Mean"
"""The learner that the others are compared with, and the trivial one."""

TARGETS = {"spearman": ("LDLLRR", "LDLDPA"), "top_label": ("LDL4C", "LDLHR")}
"""Measures that some methods aim at, apart from the Kullback-Leibler divergence."""

SETS_OF_SECONDS = ("Yeast_alpha", "Natural_Scene", "SBU_3DFE", "Movie")


class Records(pages.Records):
    """The records of the experiment, of all measures."""

    def __init__(self, records: pd.DataFrame) -> None:
        own = where(records, experiment=EXPERIMENT)
        if own.empty:
            raise LabelDistError(
                f"The store has no records of {EXPERIMENT}. `make further-learners` adds them."
            )
        super().__init__(own)
        self.main = where(own, kind="prediction", variant="")
        self.roles = dict(zip(own["method"], own["role"], strict=True))

    def table(self, measure: str, column: str = "mean", **which: str) -> pd.DataFrame:
        """Return means, data sets down and methods across, by default of the main part."""
        which = {"kind": "prediction", "variant": "", **which}
        return self.select(EXPERIMENT, measure, column, **which)

    def bold(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return distances as text, with the least of each row in bold; oracles do not compete."""
        rivals = [name for name in table if self.roles[name] != "oracle"]
        return bold_best(table, rivals=rivals)

    def clear_wins(self, measure: str) -> dict[str, list[str]]:
        """Return the sets on which methods are clearly better than `BASE` over the folds."""
        rows = where(self.main, status="ok")
        fields = ["method", "dataset", "fold", "measure", "value"]
        records = [Record(*row) for row in rows[fields].to_numpy()]
        tests = Comparison(records).test(measure, against=BASE)
        order = partial(place, order=list_datasets())
        return {
            method: [
                name
                for name in sorted(per_set, key=order)
                if per_set[name]["pvalue"] < LEVEL and per_set[name]["lead"] < 0
            ]
            for method, per_set in tests["per_set"].items()
        }


def judge(known: Records, measure: str, methods: Sequence[str]) -> pd.DataFrame:
    """Compare methods with `BASE` over the data sets: one row per method, with a verdict.

    Differences are relative and in distances, so that above zero is worse. The test is Wilcoxon's
    signed-rank test over the sets, with Holm's correction over the methods.
    """
    table = known.table(measure, "distance")
    baselines = table[[name for name in table if known.roles[name] != "paper"]].min(axis=1)
    own = table[[name for name in methods if name in table]]
    gaps = own.div(table[BASE], axis=0) - 1
    tests = [signed_rank_test(-gaps[method].dropna()) for method in gaps]
    clear_wins = known.clear_wins(measure)
    figures = {
        "mean": gaps.mean(),
        "median": gaps.median(),
        "better": [test["wins"] for test in tests],
        "worse": [test["losses"] for test in tests],
        "beats_mean": own.lt(table[MEAN], axis=0).sum(),
        "beats_all": own.lt(baselines, axis=0).sum(),
        "sets": gaps.count(),
        "clearly better on": [", ".join(clear_wins.get(method, [])) for method in gaps],
        "pvalue": holm([test["pvalue"] for test in tests]),
    }
    judged = pd.DataFrame(figures).rename_axis("method").reset_index()
    verdicts = ["better" if test["lead"] > 0 else "worse" for test in tests]
    is_clear = judged["pvalue"] < LEVEL
    return judged.assign(verdict=np.where(is_clear, verdicts, "no clear difference"))


def judge_all(known: Records) -> dict[str, pd.DataFrame]:
    """Return the verdicts by measure."""
    methods = sorted(where(known.main, role="paper")["method"].unique())
    targets = {"kl_divergence": methods, **TARGETS}
    return {measure: judge(known, measure, names) for measure, names in targets.items()}


def percent(value: float) -> str:
    """Format a relative difference."""
    return f"{100 * value:+.1f} %".replace("-", "−")


def basis(known: Records) -> str:
    """Return what the figures rest on."""
    runs = known.records.drop_duplicates("run")
    failed = int((runs["status"] != "ok").sum())
    hours = runs["seconds"].sum() / 3600
    versions = "; ".join(runs["versions"].unique())
    return (
        f"The figures rest on {len(runs)} runs, one of each method, set and fold, which took "
        f"{hours:.1f} hours of one core; {failed} of them failed or reached the time limit. "
        f"Versions: {versions}."
    )


def sentences(known: Records) -> str:
    """Return the main findings."""
    lines = []
    for measure, judged in judge_all(known).items():
        parts = []
        for word in ("better", "no clear difference", "worse"):
            names = list(judged.loc[judged["verdict"] == word, "method"])
            parts.append(f"{word}: {len(names)}" + (f" ({', '.join(names)})" if names else ""))
        title = MEASURES[measure].title
        lines.append(f"- {title}, {len(judged)} methods against `{BASE}`. {'; '.join(parts)}.")
    table = known.table("kl_divergence")
    methods = [name for name in table if known.roles[name] == "paper"]
    best = table.idxmin(axis=1)
    own = [f"{name} ({method})" for name, method in best.items() if method in methods]
    wins = table[methods].lt(table[MEAN], axis=0).sum()
    behind = int((wins < table[methods].notna().sum() / 2).sum())
    lines += [
        f"- Sets of {len(best)} on which one of these methods has the lowest Kullback-Leibler "
        f"divergence of all: {', '.join(own) or 'none'}.",
        f"- Methods of {len(methods)} that are better than the mean on less than half of the sets: "
        f"{behind}.",
    ]
    return "\n".join(lines)


def verdict_table(known: Records) -> str:
    """Return the table of verdicts."""
    tables = []
    for measure, judged in judge_all(known).items():
        judged.insert(1, "measure", MEASURES[measure].title)
        for column in ("mean", "median"):
            judged[column] = judged[column].map(percent)
        tables.append(judged)
    return markdown_table(pd.concat(tables))


def divergences(known: Records) -> str:
    """Return divergences, methods down and sets across, and the reasons of missing values."""
    shown = known.bold(known.table("kl_divergence")).T.rename_axis("method").reset_index()
    lines = [markdown_table(shown)]
    short = failures(where(known.records, variant=""))
    if len(short):
        lines += ["", "Without a value:", ""]
    for row in short.itertuples():
        lines.append(f"- {row.method} on {row.dataset}, {row.kind}: {row.reason.rstrip('.')}.")
    return "\n".join(lines)


def seconds(known: Records) -> str:
    """Return the median seconds of a fold, fit and prediction."""
    rows = where(known.main, status="ok").drop_duplicates("run")
    table = rows.pivot_table(index="method", columns="dataset", values="seconds", aggfunc="median")
    table = table.reindex(columns=[name for name in SETS_OF_SECONDS if name in table])
    return markdown_table(table.rename_axis(columns=None).reset_index(), digits=2)


def missing(known: Records) -> str:
    """Return divergences with missing degrees, and how often methods beat the filled tables."""
    variants = known.means["variant"].unique()
    shares = sorted(name for name in variants if name.endswith("missing"))
    tables = {share: known.table("kl_divergence", variant=share) for share in shares}
    cases = product(tables[shares[0]].index, shares)
    table = pd.DataFrame({f"{name}, {share}": tables[share].loc[name] for name, share in cases}).T
    filled = [name for name in table if known.roles[name] != "paper"]
    lines = [markdown_table(known.bold(table).rename_axis("set").reset_index()), ""]
    for name in table.columns.drop(filled):
        wins = [f"{other} in {int((table[name] < table[other]).sum())}" for other in filled]
        n_cases = int(table[name].notna().sum())
        lines.append(f"- {name}: better than {', '.join(wins)} of {n_cases} cases.")
    return "\n".join(lines)


def from_tags(known: Records, kind: str) -> str:
    """Return two distances of a part that learns from logical labels."""
    tables = []
    for measure in ("kl_divergence", "chebyshev"):
        table = known.bold(known.table(measure, kind=kind))
        head = f"{MEASURES[measure].title} ↓"
        tables.append(markdown_table(table.rename_axis(head).reset_index()))
    return "\n\n".join(tables)


BLOCKS: dict[str, Callable[[Records], str]] = {
    "basis": basis,
    "findings": sentences,
    "verdicts": verdict_table,
    "divergences": divergences,
    "seconds": seconds,
    "missing": missing,
    "recovery": partial(from_tags, kind="recovery"),
    "new rows": partial(from_tags, kind="new-rows"),
}
"""What is written between the markers of the page."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Rewrite the blocks of the page from the records of a store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path, help="SQLite file with records of further-learners")
    parser.add_argument("page", type=Path, help="Markdown file with the blocks")
    options = parser.parse_args(arguments)
    known = Records(read_store(options.store, attributes=True))
    for name, write in BLOCKS.items():
        replace_block(options.page, f"further-learners: {name}", f"\n{write(known)}\n")


if __name__ == "__main__":
    main()
