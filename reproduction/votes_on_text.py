"""Votes on text: hard and soft labels and `choose_learner` on ChaosNLI.

``make chaosnli`` runs it. For each part of ChaosNLI and each kind of features, ten random splits:
the skill on the shares of all votes of the test items. Results are appended to a CSV file, and
existing ones are not computed again. The table is written to the pages that show it.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit
from sklearn.pipeline import make_pipeline

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


def chosen(X: Any, D: Any) -> Any:
    """Return the learner that ``labeldist fit --method auto`` chooses."""
    return choose_learner(X, D, random_state=0).estimator


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
        "majority vote": tuned().fit(X[train], hard[train]).best_estimator_,
        "logistic regression on shares": tuned().fit(X[train], D[train]).best_estimator_,
        "auto": chosen(X[train], D[train]),
    }
    return {name: skill(D[test], model.predict(X[test])) for name, model in models.items()}


def main() -> None:
    """Compute what is missing, print the table and write it to the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--embeddings", type=Path, help="output of reproduction/sentence_embeddings.py"
    )
    parser.add_argument("--store", type=Path, default=Path("build/chaosnli.csv"))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    embeddings = np.load(options.embeddings) if options.embeddings else {}
    kinds = ["text", *(["embeddings"] if options.embeddings else [])]
    options.store.parent.mkdir(parents=True, exist_ok=True)
    options.store.touch()
    done = {tuple(row[:3]) for row in csv.reader(options.store.open())}
    for split in range(SPLITS):
        for part, kind in ((part, kind) for part in ("SNLI", "MNLI") for kind in kinds):
            if (part, kind, str(split)) in done:
                continue
            skills = measure(part, embeddings, split, kind)
            with options.store.open("a", newline="") as file:
                csv.writer(file).writerows(
                    [part, kind, split, name, skill] for name, skill in skills.items()
                )
    text = results_table(options.store)
    print(text)
    for page in PAGES:
        replace_block(page, "chaosnli", text)


def results_table(store: Path) -> str:
    """Return mean skills, the difference of automatic choice and soft labels, and the ceiling."""
    frame = pd.read_csv(store, names=["part", "features", "split", "method", "skill"])
    wide = frame.pivot_table(
        index=["part", "features", "split"], columns="method", values="skill", sort=False
    )
    wide = wide.rename(
        columns={"majority vote": "hard labels", "logistic regression on shares": "soft labels"}
    )
    gain = (
        (wide["auto"] - wide["soft labels"])
        .groupby(["part", "features"], sort=False)
        .agg(["mean", "sem"])
    )
    table = wide.groupby(["part", "features"], sort=False).mean()
    table["auto − soft"] = [f"{mean:+.3f} ± {error:.3f}" for mean, error in gain.to_numpy()]
    ceilings = {
        part: noise_ceiling(load_votes(f"ChaosNLI_{part}").votes) for part in ("SNLI", "MNLI")
    }
    table["ceiling"] = [ceilings[part] for part, _ in table.index]
    return markdown_table(table.reset_index(), digits=3).replace("-", "−").replace("−−−", "---")


if __name__ == "__main__":
    main()
