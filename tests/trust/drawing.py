"""Random work: estimators with any of their parameters, on tables that people have and some that they should not."""

import numbers

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.utils._param_validation import Interval, Options, StrOptions

from labeldist import BDLDL, BDLDLCV, BDLE, EnhancedLearner
from labeldist.enhancement import FCM, GLLE, KM, LP, ML, LogicalSoftmax, Uniform
from labeldist.features import KernelFeatures
from labeldist.learning import (
    AABP,
    AAKNN,
    EDLLRL,
    LDLLC,
    LDLSCL,
    PTSVM,
    SABFGS,
    SAIIS,
    DistributionForest,
    MeanDistribution,
    PTBayes,
)
from tests.checks import takes_logical_labels

ENHANCERS = (BDLE, GLLE, FCM, KM, LP, ML, Uniform, LogicalSoftmax)
LEARNERS = (
    *(BDLDL, BDLDLCV, SABFGS, SAIIS, LDLLC, LDLSCL, EDLLRL, PTBayes, PTSVM, AAKNN, AABP),
    *(DistributionForest, MeanDistribution),
)
LARGEST = 60
"""Of whole numbers that have no bound: iterations, trees, neighbours."""


def draw_estimator(rng):
    """Draw an estimator, each of its parameters left as it is, drawn from what it declares to take, or odd."""
    kind = rng.choice(4)
    if kind == 0:
        return _drawn(rng.choice(ENHANCERS), rng)
    if kind == 1:
        return EnhancedLearner(_drawn(rng.choice(ENHANCERS), rng), _drawn(rng.choice(LEARNERS), rng))
    learner = _drawn(rng.choice(LEARNERS), rng)
    return learner if kind == 2 else make_pipeline(_drawn(KernelFeatures, rng), learner)


def _drawn(make, rng):
    estimator = make()
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
            return int(rng.integers(max(low, -LARGEST), min(high, LARGEST), endpoint=True))
        return float(np.clip(10.0 ** rng.uniform(-8, 3), low, high))
    return default


def draw_table(rng, *, logical):
    """Draw features and labels, of odd shapes and kinds now and then."""
    n, m, c = int(rng.integers(1, 50)), int(rng.integers(1, 10)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, m)) * 10.0 ** rng.choice([0, 0, 0, 0, -100, 100, 6, -6])
    Y = rng.dirichlet(np.full(c, rng.choice([0.05, 1, 20])), size=n)
    if logical:
        Y = (Y >= np.sort(Y, axis=1)[:, [-min(2, c)]]).astype(int)
    spoil = rng.choice([None] * 8 + ["constant", "equal columns", "equal rows", "zero", "missing", "no label"])
    if spoil == "constant":
        X[:, 0] = 3
    elif spoil == "equal columns":
        X[:, -1] = X[:, 0]
    elif spoil == "equal rows":
        X[1:] = X[0]
    elif spoil == "zero":
        X[:] = 0
    elif spoil == "missing":
        X[0, 0] = np.nan
    elif spoil == "no label":
        Y[0] = 0
    form = rng.choice([np.asarray, np.asarray, np.float32, sparse.csr_array, pd.DataFrame, np.ndarray.tolist])
    with np.errstate(over="ignore"):  # of what no single precision holds
        return form(X), Y


def takes_logical(estimator):
    """Whether an estimator, or the last step of a pipeline, is fitted to logical labels."""
    return takes_logical_labels(estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator)
