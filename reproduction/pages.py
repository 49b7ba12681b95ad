"""Tables of the documentation, written as Markdown files from the records of a store.

Every page needs records of certain experiments; tables without records are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pandas as pd

from labeldist.datasets import list_datasets
from labeldist.metrics import PAPER_MEASURES
from reproduction.files import write_text
from reproduction.findings import bold_best, markdown_table
from reproduction.paper import FOLDER, MARGIN, paper_cells
from reproduction.significance import by_dataset, paired_leads, place, summary, where
from reproduction.spec import load_spec

Section = tuple[str, pd.DataFrame]
"""The title of a table and its content."""


class Records:
    """Records of a store, with the selections that the pages need."""

    def __init__(self, records: pd.DataFrame) -> None:
        self.records = records
        self.means = summary(records)

    def select(
        self, experiment: str, measure: str, column: str = "mean", **which: str
    ) -> pd.DataFrame:
        """Return means of a measure: one row per data set, one column per method."""
        rows = where(self.means, experiment=experiment, measure=measure, **which)
        return _ordered(by_dataset(rows, column), experiment)

    def over_seeds(self, experiment: str, measure: str, variant: str) -> pd.DataFrame:
        """Return means over all seeds, also of an attribute, data sets down and methods across."""
        rows = where(self.records, experiment=experiment, variant=variant, measure=measure)
        return _ordered(by_dataset(rows, "value"), experiment)


def _ordered(table: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """Return a table with methods in the order of the spec, and data sets in their usual order."""
    methods = [method.name for part in load_spec(experiment).part for method in part.method]
    columns = [name for name in dict.fromkeys([*methods, *table]) if name in table]
    datasets = sorted(table.index, key=partial(place, order=list_datasets()))
    return table.loc[datasets, columns].rename_axis(columns=None)


def write_pages(records: pd.DataFrame, folder: Path) -> list[Path]:
    """Write the tables of each page to a Markdown file in `folder`, and return the paths.

    The records include attributes (see `reproduction.runner.read_store`).
    """
    known = Records(records)
    written = []
    for name, page in PAGES.items():
        sections = [(title, table) for title, table in page(known) if len(table)]
        texts = [f"## {title}\n\n{markdown_table(table)}\n" for title, table in sections]
        if texts:
            written.append(folder / f"{name}.md")
            write_text(written[-1], "\n".join(texts))
    return written


def _bold_best(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    rises = PAPER_MEASURES[measure].higher_is_better
    return _with_sets(bold_best(table, higher_is_better=rises)) if len(table) else table


def _paper(experiment: str, method: str, measure: str) -> pd.Series:
    cells = where(paper_cells(), experiment=experiment, method=method, measure=measure)
    return cells.set_index("dataset")["value"]


def _with_sets(table: pd.DataFrame, head: str = "data set") -> pd.DataFrame:
    """Return a table with its index as the first column, without empty columns."""
    return table.dropna(axis=1, how="all").rename_axis(head).reset_index()


def results(known: Records) -> Iterator[Section]:
    """Yield recovery by BD-LE, BayesLE and baselines, and prediction by BD-LDL and the mean."""
    for measure in PAPER_MEASURES:
        table = known.select("le-recovery", measure)
        if len(table):
            table = table.reindex(columns=["BD-LE", "Uniform", "LogicalSoftmax", "BayesLE"])
            table.insert(0, "BD-LE, paper", _paper("le-recovery", "BD-LE", measure))
        yield f"Recovery, {PAPER_MEASURES[measure].heading}", _bold_best(table, measure)
    for measure in PAPER_MEASURES:
        published = known.select("ldl-prediction", measure).reindex(columns=["BD-LDL", "Mean"])
        settings = known.select("defaults", measure, kind="prediction")
        settings = settings.reindex(columns=["UD-LDL", "BDLDL()", "BDLDL(ridge=10.0)"])
        both = published.join(settings, how="inner")
        yield f"Prediction, {PAPER_MEASURES[measure].heading}", _bold_best(both, measure)
    for measure in ("kl_divergence", "clark", "cosine"):
        chosen = known.select("choice", measure)
        yield f"choose_learner, {PAPER_MEASURES[measure].heading}", _bold_best(chosen, measure)


def enhancers(known: Records) -> Iterator[Section]:
    """Yield one table per enhancer: the paper's values and ours under two output maps."""
    for method in known.select("enhancers", "chebyshev", variant="softmax"):
        columns = {}
        for measure in ("chebyshev", "cosine"):
            printed = _paper("le-recovery", method.split(",")[0], measure)
            heading = PAPER_MEASURES[measure].heading
            for output in ("softmax", "clip"):
                ours = known.select("enhancers", measure, variant=output)[method]
                columns[f"{heading}, paper"] = printed.reindex(ours.index)
                columns[f"{heading}, {output}"] = ours
        yield str(method), _with_sets(pd.DataFrame(columns))


def learners(known: Records) -> Iterator[Section]:
    """Yield one table per learner: values of the paper, ours, of the mean, and the skill."""
    tables = {}
    for measure in ("clark", "cosine", "kl_divergence"):
        further = known.select("learners", measure).drop(columns="Mean", errors="ignore")
        tables[measure] = known.select("ldl-prediction", measure).join(further)
    divergence = tables.pop("kl_divergence")
    for method in divergence.columns.drop("Mean", errors="ignore"):
        columns: dict[str, pd.Series] = {}
        for measure, table in tables.items():
            ours, printed = table[method], _paper("ldl-prediction", method.split(",")[0], measure)
            far = (ours / printed.reindex(ours.index) - 1).abs() > MARGIN
            heading = PAPER_MEASURES[measure].heading
            marks = far.map({True: "*", False: ""})
            columns[f"{heading}, paper"] = printed
            columns[f"{heading}, ours"] = ours.map("{:.4f}".format) + marks
            columns[f"{heading}, mean"] = table["Mean"]
        columns["skill"] = 1 - divergence[method] / divergence["Mean"]
        yield method, _with_sets(pd.DataFrame(columns, index=divergence.index))


def defaults(known: Records) -> Iterator[Section]:
    """Yield effects of options, BD-LDL tuned for a measure, and BDLDLCV against the mean."""
    divergence = known.select("defaults", "kl_divergence", kind="prediction")
    if len(divergence):
        shares = divergence.drop(columns=["Mean", "UD-LDL"]).div(divergence["Mean"], axis=0).T
        title = "BDLDL: Kullback-Leibler as a share of that of the mean"
        yield title, _with_sets(shares, "setting")
    distances = known.select("defaults", "chebyshev", kind="recovery").T
    yield "BDLE: Chebyshev distance", _with_sets(distances, "setting")
    goals = pd.read_csv(FOLDER / "goals.csv")
    tuned = where(known.means, experiment="tuned").rename(columns={"mean": "reached"})
    keys = ["dataset", "method", "measure"]
    goals = goals.merge(tuned[tuned["variant"] == tuned["measure"]], on=keys)
    yield "Tuned for a measure", goals[[*keys, "goal", "reached"]]
    leads = paired_leads(known.records, "tuned", "BDLDLCV()", "Mean", variant="shuffles")
    leads = leads[leads["measure"].isin(["kl_divergence", "clark", "cosine"])]
    gain = [f"{row.lead:+.5f} ± {row.deviation:.5f}" for row in leads.itertuples()]
    gains = leads.assign(gain=gain).pivot(index="dataset", columns="measure", values="gain")
    title = "Gain of BDLDLCV() over the mean, five shuffles of ten folds"
    yield title, gains.rename_axis(None, axis=1).reset_index()


def bayes_le_figures(known: Records) -> Iterator[Section]:
    """Yield recovery and the best other method, wrong tags, other rules, features, new rows."""
    yield "Recovery: mean over seeds, the best other method in brackets", _best_rivals(known)
    variants = where(known.records, experiment="bayes-le")["variant"].unique()
    for variant in variants[variants != "recovery"]:
        table = known.over_seeds("bayes-le", "kl_divergence", variant)
        for attribute in ("noise_", "explained_"):
            values = known.over_seeds("bayes-le", attribute, variant)
            if len(values):
                table[attribute] = values.iloc[:, 0]
        yield f"{variant}: {PAPER_MEASURES['kl_divergence'].heading}", _with_sets(table)


def _best_rivals(known: Records) -> pd.DataFrame:
    columns = {}
    for measure, info in PAPER_MEASURES.items():
        table = known.over_seeds("bayes-le", measure, "recovery")
        if "BayesLE" not in table:
            return pd.DataFrame()
        others = table.drop(columns="BayesLE")
        sign = -1 if info.higher_is_better else 1
        names = (sign * others).idxmin(axis=1)
        best = sign * (sign * others).min(axis=1)
        columns[info.heading] = (
            table["BayesLE"].map("{:.4f}".format) + " (" + names + best.map(" {:.4f})".format)
        )
    for attribute in ("spread_", "noise_"):
        columns[attribute] = known.over_seeds("bayes-le", attribute, "recovery")["BayesLE"]
    return _with_sets(pd.DataFrame(columns))


PAGES: dict[str, Callable[[Records], Iterator[Section]]] = {
    "results": results,
    "enhancers": enhancers,
    "learners": learners,
    "defaults": defaults,
    "bayes_le_figures": bayes_le_figures,
}
"""The pages of the documentation whose tables are generated."""
