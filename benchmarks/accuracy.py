"""How accurate BD-LDL is when everything is chosen within the training rows, beside the goals and beside the mean.

``make accuracy`` prints two tables. The first has what is asked of the tuned learner on single sets, a
linear map or one of kernel features, over the ten folds of ``KFold(10, shuffle=True, random_state=0)``. The second
compares ``BDLDLCV()`` with the mean of the training distributions, in the same folds, shuffled anew several times.
"""

import argparse
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.pipeline import make_pipeline

from benchmarks.prediction import ten_folds
from benchmarks.tables import Scores
from labeldist import BDLDLCV
from labeldist.datasets import list_datasets, load_dataset
from labeldist.features import KernelFeatures
from labeldist.learning import MeanDistribution
from labeldist.metrics import MEASURES, get_scorer

FACTORS = (0.25, 0.5, 1.0)
"""Bandwidths that are tried, in mean distances."""

COMPARED = ("kl_divergence", "clark", "cosine")


def linear(scoring: str) -> Any:
    """BD-LDL on the features as they are."""
    return BDLDLCV(scoring=scoring)


def kernel(scoring: str) -> Any:
    """BD-LDL on kernel features, their bandwidth chosen on a quarter of the training rows."""
    # One split and five folds, for time: the bandwidths are far apart, and each of them takes a search of its own.
    pipeline = make_pipeline(KernelFeatures(), BDLDLCV(scoring=scoring, cv=5))
    return GridSearchCV(
        pipeline,
        {"kernelfeatures__factor": FACTORS},
        scoring=get_scorer(scoring),
        cv=ShuffleSplit(1, test_size=0.25, random_state=0),
    )


class Goal(NamedTuple):
    """A measure to reach on a set, by a learner that is tuned for that measure."""

    name: str
    learner: Any
    measure: str
    value: float


GOALS = (
    Goal("SBU_3DFE", kernel, "kl_divergence", 0.044),
    Goal("Natural_Scene", kernel, "kl_divergence", 0.64),
    Goal("Yeast_spoem", kernel, "kl_divergence", 0.0240),
    Goal("Movie", linear, "kl_divergence", 0.097),
    # The paper's figures.
    Goal("SBU_3DFE", kernel, "clark", 0.3540),
    Goal("Natural_Scene", kernel, "clark", 2.3612),
    Goal("Movie", linear, "clark", 0.5211),
)


def goal_rows(sets: list[str]) -> Iterator[str]:
    """Yield the table of goals, a row as soon as it is known."""
    yield "| set | map | measure | goal | reached | |\n|---|---|---|---:|---:|---|"
    for name, learner, measure, value in GOALS:
        if name not in sets:
            continue
        reached = ten_folds(learner(measure), *load_dataset(name, return_X_y=True))[measure]
        verdict = "yes" if reached <= value else "no"
        yield f"| {name} | {learner.__name__} | {MEASURES[measure].title} | {value:.4f} | {reached:.4f} | {verdict} |"


def mean_rows(sets: list[str], shuffles: int) -> Iterator[str]:
    """Yield the comparison with the mean, a row as soon as it is known."""
    titles = " | ".join(f"{MEASURES[measure].title} | mean | gain" for measure in COMPARED)
    yield f"| set | {titles} | better in |\n|---|{'---:|' * (3 * len(COMPARED) + 1)}"
    for name in sets:
        X, D = load_dataset(name, return_X_y=True)
        pairs = [
            [ten_folds(learner, X, D, seed) for learner in (BDLDLCV(), MeanDistribution())] for seed in range(shuffles)
        ]
        yield comparison_row(name, pairs)


def comparison_row(name: str, pairs: list[list[Scores]]) -> str:
    """Return the means over shuffles, and of the paired gains also their standard deviation over shuffles."""
    cells, better = [], 0
    for measure in COMPARED:
        ours, theirs = np.array([[scores[measure] for scores in pair] for pair in pairs]).T
        gain = ours - theirs if MEASURES[measure].higher_is_better else theirs - ours
        better += bool(gain.mean() > 0)
        cells += [f"{ours.mean():.5f}", f"{theirs.mean():.5f}", f"{gain.mean():+.5f} ± {gain.std():.5f}"]
    return f"| {name} | {' | '.join(cells)} | {better} of {len(COMPARED)} |"


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=list_datasets(), help="benchmark sets (default: all thirteen)")
    parser.add_argument("--shuffles", type=int, default=5, help="of the ten folds, in the comparison with the mean")
    parser.add_argument("--table", choices=["goals", "mean"], help="print this table only")
    arguments = parser.parse_args()
    tables = {
        "goals": ("Beside the goals, ten folds", goal_rows(arguments.sets)),
        "mean": (
            f"BDLDLCV() beside the mean, ten folds shuffled {arguments.shuffles} time(s)",
            mean_rows(arguments.sets, arguments.shuffles),
        ),
    }
    for title, rows in [tables[arguments.table]] if arguments.table else tables.values():
        print(f"\n{title}:\n")
        for row in rows:
            print(row, flush=True)


if __name__ == "__main__":
    main()
