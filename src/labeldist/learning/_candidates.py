"""The learners that `choose_learner` compares by default."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from labeldist.features import KernelFeatures
from labeldist.learning._bdldl_cv import BDLDLCV
from labeldist.learning._boosting import DistributionBoosting
from labeldist.learning._cross_validation import prepared
from labeldist.learning._forest import DistributionForest
from labeldist.learning._softmax_regression import SoftmaxRegressionCV

RECONSTRUCTIONS = (1e-3, 1.0, 1e3)  # the eight of the paper change no benchmark score by 1 %
FOLDS = 3  # of the searches within the learners
N_COMPONENTS = 1000
MAX_KERNEL_VALUES = 50_000_000  # rows × kernel components, about 400 MB
MAX_LEAF_DEGREES = 25_000_000  # degrees in the leaves of a forest, about 400 MB
MIN_SAMPLES_LEAF = 3
# Least and largest number of trees, and of rows × features × trees, which limits it in large
# tables. Forests of fewer trees rank the same, so that the comparison has fewer.
COMPARED_TREES = (25, 80)
COMPARED_WORK = 10_000_000
FINAL_TREES = (50, 200)
FINAL_WORK = 50_000_000
COMPARED_ROUNDS = 80  # of boosting
FINAL_ROUNDS = 200
TOTAL_RATE = 16.0  # learning rate times rounds, but the rate is at least 0.1
# With more features than this, boosted trees consider a fifth of them instead of the square root,
# which is too few if only some of hundreds of features have an effect. Rows × features × rounds
# then limit the rounds.
WIDE = 100
WIDE_SHARE = 0.2
WIDE_WORK = 1_250_000_000


@dataclass(frozen=True)
class Candidate:
    """A learner for the comparison, what to fit before it, and the learner for the final fit."""

    learner: Any
    prepare: Any = None
    final: Any = None  # None means the same learner

    def pipeline(self, *, final: bool = False) -> Any:
        """Return the preparation and the learner, that of the final fit if `final`."""
        use_final = final and self.final is not None
        return prepared(self.prepare, self.final if use_final else self.learner)


def default_candidates(
    shape: tuple[int, ...],
    n_features: int,
    *,
    training_rows: int,
    sparse: bool,
    scoring: str,
    random_state: int,
    prepare: Any = None,
    prepare_linear: Mapping[str, Any] | None = None,
) -> dict[str, Candidate]:
    """Return unfitted learners by name, the simplest first.

    `shape` is the number of rows and of labels, and `training_rows` is the size of the smallest
    training fold. Sparse features have no kernel candidate. `prepare_linear` are transformers to
    sparse features by name: linear candidates use each of these, and the others use `prepare`.
    """
    folds = min(FOLDS, max(2, training_rows))
    search: dict[str, Any] = {"cv": folds, "scoring": scoring, "random_state": random_state}
    candidates: dict[str, Candidate] = {}
    if prepare_linear:
        softmax = SoftmaxRegressionCV(tol=1e-4, **search)
        for name, preparation in prepare_linear.items():
            candidates[f"softmax regression on {name}"] = Candidate(softmax, preparation)
    else:
        candidates = _linear_candidates(prepare, sparse, search)
    if not sparse:
        candidates["kernel (BD-LDL)"] = _kernel_candidate(shape[0], prepare, search)
    return candidates | _tree_candidates(shape, n_features, prepare, random_state)


def _linear_candidates(prepare: Any, sparse: bool, search: dict[str, Any]) -> dict[str, Candidate]:
    # scikit-learn's pipelines and scalers are slow to import.
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    softmax = SoftmaxRegressionCV(tol=1e-4, **search)
    scaler = StandardScaler(with_mean=not sparse)
    learners = {
        "softmax regression": softmax,
        "softmax regression on standardised features": make_pipeline(scaler, softmax),
        "linear (BD-LDL)": BDLDLCV(RECONSTRUCTIONS, **search),
        "linear on standardised features (BD-LDL)": BDLDLCV(RECONSTRUCTIONS, scale=True, **search),
    }
    return {name: Candidate(learner, prepare) for name, learner in learners.items()}


def _kernel_candidate(n_rows: int, prepare: Any, search: dict[str, Any]) -> Candidate:
    from sklearn.pipeline import make_pipeline

    n_components = min(N_COMPONENTS, MAX_KERNEL_VALUES // n_rows)
    kernel = KernelFeatures(n_components=n_components, random_state=search["random_state"])
    # On kernel features the reconstruction and the number of folds hardly matter.
    linear = BDLDLCV(RECONSTRUCTIONS[:1], **search | {"cv": 2})
    return Candidate(make_pipeline(kernel, linear), prepare)


def _tree_candidates(
    shape: tuple[int, ...], n_features: int, prepare: Any, random_state: int
) -> dict[str, Candidate]:
    n_rows, n_labels = shape
    smallest_leaf = math.ceil(FINAL_TREES[1] * n_rows * n_labels / MAX_LEAF_DEGREES)
    leaf = max(MIN_SAMPLES_LEAF, smallest_leaf)
    forests = []
    for n_trees, work in ((COMPARED_TREES, COMPARED_WORK), (FINAL_TREES, FINAL_WORK)):
        affordable = np.clip(work // (n_rows * n_features), *n_trees)
        forest = DistributionForest(
            int(affordable), min_samples_leaf=leaf, random_state=random_state
        )
        forests.append(forest)
    is_wide = n_features > WIDE
    affordable = WIDE_WORK // (n_rows * n_features) if is_wide else FINAL_ROUNDS
    boosting = []
    for rounds in (COMPARED_ROUNDS, int(np.clip(affordable, COMPARED_ROUNDS, FINAL_ROUNDS))):
        trees = DistributionBoosting(
            rounds,
            learning_rate=max(0.1, TOTAL_RATE / rounds),
            max_features=WIDE_SHARE if is_wide else "sqrt",
            random_state=random_state,
        )
        boosting.append(trees)
    return {
        "random trees (DistributionForest)": Candidate(forests[0], prepare, forests[1]),
        "boosted trees (DistributionBoosting)": Candidate(boosting[0], prepare, boosting[1]),
    }
