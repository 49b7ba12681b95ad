import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from labeldist.datasets import make_artificial
from labeldist.exceptions import LabelWarning
from labeldist.learning import DistributionForest
from labeldist.learning import _trees as trees
from labeldist.models import load, save
from tests.checks import ALL_CHECKS, check_feature_order_does_not_matter, check_weights_are_repetition, example

SMALL = DistributionForest(10, random_state=0)

# Which features a split looks at is drawn by their order, and `min_samples_leaf` counts rows, not weights.
DRAWN = [check_feature_order_does_not_matter, check_weights_are_repetition]
EXPECTED_FAILURES = {
    "check_regressor_multioutput": "its targets are negative, which no distribution is",
}


@pytest.mark.filterwarnings(f"ignore::{LabelWarning.__module__}.{LabelWarning.__name__}")
@parametrize_with_checks([SMALL], expected_failed_checks=lambda _: EXPECTED_FAILURES)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("check", [check for check in ALL_CHECKS if check not in DRAWN], ids=lambda c: c.__name__)
def test_common(check):
    check(clone(SMALL))


def test_it_is_scikit_learns_forest_on_distributions(monkeypatch):
    monkeypatch.setattr(trees, "BLOCK_STEPS", 70)
    X, D = make_artificial(100, random_state=0)
    theirs = ExtraTreesRegressor(7, min_samples_leaf=4, max_features=2, random_state=1).fit(X, D)
    ours = DistributionForest(7, min_samples_leaf=4, max_features=2, random_state=1).fit(X, 5 * D)
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-12)
    new = np.random.default_rng(5).normal(size=(33, 3))
    assert_allclose(ours.predict(new), theirs.predict(new), atol=1e-12)
    assert ours.trees_.depth == max(tree.get_depth() for tree in theirs.estimators_)


def test_leaves_as_large_as_the_table_give_the_weighted_mean(rng):
    X, D, _ = example()
    weight = rng.uniform(1, 2, size=len(X))
    fitted = DistributionForest(3, min_samples_leaf=len(X)).fit(X, D, sample_weight=weight)
    assert_allclose(fitted.predict(X[:1]), [np.average(D, axis=0, weights=weight)], atol=1e-12)


def test_units_do_not_count_and_sparse_features_are_taken():
    X, D = make_artificial(60, random_state=0)
    plain = clone(SMALL).fit(X, D).predict(X)
    assert_allclose(clone(SMALL).fit(X * 2.0**10, D).predict(X * 2.0**10), plain, atol=1e-12)
    thin = sparse.csr_array(X)
    fitted = clone(SMALL).fit(thin, D)
    assert_array_equal(fitted.predict(thin), fitted.predict(X))


def test_sparse_rows_are_answered_as_dense_ones_whatever_it_has_learned_from():
    X, y, _ = example()
    X = np.where(X > 0, X + 5, 0)
    for table in (X, sparse.csr_array(X)):
        forest = DistributionForest(5, random_state=0).fit(table, y)
        assert_array_equal(forest.predict(sparse.csr_array(X)), forest.predict(X))


def test_it_can_be_kept_and_a_tampered_file_cannot_make_it_read_elsewhere(tmp_path):
    X, D = make_artificial(60, random_state=0)
    fitted = clone(SMALL).fit(X, D)
    save(fitted, tmp_path / "forest.skops")
    assert_array_equal(load(tmp_path / "forest.skops").predict(X), fitted.predict(X))
    fitted.trees_.children[0] = 10**6
    with pytest.raises(IndexError):
        fitted.predict(X)


@pytest.mark.parametrize(
    "wrong", [{"n_estimators": 0}, {"min_samples_leaf": 0}, {"max_features": 1.5}, {"max_features": "all"}]
)
def test_wrong_parameters_are_named(wrong):
    with pytest.raises(ValueError, match=f"The {next(iter(wrong))!r} parameter"):
        DistributionForest(**wrong).fit(*make_artificial(10, random_state=0))
