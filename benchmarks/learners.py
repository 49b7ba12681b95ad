"""Predict the distributions of the benchmark sets, ten folds, with every learner that the paper compares.

``make learners`` prints Clark and cosine of each method and set beside the paper's figures, an asterisk where they are
more than 5 % apart, and the skill: the share of the mean distribution's Kullback-Leibler divergence that is saved.
BD-LDL's six measures are in ``make prediction``.
"""

import argparse
import time
import warnings

from sklearn.base import clone

from benchmarks.prediction import ten_folds
from benchmarks.tables import paper_figures
from labeldist import BDLDL
from labeldist.datasets import list_datasets, load_dataset
from labeldist.experiments.verdicts import MARGIN
from labeldist.learning import AABP, AAKNN, EDLLRL, LDLLC, LDLSCL, PTSVM, SABFGS, SAIIS, MeanDistribution, PTBayes

METHODS = {
    "BD-LDL": BDLDL(reconstruction=1e-3, ridge=1e-2, fit_intercept=False),
    "PT-Bayes": PTBayes(),
    "PT-Bayes, drawn": PTBayes(var_smoothing=1e-9, sampling="draw", random_state=0),
    "PT-SVM": PTSVM(),
    "AA-kNN": AAKNN(),
    "AA-BP": AABP(random_state=0),
    "SA-IIS": SAIIS(),
    "SA-BFGS": SABFGS(),
    "LDL-SCL": LDLSCL(),
    "EDL-LRL": EDLLRL(),
    "LDLLC": LDLLC(),
}
MEASURES = ("clark", "cosine")


def row(name: str, method: str, paper: dict[str, float] | None) -> str:
    """Return a row of the table."""
    X, D = load_dataset(name, return_X_y=True)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a search was cut short shows in its figures
        found = ten_folds(clone(METHODS[method]), X, D)
    seconds = time.perf_counter() - start
    trivial = ten_folds(MeanDistribution(), X, D)
    cells = []
    for measure in MEASURES:
        far = paper and abs(found[measure] / paper[measure] - 1) > MARGIN
        cells += [f"{paper[measure]:.4f}" if paper else "", f"{found[measure]:.4f}{'*' if far else ''}"]
        cells += [f"{trivial[measure]:.4f}"]
    skill = 1 - found["kl_divergence"] / trivial["kl_divergence"]
    return f"| {name} | {' | '.join(cells)} | {skill:+.3f} | {seconds:.1f} |"


def main() -> None:
    """Print a table for each method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list_datasets(), help="benchmark sets (default: all thirteen)")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    options = parser.parse_args()
    paper = paper_figures("ldl-prediction")
    for method in options.methods:
        print(f"\n**{method}**\n")
        print("| set | Clark ↓, paper | ours | mean | cosine ↑, paper | ours | mean | skill | seconds |")
        print(f"|---|{'---:|' * 8}")
        for name in options.sets:
            print(row(name, method, paper.get((name, method.split(",")[0]))), flush=True)


if __name__ == "__main__":
    main()
