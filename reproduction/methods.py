"""Estimators that a specification can name: labeldist's, controls, and tuned pipelines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from scipy import linalg
from scipy.sparse.csgraph import laplacian
from sklearn.base import BaseEstimator
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline

from labeldist.features import KernelFeatures
from labeldist.learning import BDLDL, BDLDLCV, EnhancedLearner, choose_learner
from labeldist.metrics import get_scorer
from labeldist.published import METHODS, make_published
from labeldist.simplex import normalize, softmax

GROUND_TRUTH = "GroundTruth"
"""The "enhancer" of a chain that returns the true distributions."""


class RidgeLE(BaseEstimator):
    """UD-LE with a ridge: a control for the reconstruction term of BD-LE.

    In the eigenbasis of LᵀL, the reconstruction term is a ridge α·s_k for each direction k. This
    control replaces all of them by their mean. If it performs as well as BD-LE, the term helps by
    shrinkage only. It minimises

        ‖ΦW − L‖² + α·mean(s)‖W‖² + λ tr((ΦW)ᵀ S (ΦW)),   Φ = [K, 1],

    with the kernel, the graph and the scaling of `labeldist.BDLE`.

    Parameters
    ----------
    reconstruction : float, default=1e-3
        α.
    smoothness : float, default=1e-3
        λ.
    """

    def __init__(self, reconstruction: float = 1e-3, smoothness: float = 1e-3) -> None:
        self.reconstruction = reconstruction
        self.smoothness = smoothness

    def fit_transform(self, X: Any, y: Any) -> Any:
        """Return the recovered distributions of the rows of `X` with logical labels `y`."""
        L = np.asarray(y, dtype=float)
        n, n_labels = L.shape
        deviation = X.std(axis=0, ddof=1)
        X = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
        squared = pairwise_distances(X, metric="sqeuclidean")
        bandwidth = np.sqrt(squared).sum() / (n * (n - 1))
        features = np.column_stack([np.exp(squared / (-2 * bandwidth**2)), np.ones(n)])
        smoothed = features + self.smoothness * (_laplacian(X, n_labels + 1) @ features)
        A = features.T @ smoothed
        A[np.diag_indices_from(A)] += self.reconstruction * np.square(L).sum() / n_labels
        W = linalg.solve(A, features.T @ L, assume_a="pos", lower=True, overwrite_a=True)
        return softmax(features @ W)


def _laplacian(X: Any, n_neighbors: int) -> Any:
    """Return the Laplacian of the symmetrised neighbour graph with weights exp(−‖x − y‖² / 2)."""
    graph = NearestNeighbors(n_neighbors=n_neighbors).fit(X).kneighbors_graph(mode="distance")
    graph.data = np.exp(-(graph.data**2) / 2)
    symmetric = (graph + graph.T) / 2
    return laplacian(symmetric)


class FittedModel(BaseEstimator):
    """Base class of learners whose `fit` fits another learner, ``model_``."""

    def predict(self, X: Any) -> Any:
        """Return the predicted distributions."""
        return self.model_.predict(X)


class RidgeLDL(FittedModel):
    """UD-LDL with a ridge λ₂ + λ₁·mean(s), a control for the reconstruction term of BD-LDL.

    Parameters
    ----------
    reconstruction : float, default=1e-3
        λ₁.
    ridge : float, default=1e-2
        λ₂.
    """

    def __init__(self, reconstruction: float = 1e-3, ridge: float = 1e-2) -> None:
        self.reconstruction = reconstruction
        self.ridge = ridge

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the model without an intercept, as published."""
        shrinkage = self.reconstruction * np.square(y).sum() / y.shape[1]
        self.model_ = BDLDL(0.0, self.ridge + shrinkage, fit_intercept=False).fit(X, y)
        return self


class ChosenLearner(FittedModel):
    """The learner that `labeldist.choose_learner` chooses on the training rows."""

    def fit(self, X: Any, y: Any) -> Self:
        """Choose a learner and fit it."""
        self.model_ = choose_learner(X, y, random_state=0).estimator
        return self


class FilledLearner(FittedModel):
    """A learner, given by name, for tables in which some degrees are missing (NaN).

    Parameters
    ----------
    learner : str
    fill : {"mean", "rest"}
        ``"mean"``: a missing degree is the mean of the observed degrees of its label, and the row
        is divided by its sum. ``"rest"``: the observed degrees are kept, and the rest of the row's
        sum of one is shared among the missing degrees in proportion to these means.
    """

    def __init__(self, learner: str, fill: str = "mean") -> None:
        self.learner = learner
        self.fill = fill

    def fit(self, X: Any, y: Any) -> Self:
        """Fill in the missing degrees and fit the learner."""
        missing = np.isnan(y)
        means = np.where(missing, np.nanmean(y, axis=0), 0.0)
        if self.fill == "rest":
            rest = np.maximum(1 - np.nansum(y, axis=1, keepdims=True), 0.0)
            means *= rest / np.maximum(means.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        self.model_ = LEARNERS[self.learner]().fit(X, normalize(np.where(missing, means, y)))
        return self


class Transductive(BaseEstimator):
    """A named learner whose ``fit_predict(X, y, X_new)`` sees the features of the new rows.

    Parameters
    ----------
    learner : str
    """

    def __init__(self, learner: str) -> None:
        self.learner = learner

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the training rows."""
        self.rows_ = X, y
        return self

    def predict(self, X: Any) -> Any:
        """Fit to training rows and features of new rows, and return distributions of the latter."""
        return LEARNERS[self.learner]().fit_predict(*self.rows_, X)


def kernel_bdldl_cv(scoring: str = "kl_divergence", n_components: int = 1500) -> Any:
    """Return BDLDLCV on kernel features, the bandwidth chosen on a quarter of the training rows.

    One split is enough: the bandwidths are far apart, and each of them needs its own search.
    """
    return GridSearchCV(
        make_pipeline(KernelFeatures(n_components=n_components), BDLDLCV(scoring=scoring, cv=5)),
        {"kernelfeatures__factor": [0.25, 0.5, 1.0]},
        scoring=get_scorer(scoring),
        cv=ShuffleSplit(1, test_size=0.25, random_state=0),
    )


def enhanced_learner(enhancer: str = "", learner: str = "") -> Any:
    """Return `EnhancedLearner` with an enhancer and a learner by name, by default its own."""
    return (
        EnhancedLearner(ENHANCERS[enhancer](), LEARNERS[learner]())
        if enhancer
        else EnhancedLearner()
    )


ENHANCERS: dict[str, Any] = {"RidgeLE": RidgeLE}
LEARNERS: dict[str, Any] = {
    "RidgeLDL": RidgeLDL,
    "KernelBDLDLCV": kernel_bdldl_cv,
    "ChosenLearner": ChosenLearner,
    "EnhancedLearner": enhanced_learner,
    "FilledLearner": FilledLearner,
    "Transductive": Transductive,
}
for _method in METHODS:
    _known = ENHANCERS if _method.kind == "enhancer" else LEARNERS
    _known.setdefault(_method.estimator, _method.estimator_class())


def published_parameters(name: str) -> tuple[str, dict[str, Any]]:
    """Return the estimator of a method and its published parameters, with a seed if it has one."""
    estimator = make_published(name)
    defaults = type(estimator)().get_params()
    chosen = {key: value for key, value in estimator.get_params().items() if value != defaults[key]}
    seed = {"random_state": 0} if "random_state" in defaults else {}
    return type(estimator).__name__, chosen | seed


def is_enhancer(use: str) -> bool:
    """Return whether a name belongs to an enhancer."""
    return use in ENHANCERS or use == GROUND_TRUTH


def build(use: str, parameters: Mapping[str, Any]) -> Any:
    """Return the estimator of that name with these parameters."""
    estimators = ENHANCERS | LEARNERS
    return estimators[use](**parameters)
