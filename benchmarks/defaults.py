"""The evidence behind the defaults: one option changed at a time, on the thirteen benchmark sets.

``make defaults`` prints, for BDLDL, the Kullback-Leibler divergence over ten folds as a share of that of the mean of
the training distributions (below 1 is better than the mean), and for BDLE the Chebyshev distance of the recovered
distributions.
"""

import argparse
import warnings
from collections.abc import Callable

from benchmarks.prediction import ten_folds
from labeldist import BDLDL, BDLE
from labeldist.datasets import list_datasets, load_dataset
from labeldist.enhancement import LogicalSoftmax, Uniform
from labeldist.exceptions import VanishingGraphWarning
from labeldist.learning import MeanDistribution
from labeldist.metrics import chebyshev

LEARNERS = [
    BDLDL(),
    BDLDL(fit_intercept=False),
    BDLDL(fit_intercept=False, scale=True),
    BDLDL(scale=True),
    BDLDL(reconstruction=0),
    BDLDL(reconstruction=1.0),
    BDLDL(ridge=1.0),
    BDLDL(ridge=10.0),
    BDLDL(output="softmax"),
    BDLDL(output="project"),
    BDLDL(floor=0.0),
    BDLDL(floor=0.01),
    BDLDL(floor=0.02),
    BDLDL(floor=0.05),
    BDLDL(ridge=10.0, floor=0.02),
]
ENHANCERS = [
    BDLE(),
    BDLE(graph_width="mean"),
    BDLE(smoothness=0),
    BDLE(reconstruction=0),
    BDLE(kernel="linear"),
    BDLE(scale=False),
    BDLE(output="clip"),
    BDLE(output="project"),
    Uniform(),
    LogicalSoftmax(),
]


def learner_shares(name: str) -> list[float]:
    """Return the divergence of each learner over that of the mean."""
    X, D = load_dataset(name, return_X_y=True)
    mean = ten_folds(MeanDistribution(), X, D)["kl_divergence"]
    return [ten_folds(learner, X, D)["kl_divergence"] / mean for learner in LEARNERS]


def enhancer_distances(name: str) -> list[float]:
    """Return the Chebyshev distance of what each enhancer recovers."""
    data = load_dataset(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VanishingGraphWarning)  # that it vanishes is part of the evidence
        return [chebyshev(data.target, enhancer.fit_transform(data.data, data.logical)) for enhancer in ENHANCERS]


def print_table(title: str, methods: list[object], sets: list[str], values: Callable[[str], list[float]]) -> None:
    """Print a row a method, a column a set."""
    columns = [values(name) for name in sets]
    print(f"\n{title}\n\n| setting | {' | '.join(sets)} |\n|---|{'---:|' * len(sets)}")
    for method, row in zip(methods, zip(*columns, strict=True), strict=True):
        print(f"| `{method}` | {' | '.join(f'{value:.4f}' for value in row)} |")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list_datasets(), help="benchmark sets (default: all thirteen)")
    sets = parser.parse_args().sets
    print_table("BDLDL: divergence, as a share of the mean's", LEARNERS, sets, learner_shares)
    print_table("BDLE: Chebyshev distance", ENHANCERS, sets, enhancer_distances)


if __name__ == "__main__":
    main()
