"""Random estimators and random tables, some of them invalid."""

import numbers

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils._param_validation import Interval, Options, StrOptions

from labeldist import EnhancedLearner
from labeldist.features import KernelFeatures
from labeldist.learning import DistributionForest
from tests.checks import takes_logical_labels
from tests.estimators import ENHANCERS, LEARNERS

PLAIN_LEARNERS = [*(learner for learner in LEARNERS if not takes_logical_labels(learner)), DistributionForest()]
MAX_INTEGER = 60
"""Upper bound for integers without one: iterations, trees, neighbours."""


def draw_estimator(rng):
    """Draw an estimator. Each parameter keeps its value, is drawn from its declared values, or is invalid."""
    kind = rng.choice(4)
    if kind == 0:
        return _draw_from(ENHANCERS, rng)
    if kind == 1:
        return EnhancedLearner(_draw_from(ENHANCERS, rng), _draw_from(PLAIN_LEARNERS, rng))
    learner = _draw_from(PLAIN_LEARNERS, rng)
    return learner if kind == 2 else make_pipeline(_draw_from([KernelFeatures()], rng), learner)


def _draw_from(estimators, rng):
    estimator = clone(estimators[rng.integers(len(estimators))])
    for name, constraints in getattr(estimator, "_parameter_constraints", {}).items():
        lot = rng.uniform()
        if name == "random_state":
            estimator.set_params(random_state=int(rng.integers(100)))
        elif lot < 0.3:
            estimator.set_params(**{name: _valid(constraints, getattr(estimator, name), rng)})
        elif lot < 0.31:
            estimator.set_params(**{name: rng.choice([-1, 0, np.nan, np.inf, "nonsense", None])})
    return estimator


def _valid(constraints, default, rng):
    constraint = constraints[rng.integers(len(constraints))]
    if isinstance(constraint, StrOptions | Options):
        return sorted(constraint.options, key=str)[rng.integers(len(constraint.options))]
    if constraint == "boolean":
        return bool(rng.integers(2))
    if isinstance(constraint, Interval):
        low = -np.inf if constraint.left is None else constraint.left
        high = np.inf if constraint.right is None else constraint.right
        if constraint.type is numbers.Integral:
            return int(rng.integers(max(low, -MAX_INTEGER), min(high, MAX_INTEGER), endpoint=True))
        return float(np.clip(10.0 ** rng.uniform(-8, 3), low, high))
    return default


def draw_table(rng, *, logical):
    """Draw features and labels, sometimes degenerate or invalid."""
    n, m, c = int(rng.integers(1, 50)), int(rng.integers(1, 10)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, m)) * 10.0 ** rng.choice([0, 0, 0, 0, -100, 100, 6, -6])
    Y = rng.dirichlet(np.full(c, rng.choice([0.05, 1, 20])), size=n)
    if logical:
        Y = (Y >= np.sort(Y, axis=1)[:, [-min(2, c)]]).astype(int)
    match rng.choice([*[""] * 8, "constant", "equal columns", "equal rows", "zero", "missing", "no label"]):
        case "constant":
            X[:, 0] = 3
        case "equal columns":
            X[:, -1] = X[:, 0]
        case "equal rows":
            X[1:] = X[0]
        case "zero":
            X[:] = 0
        case "missing":
            X[0, 0] = np.nan
        case "no label":
            Y[0] = 0
    form = rng.choice([np.asarray, np.asarray, np.float32, sparse.csr_array, pd.DataFrame, np.ndarray.tolist])
    with np.errstate(over="ignore"):  # single precision cannot hold all values
        return form(X), Y


def takes_logical(estimator):
    """Return whether an estimator, or the last step of a pipeline, is fitted to logical labels."""
    return takes_logical_labels(estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator)
