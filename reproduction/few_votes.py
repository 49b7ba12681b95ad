"""Degrees from few votes, compared with the truth and with other votes; ``make few-votes`` runs it.

On the benchmark sets votes are drawn from the true distributions, of at most 600 rows. On real
votes three per item are known, and the others judge. Finished runs are kept in a store. The tables
are written to the page of results, and the picture beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.special import xlogy
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from labeldist import VoteLE
from labeldist.datasets import list_datasets, load_dataset
from labeldist.learning import SoftmaxRegression
from labeldist.metrics import kl_divergence
from labeldist.votes import from_votes
from reproduction.findings import markdown_table, replace_block
from reproduction.tasks import run_all, task_of
from reproduction.votes_on_text import SETS

N_VOTES = (2, 3, 5, 10)
SEEDS = range(5)
MAX_ROWS = 600
KNOWN = 3
METHODS = ("overall shares", "counting", "smoothing", "VoteLE", "VoteLE, features")
REAL = ("POPQUORN", "ChaosNLI_SNLI", "ChaosNLI_MNLI")
STORE = Path("build/few_votes.sqlite")
PAGE = Path("docs/results/few_votes.md")
PICTURE = Path("docs/images/few_votes.png")


def estimate(X: Any, counts: Any, learner: Any) -> tuple[dict[str, Any], VoteLE]:
    """Return the degrees of each method, and VoteLE with features itself."""
    shares = counts.sum(axis=0) / counts.sum()
    with_features = VoteLE(learner).fit(X, counts)
    degrees = (
        np.broadcast_to(shares, counts.shape),
        from_votes(counts, smoothing=1).distributions,
        from_votes(counts, smoothing="auto").distributions,
        VoteLE().fit(None, counts).label_distributions_,
        with_features.label_distributions_,
    )
    return dict(zip(METHODS, degrees, strict=True)), with_features


def simulated_votes(name: str, n_votes: int, seed: int) -> Mapping[str, float]:
    """Draw votes from a benchmark set; return KL(truth, estimate) and coverage of intervals."""
    data = load_dataset(name)
    rows = np.arange(len(data.target))
    if len(rows) > MAX_ROWS:
        rows = np.random.default_rng(0).permutation(len(rows))[:MAX_ROWS]
    D = data.target[rows]
    random = np.random.default_rng(seed)
    counts = np.array([random.multinomial(n_votes, row) for row in D])
    found, with_features = estimate(data.data[rows], counts, "auto")
    lower, upper = with_features.interval(0.9)
    values = {name: float(kl_divergence(D, P)) for name, P in found.items()}
    return {**values, "coverage": float(((lower <= D) & (upper >= D)).mean())}


def real_votes(name: str, n_known: int, seed: int) -> Mapping[str, float]:
    """Return the mean log loss of the votes on each item that are not known."""
    texts, counts = read_votes(name)
    random = np.random.default_rng(seed)
    known = np.array([random.multivariate_hypergeometric(row, n_known) for row in counts])
    words = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True, min_df=2)
    found, _ = estimate(texts, known, make_pipeline(words, SoftmaxRegression(tol=1e-3)))
    others = counts - known
    return {name: -float(xlogy(others, P).sum() / others.sum()) for name, P in found.items()}


def read_votes(name: str) -> tuple[Any, Any]:
    """Return the texts and the counts of votes of a set."""
    data = SETS[name.removeprefix("ChaosNLI_")]()
    texts = data.texts.agg(" ".join, axis=1)
    return texts.to_numpy(), data.votes.counts.astype(np.int64)


def draw_picture(table: pd.DataFrame) -> None:
    """Draw the error of each method against the number of votes, a panel per set."""
    figure, panels = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
    for panel, name in zip(panels, ("SBU_3DFE", "Movie", "Natural_Scene"), strict=True):
        of_set = table[table["data set"] == name]
        for method in METHODS[1:]:
            panel.plot(of_set["votes"], of_set[method], marker="o", label=method)
        panel.set_title(name)
        panel.set_xlabel("votes per item")
        panel.set_xticks(N_VOTES)
        panel.set_yscale("log")
    panels[0].set_ylabel("KL to the truth")
    panels[0].legend(fontsize="small")
    figure.savefig(PICTURE, dpi=120)


def main() -> None:
    """Compute what is missing, and write tables and picture."""
    simulated = product(list_datasets(), N_VOTES, SEEDS)
    real = product(REAL, [KNOWN], SEEDS)
    tasks = [
        *(task_of(real_votes, *arguments) for arguments in real),
        *(task_of(simulated_votes, *arguments) for arguments in simulated),
    ]
    values = run_all(tasks, STORE)
    values.index = values.index.set_names(["data set", "votes", "seed"])
    means = values.groupby(level=["data set", "votes"]).mean().reset_index()
    means = means.astype({"votes": int}).sort_values(["data set", "votes"])
    is_real = means["data set"].isin(REAL)
    of_sets = means[~is_real]
    coverage = of_sets.pivot_table(index="data set", columns="votes", values="coverage")
    tables = {
        "simulated": markdown_table(of_sets[["data set", "votes", *METHODS]]),
        "real": markdown_table(means[is_real][["data set", *METHODS]], digits=3),
        "coverage": markdown_table(coverage.reset_index(), digits=2),
    }
    for block, text in tables.items():
        replace_block(PAGE, block, text)
    draw_picture(of_sets)


if __name__ == "__main__":
    main()
