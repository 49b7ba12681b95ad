"""Default candidates of ``choose_learner``."""

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

# Bandwidth in mean distances, and number of components: narrow kernels need more of them.
KERNELS = {"wide": (1.0, 300), "narrow": (0.5, 1000)}

# Limits of rows × kernel components and of degrees in the leaves of a forest: about 400 MB each.
MAX_KERNEL_VALUES = 50_000_000
MAX_LEAF_DEGREES = 25_000_000

# With more features a whole grid of reconstructions takes minutes, and on Movie it gains nothing.
WIDE_TABLE = 500
SINGLE_RECONSTRUCTION = 1e-3

N_TREES, MIN_SAMPLES_LEAF = 100, 3


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
    """Return unfitted learners by name, the simplest first, for a table of this size.

    `training_rows` is the size of the smallest training fold. `scoring` is the measure that ``BDLDLCV`` optimises.
    Sparse features are not centred and have no kernel features.
    """
    # scikit-learn's pipelines and scalers are slow to import.
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    def bdldl(reconstructions: Any, cv: int, scale: bool = False) -> BDLDLCV:
        return BDLDLCV(reconstructions, scale=scale, cv=cv, scoring=scoring, random_state=random_state)

    folds = min(5, max(2, training_rows))
    grid = PAPER_GRID if n_features <= WIDE_TABLE else [SINGLE_RECONSTRUCTION]
    # Without standardisation, features in large units would dominate the distances of AAKNN.
    scaler = StandardScaler(with_mean=not sparse)
    candidates = {
        THE_MEAN: MeanDistribution(),
        "linear (BD-LDL)": bdldl(grid, folds),
        "linear on standardised features (BD-LDL)": bdldl(grid, folds, scale=True),
        "maximum entropy (SA-BFGS)": make_pipeline(scaler, SABFGS(fit_intercept=True)),
        "nearest neighbours (AA-kNN)": make_pipeline(scaler, AAKNN(max(1, min(round(math.sqrt(training_rows)), 50)))),
    }
    if not sparse:
        limit = max(1, MAX_KERNEL_VALUES // n_rows)
        for width, (factor, n_components) in KERNELS.items():
            kernel = KernelFeatures(factor=factor, n_components=min(n_components, limit), random_state=random_state)
            # On kernel features the reconstruction hardly matters, and a grid of it would take most of the time.
            learner = bdldl([SINGLE_RECONSTRUCTION], min(3, folds))
            candidates[f"{width} kernel (BD-LDL)"] = make_pipeline(kernel, learner)
    leaf = max(MIN_SAMPLES_LEAF, math.ceil(N_TREES * n_rows * n_labels / MAX_LEAF_DEGREES))
    forest = DistributionForest(N_TREES, min_samples_leaf=leaf, random_state=random_state)
    return {**candidates, "random trees (DistributionForest)": forest}
