"""Degrees from few votes, compared with the truth and with other votes; ``make few-votes`` runs it.

On the benchmark sets votes are drawn from the true distributions, of at most 600 rows. On real
votes three per item are known, and the others judge. Finished runs are kept in a store. The tables
are written to the page of results, and the picture beside it.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.special import xlogy
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from labeldist import VoteLE
from labeldist.comparison import Store, run_tasks
from labeldist.datasets import list_datasets, load_dataset, load_votes
from labeldist.learning import SoftmaxRegression
from labeldist.metrics import kl_divergence
from labeldist.votes import from_votes
from reproduction.findings import markdown_table, replace_block

N_VOTES = (2, 3, 5, 10)
SEEDS = range(5)
MAX_ROWS = 600
KNOWN = 3
METHODS = ("overall shares", "counting", "smoothing", "VoteLE", "VoteLE, features")
REAL = ("POPQUORN", "ChaosNLI_SNLI", "ChaosNLI_MNLI")
PAGE = Path("docs/results/few_votes.md")
PICTURE = Path("docs/images/few_votes.png")


def estimate(X: Any, counts: Any, learner: Any) -> dict[str, Any]:
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
    return {**dict(zip(METHODS, degrees, strict=True)), "enhancer": with_features}


@dataclass(frozen=True)
class SimulatedVotes:
    """Votes drawn from the distributions of a benchmark set, and the divergence of each method."""

    name: str
    n_votes: int
    seed: int

    @property
    def key(self) -> str:
        """The identity of the run."""
        return f"{self.name}:{self.n_votes}:{self.seed}"

    title = key

    def __call__(self) -> Mapping[str, float]:
        """Return KL(truth, estimate) and the coverage of 90 % intervals."""
        data = load_dataset(self.name)
        rows = np.arange(len(data.target))
        if len(rows) > MAX_ROWS:
            rows = np.random.default_rng(0).permutation(len(rows))[:MAX_ROWS]
        D = data.target[rows]
        random = np.random.default_rng(self.seed)
        counts = np.array([random.multinomial(self.n_votes, row) for row in D])
        found = estimate(data.data[rows], counts, "auto")
        lower, upper = found.pop("enhancer").interval(0.9)
        values = {name: float(kl_divergence(D, P)) for name, P in found.items()}
        return {**values, "coverage": float(((lower <= D) & (upper >= D)).mean())}


@dataclass(frozen=True)
class RealVotes:
    """Three known votes on each item, and the log loss of the other votes for each method."""

    name: str
    seed: int

    @property
    def key(self) -> str:
        """The identity of the run."""
        return f"{self.name}:{KNOWN}:{self.seed}"

    title = key

    def __call__(self) -> Mapping[str, float]:
        """Return the mean log loss of the votes that are not known."""
        texts, counts = read_votes(self.name)
        random = np.random.default_rng(self.seed)
        known = np.array([random.multivariate_hypergeometric(row, KNOWN) for row in counts])
        words = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True, min_df=2)
        found = estimate(texts, known, make_pipeline(words, SoftmaxRegression(tol=1e-3)))
        del found["enhancer"]
        others = counts - known
        return {name: -float(xlogy(others, P).sum() / others.sum()) for name, P in found.items()}


def read_votes(name: str) -> tuple[Any, Any]:
    """Return the texts and the counts of votes of a set."""
    if name == "POPQUORN":
        file = Path(os.environ["LABELDIST_VOTES"]) / "popquorn_offensiveness.csv"
        table = pd.read_csv(file)
        votes = from_votes(table, item="instance_id", label="offensiveness")
        texts = table.drop_duplicates("instance_id").set_index("instance_id")["text"]
        texts = texts.loc[votes.items]
    else:
        data: Any = load_votes(name)
        votes = data.votes
        texts = data.items["premise"] + " " + data.items["hypothesis"]
    return texts.to_numpy(), votes.counts.astype(np.int64)


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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, default=Path("build/few_votes.sqlite"))
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    options.store.parent.mkdir(parents=True, exist_ok=True)
    simulated = [
        SimulatedVotes(name, n, seed) for seed in SEEDS for name in list_datasets() for n in N_VOTES
    ]
    real = [RealVotes(name, seed) for seed in SEEDS for name in REAL]
    with Store(options.store) as store:
        for result in run_tasks([*real, *simulated], store, n_jobs=options.jobs):
            if result.reason:
                print(result.key, result.reason)
        results = store.results()
    rows = []
    for key, result in results.items():
        name, n_votes, _ = key.split(":")
        rows.append({"data set": name, "votes": int(n_votes), **result.values})
    frame = pd.DataFrame(rows)
    means = frame.groupby(["data set", "votes"], as_index=False).mean()
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
