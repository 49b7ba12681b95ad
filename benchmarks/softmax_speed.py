"""Time of SoftmaxRegressionCV beside LogisticRegressionCV on repeated, weighted rows.

``make softmax-speed`` prints CPU seconds with one thread, the best of several runs in turn, and the
penalised objective of both at the ridge that SoftmaxRegressionCV chose. All copies of a row are in
the same fold. LABELDIST_DATA and LABELDIST_VOTES name the folders of the data; the latter holds
popquorn_offensiveness.csv.
"""

import argparse
import os
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.special import log_softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.tables import row, table
from labeldist.datasets import load_dataset, load_votes
from labeldist.learning import SoftmaxRegressionCV
from labeldist.votes import from_votes

RIDGES = np.logspace(-3, 3, 13)
TOL = 1e-5  # of both
MINUTE = 60
WORDS = {"ngram_range": (1, 2)}
CHARACTERS = {"analyzer": "char_wb", "ngram_range": (2, 5)}


def tables() -> Iterator[tuple[str, Any, Any]]:
    """Yield names, features and distributions."""
    for name in ("Yeast_alpha", "SBU_3DFE"):
        data = load_dataset(name)
        yield name, StandardScaler().fit_transform(data.data), data.target
    for name, read in (("POPQUORN", popquorn), ("ChaosNLI", chaosnli)):
        texts, D = read()
        for kind, options in (("words", WORDS), ("character n-grams", CHARACTERS)):
            vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2, **options)
            blocks = [vectorizer.fit_transform(cells) for cells in texts]
            yield f"{name}, {kind}", sparse.csr_matrix(sparse.hstack(blocks)), D


def popquorn() -> tuple[list[Any], Any]:
    """Return the texts of POPQUORN, and the shares of the votes on their offensiveness."""
    path = Path(os.environ["LABELDIST_VOTES"]) / "popquorn_offensiveness.csv"
    frame = pd.read_csv(path)
    votes = from_votes(frame, item="instance_id", label="offensiveness")
    texts = frame.groupby("instance_id")["text"].first()
    return [texts.loc[votes.items]], votes.distributions


def chaosnli() -> tuple[list[Any], Any]:
    """Return the premises and the hypotheses of ChaosNLI, and the shares of the votes."""
    parts = [load_votes(f"ChaosNLI_{part}") for part in ("SNLI", "MNLI")]
    items = pd.concat([part.items for part in parts])
    D = np.vstack([part.votes.distributions for part in parts])
    return [items["premise"], items["hypothesis"]], D


def objective(X: Any, D: Any, model: Any, ridge: float) -> float:
    """Return the penalised cross-entropy of a fitted model."""
    scores = X @ model.coef_.T + model.intercept_
    return float(-(D * log_softmax(scores, axis=1)).sum() + ridge / 2 * (model.coef_**2).sum())


def seconds(function: Callable[[], Any]) -> float:
    """Return the CPU time of a call."""
    start = time.process_time()
    function()
    return time.process_time() - start


def compare(X: Any, D: Any, repeats: int) -> list[str]:
    """Return times, their ratio and the difference of the objectives, as text."""
    rows, classes = np.nonzero(D)
    repeated = X[rows]
    weight = D[rows, classes]
    folds = list(KFold(5, shuffle=True, random_state=0).split(X))
    of_repeated = []
    for _, test in folds:
        is_test = np.isin(rows, test)
        of_repeated.append((np.flatnonzero(~is_test), np.flatnonzero(is_test)))
    ours = SoftmaxRegressionCV(RIDGES, folds, tol=TOL)
    theirs = LogisticRegressionCV(Cs=1 / RIDGES, cv=of_repeated, scoring="neg_log_loss", tol=TOL)
    times: list[float] = []
    times_of_theirs: list[float] = []
    for _ in range(repeats):
        times.append(seconds(lambda: ours.fit(X, D)))
        if min(times_of_theirs, default=0) < MINUTE:
            times_of_theirs.append(
                seconds(lambda: theirs.fit(repeated, classes, sample_weight=weight))
            )
    same = LogisticRegression(C=1 / ours.ridge_, tol=TOL, max_iter=1000)
    same.fit(repeated, classes, sample_weight=weight)
    ratio = min(times_of_theirs) / min(times)
    gain = objective(X, D, same, ours.ridge_) - objective(X, D, ours, ours.ridge_)
    return [f"{min(times):.2f}", f"{min(times_of_theirs):.2f}", f"{ratio:.1f}", f"{gain:.1e}"]


def main() -> None:
    """Print one row per table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.simplefilter("ignore", FutureWarning)  # scikit-learn announces other defaults
    print(table("table", "ours, s", "scikit-learn, s", "ratio", "objective: scikit-learn − ours"))
    with threadpool_limits(1):
        for name, X, D in tables():
            print(row(name, *compare(X, D, options.repeats)), flush=True)


if __name__ == "__main__":
    main()
