"""The estimators of the common checks, from the table of methods.

Settings make results accurate to many digits, or show another algorithm of the same class.
"""

import pytest
from sklearn.linear_model import LogisticRegression

from labeldist import BDLDL, BDLE
from labeldist.enhancement import LogicalSoftmax
from labeldist.exceptions import TagWarning
from labeldist.learning import MeanDistribution, SoftmaxRegression
from labeldist.published import METHODS

# Longer training magnifies rounding errors, and a choice would depend on the order of the rows.
SETTINGS = {
    "BDLE": [{}, {"solver": "lbfgs"}, {"reconstruction": 0, "smoothness": 0.1, "kernel": "linear"}],
    "LogicalSoftmax": [{}, {"sharpness": "threshold"}],
    "KM": [{}, {"scale": True, "output": "clip"}],
    "ML": [{}, {"scale": True, "output": "clip"}],
    "GLLE": [{}, {"bandwidth": 0.5, "solver": "lbfgs", "max_iter": 1000}],
    "DLDL": [{"tol": 1e-12}],
    "BDLDL": [
        {},
        {"fit_intercept": False},
        {"scale": True, "output": "softmax", "solver": "eigh"},
    ],
    "BDLDLCV": [{"reconstructions": [1e-3], "ridges": [1e-2], "floors": [0.01], "cv": 2}],
    "SoftmaxRegression": [{"tol": 1e-10}],
    "SoftmaxRegressionCV": [{"ridges": [0.1], "cv": 2, "tol": 1e-10}],
    "DistributionForest": [{"n_estimators": 10, "random_state": 0}],
    "DistributionBoosting": [{"n_estimators": 10, "random_state": 0}],
    "SABFGS": [{"tol": 1e-9}],
    "SAIIS": [{"tol": 1e-7, "max_iter": 10_000}],
    "PTBayes": [{}, {"covariance": "diagonal"}],
    "AAKNN": [{}, {"weights": "distance"}],
    "AABP": [{"max_iter": 20, "random_state": 0}],
    "LDLLC": [{"tol": 1e-8}],
    "LDLSCL": [{"tol": 1e-8}],
    "EDLLRL": [{"tol": 1e-6}],
    "CPNN": [{"n_hidden": 10, "max_iter": 20, "random_state": 0}],
    "EDL": [{"tol": 1e-9}],
    "LDSVR": [{"tol": 1e-9}, {"epsilon": 0.1, "tol": 1e-8, "max_iter": 200}],
    "LDLogitBoost": [
        {"n_estimators": 10, "random_state": 0},
        {"n_estimators": 10, "algorithm": "aoso", "random_state": 0},
    ],
    "LDLForest": [
        {"n_estimators": 2, "max_depth": 3, "n_units": 8, "max_iter": 3, "random_state": 0}
    ],
    "DFLDL": [{"learner": SoftmaxRegression(tol=1e-8)}],
    "IncomLDL": [
        {"low_rank": 0.1, "tol": 1e-7, "max_iter": 10_000},
        {"low_rank": 0.1, "solver": "apg", "tol": 1e-9, "max_iter": 10_000},
    ],
    "WInLDL": [{"tol": 1e-7, "max_iter": 10_000}],
    "WSLDLMCSC": [{"tol": 1e-7, "max_iter": 2000}],
    "LDLSF": [{"tol": 1e-7, "max_iter": 10_000}],
    "LDLLCLR": [{"ridge": 0.01, "tol": 1e-6, "max_iter": 5000}],
    "LDL4C": [{"margin": 0.1, "margin_width": 0.5, "tol": 1e-8}],
    "LDLHR": [{"margin": 0.1, "rest": 10.0, "ridge": 0.1, "margin_width": 0.5, "tol": 1e-8}],
    "LDLLRR": [{"tol": 1e-9}],
    "LDLDPA": [{"tol": 1e-9}],
    "LDLLDM": [{"n_clusters": 3, "tol": 1e-9}],
    "DeltaLDL": [{"ridge": 0.01, "tol": 1e-9}],
    "ALDL": [{"tol": 1e-8}],
    "PLLE": [{"tol": 1e-8, "max_iter": 200}],
    "EnhancedLearner": [
        {"enhancer": BDLE(), "learner": BDLDL()},
        {"enhancer": LogicalSoftmax(), "learner": MeanDistribution()},
    ],
    "SoftLabelClassifier": [{"estimator": LogisticRegression(C=0.1, tol=1e-9, max_iter=10_000)}],
    "BlendedLearner": [
        {"estimators": [("linear", BDLDL()), ("mean", MeanDistribution())], "random_state": 0}
    ],
    "ConformalLearner": [
        {"learner": BDLDL(), "cv": 2, "random_state": 0},
        {"learner": BDLDL(), "joint": True},
    ],
}


def instances(rows):
    """Return the estimators of some rows of the table, with their settings."""
    pairs = [(row, settings) for row in rows for settings in SETTINGS.get(row.estimator, [{}])]
    return [row.estimator_class()(**settings) for row, settings in pairs]


def is_special(row):
    """Return whether a method does not learn distributions, so that our checks do not apply."""
    return row.kind == "classifier" or "one label per row" in row.needs


ENHANCERS = instances(row for row in METHODS if row.kind == "enhancer")
LEARNERS = instances(row for row in METHODS if row.kind != "enhancer" and not is_special(row))
SPECIAL = instances(row for row in METHODS if is_special(row))
ESTIMATORS = ENHANCERS + LEARNERS

# BayesLE warns about the small tables of tests, whose rows all have the same number of tags.
IGNORE_TAG_WARNINGS = pytest.mark.filterwarnings(
    f"ignore::{TagWarning.__module__}.{TagWarning.__name__}"
)
