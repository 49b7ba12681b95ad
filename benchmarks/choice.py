"""What ``choose_learner`` chooses on the thirteen benchmark sets, and whether that was better than not to choose.

``python -m benchmarks.choice`` holds out each of five folds, lets ``choose_learner`` choose and fit within the other
rows, and prints the Kullback-Leibler divergence on the rows held out beside that of ``BDLDLCV()`` and of the mean
distribution fitted on the same rows, the gain over both with its standard error, paired over the folds, and what was
chosen. Of larger sets 3 000 rows are drawn.
"""

import argparse
import time
from collections import Counter

import numpy as np
from sklearn.model_selection import KFold

from labeldist import BDLDLCV
from labeldist._typing import Array
from labeldist.datasets import list_datasets, load_dataset
from labeldist.learning import MeanDistribution, choose_learner
from labeldist.metrics import kl_divergence

ROWS = 3_000
HEADER = "| set | mean | BDLDLCV() | chosen | skill | over the mean | over BDLDLCV() | what was chosen | seconds |"


def gain(other: Array, chosen: Array) -> str:
    """Return by how much the chosen learner is better, with the standard error over the folds."""
    gains = other - chosen
    return f"{gains.mean():+.5f} ± {gains.std(ddof=1) / np.sqrt(len(gains)):.5f}"


def row(name: str, X: Array, D: Array, n_folds: int) -> str:
    """Return a row of the table."""
    divergences, names, seconds = [], [], 0.0
    for train, test in KFold(n_folds, shuffle=True, random_state=0).split(X):
        start = time.process_time()
        choice = choose_learner(X[train], D[train], random_state=0)
        seconds += (time.process_time() - start) / n_folds
        names.append(choice.name)
        fitted = [MeanDistribution().fit(X[train], D[train]), BDLDLCV().fit(X[train], D[train]), choice.estimator]
        divergences.append([kl_divergence(D[test], model.predict(X[test])) for model in fitted])
    mean, linear, chosen = np.array(divergences).T
    told = ", ".join(f"{count} × {learner}" for learner, count in Counter(names).most_common())
    values = " | ".join(f"{scores.mean():.5f}" for scores in (mean, linear, chosen))
    skill = 1 - chosen.mean() / mean.mean()
    return (
        f"| {name} | {values} | {skill:+.3f} | {gain(mean, chosen)} | {gain(linear, chosen)} | {told} | {seconds:.0f} |"
    )


def main() -> None:
    """Print a row a set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list_datasets(), help="benchmark sets (default: all thirteen)")
    parser.add_argument("--folds", type=int, default=5)
    options = parser.parse_args()
    print(HEADER)
    print(f"|---|{'---:|' * 6}---|---:|")
    for name in options.sets:
        X, D = load_dataset(name, return_X_y=True)
        drawn = np.random.default_rng(0).permutation(len(X))[:ROWS]
        print(row(name, X[drawn], D[drawn], options.folds), flush=True)


if __name__ == "__main__":
    main()
