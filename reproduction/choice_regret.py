"""Loss of the choice of `choose_learner`: its learner against the best candidate, on held-out rows.

``python -m reproduction.choice_regret`` prints, for each benchmark set, the Kullback-Leibler
divergence of the chosen learner and of all candidates on the test rows of five folds, and how far
the chosen one is behind the best candidate. Results are appended to ``--store``, a CSV file, and
existing ones are not computed again.
"""

import argparse
import csv
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold

from labeldist.datasets import list_datasets, load_dataset
from labeldist.learning import choose_learner
from labeldist.metrics import kl_divergence

CHOSEN = "chosen"


def measure_fold(X: Any, D: Any, train: Any, test: Any) -> Iterator[tuple[str, float, float, str]]:
    """Yield names, divergences on the test rows and seconds of the chosen learner and others."""
    start = time.perf_counter()
    choice = choose_learner(X[train], D[train], random_state=0)
    seconds = time.perf_counter() - start
    yield CHOSEN, kl_divergence(D[test], choice.estimator.predict(X[test])), seconds, choice.name
    for trial in choice.trials:
        if trial.name != choice.name:
            model = clone(trial.estimator).fit(X[train], D[train])
            yield trial.name, kl_divergence(D[test], model.predict(X[test])), trial.seconds, ""


def main() -> None:
    """Compute what is missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list_datasets())
    parser.add_argument("--store", type=Path, default=Path("build/choice_regret.csv"))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    options.store.parent.mkdir(parents=True, exist_ok=True)
    options.store.touch()
    known = list(csv.reader(options.store.open()))
    done = {(row[0], row[1]) for row in known}
    for name in options.sets:
        data = load_dataset(name)
        folds = KFold(5, shuffle=True, random_state=0).split(data.data)
        for number, (train, test) in enumerate(folds):
            if (name, str(number)) in done:
                continue
            rows = [
                [name, number, *result]
                for result in measure_fold(data.data, data.target, train, test)
            ]
            with options.store.open("a", newline="") as file:
                csv.writer(file).writerows(rows)
    print_table(list(csv.reader(options.store.open())), options.sets)


def print_table(rows: list[list[str]], sets: list[str]) -> None:
    """Print the mean over the folds of each set."""
    behind = []
    print(
        "| set | chosen (folds) | KL of the chosen | best candidate | KL of the best | behind "
        "| seconds |"
    )
    print("|---|---|---|---|---|---|---|")
    for name in sets:
        own = [row for row in rows if row[0] == name]
        if not own:
            continue
        names = [row[5] for row in own if row[2] == CHOSEN]
        picked = {one: names.count(one) for one in dict.fromkeys(names)}
        chosen = np.mean([float(row[3]) for row in own if row[2] == CHOSEN])
        seconds = np.mean([float(row[4]) for row in own if row[2] == CHOSEN])
        # The chosen learner stands for its candidate in the folds where it was chosen.
        labels = dict.fromkeys([*(row[2] for row in own), *names])
        labels.pop(CHOSEN)
        means = {
            one: np.mean([float(row[3]) for row in own if one in (row[2], row[5])])
            for one in labels
        }
        best = min(means, key=lambda one: means[one])
        behind.append(chosen / means[best] - 1)
        text = ", ".join(f"{one} {count}" for one, count in picked.items())
        figures = f"{chosen:.5f} | {best} | {means[best]:.5f} | {behind[-1]:.1%} | {seconds:.1f}"
        print(f"| {name} | {text} | {figures} |")
    print(f"\nMean {np.mean(behind):.2%}, largest {max(behind):.2%}")


if __name__ == "__main__":
    main()
