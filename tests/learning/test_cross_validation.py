import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, PredefinedSplit, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labeldist._validation import weights_for
from labeldist.datasets import make_artificial
from labeldist.learning import BDLDL, ConformalLearner
from labeldist.learning._cross_validation import held_out, split_rows, weighted_rows
from labeldist.published import AAKNN

X, D = make_artificial(40, random_state=0)


def test_rows_are_predicted_by_models_fitted_without_them():
    P = held_out(BDLDL(), X, D, cv=4, random_state=0)
    changed = D.copy()
    changed[7] = [0, 0, 1]
    Q = held_out(BDLDL(), X, changed, cv=4, random_state=0)
    assert_array_equal(Q[7], P[7])
    assert not np.array_equal(Q, P)


def test_random_state_and_splitters_decide_the_folds():
    first, again, other = (held_out(AAKNN(), X, D, cv=4, random_state=seed) for seed in (0, 0, 1))
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    train, test = next(KFold(4).split(X))
    by_hand = AAKNN().fit(X[train], D[train]).predict(X[test])
    assert_array_equal(held_out(AAKNN(), X, D, cv=KFold(4))[test], by_hand)
    with pytest.raises(ValueError, match="partitions"):
        held_out(AAKNN(), X, D, cv=ShuffleSplit(3))


def test_number_of_folds_is_at_most_the_number_of_rows():
    folds = split_rows(X[:3], D[:3], 5, np.random.RandomState(0))
    assert [len(test) for _, test in folds] == [1, 1, 1]
    with pytest.raises(ValueError, match="1 sample"):
        held_out(AAKNN(), X[:1], D[:1])


@pytest.mark.parametrize("make", [pd.DataFrame, np.ndarray.tolist, sparse.coo_array])
def test_frames_lists_and_sparse_matrices_are_split(make):
    assert_allclose(
        held_out(BDLDL(), make(X), D, random_state=0), held_out(BDLDL(), X, D, random_state=0)
    )


def test_rows_of_weight_zero_are_kept_if_folds_list_rows():
    weight = np.where(np.arange(40) % 4 == 0, 0.0, 1.0)
    fold = np.arange(40) % 2
    for cv in (PredefinedSplit(fold), list(PredefinedSplit(fold).split())):
        assert len(weighted_rows(cv, weight, X)[1]) == 40
        model = ConformalLearner(BDLDL(), cv=cv).fit(X, D, sample_weight=weight)
        first = BDLDL().fit(X[fold == 1], D[fold == 1], sample_weight=weight[fold == 1])
        assert_allclose(model.residuals_[fold == 0], D[fold == 0] - first.predict(X[fold == 0]))
    assert len(weighted_rows(KFold(2), weight, X)[1]) == 30


def test_weights_reach_learners_in_searches_and_nested_pipelines():
    weight = np.arange(1.0, 41)
    inner = make_pipeline(StandardScaler(), BDLDL())
    for learner in (
        GridSearchCV(inner, {"bdldl__ridge": [0.1, 1.0]}, cv=2),
        make_pipeline(StandardScaler(), inner),
    ):
        weighted = clone(learner).fit(X, D, **weights_for(learner, weight))
        steps = weighted.best_estimator_ if hasattr(weighted, "best_estimator_") else weighted[-1]
        assert steps[1]._moments.weight == weight.sum()
        assert steps[0].n_samples_seen_ == pytest.approx(weight.sum())
        conformal = ConformalLearner(learner, random_state=0).fit(X, D, sample_weight=weight)
        assert_array_equal(conformal.predict(X), weighted.predict(X))
    assert weights_for(make_pipeline("passthrough", AAKNN()), weight) == {}
