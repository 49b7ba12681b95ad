"""Settings of DistributionForest beside scikit-learn's ExtraTreesRegressor(min_samples_leaf=3).

``python -m benchmarks.forest`` prints the mean Kullback-Leibler divergence of five folds, and CPU
seconds, for each data set in LABELDIST_DATA. Movie takes an hour.
"""

import argparse
import time

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.model_selection import KFold

from benchmarks.tables import row, table
from labeldist.datasets import list_datasets, load_dataset
from labeldist.learning import DistributionForest
from labeldist.metrics import kl_divergence

SETTINGS = ((1 / 3, 3), (1 / 3, 2), (1 / 2, 3), (1 / 2, 2), (1.0, 3))


def models():
    """Yield names and models."""
    for max_features, leaf in SETTINGS:
        name = f"forest, {max_features:.2f} of the features, leaves of {leaf}"
        options = {"max_features": max_features, "min_samples_leaf": leaf, "random_state": 0}
        yield name, DistributionForest(200, **options)
    yield "ExtraTreesRegressor", ExtraTreesRegressor(200, min_samples_leaf=3, random_state=0)


def main() -> None:
    """Print one row per data set and model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="*", default=list_datasets())
    print(table("data set", "model", "KL", "s"))
    for name in parser.parse_args().datasets:
        data = load_dataset(name)
        X, D = data.data, data.target
        for label, model in models():
            start = time.process_time()
            scores = []
            for train, test in KFold(5, shuffle=True, random_state=0).split(X):
                P = model.fit(X[train], D[train]).predict(X[test])
                scores.append(kl_divergence(D[test], P))
            seconds = f"{time.process_time() - start:.0f}"
            print(row(name, label, f"{np.mean(scores):.5f}", seconds), flush=True)


if __name__ == "__main__":
    main()
