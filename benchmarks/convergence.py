"""Plot the distance of L-BFGS from the exact solution of BD-LE over iterations.

``make figures`` draws it for 400 rows of the artificial set and of two benchmark sets.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from labeldist import BDLE
from labeldist._solvers.bidirectional_enhancement import EnhancementLoss
from labeldist._solvers.lbfgs import minimize_lbfgs
from labeldist._solvers.sylvester import solve_symmetric_sylvester
from labeldist.datasets import binarize, load_dataset, make_artificial
from labeldist.exceptions import VanishingGraphWarning
from labeldist.simplex import softmax

ITERATIONS = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000)


def distances(loss: EnhancementLoss) -> dict[int, tuple[float, float]]:
    """Return the largest error of a degree and of the objective, for each number of iterations."""
    exact = solve_symmetric_sylvester(*loss.normal_equations()).X
    minimum = loss.value_and_gradient(exact)[0]
    degrees = softmax(loss.features @ exact)
    result = {}
    for iterations in ITERATIONS:
        reached = minimize_lbfgs(loss.value_and_gradient, np.zeros_like(exact), max_iter=iterations)
        difference = np.abs(softmax(loss.features @ reached.X) - degrees).max()
        result[iterations] = float(difference), (reached.value - minimum) / minimum
        if reached.converged:
            break
    return result


def draw(results: dict[str, dict[int, tuple[float, float]]], path: Path) -> None:
    """Write the picture with one curve per set."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for (name, curve), marker in zip(results.items(), "osD^v", strict=False):
        axes.loglog(
            list(curve), [difference for difference, _ in curve.values()], marker=marker, label=name
        )
    axes.axhline(1e-5, color="0.6", linestyle=":", linewidth=1)
    axes.set_xlabel("L-BFGS iterations")
    axes.set_ylabel("largest error of a degree")
    axes.set_title("BD-LE: error of L-BFGS against the exact solution")
    axes.legend(frameon=False)
    figure.savefig(path, dpi=120)


def main() -> None:
    """Print the distances and draw them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "sets", nargs="*", help="benchmark sets, of which the first 400 rows are used"
    )
    parser.add_argument("--out", type=Path, required=True, help="the PNG file to write")
    arguments = parser.parse_args()
    X, D = make_artificial(400, random_state=0)
    tables = {"artificial": (X, binarize(D))}
    for name in arguments.sets:
        data = load_dataset(name)
        tables[name] = data.data[:400], data.logical[:400]
    results = {}
    for name, (X, L) in tables.items():
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", VanishingGraphWarning
            )  # the published graph vanishes on these sets
            loss = BDLE()._loss(X, L.astype(float))
        results[name] = distances(loss)
        for iterations, (difference, excess) in results[name].items():
            print(
                f"{name}: {iterations:6d} iterations, degrees off by {difference:.1e}, "
                f"objective by {excess:.1e}"
            )
    draw(results, arguments.out)


if __name__ == "__main__":
    main()
