import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit

from labeldist import BDLDL, BDLDLCV
from labeldist.datasets import make_artificial
from labeldist.learning import SoftmaxRegressionCV
from labeldist.metrics import MEASURES, clark, cosine, get_scorer, kl_divergence
from labeldist.simplex import softmax

GRID = {
    "reconstruction": [1e-4, 1.0],
    "ridge": [1e-3, 10.0],
    "output": ["clip", "softmax"],
    "floor": [0.0, 0.1],
}


@pytest.fixture
def table():
    return make_artificial(120, random_state=0)


def grid_search(X, D, cv, scoring="kl_divergence", **options):
    return GridSearchCV(BDLDL(**options), GRID, cv=cv, scoring=get_scorer(scoring)).fit(X, D)


def cross_validated(cv, **options):
    return BDLDLCV(
        GRID["reconstruction"],
        GRID["ridge"],
        GRID["floor"],
        outputs=GRID["output"],
        cv=cv,
        **options,
    )


def scores_by_point(search):
    points = [tuple(sorted(point.items())) for point in search.cv_results_["params"]]
    splits = [name for name in search.cv_results_ if name.startswith("split")]
    return dict(
        zip(points, np.transpose([search.cv_results_[split] for split in splits]), strict=True)
    )


def assert_same_scores(found, expected):
    found = scores_by_point(found)
    expected = scores_by_point(expected)
    assert found.keys() == expected.keys()
    for point, scores in expected.items():
        assert_allclose(found[point], scores, atol=1e-10)


@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"scale": True}], ids=str)
@pytest.mark.parametrize("n_more", [0, 200], ids=["few features", "more features than rows"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_scores_equal_those_of_grid_search(rng, table, options, n_more, form):
    X, D = table
    X = np.hstack([X, 1 + rng.normal(size=(len(X), n_more))])
    cv = KFold(4, shuffle=True, random_state=1)
    found = cross_validated(cv, **options).fit(form(X), D)
    expected = grid_search(X, D, cv, **options)
    assert_same_scores(found, expected)
    assert found.best_params_ == expected.best_params_
    assert found.best_score_ == pytest.approx(expected.best_score_)
    assert_allclose(found.predict(form(X)), expected.predict(X), atol=1e-10)
    assert_allclose(
        found.cv_results_["std_test_score"].max(), expected.cv_results_["std_test_score"].max()
    )


@pytest.mark.parametrize("scoring", list(MEASURES))
def test_every_measure_as_scoring(table, scoring):
    cv = KFold(3)
    found = cross_validated(cv, scoring=scoring).fit(*table)
    expected = grid_search(*table, cv, scoring)
    assert_same_scores(found, expected)
    assert found.best_params_ == expected.best_params_


def test_folds_need_not_be_a_partition(table):
    cv = ShuffleSplit(4, test_size=0.3, random_state=0)
    assert_same_scores(cross_validated(cv).fit(*table), grid_search(*table, cv))
    some = [(np.arange(0, 80), np.arange(80, 100)), (np.arange(40, 120), np.arange(0, 40))]
    assert_same_scores(cross_validated(some).fit(*table), grid_search(*table, some))


def test_weights_equal_repeated_rows(table, rng):
    X, D = table
    times = rng.integers(1, 4, size=120)
    owner = np.repeat(np.arange(120), times)
    folds = list(GroupKFold(3).split(X, groups=np.arange(120)))
    repeated = [tuple(np.flatnonzero(np.isin(owner, part)) for part in fold) for fold in folds]
    weighted = cross_validated(folds).fit(X, D, sample_weight=times.astype(float))
    expected = cross_validated(repeated).fit(X[owner], D[owner])
    assert_same_scores(expected, weighted)
    assert_allclose(weighted.coef_, expected.coef_, atol=1e-9)


def test_int_cv_shuffles_rows(table):
    X, D = table
    order = np.argsort(D[:, 0])
    one, other = (cross_validated(4, random_state=seed).fit(X[order], D[order]) for seed in (0, 1))
    assert one.n_splits_ == 4
    assert one.best_score_ != other.best_score_
    assert_same_scores(
        one, cross_validated(KFold(4, shuffle=True, random_state=0)).fit(X[order], D[order])
    )


def test_default_grid(table):
    model = BDLDLCV().fit(*table)
    points = model.cv_results_["params"]
    assert len(points) == 8 * 8 * 6
    assert sorted({point["ridge"] for point in points}) == [10.0**k for k in range(-4, 4)]
    assert max(point["floor"] for point in points) == pytest.approx(0.7 / 3)
    assert model.score(*make_artificial(200, random_state=1)) > 0.5
    assert model.cv_results_["rank_test_score"].min() == 1
    assert_array_equal(model.coef_, model.best_estimator_.coef_)
    assert model.floor_ == model.best_params_["floor"]


@pytest.mark.parametrize(
    "options",
    [
        {"ridges": [-1.0]},
        {"ridges": []},
        {"reconstructions": ["a"]},
        {"floors": [2.0]},
        {"outputs": ["sigmoid"]},
        {"outputs": []},
        {"scoring": "accuracy"},
        {"cv": 1},
    ],
    ids=str,
)
def test_invalid_parameters_raise(table, options):
    (name,) = options
    with pytest.raises(ValueError, match=name.removesuffix("s")):
        BDLDLCV(**options).fit(*table)


def test_best_estimator_predicts_and_knows_the_features():
    X, D = make_artificial(80, random_state=0)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = BDLDLCV(cv=3).fit(frame, D)
    assert_allclose(model.best_estimator_.predict(frame), model.predict(frame))
    with pytest.raises(ValueError, match="feature names"):
        model.best_estimator_.predict(frame[["c", "b", "a"]])


@pytest.mark.parametrize("m", [6, 410])
@pytest.mark.parametrize("units", [(-2, 4), (-6, 6)])
def test_extreme_units_give_the_scores_of_grid_search(m, units, rng):
    base = rng.normal(size=(900, m))
    D = softmax(base[:, :3] + 0.3 * rng.normal(size=(900, 3)))
    X = base * np.logspace(*units, m)
    X[:, :3] = base[:, :3] * 10.0 ** units[0]
    folds = KFold(3)
    ours = BDLDLCV([1e-3], [1e-4], [0.01], cv=folds).fit(X, D)
    grid = {"reconstruction": [1e-3], "ridge": [1e-4], "floor": [0.01]}
    theirs = GridSearchCV(BDLDL(), grid, cv=folds, scoring=get_scorer("kl_divergence")).fit(X, D)
    assert_allclose(ours.best_score_, theirs.best_score_, rtol=1e-8)


def test_measure_function_with_lower_is_better_raises(table):
    with pytest.raises(ValueError, match=r"lowest clark is best.*scoring='clark'"):
        BDLDLCV(scoring=clark).fit(*table)
    by_name, by_function = (
        cross_validated(3, scoring=scoring).fit(*table) for scoring in ("cosine", cosine)
    )
    assert by_name.best_params_ == by_function.best_params_


def test_function_as_scoring_gets_whole_folds(rng):
    X = rng.normal(size=(3000, 2))
    D = rng.dirichlet(np.ones(50), size=3000)
    lengths = set()

    def worst(D, P):
        lengths.add(len(D))
        return -float(np.abs(D - P).max())

    def scorer(model, X, D):
        return worst(D, model.predict(X))

    model = BDLDLCV([1e-3], [1.0, 1e5], [0.001], cv=KFold(2), scoring=worst).fit(X, D)
    expected = GridSearchCV(
        BDLDL(floor=0.001), {"ridge": [1.0, 1e5]}, cv=KFold(2), scoring=scorer
    ).fit(X, D)
    assert lengths == {1500}
    assert_allclose(model.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"])


def test_fold_without_weight_raises():
    X, D = make_artificial(60, random_state=0)
    weight = np.ones(60)
    weight[:6] = 0
    with pytest.raises(ValueError, match="fold 0"):
        BDLDLCV(cv=list(KFold(10).split(X))).fit(X, D, sample_weight=weight)


@pytest.mark.parametrize("search", [BDLDLCV(cv=3), SoftmaxRegressionCV(cv=3)], ids=repr)
def test_measures_scorers_and_undefined_scores_as_scoring_raise(search):
    X, D = make_artificial(60, random_state=0)
    with pytest.raises(ValueError, match="scoring='kl_divergence'"):
        clone(search).set_params(scoring=kl_divergence).fit(X, D)
    with pytest.raises(TypeError, match="not a scorer; got make_scorer"):
        clone(search).set_params(scoring=get_scorer("kl_divergence")).fit(X, D)
    with pytest.raises(
        ValueError, match=r"combination \d+ on fold 0 is nan. Scores must be finite"
    ):
        clone(search).set_params(scoring=lambda D, P: np.nan).fit(X, D)


@pytest.mark.parametrize(
    "search", [BDLDLCV(cv=KFold(10)), SoftmaxRegressionCV([0.1, 1, 10], KFold(10))], ids=repr
)
def test_rows_of_weight_zero_are_left_out_of_the_folds(search):
    X, D = make_artificial(60, random_state=0)
    weight = np.where(np.arange(60) < 20, 0, 2)
    model = clone(search).fit(X, D, sample_weight=weight)
    expected = clone(search).fit(X[20:], D[20:], sample_weight=weight[20:])
    assert_allclose(model.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"])
    assert_allclose(model.predict(X), expected.predict(X))
