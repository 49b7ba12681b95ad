"""VoteLE on tables that are hard for it, printed as tables; ``make hostile-votes`` runs it.

The items are alike, few differ from all others, or they have many votes. The last table compares
the score that VoteLE claims with that of fresh votes, and counts true degrees in 90 % intervals.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import softmax

from labeldist import VoteLE
from labeldist.exceptions import LabelWarning
from labeldist.metrics import kl_divergence
from labeldist.votes import from_votes
from reproduction.findings import markdown_table

Draw = Callable[[np.random.Generator], Any]
N_SEEDS = 6
N_TABLES = 200


def dirichlet(c: int, n: int, strength: float) -> Draw:
    """Return a function that draws n items from Dirichlet(s·p) with random p."""

    def draw(rng: np.random.Generator) -> Any:
        D = rng.dirichlet(strength * rng.dirichlet(np.full(c, 2.0)), size=n)
        return _positive(D)

    return draw


def logistic_normal(c: int, n: int) -> Draw:
    """Return a function that draws n items whose scores are normal."""

    def draw(rng: np.random.Generator) -> Any:
        return softmax(np.log(rng.dirichlet(np.full(c, 2.0))) + rng.standard_normal((n, c)), axis=1)

    return draw


def outliers(share: float, n: int = 200) -> Draw:
    """Return a function that returns items with equal degrees, but for some."""
    D = np.full((n, 2), 0.5)
    D[: round(share * n)] = [0.99, 0.01]
    return lambda _: D


CELLS: dict[str, tuple[Draw, int]] = {
    "3 labels, 20 items, nearly alike": (dirichlet(3, 20, 60), 3),
    "5 labels, 20 items, nearly alike": (dirichlet(5, 20, 60), 3),
    "5 labels, 100 items, alike": (dirichlet(5, 100, 1e5), 3),
    "10 labels, 50 items, alike": (dirichlet(10, 50, 1e5), 3),
    "10 labels, 100 items, nearly alike": (dirichlet(10, 100, 100), 3),
    "20 labels, 50 items, nearly alike": (dirichlet(20, 50, 150), 5),
    "20 labels, 100 items, nearly alike": (dirichlet(20, 100, 150), 5),
    "20 labels, 300 items, different": (dirichlet(20, 300, 5), 5),
    "10 labels, 300 items, different": (dirichlet(10, 300, 3), 5),
    "5 % of 200 items differ": (outliers(0.05), 50),
    "2 % of 200 items differ": (outliers(0.02), 200),
    "1 % of 200 items differ": (outliers(0.01), 1_000),
    "3 labels, 200 items": (dirichlet(3, 200, 9), 20),
    "3 labels, 200 items, many votes": (dirichlet(3, 200, 9), 10_000),
}


def errors(draw: Draw, n_votes: int, seed: int) -> dict[str, float]:
    """Return KL(truth, estimate) of several estimates from one draw."""
    rng = np.random.default_rng(seed)
    D = draw(rng)
    counts = rng.multinomial(n_votes, D)
    totals = counts.sum(axis=0) + 0.5
    estimates = {
        "overall shares": np.broadcast_to(totals / totals.sum(), D.shape),
        "counting": from_votes(counts, smoothing=1).distributions,
        "smoothing": from_votes(counts, smoothing="auto").distributions,
        "VoteLE": VoteLE().fit(None, counts).label_distributions_,
    }
    return {name: float(kl_divergence(D, P)) for name, P in estimates.items()}


def calibration(seed: int) -> dict[str, Any]:
    """Return the kind of a random table, claimed minus kept score, and the coverage."""
    rng = np.random.default_rng(seed)
    c = int(rng.choice([3, 5, 10, 20]))
    n = int(rng.choice([5, 20, 50, 100, 300]))
    kinds = {
        "alike": dirichlet(c, n, 1e5),
        "nearly alike": dirichlet(c, n, 10 * c),
        "Dirichlet": dirichlet(c, n, c / 2),
        "logistic normal": logistic_normal(c, n),
    }
    kind = str(rng.choice(list(kinds)))
    D = kinds[kind](rng)
    enhancer = VoteLE().fit(None, rng.multinomial(rng.choice([3, 5]), D))
    kept = (D * np.log(enhancer.label_distributions_)).sum(axis=1).mean()
    lower, upper = enhancer.interval()
    return {
        "kind": kind,
        "items": n,
        "labels": c,
        "claimed - kept": enhancer.vote_scores_["mixture"] - kept,
        "coverage": ((lower <= D) & (upper >= D)).mean(),
    }


def _positive(D: Any) -> Any:
    D = np.clip(D, 1e-12, None)
    return D / D.sum(axis=1, keepdims=True)


def main() -> None:
    """Print the tables."""
    warnings.simplefilter("ignore", LabelWarning)
    rows = []
    for (name, (draw, n_votes)), seed in product(CELLS.items(), range(N_SEEDS)):
        rows.append({"items": name, "votes": n_votes, **errors(draw, n_votes, seed)})
    means = pd.DataFrame(rows).groupby(["items", "votes"], sort=False).mean()
    print(markdown_table(means.reset_index()))
    table = pd.DataFrame([calibration(seed) for seed in range(N_TABLES)])
    summary = table.groupby(["kind", "items"]).agg(
        tables=("labels", "size"),
        mean=("claimed - kept", "mean"),
        largest=("claimed - kept", "max"),
        coverage=("coverage", "mean"),
    )
    print(markdown_table(summary.reset_index(), digits=3))


if __name__ == "__main__":
    main()
