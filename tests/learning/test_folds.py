"""Rows that are held out."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labeldist.datasets import make_artificial
from labeldist.learning import AAKNN, BDLDL
from labeldist.learning._folds import held_out, prepared, split_rows, takes_weights

X, D = make_artificial(40, random_state=0)


def test_each_row_is_predicted_without_itself():
    P = held_out(BDLDL(), X, D, cv=4, random_state=0)
    for row in (0, 7, 31):
        changed = D.copy()
        changed[row] = [0, 0, 1]
        Q = held_out(BDLDL(), X, changed, cv=4, random_state=0)
        assert_array_equal(Q[row], P[row])
        assert not np.array_equal(Q, P)


def test_folds_are_drawn_by_the_random_state_or_given():
    first, again, other = (held_out(AAKNN(), X, D, cv=4, random_state=seed) for seed in (0, 0, 1))
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    train, test = next(KFold(4).split(X))
    by_hand = AAKNN().fit(X[train], D[train]).predict(X[test])
    assert_array_equal(held_out(AAKNN(), X, D, cv=KFold(4))[test], by_hand)
    with pytest.raises(ValueError, match="only works for partitions"):
        held_out(AAKNN(), X, D, cv=ShuffleSplit(3))


def test_no_more_folds_are_drawn_than_there_are_rows():
    assert [len(test) for _, test in split_rows(X[:3], D[:3], 5, np.random.RandomState(0))] == [1, 1, 1]
    with pytest.raises(ValueError, match=r"out of 1 row\(s\): at least two"):
        held_out(AAKNN(), X[:1], D[:1])


def test_weights_reach_the_parts_that_take_them():
    weight = np.arange(1.0, 41)
    learner = make_pipeline(StandardScaler(), BDLDL())
    train, test = next(KFold(4).split(X))
    by_hand = learner.fit(
        X[train], D[train], standardscaler__sample_weight=weight[train], bdldl__sample_weight=weight[train]
    ).predict(X[test])
    assert_array_equal(held_out(learner, X, D, cv=KFold(4), sample_weight=weight)[test], by_hand)
    assert not np.array_equal(held_out(learner, X, D, cv=KFold(4))[test], by_hand)
    unweighted = held_out(AAKNN(), X, D, cv=KFold(4))
    assert_array_equal(held_out(AAKNN(), X, D, cv=KFold(4), sample_weight=weight), unweighted)


def test_it_is_the_last_step_that_takes_weights_or_none():
    assert takes_weights(BDLDL())
    assert takes_weights(make_pipeline(StandardScaler(), BDLDL()))
    assert not takes_weights(make_pipeline(StandardScaler(), AAKNN()))


@pytest.mark.parametrize("make", [pd.DataFrame, np.ndarray.tolist, sparse.coo_array])
def test_tables_of_all_kinds_are_split(make):
    assert_allclose(held_out(BDLDL(), make(X), D, random_state=0), held_out(BDLDL(), X, D, random_state=0))


def test_what_prepares_stands_before_the_learner_and_its_steps():
    scaler, learner = StandardScaler(), BDLDL()
    assert prepared(None, learner) is learner
    assert [step for _, step in prepared(scaler, learner).steps] == [scaler, learner]
    whole = prepared(scaler, make_pipeline(StandardScaler(), learner))
    assert list(whole.named_steps) == ["prepare", "standardscaler", "bdldl"]
