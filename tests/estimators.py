"""The estimators of the common checks, with settings that make results accurate to many digits."""

import pytest
from sklearn.linear_model import LogisticRegression

from labeldist import BDLDL, BDLDLCV, BDLE, BayesLE, EnhancedLearner
from labeldist.enhancement import DLDL, FCM, GLLE, KM, LP, ML, LogicalSoftmax, Uniform
from labeldist.exceptions import SpreadWarning, TagRuleWarning
from labeldist.learning import (
    AABP,
    AAKNN,
    ALDL,
    CPNN,
    DFLDL,
    EDL,
    EDLLRL,
    LDL4C,
    LDLDPA,
    LDLHR,
    LDLLC,
    LDLLCLR,
    LDLLDM,
    LDLLRR,
    LDLSCL,
    LDLSF,
    LDSVR,
    PLLE,
    PTSVM,
    SABFGS,
    SAIIS,
    WSLDLMCSC,
    ConformalLearner,
    DeltaLDL,
    DistributionBoosting,
    DistributionForest,
    IncomLDL,
    LDLForest,
    LDLogitBoost,
    MeanDistribution,
    PTBayes,
    SoftLabelClassifier,
    SoftmaxRegression,
    SoftmaxRegressionCV,
    WInLDL,
)

ENHANCERS = [
    BDLE(),
    BDLE(solver="lbfgs"),
    BDLE(0, 0.1, kernel="linear"),
    Uniform(),
    LogicalSoftmax(),
    LogicalSoftmax("threshold"),
    LP(),
    KM(),
    KM(scale=True, output="clip"),
    GLLE(),
    GLLE(bandwidth=0.5, solver="lbfgs", max_iter=1000),  # converges with this bandwidth
    ML(),
    ML(scale=True, output="clip"),
    FCM(),
    BayesLE(),
    DLDL(tol=1e-12),
]
LEARNERS = [
    BDLDL(),
    BDLDL(fit_intercept=False),
    BDLDL(scale=True, output="softmax", solver="eigh"),
    BDLDLCV([1e-3], [1e-2], [0.01], cv=2),  # a choice would depend on the folds, and so on row order
    MeanDistribution(),
    SABFGS(tol=1e-9),
    SAIIS(tol=1e-7, max_iter=10_000),
    LDLLC(tol=1e-9),
    EnhancedLearner(BDLE(), BDLDL()),
    EnhancedLearner(LogicalSoftmax(), MeanDistribution()),
    AAKNN(),
    AAKNN(weights="distance"),
    AABP(max_iter=20, random_state=0),  # longer training magnifies rounding errors
    PTBayes(),
    PTBayes("diagonal"),
    PTSVM(),
    LDLSCL(tol=1e-8),
    EDLLRL(tol=1e-6),
    DistributionForest(10, random_state=0),
    DistributionBoosting(10, random_state=0),
    SoftLabelClassifier(LogisticRegression(C=0.1, tol=1e-9, max_iter=10_000)),
    SoftmaxRegression(tol=1e-10),
    SoftmaxRegressionCV([0.1], 2, tol=1e-10),  # a choice would depend on the folds, and so on row order
    ConformalLearner(BDLDL(), cv=2, random_state=0),
    ConformalLearner(BDLDL(), joint=True),
    LDLogitBoost(10, random_state=0),
    LDLogitBoost(10, algorithm="aoso", random_state=0),
    DFLDL(SoftmaxRegression(tol=1e-10)),
    LDLForest(2, max_depth=3, n_units=8, max_iter=3, random_state=0),  # longer training magnifies rounding errors
    LDLLRR(tol=1e-9),
    LDLDPA(tol=1e-9),
    LDLLDM(3, tol=1e-9),
    LDL4C(0.1, margin_width=0.5, tol=1e-9),
    LDLHR(0.1, 10.0, 0.1, margin_width=0.5, tol=1e-9),
    DeltaLDL(0.01, tol=1e-9),
    EDL(tol=1e-9),
    LDSVR(tol=1e-9),
    LDSVR(epsilon=0.1, tol=1e-8, max_iter=200),
    CPNN(10, max_iter=20, random_state=0),  # longer training magnifies rounding errors
    IncomLDL(0.1, tol=1e-7, max_iter=10_000),
    IncomLDL(0.1, solver="apg", tol=1e-9, max_iter=10_000),
    WInLDL(tol=1e-7, max_iter=10_000),
    LDLSF(tol=1e-7, max_iter=10_000),
    LDLLCLR(0.01, tol=1e-6, max_iter=5000),
    WSLDLMCSC(tol=1e-7, max_iter=2000),
]
# ALDL learns from one label per row, and PLLE predicts classes, so that our checks of distributions do not apply.
SPECIAL = [ALDL(tol=1e-8), PLLE(tol=1e-8, max_iter=200)]
ESTIMATORS = ENHANCERS + LEARNERS

# BayesLE warns about the small tables of tests, whose rows all have the same number of tags.
IGNORE_TAG_WARNINGS = [
    pytest.mark.filterwarnings(f"ignore::{kind.__module__}.{kind.__name__}") for kind in (SpreadWarning, TagRuleWarning)
]
