"""Votes on text: hard labels, soft labels and `labeldist fit` on ChaosNLI, POPQUORN and ConvAbuse.

``make chaosnli`` runs it. For each set and each kind of features, random splits: the skill on the
shares of all votes of the test items. Results are kept in a store, and existing ones are not
computed again. The table is written to the page that shows it. POPQUORN is the file
popquorn_offensiveness.csv in LABELDIST_VOTES.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import ShuffleSplit

from labeldist.datasets import load_votes
from labeldist.learning import MeanDistribution, SoftmaxRegressionCV, choose_learner
from labeldist.metrics import skill
from labeldist.models import load
from labeldist.votes import VoteDistributions, from_votes, noise_ceiling
from reproduction.findings import markdown_table, replace_block
from reproduction.tasks import run_all, task_of

SPLITS, TEST_SHARE = 5, 0.25
STORE = Path("build/votes_on_text.sqlite")
EMBEDDED = Path("build/embeddings.npz")
"""The output of reproduction/sentence_embeddings.py."""

PAGE = Path("docs/results/votes.md")
RIDGES = np.logspace(-2, 3, 11).tolist()  # 1/C of logistic regression
TERMS: tuple[dict[str, Any], ...] = (
    {"ngram_range": (1, 2)},
    {"analyzer": "char_wb", "ngram_range": (2, 5)},
)
LEARNERS = ("mean", "hard labels", "soft labels", "auto")
TEXT = "text"
EMBEDDINGS = "embeddings"


class VotesOnText(NamedTuple):
    """Votes, and the texts of their items."""

    votes: VoteDistributions
    texts: pd.DataFrame


def chaosnli(part: str) -> VotesOnText:
    """Return the pairs of sentences of a part of ChaosNLI."""
    data = load_votes(f"ChaosNLI_{part}")
    items: Any = data.items
    return VotesOnText(data.votes, items[["premise", "hypothesis"]])


def popquorn() -> VotesOnText:
    """Return the comments of POPQUORN, with votes on their offensiveness."""
    frame = pd.read_csv(Path(os.environ["LABELDIST_VOTES"]) / "popquorn_offensiveness.csv")
    votes = from_votes(frame, item="instance_id", label="offensiveness")
    texts = frame.groupby("instance_id")["text"].first().loc[votes.items]
    return VotesOnText(votes, texts.to_frame().reset_index(drop=True))


def convabuse() -> VotesOnText:
    """Return the conversations of ConvAbuse_dev, with votes on abuse."""
    data = load_votes("ConvAbuse_dev")
    items: Any = data.items
    turns = items.drop(columns="item").fillna("")
    texts = turns.agg(" / ".join, axis=1).to_frame("text")
    return VotesOnText(data.votes, texts)


SETS: dict[str, Callable[[], VotesOnText]] = {
    "SNLI": partial(chaosnli, "SNLI"),
    "MNLI": partial(chaosnli, "MNLI"),
    "POPQUORN": popquorn,
    "ConvAbuse": convabuse,
}


def tuned() -> Any:
    """Return logistic regression, with C chosen by cross-validation.

    The model is the same as ``SoftLabelClassifier(LogisticRegression(C=1 / ridge))``.
    """
    return SoftmaxRegressionCV(RIDGES, cv=3)


def features_of_text(texts: pd.DataFrame, train: Any) -> Any:
    """Return sparse TF-IDF weights of all columns, with the terms of the training rows."""
    blocks = []
    for name in texts.columns:
        for options in TERMS:
            vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2, **options)
            blocks.append(vectorizer.fit(texts[name].iloc[train]).transform(texts[name]))
    return sparse.csr_matrix(sparse.hstack(blocks))


def majority(counts: Any) -> Any:
    """Return the labels with most votes as 0 and 1; equal numbers share."""
    top = counts == counts.max(axis=1, keepdims=True)
    return top / top.sum(axis=1, keepdims=True)


def predict_by_command(texts: pd.DataFrame, D: Any, train: Any, test: Any) -> Any:
    """Return the predictions of the model that ``labeldist fit --prepare`` saves."""
    labels = [f"label_{k}" for k in range(D.shape[1])]
    table = texts.join(pd.DataFrame(D, columns=labels)).iloc[train]
    with TemporaryDirectory() as folder:
        source = Path(folder, "table.csv")
        model = Path(folder, "model.skops")
        table.to_csv(source, index=False)
        options = ["--labels", ",".join(labels), "--prepare", "-o", str(model)]
        command = [sys.executable, "-m", "labeldist", "fit", str(source), *options]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603  # our own command
        return load(model).predict(texts.iloc[test])


def measure(name: str, kind: str, split: int) -> dict[str, float]:
    """Return the skill of each method on one split of a set, with one kind of features."""
    data = SETS[name]()
    D = data.votes.distributions
    hard = majority(data.votes.counts)
    splits = ShuffleSplit(SPLITS, test_size=TEST_SHARE, random_state=0).split(D)
    train, test = list(splits)[split]
    if kind == TEXT:
        X = features_of_text(data.texts, train)
        automatic = predict_by_command(data.texts, D, train, test)
    else:
        X = np.load(EMBEDDED)[name]
        choice = choose_learner(X[train], D[train], random_state=0)
        automatic = choice.estimator.predict(X[test])
    predictions = {
        "mean": MeanDistribution().fit(X[train], D[train]).predict(X[test]),
        "hard labels": tuned().fit(X[train], hard[train]).predict(X[test]),
        "soft labels": tuned().fit(X[train], D[train]).predict(X[test]),
        "auto": automatic,
    }
    return {method: skill(D[test], P) for method, P in predictions.items()}


def main() -> None:
    """Compute what is missing, print the table and write it to the page."""
    cases = [*product(SETS, [TEXT]), *product(np.load(EMBEDDED), [EMBEDDINGS])]
    tasks = [task_of(measure, *case, split) for case in cases for split in range(SPLITS)]
    text = results_table(run_all(tasks, STORE))
    print(text)
    replace_block(PAGE, "chaosnli", text)


def results_table(skills: pd.DataFrame) -> str:
    """Return mean skills, the difference of automatic choice and soft labels, and the ceiling."""
    skills = skills.rename_axis(["votes", "features", "split"])
    groups = skills.assign(gain=skills["auto"] - skills["soft labels"]).groupby(level=[0, 1])
    order = [(name, kind) for name in SETS for kind in (TEXT, EMBEDDINGS)]
    table = groups.mean().reindex(order)[[*LEARNERS, "gain"]].dropna()
    errors = groups["gain"].sem()[table.index].map(" ± {:.3f}".format)
    table["auto − soft"] = table.pop("gain").map("{:+.3f}".format) + errors
    table["ceiling"] = [noise_ceiling(SETS[name]().votes) for name, _ in table.index]
    return re.sub(r"-(?=\d)", "−", markdown_table(table.reset_index(), digits=3))


if __name__ == "__main__":
    main()
