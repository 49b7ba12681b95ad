"""Classifiers of LightGBM and XGBoost, fitted to degrees without repeated rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse

from labeldist._extras import require
from labeldist._solvers.softmax_loss import softmax_and_log
from labeldist._typing import Array
from labeldist.learning._booster_text_checks import check_lightgbm_text, check_xgboost_text
from labeldist.simplex import softmax

# Objectives of the libraries that are the cross-entropy. With any other one, rows are repeated.
CROSS_ENTROPIES = (None, "binary", "multiclass", "softmax", "binary:logistic", "multi:softprob")
# Models that the custom objective does not fit.
OTHER_MODELS = [("boosting_type", "rf"), ("booster", "gblinear")]
XGBOOST_FACTOR = 2.0  # of the diagonal Hessian, for more than two labels
LEAST_CURVATURE = 1e-16  # of an entry of XGBoost's Hessian
MATRIX_OPTIONS = ("enable_categorical", "feature_types", "feature_weights", "missing")


class SoftTable(NamedTuple):
    """Features and degrees; the sum of the degrees of a row is its weight."""

    X: Any  # (n, m), dense or csr_matrix
    degrees: Array  # (n, c), c ≥ 2


def plain_features(X: Any) -> Any:
    """Return dense features as they are, and sparse ones as a matrix that both libraries read."""
    matrix: Any = sparse.csr_matrix
    return matrix(X) if sparse.issparse(X) else X


@dataclass(frozen=True)
class SoftCrossEntropy:
    """The loss −Σ_i w_i Σ_j d_ij log p_ij with P = softmax(start + F).

    For two labels F is the score of the second one, (n,), as in the libraries' binary objectives.
    Otherwise it has shape (n, c).
    """

    D: Array  # (c, n)
    weight: Array  # (n,)
    start: Array  # (c,)
    factor: float  # of the diagonal Hessian

    @classmethod
    def of(cls, degrees: Array, start: Array, multiclass_factor: float) -> SoftCrossEntropy:
        """Prepare the loss of degrees, (n, c), whose sums are the weights of the rows."""
        weight = degrees.sum(axis=1).astype(np.float32)  # the precision of both libraries
        D = np.ascontiguousarray(degrees.T) / np.where(weight > 0, weight, 1.0)
        factor = multiclass_factor if len(start) > 2 else 1.0
        return cls(D, weight, start, factor)

    def gradient_and_curvature(self, F: Array) -> tuple[Array, Array]:
        """Return the gradient and the diagonal of the Hessian, both in the shape of F."""
        P, _ = self._softmax(F)
        if F.ndim == 1:
            P = P[1:]
        gradient = (P - self.D[-len(P) :]) * self.weight
        curvature = self.factor * P * (1 - P) * self.weight
        return gradient.T.reshape(F.shape), curvature.T.reshape(F.shape)

    def mean(self, F: Array) -> float:
        """Return the loss per unit of weight."""
        _, log_P = self._softmax(F)
        return -float(np.einsum("kn,kn,n->", self.D, log_P, self.weight) / self.weight.sum())

    def _softmax(self, F: Array) -> tuple[Array, Array]:
        scores = F.T if F.ndim == 2 else np.stack([np.zeros_like(F), F])
        return softmax_and_log(np.add(scores, self.start[:, None], order="C"), axis=0)


class LightGBMTrees:
    """Trees of LightGBM that were fitted to degrees.

    Parameters
    ----------
    booster : lightgbm.Booster
        The trees.
    start : ndarray of shape (n_labels,)
        Scores before the first tree, which the booster does not contain.
    """

    def __init__(self, booster: Any, start: Array) -> None:
        self.booster = booster
        self.start = start

    @classmethod
    def fit(cls, classifier: Any, train: SoftTable, validation: SoftTable | None) -> Self:
        """Fit trees with the parameters of an ``LGBMClassifier``."""
        lightgbm = require("lightgbm", "boosting")
        n_labels = train.degrees.shape[1]
        given = classifier.get_params()
        params = {name: value for name, value in given.items() if value is not None}
        if hasattr(given["random_state"], "randint"):
            params["random_state"] = given["random_state"].randint(np.iinfo(np.int32).max)
        class_weight = params.pop("class_weight", {})
        degrees = train.degrees * [class_weight.get(label, 1.0) for label in range(n_labels)]
        start = np.zeros(n_labels)
        if params.get("boost_from_average", True):
            start = _log_mean(degrees)
        factor = n_labels / (n_labels - 1)  # as in LightGBM's own objective
        loss = SoftCrossEntropy.of(_scale_positive(degrees, params), start, factor)
        n_rounds = params.pop("n_estimators")
        params["objective"] = "none"
        params["metric"] = "None"
        params["num_class"] = n_labels if n_labels > 2 else 1
        no_classes = np.zeros(len(degrees))
        data = lightgbm.Dataset(train.X, no_classes, params=params).construct()
        if not any(map(data.feature_num_bin, range(train.X.shape[1]))):
            # No feature splits the rows. A custom objective needs one, though it is not used.
            params["feature_pre_filter"] = False
            data = lightgbm.Dataset(train.X, no_classes, params=params)
        params["objective"] = lambda F, _: loss.gradient_and_curvature(F)
        options: dict[str, Any] = {}
        if validation is not None:
            held_out = SoftCrossEntropy.of(validation.degrees, start, factor)
            no_labels = np.zeros(len(validation.degrees))
            options["valid_sets"] = lightgbm.Dataset(validation.X, no_labels, reference=data)
            options["feval"] = lambda F, _: ("cross_entropy", held_out.mean(F), False)
        booster = lightgbm.train(params, data, n_rounds, **options)
        return cls(booster.free_dataset(), start)

    def predict_proba(self, X: Any) -> Array:
        """Predict a distribution for each row."""
        F = self.booster.predict(plain_features(X), raw_score=True)
        if F.ndim == 1:
            F = np.column_stack([np.zeros_like(F), F])
        return softmax(F + self.start)

    def __getstate__(self) -> dict[str, Any]:
        text = self.booster.model_to_string()
        check_lightgbm_text(text, len(self.start))  # it could not be read again
        return {"text": text, "start": self.start}

    def __setstate__(self, state: dict[str, Any]) -> None:
        check_lightgbm_text(state["text"], len(state["start"]))
        self.booster = require("lightgbm", "boosting").Booster(model_str=state["text"])
        self.start = state["start"]


class XGBoostTrees:
    """Trees of XGBoost that were fitted to degrees.

    Parameters
    ----------
    booster : xgboost.Booster
        The trees.
    missing : float
        Value of missing features.
    """

    def __init__(self, booster: Any, missing: float) -> None:
        self.booster = booster
        self.missing = missing

    @classmethod
    def fit(cls, classifier: Any, train: SoftTable, validation: SoftTable | None) -> Self:
        """Fit trees with the parameters of an ``XGBClassifier``."""
        xgboost = require("xgboost", "boosting")
        n_labels = train.degrees.shape[1]
        params = classifier.get_xgb_params()
        degrees = _scale_positive(train.degrees, params)
        params |= {"eval_metric": None, "disable_default_eval_metric": True}
        if n_labels > 2:
            params |= {"objective": "multi:softprob", "num_class": n_labels}
        if params["base_score"] is None:
            params["base_score"] = _base_score(degrees)
        no_start = np.zeros(n_labels)  # the booster contains it
        loss = SoftCrossEntropy.of(degrees, no_start, XGBOOST_FACTOR)

        def objective(F: Array, _: Any) -> tuple[Array, Array]:
            gradient, curvature = loss.gradient_and_curvature(F)
            return gradient, np.maximum(curvature, LEAST_CURVATURE)

        data = _quantile_matrix(classifier, train.X, weight=loss.weight)
        options: dict[str, Any] = {}
        if validation is not None:
            held_out = SoftCrossEntropy.of(validation.degrees, no_start, XGBOOST_FACTOR)
            options["evals"] = [(_quantile_matrix(classifier, validation.X, ref=data), "eval_set")]
            options["custom_metric"] = lambda F, _: ("cross_entropy", held_out.mean(F))
        booster = xgboost.train(
            params,
            data,
            classifier.get_num_boosting_rounds(),
            obj=objective,
            early_stopping_rounds=classifier.early_stopping_rounds,
            callbacks=classifier.callbacks,
            verbose_eval=False,
            **options,
        )
        return cls(booster, classifier.missing)

    def predict_proba(self, X: Any) -> Array:
        """Predict a distribution for each row."""
        # All rounds are kept, because a slice of a booster loses the categories of its columns.
        best = self.booster.attr("best_iteration")
        n_rounds = 0 if best is None else int(best) + 1  # 0: all
        P = self.booster.inplace_predict(
            plain_features(X), iteration_range=(0, n_rounds), missing=self.missing
        )
        P = P.astype(np.float64)
        return np.column_stack([1 - P, P]) if P.ndim == 1 else P

    def __getstate__(self) -> dict[str, Any]:
        text = self.booster.save_raw("json").decode()
        check_xgboost_text(text)  # it could not be read again
        return {"text": text, "missing": self.missing}

    def __setstate__(self, state: dict[str, Any]) -> None:
        check_xgboost_text(state["text"])
        content = bytearray(state["text"], "utf-8")
        self.booster = require("xgboost", "boosting").Booster(model_file=content)
        self.missing = state["missing"]


def trees_of(classifier: Any) -> type[LightGBMTrees | XGBoostTrees] | None:
    """Return the class that fits a classifier to degrees, or None if rows must be repeated."""
    names = [kind.__name__ for kind in type(classifier).__mro__]
    if option_for_repeated_rows(classifier):
        return None
    if "LGBMClassifier" in names:
        return LightGBMTrees
    return XGBoostTrees if "XGBClassifier" in names else None


def option_for_repeated_rows(classifier: Any) -> str:
    """Return the parameter of a library that needs repeated rows, or an empty text."""
    for name, value in classifier.get_params(deep=False).items():
        is_other_objective = name == "objective" and value not in CROSS_ENTROPIES
        if is_other_objective or (name, value) in OTHER_MODELS:
            return f"{name}={value!r}"
    return ""


def _scale_positive(degrees: Array, params: dict[str, Any]) -> Array:
    """Multiply the degrees of the second of two labels by ``scale_pos_weight``."""
    factor = params.get("scale_pos_weight") or 1.0
    return degrees * [1.0, factor] if degrees.shape[1] == 2 else degrees


def _log_mean(degrees: Array) -> Array:
    """Return the logarithm of the mean distribution."""
    sums = degrees.sum(axis=0)
    return np.log(sums / sums.sum())


def _base_score(degrees: Array) -> Any:
    """Return XGBoost's own start: a probability for two labels, otherwise centred scores."""
    scores = _log_mean(degrees)
    if len(scores) == 2:
        return float(np.exp(scores[1]))
    return (scores - scores.mean()).tolist()


def _quantile_matrix(classifier: Any, X: Any, **options: Any) -> Any:
    """Return the matrix that an ``XGBClassifier`` would make of X."""
    xgboost = require("xgboost", "boosting")
    given = classifier.get_params()
    options |= {name: given[name] for name in MATRIX_OPTIONS}
    if given["tree_method"] in (None, "auto", "hist"):
        options["max_bin"] = given["max_bin"]
        return xgboost.QuantileDMatrix(X, nthread=given["n_jobs"], **options)
    options.pop("ref", None)
    return xgboost.DMatrix(X, nthread=given["n_jobs"], **options)
