"""Predict the distributions of the thirteen benchmark sets, ten folds, with BD-LDL and with the mean.

``make prediction`` prints all six measures for the published setting and for the library's default, and says on which
sets the mean of the training distributions is better.
"""

import argparse

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold

from benchmarks.tables import Scores, header, rows, where_others_win
from labeldist import BDLDL
from labeldist._typing import Array
from labeldist.datasets import list_datasets, load_dataset
from labeldist.learning import MeanDistribution
from labeldist.metrics import MEASURES, score_all

LEARNERS = {
    "BD-LDL, published": BDLDL(reconstruction=1e-3, ridge=1e-2, fit_intercept=False),
    "UD-LDL": BDLDL(reconstruction=0, ridge=1e-2, fit_intercept=False),
    "BDLDL()": BDLDL(),
    "BDLDL(ridge=10)": BDLDL(ridge=10),
    "MeanDistribution": MeanDistribution(),
}


def ten_folds(learner: object, X: Array, D: Array, seed: int = 0) -> Scores:
    """Return the mean over ten shuffled folds of every measure."""
    folds = []
    for train, test in KFold(10, shuffle=True, random_state=seed).split(X):
        model = clone(learner).fit(X[train], D[train])
        folds.append(score_all(D[test], model.predict(X[test])))
    return {measure: float(np.mean([scores[measure] for scores in folds])) for measure in MEASURES}


def main() -> None:
    """Print the table and the verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list_datasets(), help="benchmark sets (default: all thirteen)")
    results = {}
    print(header())
    for name in parser.parse_args().sets:
        X, D = load_dataset(name, return_X_y=True)
        results[name] = {method: ten_folds(learner, X, D) for method, learner in LEARNERS.items()}
        print(*rows(name, results[name]), sep="\n", flush=True)
    print("\nWhere other settings, and the mean, win over the published one:\n")
    print(*where_others_win(results, "BD-LDL, published"), sep="\n")


if __name__ == "__main__":
    main()
