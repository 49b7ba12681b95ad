"""LightGBM and XGBoost on soft labels: divergence, time and memory beside repeated rows.

``make boosting`` prints one row per library and table. Each fit runs in a process of its own with
one thread. *Repeated* is the same classifier on rows that are repeated for each label, with the
degrees as weights; *hard* is the same classifier on the largest label of each row. Seconds are CPU
time, the smallest of several runs in turn. Memory is the growth of the process during the fit, at
its peak. LABELDIST_DATA names the folder of the data.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.tables import row, table
from labeldist.datasets import load_dataset
from labeldist.learning import SoftLabelClassifier
from labeldist.metrics import kl_divergence

TABLES = ("SBU_3DFE", "100,000 × 50, 6 labels")
WAYS = ("soft", "repeated", "hard")
MEGABYTE = 2**20


def load(name):
    """Return features and degrees of training rows and of other rows."""
    if name == "SBU_3DFE":
        data = load_dataset(name)
        X_train, X, D_train, D = train_test_split(data.data, data.target, random_state=0)
        return X_train, D_train, X, D
    rng = np.random.default_rng(0)
    X = rng.normal(size=(110_000, 50))
    scores = np.tanh(X @ rng.normal(size=(50, 6)) / 3) + 0.3 * rng.normal(size=(110_000, 6))
    D = np.exp(2 * scores)
    D /= D.sum(axis=1, keepdims=True)
    return X[:100_000], D[:100_000], X[100_000:], D[100_000:]


def classifier_of(library):
    """Return a classifier with the default parameters of a library."""
    if library == "LightGBM":
        from lightgbm import LGBMClassifier

        return LGBMClassifier(n_jobs=1, verbosity=-1, random_state=0)
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1, random_state=0)


def resident() -> float:
    """Return the present memory of this process in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure(library: str, name: str, way: str) -> dict[str, float]:
    """Fit once, and return the divergence on other rows, seconds and bytes."""
    X_train, D_train, X, D = load(name)
    classifier = classifier_of(library)
    before = resident()
    start = time.process_time()
    if way == "soft":
        model = SoftLabelClassifier(classifier).fit(X_train, D_train)
    elif way == "repeated":
        rows, classes = np.nonzero(D_train)
        model = classifier.fit(X_train[rows], classes, sample_weight=D_train[rows, classes])
    else:
        model = classifier.fit(X_train, D_train.argmax(axis=1))
    seconds = time.process_time() - start
    growth = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    P = model.predict(X) if way == "soft" else model.predict_proba(X)
    return {"kl": kl_divergence(D, P), "seconds": seconds, "bytes": growth}


def in_child(*arguments: str) -> dict[str, float]:
    """Measure in another process, whose peak of memory is its own."""
    command = [sys.executable, "-m", "benchmarks.boosting_libraries", "--one", *arguments]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, check=True, capture_output=True, env=environment)  # noqa: S603
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Print one row per library and table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(*options.one)))
        return
    columns = ("KL, soft / repeated", "s, soft / repeated", "faster", "MB, soft / hard", "ratio")
    print(table("table", "library", *columns))
    for name in TABLES:
        for library in ("LightGBM", "XGBoost"):
            runs = {way: [] for way in WAYS}
            for _ in range(options.repeats):
                for way in WAYS:
                    runs[way].append(in_child(library, name, way))
            seconds = {way: min(run["seconds"] for run in runs[way]) for way in WAYS}
            size = {way: min(run["bytes"] for run in runs[way]) / MEGABYTE for way in WAYS}
            kl = {way: runs[way][0]["kl"] for way in WAYS}
            print(
                row(
                    name,
                    library,
                    f"{kl['soft']:.4f} / {kl['repeated']:.4f}",
                    f"{seconds['soft']:.1f} / {seconds['repeated']:.1f}",
                    f"{seconds['repeated'] / seconds['soft']:.1f}×",
                    f"{size['soft']:.0f} / {size['hard']:.0f}",
                    f"{size['soft'] / size['hard']:.2f}",
                ),
                flush=True,
            )


if __name__ == "__main__":
    main()
