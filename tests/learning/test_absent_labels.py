"""Labels that never occur have the degree zero, and change no other degree."""

import numpy as np
import pytest
from lightgbm import LGBMClassifier
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from xgboost import XGBClassifier

from labeldist.datasets import make_artificial
from labeldist.learning import SoftLabelClassifier, SoftmaxRegression, SoftmaxRegressionCV
from labeldist.published import PTSVM, PTBayes

LEARNERS = [
    SoftmaxRegression(0.1),
    SoftmaxRegressionCV([0.1], 2),
    SoftLabelClassifier(LogisticRegression(tol=1e-9, max_iter=10_000)),
    SoftLabelClassifier(LGBMClassifier(n_estimators=15, verbosity=-1, n_jobs=1)),
    SoftLabelClassifier(XGBClassifier(n_estimators=15, n_jobs=1)),
    PTBayes(),
    PTBayes("diagonal"),
    PTSVM(),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_labels_that_never_occur_have_degree_zero(learner):
    X, D = make_artificial(200, random_state=0)
    expected = clone(learner).fit(X, D).predict(10 * X)
    found = clone(learner).fit(X, np.insert(D, 1, 0, axis=1)).predict(10 * X)
    assert_allclose(found, np.insert(expected, 1, 0, axis=1), atol=1e-12)
