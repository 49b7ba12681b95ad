"""The estimators that a spec can name, and how they are made from what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

from sklearn.model_selection import GridSearchCV, ParameterGrid, ShuffleSplit
from sklearn.pipeline import make_pipeline

from labeldist import enhancement, learning
from labeldist.exceptions import did_you_mean
from labeldist.experiments.controls import RidgeLDL, RidgeLE
from labeldist.experiments.errors import SpecError
from labeldist.features import KernelFeatures
from labeldist.learning import BDLDLCV
from labeldist.metrics import get_scorer

if TYPE_CHECKING:
    from labeldist.experiments.spec import Method

ROLES = ("paper", "trivial", "ours", "oracle", "control")

GROUND_TRUTH = "GroundTruth"
"""In a chain: no enhancer at all, the learner learns from the true distributions."""


def kernel_bdldl_cv(
    scoring: str = "kl_divergence",
    cv: int = 5,
    factors: tuple[float, ...] = (0.25, 0.5, 1.0),
    n_components: int = 1500,
) -> Any:
    """BDLDLCV on kernel features, their bandwidth chosen on a quarter of the training rows.

    One split, since the bandwidths are far apart, and each of them takes a search of its own.
    """
    return GridSearchCV(
        make_pipeline(KernelFeatures(n_components=n_components), BDLDLCV(scoring=scoring, cv=cv)),
        {"kernelfeatures__factor": list(factors)},
        scoring=get_scorer(scoring),
        cv=ShuffleSplit(1, test_size=0.25, random_state=0),
    )


ENHANCERS = {**{name: getattr(enhancement, name) for name in enhancement.__all__}, "RidgeLE": RidgeLE}
LEARNERS = {
    **{
        name: estimator
        for name in learning.__all__
        if hasattr(estimator := getattr(learning, name), "predict") and name != "EnhancedLearner"
    },
    "RidgeLDL": RidgeLDL,
    "KernelBDLDLCV": kernel_bdldl_cv,
}
ESTIMATORS: dict[str, Any] = {**ENHANCERS, **LEARNERS}


def is_enhancer(use: str) -> bool:
    """Whether a name is that of an enhancer."""
    return use in ENHANCERS or use == GROUND_TRUTH


def build(use: str, parameters: Mapping[str, Any], where: str = "The spec") -> Any:
    """Make an estimator, or say what is wrong with its name or its parameters."""
    if use == GROUND_TRUTH:
        return None
    if use not in ESTIMATORS:
        hint = did_you_mean(use, ESTIMATORS)
        raise SpecError(f"{where}: there is no estimator {use!r}.{hint} There are {', '.join(ESTIMATORS)}.")
    try:
        estimator = ESTIMATORS[use](**parameters)
        estimator._validate_params()
    except (TypeError, ValueError) as error:
        raise SpecError(f"{where}: {use}: {error}") from None
    return estimator


def count_points(method: Method) -> int:
    """Return how many points the grid of a method has; one where it has none."""
    return prod(map(len, method.grid.values()))


def expand_grid(method: Method) -> list[Method]:
    """Return a method for every point of its grid; itself where it has none."""
    return [
        replace(method, parameters={**method.parameters, **point}, grid={})
        for point in ParameterGrid(dict(method.grid))
    ]
