"""Votes on text: hard and soft labels and `choose_learner` on ChaosNLI.

``make chaosnli`` runs it. For each part of ChaosNLI and each kind of features, ten random splits:
the skill on the shares of all votes of the test items. Results are kept in a store, and existing
ones are not computed again. The table is written to the pages that show it.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit
from sklearn.pipeline import make_pipeline

from labeldist.comparison import Store, run_tasks
from labeldist.datasets import load_votes
from labeldist.learning import MeanDistribution, SoftLabelClassifier, choose_learner
from labeldist.metrics import get_scorer, skill
from labeldist.votes import noise_ceiling
from reproduction.findings import markdown_table, replace_block

SPLITS, TEST_SHARE = 10, 0.25
PAGES = (Path("README.md"), Path("docs/results/votes.md"))
C_GRID = {"estimator__C": np.logspace(-3, 2, 11)}


def tuned() -> Any:
    """Return logistic regression on repeated, weighted rows, with C chosen by cross-validation."""
    learner = SoftLabelClassifier(LogisticRegression(max_iter=1000))
    folds = KFold(3, shuffle=True, random_state=0)
    return GridSearchCV(learner, C_GRID, scoring=get_scorer("kl_divergence"), cv=folds)


def text_features(items: pd.DataFrame, train: Any) -> Any:
    """Return TF-IDF components of both sentences, fitted to the training rows."""
    blocks = []
    for name in ("premise", "hypothesis"):
        words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2)
        block = make_pipeline(words, TruncatedSVD(100, random_state=0))
        blocks.append(block.fit(items[name].iloc[train]).transform(items[name]))
    return np.hstack(blocks)


def majority(counts: Any) -> Any:
    """Return the labels with most votes as 0 and 1; equal numbers share."""
    top = counts == counts.max(axis=1, keepdims=True)
    return top / top.sum(axis=1, keepdims=True)


def measure(part: str, embeddings: Any, split: int, kind: str) -> dict[str, float]:
    """Return the skill of each method on one split."""
    data = load_votes(f"ChaosNLI_{part}")
    D, hard = data.votes.distributions, majority(data.votes.counts)
    train, test = list(ShuffleSplit(SPLITS, test_size=TEST_SHARE, random_state=0).split(D))[split]
    X = text_features(data.items, train) if kind == "text" else embeddings[part]
    models = {
        "mean": MeanDistribution().fit(X[train], D[train]),
        "hard labels": tuned().fit(X[train], hard[train]).best_estimator_,
        "soft labels": tuned().fit(X[train], D[train]).best_estimator_,
        "auto": choose_learner(X[train], D[train], random_state=0).estimator,
    }
    return {name: skill(D[test], model.predict(X[test])) for name, model in models.items()}


@dataclass(frozen=True)
class Split:
    """The task of one split of one part with one kind of features."""

    part: str
    kind: str
    number: int
    embeddings: Path | None

    @property
    def key(self) -> str:
        """The identity of the split."""
        return f"{self.part} {self.kind} {self.number}"

    title = key

    def __call__(self) -> dict[str, float]:
        """Return the skill of each method."""
        embeddings = np.load(self.embeddings) if self.embeddings else {}
        return measure(self.part, embeddings, self.number, self.kind)


def main() -> None:
    """Compute what is missing, print the table and write it to the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--embeddings", type=Path, help="output of reproduction/sentence_embeddings.py"
    )
    parser.add_argument("--store", type=Path, default=Path("build/chaosnli.sqlite"))
    options = parser.parse_args()
    kinds = ["text", "embeddings"] if options.embeddings else ["text"]
    splits = product(range(SPLITS), ("SNLI", "MNLI"), kinds)
    tasks = [Split(part, kind, number, options.embeddings) for number, part, kind in splits]
    with Store(options.store) as store:
        store.forget_failures()
        for result in run_tasks(tasks, store):
            if result.reason:
                sys.exit(f"{result.key}: {result.reason}")
        results = store.results()
    skills = {tuple(key.split()): result.values for key, result in results.items()}
    text = results_table(pd.DataFrame(skills).T)
    print(text)
    for page in PAGES:
        replace_block(page, "chaosnli", text)


def results_table(skills: pd.DataFrame) -> str:
    """Return mean skills, the difference of automatic choice and soft labels, and the ceiling."""
    groups = skills.rename_axis(["part", "features", "split"]).groupby(level=[0, 1], sort=False)
    table = groups.mean()
    gains = groups.apply(lambda rows: (rows["auto"] - rows["soft labels"]).agg(["mean", "sem"]))
    table["auto − soft"] = [f"{mean:+.3f} ± {error:.3f}" for mean, error in gains.to_numpy()]
    parts = [load_votes(f"ChaosNLI_{part}") for part, _ in table.index]
    table["ceiling"] = [noise_ceiling(part.votes) for part in parts]
    return markdown_table(table.reset_index(), digits=3).replace("-", "−").replace("−−−", "---")


if __name__ == "__main__":
    main()
