"""The estimators of the common checks, from the table of methods and `estimators.toml`."""

import tomllib
from pathlib import Path

import pytest
from sklearn.linear_model import LogisticRegression

from labeldist import BDLDL, BDLE
from labeldist.enhancement import LogicalSoftmax
from labeldist.exceptions import LabelWarning
from labeldist.learning import MeanDistribution, SoftmaxRegression
from labeldist.published import METHODS

NESTED = {
    "DFLDL": [{"learner": SoftmaxRegression(tol=1e-8)}],
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
SETTINGS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")) | NESTED


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
    f"ignore::{LabelWarning.__module__}.{LabelWarning.__name__}"
)
