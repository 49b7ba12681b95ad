"""Coverage of the intervals of BayesLE on the benchmark sets, printed as a Markdown table.

Specs cannot describe intervals, so this is a script: ``python -m
reproduction.interval_coverage``.
"""

import warnings
from typing import Any

import numpy as np
import pandas as pd

from labeldist import BayesLE
from labeldist.datasets import list_datasets, load_dataset
from labeldist.exceptions import LabelDistWarning
from reproduction.findings import markdown_table

SMALL = 0.001


def coverage(name: str) -> dict[str, Any]:
    """Return the share of true degrees in the intervals, and the estimated and the true spread."""
    data = load_dataset(name)
    D = data.target
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LabelDistWarning)
        enhancer = BayesLE().fit(data.data, data.logical)
    half, most = ((low <= D) & (high >= D) for low, high in map(enhancer.interval, (0.5, 0.9)))
    scores = np.log(D[(D > 0).all(axis=1)])
    scores -= scores.mean(axis=1, keepdims=True)
    return {
        "data set": name,
        "labels": D.shape[1],
        "50 %": half.mean(),
        "90 %": most.mean(),
        f"90 %, d > {SMALL}": most[D > SMALL].mean(),
        f"share of d ≤ {SMALL}": (D <= SMALL).mean(),
        "spread": enhancer.spread_,
        "true spread": np.sqrt(scores.var(axis=0).sum() / (D.shape[1] - 1)),
    }


def main() -> None:
    """Print the table."""
    rows = [coverage(name) for name in list_datasets()]
    print(markdown_table(pd.DataFrame(rows), digits=3))


if __name__ == "__main__":
    main()
