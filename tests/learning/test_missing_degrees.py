"""Common checks of the learners that accept missing degrees."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist import BDLDL, BDLDLCV, choose_learner
from labeldist.datasets import make_artificial
from labeldist.metrics import kl_divergence
from labeldist.published import AAKNN, SABFGS, WSLDLMCSC, IncomLDL, WInLDL
from labeldist.simplex import check_distributions
from tests.estimators import ESTIMATORS

ACCEPTING = [IncomLDL(), WInLDL(), WSLDLMCSC()]
every_accepting = pytest.mark.parametrize("learner", ACCEPTING, ids=repr)


@pytest.fixture
def data():
    return make_artificial(30, random_state=0)


def hide(D, share):
    """Return degrees of which a share is missing."""
    return np.where(np.random.default_rng(0).random(D.shape) < share, np.nan, D)


def distributions(learner, X):
    return learner.predict(X) if hasattr(learner, "predict") else learner.label_distributions_


@pytest.mark.parametrize(
    "learner", [IncomLDL(0.1), IncomLDL(0.1, solver="apg"), WInLDL()], ids=repr
)
def test_missing_degrees_are_better_than_the_mean_in_their_place(learner):
    X, D = make_artificial(400, random_state=0)
    new, truth = make_artificial(200, random_state=1)
    hidden = hide(D, 0.6)
    filled = np.where(np.isnan(hidden), np.nanmean(hidden, axis=0), hidden)
    complete, missing, mean = (
        kl_divergence(truth, learner.fit(X, y).predict(new)) for y in (D, hidden, filled)
    )
    assert missing < 0.7 * mean
    assert missing < 1.2 * complete


@every_accepting
def test_only_complete_rows_are_normalised(data, learner):
    X, D = data
    hidden = D.copy()
    hidden[0, 0] = hidden[1] = np.nan
    expected = distributions(learner.fit(X, hidden), X)
    check_distributions(expected)
    times = hidden.copy()
    times[2:] *= 7
    assert_allclose(distributions(learner.fit(X, times), X), expected, atol=1e-9)
    lists = [[None if np.isnan(d) else d for d in row] for row in hidden]
    assert_array_equal(distributions(learner.fit(X.tolist(), lists), X), expected)
    assert_array_equal(distributions(learner.fit(X, pd.DataFrame(hidden)), X), expected)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([np.nan, 3, 4], "more than 1, first row 5"),
        ([np.nan, -0.1, 0.2], "negative in 1 row"),
        ([np.nan, np.inf, 0], "is inf"),
        ([0, 0, 0], "all zero"),
    ],
)
@every_accepting
def test_invalid_rows_raise(data, learner, row, message):
    X, D = data
    D[4] = [np.nan, 0, 0]  # is valid
    learner.fit(X, D)
    D[5] = row
    with pytest.raises(ValueError, match=message):
        learner.fit(X, D)


@every_accepting
def test_degrees_that_are_all_missing_raise(data, learner):
    X, D = data
    with pytest.raises(ValueError, match="are missing"):
        learner.fit(X, np.full_like(D, np.nan))


@pytest.mark.parametrize(
    "fit", [BDLDL().fit, BDLDLCV().fit, SABFGS().fit, AAKNN().fit, choose_learner]
)
def test_other_learners_name_those_that_accept_missing_degrees(data, fit):
    X, D = data
    with pytest.raises(ValueError, match="IncomLDL, WInLDL and WSLDLMCSC"):
        fit(X, hide(D, 0.1))


def test_named_classes_are_those_that_accept_missing_degrees():
    accepting = {type(e) for e in ESTIMATORS if getattr(e, "_accepts_missing", False)}
    assert accepting == {type(learner) for learner in ACCEPTING}
