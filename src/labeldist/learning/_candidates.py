"""The learners that are compared when nobody names any, from the simplest to the least simple."""

from __future__ import annotations

import math
from typing import Any

from labeldist.features import KernelFeatures
from labeldist.learning._bdldl_cv import BDLDLCV, PAPER_GRID
from labeldist.learning._forest import DistributionForest
from labeldist.learning._learner import MeanDistribution
from labeldist.learning._neighbors import AAKNN
from labeldist.learning._softmax_learners import SABFGS

THE_MEAN = "the mean"

WIDTHS = {"wide": (1.0, 300), "narrow": (0.5, 1000)}
"""Kernel widths in mean distances, and landmarks: the narrower a kernel, the more of them it takes to span it."""

MOST_KERNEL_VALUES = 50_000_000
"""So many rows × landmarks are held at most, 400 MB: large tables get fewer landmarks."""

MOST_LEAF_DEGREES = 25_000_000
"""So many degrees are in the leaves of a forest at most, 400 MB with their nodes: large tables get larger leaves."""

WIDE = 500
"""With more features a whole grid of reconstructions would take minutes, and on Movie it gains nothing."""

ONE_RECONSTRUCTION = 1e-3
TREES, SMALLEST_LEAF = 100, 3


def default_candidates(
    n_rows: int,
    n_labels: int,
    n_features: int,
    *,
    training_rows: int,
    sparse: bool,
    scoring: str,
    random_state: int,
) -> dict[str, Any]:
    """Return learners by name, with sizes that suit a table of `n_rows`.

    Parameters
    ----------
    n_rows, n_labels, n_features : int
        The size of the table that the chosen one will be fitted on.
    training_rows : int
        The fewest rows that one of them is fitted on when they are compared.
    sparse : bool
        Whether features are sparse, which the kernel does not take, nor centring.
    scoring : str
        The measure that learners tune themselves for.
    random_state : int
    """
    folds = min(5, max(2, training_rows))
    grid = PAPER_GRID if n_features <= WIDE else [ONE_RECONSTRUCTION]
    linear, standardised = (
        BDLDLCV(grid, scale=scale, cv=folds, scoring=scoring, random_state=random_state) for scale in (False, True)
    )
    # On kernel features the reconstruction hardly matters, and a whole grid of it would take most of the time.
    on_kernel = BDLDLCV([ONE_RECONSTRUCTION], cv=min(3, folds), scoring=scoring, random_state=random_state)
    neighbors = max(1, min(round(math.sqrt(training_rows)), 50))
    leaf = max(SMALLEST_LEAF, math.ceil(TREES * n_rows * n_labels / MOST_LEAF_DEGREES))
    # Without this, features in large units would be all that counts for neighbours.
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler(with_mean=not sparse)
    kernels = {
        f"{width} kernel (BD-LDL)": make_pipeline(
            KernelFeatures(factor=factor, n_components=min(most, landmark_limit), random_state=random_state), on_kernel
        )
        for width, (factor, most) in WIDTHS.items()
        if (landmark_limit := max(1, MOST_KERNEL_VALUES // n_rows)) and not sparse
    }
    return {
        THE_MEAN: MeanDistribution(),
        "linear (BD-LDL)": linear,
        "linear on standardised features (BD-LDL)": standardised,
        "maximum entropy (SA-BFGS)": make_pipeline(scaler, SABFGS(fit_intercept=True)),
        "nearest neighbours (AA-kNN)": make_pipeline(scaler, AAKNN(neighbors)),
        **kernels,
        "random trees (DistributionForest)": DistributionForest(
            TREES, min_samples_leaf=leaf, random_state=random_state
        ),
    }
