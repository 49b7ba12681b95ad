"""The estimators that must pass every check, in the settings in which they can be held to many digits."""

import pytest

from labeldist import BDLDL, BDLDLCV, BDLE, BayesLE, EnhancedLearner
from labeldist.enhancement import FCM, GLLE, KM, LP, ML, LogicalSoftmax, Uniform
from labeldist.exceptions import SpreadWarning, TagRuleWarning
from labeldist.learning import AABP, AAKNN, EDLLRL, LDLLC, LDLSCL, PTSVM, SABFGS, SAIIS, MeanDistribution, PTBayes

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
    GLLE(
        bandwidth=0.5, solver="lbfgs", max_iter=1000
    ),  # a kernel on which the search arrives: stopping short is chaotic
    ML(),
    ML(scale=True, output="clip"),
    FCM(),
    BayesLE(),
]
LEARNERS = [
    BDLDL(),
    BDLDL(fit_intercept=False),
    BDLDL(scale=True, output="softmax", solver="eigh"),
    BDLDLCV([1e-3], [1e-2], [0.01], cv=2),  # with a choice, folds decide, and with them the order of the rows
    MeanDistribution(),
    SABFGS(tol=1e-9),
    SAIIS(tol=1e-7, max_iter=10_000),
    LDLLC(tol=1e-9),
    EnhancedLearner(BDLE(), BDLDL()),
    EnhancedLearner(LogicalSoftmax(), MeanDistribution()),
    AAKNN(),
    AAKNN(weights="distance"),
    AABP(max_iter=20, random_state=0),  # longer training magnifies rounding beyond what the checks allow
    PTBayes(),
    PTBayes("diagonal"),
    PTSVM(),
    LDLSCL(tol=1e-8),
    EDLLRL(tol=1e-6),
]
ESTIMATORS = ENHANCERS + LEARNERS

# Small tables have as many tags in every row, or one, or all. BayesLE rightly warns of that.
IGNORE_TAG_WARNINGS = [
    pytest.mark.filterwarnings(f"ignore::{kind.__module__}.{kind.__name__}") for kind in (SpreadWarning, TagRuleWarning)
]
