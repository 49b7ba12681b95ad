"""BayesLE: options, attributes, warnings, intervals, features and new rows."""

import warnings
from copy import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from threadpoolctl import threadpool_limits

from labeldist import BDLE, BayesLE
from labeldist.datasets import binarize, load_dataset, make_artificial
from labeldist.enhancement import LogicalSoftmax, Uniform
from labeldist.enhancement._bayes_le.posterior import posterior_moments
from labeldist.enhancement._bayes_le.tag_model import TagModel
from labeldist.enhancement._bayes_le.tag_rule import Rule, distinct_rows
from labeldist.exceptions import LabelWarning
from labeldist.metrics import kl_divergence
from labeldist.models import load, save
from labeldist.simplex import softmax


def drawn(n=1_000, n_labels=6, spread=0.5, *, threshold=0.5, seed=0):
    """Draw distributions from the model, and their tags."""
    random = np.random.default_rng(seed)
    D = softmax(0.3 * random.normal(size=n_labels) + spread * random.normal(size=(n, n_labels)))
    return D, binarize(D, threshold)


def no_features(L):
    return np.empty((len(L), 0))


ignore_tag_warnings = pytest.mark.filterwarnings("ignore::labeldist.exceptions.LabelWarning")


def fit_and_collect(L, **parameters):
    """Return the fitted enhancer and its tag warnings by their reasons."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LabelWarning)
        enhancer = BayesLE(**parameters).fit(no_features(L), L)
    messages = [w.message for w in caught if isinstance(w.message, LabelWarning)]
    return enhancer, {one.reason: str(one) for one in messages if one.reason}


@pytest.fixture(scope="module")
def fitted():
    D, L = drawn()
    return D, L, BayesLE().fit(no_features(L), L)


@pytest.fixture(scope="module")
def kernel():
    X, D = make_artificial(150, random_state=0)
    return X, binarize(D), BayesLE(regressor="kernel").fit(X, binarize(D))


def test_degrees_are_closer_to_the_truth_than_trivial_ones(fitted):
    D, L, enhancer = fitted
    found = kl_divergence(D, enhancer.label_distributions_)
    for trivial in (Uniform(), LogicalSoftmax(), LogicalSoftmax("threshold")):
        assert found < 0.9 * kl_divergence(D, trivial.fit_transform(np.zeros((len(L), 1)), L))


def test_attributes_describe_the_model(fitted):
    _, L, enhancer = fitted
    assert_allclose(enhancer.spread_, 0.5, rtol=0.15)
    assert enhancer.spread_identified_
    assert enhancer.noise_ == 0
    assert enhancer.rule_ == "half"
    assert enhancer.n_impossible_ == 0
    assert enhancer.explained_ is None
    assert enhancer.mean_.shape == (6,)
    centered = np.eye(6) - 1 / 6
    assert_allclose(np.trace(centered @ enhancer.covariance_) / 5, enhancer.spread_**2, rtol=0.05)
    # The order of the tags is kept: a tagged label has a larger degree than an untagged one.
    on = np.where(L > 0, enhancer.label_distributions_, np.inf).min(axis=1)
    assert (on > np.where(L > 0, 0, enhancer.label_distributions_).max(axis=1)).all()


def test_label_std_matches_the_errors(fitted):
    D, _, enhancer = fitted
    ratio = (D - enhancer.label_distributions_) / enhancer.label_std_
    assert_allclose(np.sqrt((ratio**2).mean()), 1, atol=0.15)


@pytest.mark.parametrize("coverage", [0.5, 0.9])
def test_intervals_cover_degrees_that_follow_the_model(fitted, coverage):
    D, _, enhancer = fitted
    lower, upper = enhancer.interval(coverage)
    assert lower.shape == upper.shape == D.shape
    assert (lower <= upper).all()
    assert_allclose(((lower <= D) & (upper >= D)).mean(), coverage, atol=0.03)
    with pytest.raises(ValueError, match=str(coverage + 1)):
        enhancer.interval(coverage + 1)


@ignore_tag_warnings
@pytest.mark.parametrize(
    ("n", "n_labels", "width", "spread"),
    [(3_000, 5, 2, 0.387), (3_000, 3, 1, 0.4), (8_000, 12, 1, 0.4)],
)
def test_recovery_is_as_good_as_with_the_true_model(n, n_labels, width, spread, rng):
    mean = np.linspace(width / 2, -width / 2, n_labels)
    D = softmax(mean + spread * rng.normal(size=(n, n_labels)))
    tags, pattern = distinct_rows(binarize(D) > 0)
    truth = TagModel(mean[:, None], spread**2 * np.eye(n_labels), spread, 0.0, Rule())
    best, _ = posterior_moments(truth, tags, 80, 20, rng)
    enhancer = BayesLE().fit(np.empty((n, 0)), binarize(D))
    found = kl_divergence(D, enhancer.label_distributions_)
    assert found < 1.08 * kl_divergence(D, best.T[pattern])
    assert_allclose(enhancer.spread_, spread, rtol=0.1)
    assert_allclose(enhancer.mean_, mean, atol=0.2)
    lower, upper = enhancer.interval(0.9)
    assert_allclose(((lower <= D) & (upper >= D)).mean(), 0.9, atol=0.04)


def test_invariance_to_row_order_and_threads(rng):
    _, L = drawn(200)
    weight = rng.random(200)
    expected = BayesLE().fit(no_features(L), L, sample_weight=weight).label_distributions_
    order = np.random.default_rng(1).permutation(200)
    with threadpool_limits(2):
        found = (
            BayesLE()
            .fit(no_features(L), L[order], sample_weight=weight[order])
            .label_distributions_
        )
    assert_array_equal(found, expected[order])


@ignore_tag_warnings
def test_rows_of_weight_zero_have_no_effect_on_the_rule():
    single = np.eye(4, dtype=int)[np.arange(40) % 4]
    several = np.tile([1, 1, 1, 1], (10, 1))
    L = np.vstack([single, several])
    weight = np.repeat([1.0, 0.0], [40, 10])
    found = BayesLE().fit(no_features(L), L, sample_weight=weight)
    expected = BayesLE().fit(no_features(single), single)
    assert found.rule_ == "order"
    assert_allclose(found.label_distributions_[:40], expected.label_distributions_, atol=0.03)


@pytest.mark.slow
def test_weights_change_the_estimate(kernel):
    (_, few), (_, many) = drawn(300, spread=0.2), drawn(300, spread=1.0, seed=1)
    L = np.vstack([few, many])
    weight = np.repeat([1.0, 0.01], 300)
    light = BayesLE().fit(no_features(L), L, sample_weight=weight).spread_
    assert light < 0.8 * BayesLE().fit(no_features(L), L).spread_
    X, L, plain = kernel
    weighted = BayesLE(regressor="kernel").fit(X, L, sample_weight=np.where(X[:, 0] > 0, 1.0, 1e-3))
    assert np.abs(plain.transform(X) - weighted.transform(X)).max() > 0.02


@pytest.mark.slow
def test_threshold_improves_recovery():
    D, L = drawn(threshold=0.7)
    right = kl_divergence(D, BayesLE(threshold=0.7).fit_transform(no_features(L), L))
    with pytest.warns(LabelWarning):
        wrong = BayesLE().fit(no_features(L), L)
    assert right < 0.8 * kl_divergence(D, wrong.label_distributions_)


def test_impossible_tags_are_counted_and_warned_about():
    _, L = drawn(n_labels=6, spread=0.2, threshold=0.8)
    enhancer, reasons = fit_and_collect(L, noise=0)
    assert enhancer.n_impossible_ == np.count_nonzero(L.sum(axis=1) >= 4)
    assert "impossible" in reasons


def test_threshold_warning_names_likely_threshold():
    _, L = drawn(2_000, n_labels=14, spread=0.1, threshold=0.3)
    _, reasons = fit_and_collect(L)
    assert reasons["threshold"].startswith(("threshold=0.3", "threshold=0.4"))


def test_ties_at_the_threshold_do_not_warn():
    L = np.array([[1, 0]] * 60 + [[0, 1]] * 50 + [[1, 1]] * 5)
    enhancer, reasons = fit_and_collect(L)
    assert set(reasons) == {"spread"}
    assert enhancer.n_impossible_ == 5
    assert not enhancer.spread_identified_


def test_spread_prior_matters_for_equal_numbers_of_tags(rng):
    L = binarize(softmax(0.1 * rng.normal(size=(300, 4))))
    assert set(L.sum(axis=1)) == {2}
    spreads = []
    for median in (0.05, 0.3):
        enhancer, reasons = fit_and_collect(L, spread_prior=(median, 0.2))
        assert "spread" in reasons
        spreads.append(enhancer.spread_)
    assert spreads[0] < 0.1 < spreads[1]


@pytest.mark.parametrize("is_tagged", [True, False])
def test_tags_in_nearly_all_or_no_rows_are_warned_about(is_tagged):
    _, L = drawn(400, n_labels=5)
    for n_rare in (3, 8):
        L[:, 0] = is_tagged
        L[:n_rare, 0] = not is_tagged
        L[:, 1] = 1 - L[:, 2]  # no row is empty
        enhancer, reasons = fit_and_collect(L, threshold=0.8)
        assert enhancer.spread_identified_ == (n_rare == 8)
        assert ("rare" in reasons) == (n_rare == 3)
    enhancer, reasons = fit_and_collect(L[10:], threshold=0.8)
    assert "99%" in reasons["rare"]
    assert enhancer.label_names_[0] in reasons["rare"]


def test_single_tags_use_rule_order():
    L = np.eye(10)[load_digits().target]
    enhancer, reasons = fit_and_collect(L)
    assert set(reasons) == {"single"}
    assert enhancer.rule_ == "order"
    assert not enhancer.spread_identified_
    assert_allclose(enhancer.spread_, 0.3)
    assert_array_equal(enhancer.label_distributions_.argmax(axis=1), L.argmax(axis=1))
    assert enhancer.label_distributions_.max() < 0.3  # little can be known


def test_rule_order_has_no_noise():
    _, L = drawn(300)
    ordered = BayesLE(rule="order").fit(no_features(L), L)
    assert (ordered.noise_, ordered.spread_) == (0, pytest.approx(0.3))
    with pytest.raises(ValueError, match=r"noise .*'order'.* 0\.1"):
        BayesLE(rule="order", noise=0.1).fit(no_features(L), L)


@ignore_tag_warnings
@pytest.mark.parametrize("regressor", ["kernel", Ridge()], ids=["kernel", "ridge"])
def test_prior_determines_the_spread_of_single_tags_with_a_regressor(regressor):
    X, D = make_artificial(200, random_state=0)
    L = np.eye(3)[D.argmax(axis=1)]
    for spread in (0.3, 2.0):
        enhancer = BayesLE(regressor=regressor, spread_prior=(spread, 0.1)).fit(X, L)
        # Regressors are not fitted in every iteration, so that their scale lags behind.
        assert_allclose(enhancer.spread_, spread, rtol=0.02 if regressor == "kernel" else 0.15)


def test_rows_without_tags_get_the_mean():
    D, L = drawn(500)
    L[:20] = 0
    with pytest.warns(LabelWarning, match="20 of 500 rows"):
        enhancer = BayesLE().fit(no_features(L), L)
    assert enhancer.n_impossible_ == 20
    assert_allclose(enhancer.label_distributions_[0], D.mean(axis=0), atol=0.05)
    assert_allclose(enhancer.label_distributions_[:20].std(axis=0), 0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::labeldist.exceptions.LabelWarning")
def test_rows_without_tags_count_as_not_annotated_if_tags_can_be_wrong(rng):
    _, L = drawn(500)
    L[:20] = 0
    enhancer = BayesLE(noise=0.1).fit(no_features(L), L)
    assert enhancer.noise_ == 0.1
    scores = rng.multivariate_normal(enhancer.mean_, enhancer.covariance_, 20_000)
    assert_allclose(enhancer.label_distributions_[0], softmax(scores).mean(axis=0), atol=0.01)


def test_table_without_any_tag_is_uniform():
    with pytest.warns(LabelWarning):
        found = BayesLE().fit_transform(np.zeros((5, 1)), np.zeros((5, 3)))
    assert_allclose(found, 1 / 3, atol=0.01)


@pytest.mark.slow
def test_noise_is_estimated_and_helps():
    D, L = drawn(1_000, n_labels=8)
    flips = np.random.default_rng(1).random(L.shape) < 0.05
    T = np.where(flips, 1 - L, L)
    T[T.sum(axis=1) == 0, 0] = 1
    automatic = BayesLE().fit(no_features(T), T)
    assert 0.05 / 1.6 < automatic.noise_ < 0.05 * 1.6
    assert_allclose(automatic.spread_, 0.5, rtol=0.25)
    hard, _ = fit_and_collect(T, noise=0)
    automatic, hard = (kl_divergence(D, e.label_distributions_) for e in (automatic, hard))
    assert automatic < 0.9 * hard


def test_random_tags_warn(rng):
    L = (rng.random((500, 6)) < 0.5).astype(int)
    L[L.sum(axis=1) == 0, 0] = 1
    _, reasons = fit_and_collect(L)
    assert {"noisy", "impossible"} & set(reasons)


def test_informative_features_improve_recovery():
    X, D = make_artificial(300, random_state=0)
    L = binarize(D)
    enhancer = BayesLE(regressor="auto").fit(X, L)
    assert enhancer.explained_ > 0.9
    found = kl_divergence(D, enhancer.label_distributions_)
    assert found < 0.7 * kl_divergence(D, BDLE().fit_transform(X, L))
    assert found < 0.5 * kl_divergence(D, BayesLE().fit_transform(X, L))
    new, truth = make_artificial(300, random_state=1)
    assert kl_divergence(truth, enhancer.transform(new)) < 0.01
    lower, upper = enhancer.interval(0.9)
    assert (upper - lower).mean() < 0.15


def test_auto_ignores_uninformative_features(rng):
    _, L = drawn(300)
    X = rng.normal(size=(300, 3))
    enhancer = BayesLE(regressor="auto").fit(X, L)
    assert enhancer.explained_ < 0.4
    assert_array_equal(enhancer.label_distributions_, BayesLE().fit_transform(X, L))


def test_spread_means_the_same_with_and_without_a_regressor(rng):
    D = softmax([0.6, 0.2, -0.2, -0.6] + 0.4 * rng.normal(size=(600, 4)))
    X = rng.normal(size=(600, 3))
    free, featured = (BayesLE(regressor=r).fit(X, binarize(D)) for r in (None, "kernel"))
    assert featured.explained_ < 0.1
    assert_allclose(featured.spread_, free.spread_, rtol=0.15)


def test_transform_exists_only_with_a_regressor():
    assert not hasattr(BayesLE(), "transform")
    assert hasattr(BayesLE(regressor="auto"), "transform")


@pytest.mark.parametrize(
    "regressor",
    [
        Ridge(),
        pytest.param(
            ExtraTreesRegressor(20, min_samples_leaf=3, random_state=0), marks=pytest.mark.slow
        ),
    ],
    ids=["ridge", "trees"],
)
def test_regressor_is_cross_fitted(regressor):
    X, D = make_artificial(300, random_state=0)
    L = binarize(D)
    enhancer = BayesLE(regressor=regressor).fit(X, L)
    assert enhancer.explained_ > 0.5
    assert not hasattr(regressor, "n_features_in_")
    new, truth = make_artificial(300, random_state=1)
    free = BayesLE().fit(X, L).label_distributions_
    assert kl_divergence(D, enhancer.label_distributions_) < kl_divergence(D, free)
    trivial = np.tile(free.mean(axis=0), (300, 1))
    assert kl_divergence(truth, enhancer.transform(new)) < 0.5 * kl_divergence(truth, trivial)


def test_weights_reach_a_regressor_in_a_pipeline():
    X, D = make_artificial(100, random_state=0)
    weight = np.where(X[:, 0] > 0, 10.0, 0.1)
    plain, piped = (
        BayesLE(regressor=one).fit(X, binarize(D), sample_weight=weight).transform(X)
        for one in (Ridge(), make_pipeline(FunctionTransformer(), Ridge()))
    )
    assert_allclose(piped, plain, atol=1e-9)


def test_new_rows_are_predicted_one_by_one_as_together(kernel):
    X, _, enhancer = kernel
    whole = enhancer.transform(X)
    assert_allclose(whole.sum(axis=1), 1)
    assert_allclose(
        np.vstack([enhancer.transform(X[[i]]) for i in range(5)]), whole[:5], atol=1e-12
    )
    with pytest.raises(ValueError, match="3 features"):
        enhancer.transform(X[:, :2])
    framed = copy(enhancer).set_output(transform="pandas").transform(X)
    assert list(framed.columns) == enhancer.label_names_


def test_single_label_is_always_one():
    X = np.zeros((5, 1))
    with pytest.warns(LabelWarning, match="single label column"):
        enhancer = BayesLE(regressor="kernel").fit(X, np.ones((5, 1)))
    for found in (enhancer.label_distributions_, enhancer.transform(X), *enhancer.interval(0.5)):
        assert_array_equal(found, np.ones((5, 1)))


def test_saved_enhancer_has_the_same_intervals(kernel, tmp_path):
    save(kernel[-1], tmp_path / "model.skops")
    assert_array_equal(load(tmp_path / "model.skops").interval(0.9), kernel[-1].interval(0.9))


def test_spread_prior_is_checked():
    with pytest.raises(ValueError, match="spread_prior"):
        BayesLE(spread_prior=(-1, 1)).fit(np.zeros((2, 1)), [[1, 0], [0, 1]])


@pytest.mark.parametrize(
    "name",
    ["Yeast_cold", *(pytest.param(name, marks=pytest.mark.slow) for name in ("SBU_3DFE", "Movie"))],
)
def test_benchmark_sets_are_recovered_better_than_by_the_best_trivial_enhancer(
    benchmark_folder, name
):
    data = load_dataset(name, data_home=benchmark_folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LabelWarning)
        enhancer, reasons = fit_and_collect(data.logical)
        trivial = [Uniform(), LogicalSoftmax(), LogicalSoftmax("threshold")]
        others = [one.fit_transform(data.data, data.logical) for one in trivial]
    assert set(reasons) <= {"spread"}
    smallest = min(kl_divergence(data.target, other) for other in others)
    assert kl_divergence(data.target, enhancer.label_distributions_) < 0.95 * smallest


@ignore_tag_warnings
def test_transform_depends_on_the_parameters_of_the_fit(rng):
    X = rng.normal(size=(40, 2))
    L = (rng.random((40, 3)) < 0.5).astype(int)
    L[:, 0] |= ~L.any(axis=1)
    without = BayesLE(random_state=0).fit(X, L).set_params(regressor="kernel")
    assert not hasattr(without, "transform")
    assert hasattr(without.fit(X, L), "transform")
    without.set_params(regressor=None)
    assert without.transform(X).shape == (40, 3)
    assert not hasattr(without.fit(X, L), "transform")
