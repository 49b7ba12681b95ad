"""VoteLE: degrees, intervals, learners, new items and input."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import PredefinedSplit, TimeSeriesSplit
from sklearn.pipeline import make_pipeline

from labeldist import VoteLE
from labeldist.datasets import make_artificial
from labeldist.enhancement._vote_le.logistic_normal_prior import contrasts
from labeldist.enhancement._vote_le.prior_means import Votes
from labeldist.enhancement._vote_le.priors import Priors
from labeldist.exceptions import LabelWarning
from labeldist.learning import MeanDistribution, SoftmaxRegression
from labeldist.metrics import kl_divergence
from labeldist.votes import from_votes


def draw_votes(D, n_votes=3, seed=0):
    return np.random.default_rng(seed).multinomial(n_votes, D).astype(float)


def dirichlet_items(n=1000, seed=0):
    return np.random.default_rng(seed).dirichlet([2.0, 1.0, 1.0, 0.5], size=n)


def logistic_normal_items(n=1000, seed=0):
    rng = np.random.default_rng(seed)
    root = np.array([[1.0, 0, 0], [0.8, 0.4, 0], [-0.5, 0.3, 0.3]])
    Z = np.array([0.5, 0.0, 0.3]) + rng.standard_normal((n, 3)) @ root.T
    return softmax(Z @ contrasts(4).T, axis=1)


def items_with_features(n=400, seed=0):
    X, D = make_artificial(n, random_state=seed)
    sharp = D**6
    return X, sharp / sharp.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("make", [dirichlet_items, logistic_normal_items])
@pytest.mark.parametrize("n_votes", [2, 5])
def test_degrees_are_closer_to_the_truth_than_counting_and_smoothing(make, n_votes):
    D = make()
    counts = draw_votes(D, n_votes)
    found = kl_divergence(D, VoteLE().fit(None, counts).label_distributions_)
    assert found < kl_divergence(D, from_votes(counts, smoothing="auto").distributions) * 1.01
    assert found < kl_divergence(D, from_votes(counts, smoothing=1).distributions) * 0.9


@pytest.mark.parametrize(
    ("make", "right", "wrong"),
    [
        (dirichlet_items, "dirichlet", "logistic_normal"),
        (logistic_normal_items, "logistic_normal", "dirichlet"),
    ],
)
def test_prior_that_made_the_degrees_has_the_larger_weight(make, right, wrong):
    enhancer = VoteLE().fit(None, draw_votes(make(3000), 8))
    assert enhancer.weights_[right] > enhancer.weights_[wrong]
    assert enhancer.vote_scores_[right] > enhancer.vote_scores_[wrong]
    assert sum(enhancer.weights_.values()) == pytest.approx(1)


@pytest.mark.parametrize("make", [dirichlet_items, logistic_normal_items])
@pytest.mark.parametrize("coverage", [0.5, 0.9])
def test_intervals_cover_degrees_of_the_priors(make, coverage):
    D = make(5000)  # 20,000 degrees
    enhancer = VoteLE().fit(None, draw_votes(D, 4))
    lower, upper = enhancer.interval(coverage)
    covered = ((lower <= D) & (upper >= D)).mean()
    assert covered == pytest.approx(coverage, abs=0.03)
    assert (lower <= upper).all()


def test_deviations_agree_with_errors():
    D = logistic_normal_items(3000)
    enhancer = VoteLE().fit(None, draw_votes(D, 4))
    errors = (D - enhancer.label_distributions_) ** 2
    assert np.sqrt(errors.mean()) == pytest.approx(
        np.sqrt((enhancer.label_std_**2).mean()), rel=0.05
    )


def test_scores_of_counting_and_mean():
    counts = np.array([[2, 1, 0], [0, 3, 0], [1, 1, 1], [3, 0, 0]])
    scores = VoteLE().fit(None, counts).vote_scores_
    added = np.log([(1 + 1 / 3) / 3, (1 + 1 / 3) / 3, (1 / 3) / 3])
    of_first = added.sum()
    of_unanimous = 3 * np.log((2 + 1 / 3) / 3)
    of_third = 3 * np.log((1 / 3) / 3)
    assert scores["counting"] == pytest.approx((of_first + 2 * of_unanimous + of_third) / 12)
    priors = {"flat", "mean", "dirichlet", "logistic_normal"}
    assert set(scores) == {"counting", "mixture"} | priors


def test_score_of_the_mean_is_that_of_the_shares_of_other_items():
    counts = draw_votes(np.tile([0.5, 0.3, 0.2], (200, 1)))
    shares = counts.sum(axis=0) / counts.sum()
    expected = shares @ np.log(shares)
    found = VoteLE().fit(None, counts).vote_scores_["mean"]
    assert expected - 0.01 < found < expected


def test_equal_counts_have_equal_degrees():
    counts = draw_votes(dirichlet_items(300))
    enhancer = VoteLE().fit(None, counts)
    for attribute in (enhancer.label_distributions_, *enhancer.interval()):
        table = pd.DataFrame(np.round(attribute, 12))
        keys = [" ".join(map(str, row)) for row in counts]
        assert (table.groupby(np.array(keys)).nunique() == 1).all(axis=None)


def test_features_help_if_they_predict_the_votes():
    X, D = items_with_features()
    counts = draw_votes(D)
    without = VoteLE().fit(X, counts)
    automatic = VoteLE("auto").fit(X, counts)
    assert without.learner_ is None
    error = kl_divergence(D, automatic.label_distributions_)
    assert error < 0.6 * kl_divergence(D, without.label_distributions_)
    assert automatic.vote_scores_["mixture"] > without.vote_scores_["mixture"]
    X_new, D_new = items_with_features(seed=1)
    mean = np.tile(D.mean(axis=0), (len(D_new), 1))
    assert kl_divergence(D_new, automatic.transform(X_new)) < 0.6 * kl_divergence(D_new, mean)


def test_automatic_learner_is_left_out_if_it_predicts_votes_worse(monkeypatch):
    path = "labeldist.enhancement._vote_le.estimator.cross_fit_kernel_softmax"
    X, D = items_with_features(100)
    counts = draw_votes(D)
    wrong = np.where(D == D.max(axis=1, keepdims=True), 0.01, 0.495)
    monkeypatch.setattr(path, lambda *_: (wrong, None))
    enhancer = VoteLE("auto").fit(X, counts)
    assert "learner" not in enhancer.vote_scores_
    assert_array_equal(
        enhancer.label_distributions_, VoteLE().fit(None, counts).label_distributions_
    )


def test_any_learner_is_cross_fitted_with_the_numbers_of_votes_as_weights():
    X, D = items_with_features(60)
    counts = draw_votes(D)
    counts[0] = 0
    seen = []

    class Recorder(MeanDistribution):
        def fit(self, X, y, sample_weight=None):
            seen.append((len(X), sample_weight))
            return super().fit(X, y, sample_weight)

    enhancer = VoteLE(Recorder(), cv=3).fit(X, counts)
    assert [n for n, _ in seen[:3]] != [60] * 3
    assert sum(60 - n for n, _ in seen[:3]) == 60 + 2  # the item without votes is never used
    assert seen[3][0] == 59
    assert_array_equal(seen[3][1], np.full(59, 3.0))
    assert isinstance(enhancer.learner_, Recorder)


def test_learner_of_texts():
    rng = np.random.default_rng(5)
    is_joy = rng.random(200) < 0.5
    texts = [f"a {'happy' if joy else 'dark'} day {k % 7}" for k, joy in enumerate(is_joy)]
    D = np.where(is_joy[:, None], [0.8, 0.2], [0.3, 0.7])
    learner = make_pipeline(TfidfVectorizer(), SoftmaxRegression(0.1))
    counts = pd.DataFrame(draw_votes(D), columns=["joy", "fear"])
    enhancer = VoteLE(learner).fit(pd.Series(texts), counts)
    assert enhancer.label_names_ == ["joy", "fear"]
    assert kl_divergence(D, enhancer.label_distributions_) < 0.02
    assert_allclose(enhancer.transform(["a happy day"])[0], [0.8, 0.2], atol=0.1)


def test_number_and_seed_of_folds_have_an_effect():
    X, D = items_with_features(60)
    counts = draw_votes(D)
    rows = [
        VoteLE("auto", **options).fit(X, counts).label_distributions_
        for options in ({}, {"cv": 3}, {"random_state": 1})
    ]
    assert np.abs(rows[0] - rows[1]).max() > 1e-6
    assert np.abs(rows[0] - rows[2]).max() > 1e-6


def test_items_without_votes_get_the_mean_of_the_prior():
    X, D = items_with_features(200)
    counts = draw_votes(D)
    counts[:2] = 0
    for learner in (None, "auto"):
        enhancer = VoteLE(learner).fit(X, counts)
        lower, upper = enhancer.interval()
        assert_allclose(enhancer.label_distributions_.sum(axis=1), 1)
        assert (lower[0] < upper[0]).all()
    without = VoteLE().fit(X, counts)
    assert_allclose(without.label_distributions_[0], without.transform(X[:1])[0], atol=1e-9)


def test_weights_of_items_repeat_them():
    counts = draw_votes(dirichlet_items(60))
    weight = np.random.default_rng(1).integers(0, 3, size=60)
    weighted = Priors.fit(Votes(counts, weight.astype(float)), None, many=False)
    rows = counts.repeat(weight, axis=0)
    repeated = Priors.fit(Votes(rows, np.ones(len(rows))), None, many=False)
    for found, expected in zip(
        weighted.posteriors(counts, None), repeated.posteriors(counts, None), strict=True
    ):
        assert_allclose(found.mean, expected.mean, atol=1e-6)
        assert_allclose(found.log_evidence, expected.log_evidence, atol=1e-4)


def test_items_of_weight_zero_change_nothing_else():
    counts = draw_votes(dirichlet_items(60))
    weight = np.r_[np.ones(40), np.zeros(20)]
    weighted = VoteLE().fit(None, counts, sample_weight=weight)
    alone = VoteLE().fit(None, counts[:40])
    assert weighted.vote_scores_ == pytest.approx(alone.vote_scores_, abs=1e-9)
    assert_allclose(weighted.label_distributions_[:40], alone.label_distributions_)


def test_result_of_from_votes_is_accepted():
    counts = draw_votes(dirichlet_items(50))
    votes = from_votes(counts, label_names=["joy", "fear", "calm", "awe"])
    enhancer = VoteLE().fit(None, votes)
    assert enhancer.label_names_ == ["joy", "fear", "calm", "awe"]
    assert_array_equal(
        enhancer.label_distributions_, VoteLE().fit(None, counts).label_distributions_
    )


def test_single_votes_warn_and_raise_the_degree_of_their_label_a_little():
    counts = np.eye(3)[[0, 0, 1, 2, 0, 1] * 5]
    with pytest.warns(LabelWarning, match="two votes"):
        enhancer = VoteLE().fit(None, counts)
    shares = (counts.sum(axis=0) + 0.5) / 31.5
    degrees = enhancer.label_distributions_
    assert_allclose(degrees.mean(axis=0), shares, atol=0.03)
    of_vote = degrees[counts > 0]
    share_of_vote = np.tile(shares, (30, 1))[counts > 0]
    assert (of_vote > share_of_vote + 0.02).all()
    assert (of_vote < share_of_vote + 0.25).all()


def test_scores_keep_what_they_promise_for_items_that_are_alike():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.full(20, 2.0))
    claimed, kept, errors = [], [], []
    for _ in range(5):
        enhancer = VoteLE().fit(None, rng.multinomial(5, p, size=50))
        claimed.append(enhancer.vote_scores_["mixture"])
        kept.append((p * np.log(enhancer.label_distributions_)).sum(axis=1).mean())
        errors.append(kl_divergence(np.tile(p, (50, 1)), enhancer.label_distributions_))
    assert np.mean(claimed) < np.mean(kept) + 0.02
    assert np.mean(claimed) < p @ np.log(p)
    assert np.mean(errors) < 0.05


def test_one_item_with_many_votes_is_counted():
    found = VoteLE().fit(None, [[30, 2]]).label_distributions_[0, 0]
    assert found == pytest.approx(30.5 / 33, abs=0.01)


def test_numbers_of_votes_on_both_sides_of_the_limit_of_counting():
    for n_votes in range(35, 45):  # on one of two items, so that only some folds reach the limit
        counts = np.array([[n_votes, 0], [0, 1]] * 5)
        enhancer = VoteLE().fit(None, counts)
        assert ("counting" in enhancer.weights_) == (counts.sum() >= 200)


def test_intervals_contain_the_uncertainty_of_the_priors():
    covered = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        D = rng.dirichlet(100 * rng.dirichlet([2.0] * 10), size=50)
        lower, upper = VoteLE().fit(None, rng.multinomial(3, D)).interval()
        covered.append(((lower <= D) & (upper >= D)).mean())
    assert 0.87 < np.mean(covered) < 0.95


def test_one_item_with_one_vote_is_not_certain():
    with pytest.warns(LabelWarning):
        enhancer = VoteLE().fit(None, [[1, 0, 0]])
    assert 0.4 < enhancer.label_distributions_[0, 0] < 0.85
    assert enhancer.vote_scores_["mixture"] == pytest.approx(np.log(1 / 3), abs=0.01)


def test_many_votes_on_an_item_outweigh_the_others():
    counts = np.random.default_rng(0).multinomial(200, [0.5, 0.5], size=100)
    counts[0] = [198, 2]
    enhancer = VoteLE().fit(None, counts)
    assert enhancer.label_distributions_[0, 0] == pytest.approx(0.985, abs=0.02)
    lower, upper = enhancer.interval()
    assert lower[0, 0] < 0.985 < upper[0, 0]


def spiky_items(c):
    return lambda n: np.eye(c)[np.arange(n) % c] * (0.98 - 0.02 / (c - 1)) + 0.02 / (c - 1)


@pytest.mark.parametrize("n_votes", [50, 200, 1000, 10_000])
@pytest.mark.parametrize(
    "make",
    [
        dirichlet_items,
        lambda n: np.random.default_rng(1).dirichlet([2.5, 2.5], size=n),
        lambda n: np.where(np.arange(n)[:, None] < n // 20, [0.99, 0.01], [0.5, 0.5]),
        spiky_items(2),
        spiky_items(10),
    ],
    ids=["Dirichlet", "Dirichlet, 2 labels", "outliers", "spiky, 2 labels", "spiky, 10 labels"],
)
def test_many_votes_are_never_worse_than_counted(make, n_votes):
    D = make(200)
    counts = draw_votes(D, n_votes)
    one_added = from_votes(counts, smoothing=1).distributions
    found = VoteLE().fit(None, counts).label_distributions_
    assert kl_divergence(D, found) < 1.03 * kl_divergence(D, one_added)


def test_scores_of_single_votes_are_not_above_the_best_possible():
    D = spiky_items(10)(200)
    scores = VoteLE().fit(None, draw_votes(D, 50)).vote_scores_
    largest = (D[0] * np.log(D[0])).sum()
    assert scores["logistic_normal"] < largest
    assert scores["mixture"] < largest


def test_order_of_labels_does_not_matter():
    rng = np.random.default_rng(0)
    counts = rng.multinomial(5, rng.dirichlet(np.full(12, 0.5), size=60))
    order = rng.permutation(12)
    found = VoteLE().fit(None, counts[:, order]).label_distributions_
    assert_allclose(found, VoteLE().fit(None, counts).label_distributions_[:, order], atol=0.01)


def test_logistic_normal_prior_is_left_out_with_many_labels():
    rng = np.random.default_rng(0)
    counts = rng.multinomial(5, rng.dirichlet(np.full(60, 0.2), size=30))
    with pytest.warns(LabelWarning, match="more than 50 labels"):
        enhancer = VoteLE().fit(None, counts)
    assert set(enhancer.weights_) == {"flat", "mean", "dirichlet"}


def test_large_tables_are_sampled(monkeypatch):
    D = dirichlet_items(600)
    counts = draw_votes(D)
    full = VoteLE().fit(None, counts).label_distributions_
    monkeypatch.setattr("labeldist.enhancement._vote_le.estimator.MAX_ITEMS", 300)
    sampled = VoteLE().fit(None, counts).label_distributions_
    assert 0 < np.abs(sampled - full).max() < 0.05
    assert sampled.shape == full.shape


def test_intervals_contain_the_estimate_and_are_defined_for_one_label():
    unanimous = VoteLE().fit(None, 5 * np.eye(4)[np.arange(50) % 4])
    lower, upper = unanimous.interval()
    assert (lower <= unanimous.label_distributions_).all()
    assert (unanimous.label_distributions_ <= upper).all()
    with pytest.warns(LabelWarning, match="single label"):
        one_label = VoteLE().fit(None, [[3], [2]])
    assert_array_equal(one_label.interval(), np.ones((2, 2, 1)))


class Predictor(MeanDistribution):
    """A learner whose predictions are those of a function of the number of rows."""

    def __init__(self, predicted=None):
        self.predicted = predicted

    def predict(self, X):
        return self.predicted(len(X))


@pytest.mark.parametrize(
    ("predicted", "message"),
    [
        (lambda n: np.full((n, 2), np.nan), "Predictor predicts degrees that are negative or not"),
        (lambda n: np.full((n, 1), 0.5), r"shape \(\d+, 1\), not one column for each of the 2"),
        (lambda n: np.full(n, 0.5), "not one column"),
        (lambda n: np.full((n, 2), -0.5), "negative"),
        (
            lambda n: pd.DataFrame(np.full((n, 2), 0.5), columns=["fear", "joy"]),
            "in another order",
        ),
    ],
    ids=["NaN", "one column", "vector", "negative", "other order"],
)
def test_predictions_that_are_not_degrees_raise(predicted, message):
    counts = pd.DataFrame([[1, 2], [3, 0], [2, 1], [0, 3]], columns=["joy", "fear"])
    with pytest.raises(ValueError, match=message):
        VoteLE(Predictor(predicted), cv=2).fit(np.ones((4, 1)), counts)


def test_learner_needs_votes_to_leave_out():
    X = np.arange(4.0)[:, None]
    one_voted = [[3, 1], [0, 0], [0, 0], [0, 0]]
    for learner in ("auto", MeanDistribution()):
        with pytest.raises(ValueError, match="two items with votes"):
            VoteLE(learner).fit(X, one_voted)
    with pytest.raises(ValueError, match="have the weight 0"):
        VoteLE().fit(X, one_voted, sample_weight=[0, 1, 1, 1])
    halves = PredefinedSplit([0, 0, 1, 1])
    with pytest.raises(ValueError, match="holds all items with votes"):
        VoteLE(MeanDistribution(), cv=halves).fit(X, [[3, 1], [1, 2], [0, 0], [0, 0]])


def test_items_without_votes_get_the_prediction_of_the_whole_learner():
    X, D = items_with_features(100)
    counts = draw_votes(D)
    counts[:5] = 0
    for learner in ("auto", SoftmaxRegression()):
        enhancer = VoteLE(learner).fit(X, counts)
        assert_allclose(enhancer.label_distributions_[:5], enhancer.transform(X[:5]), atol=1e-9)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[0.5, 0.5], [1, 2]], "data row 1, column 0, is 0.5, not a number of votes"),
        ([[1, -1], [1, 2]], "data row 1, column 1, is -1"),
        ([[0, 0], [0, 0]], "no votes"),
    ],
)
def test_other_tables_than_counts_raise(counts, message):
    with pytest.raises(ValueError, match=message):
        VoteLE().fit(None, counts)


def test_features_are_needed_by_a_learner():
    for learner in ("auto", make_pipeline(TfidfVectorizer(), SoftmaxRegression())):
        with pytest.raises(ValueError, match="X is None"):
            VoteLE(learner).fit(None, [[1, 2], [3, 0]])


def test_features_in_another_order_than_the_items_of_the_votes_raise():
    X, D = items_with_features(40)
    features = pd.DataFrame(X, index=[f"item {row}" for row in range(40)])
    counts = pd.DataFrame(draw_votes(D).astype(int), index=features.index)
    votes = from_votes(counts[::-1], counts=[0, 1, 2])
    with pytest.raises(ValueError, match="different orders"):
        VoteLE("auto").fit(features, votes)
    VoteLE("auto").fit(features, from_votes(counts.to_numpy()[::-1]))  # without names
    VoteLE("auto").fit(features.reset_index(drop=True), votes)
    found = VoteLE("auto").fit(features.loc[votes.items], votes).label_distributions_
    expected = VoteLE("auto").fit(X[::-1], counts[::-1].to_numpy()).label_distributions_
    assert_allclose(found, expected, rtol=1e-9)


def test_row_numbers_that_name_items_in_another_order_raise():
    X, D = items_with_features(40)
    counts = draw_votes(D).astype(int)
    items = np.repeat(np.arange(40), 3)
    labels = np.concatenate([np.repeat([*"abc"], row) for row in counts])
    long = pd.DataFrame({"item": items, "label": labels})[::-1]
    votes = from_votes(long, item="item", label="label")
    with pytest.raises(ValueError, match="different positions"):
        VoteLE("auto").fit(pd.DataFrame(X), votes)
    VoteLE("auto").fit(pd.DataFrame(X).loc[votes.items], votes)


@pytest.mark.parametrize("coverage", [0, 1, 1.5])
def test_invalid_coverage_raises(coverage):
    enhancer = VoteLE().fit(None, [[1, 2], [3, 0], [2, 0]])
    with pytest.raises(ValueError, match="coverage"):
        enhancer.interval(coverage)


def test_folds_must_hold_out_each_item_once():
    X, D = items_with_features(40)
    with pytest.raises(ValueError, match="exactly once"):
        VoteLE("auto", cv=TimeSeriesSplit(3)).fit(X, draw_votes(D))


def test_fit_transform_takes_weights():
    counts = draw_votes(dirichlet_items(30))
    weight = np.arange(30.0)
    found = VoteLE().fit_transform(None, counts, sample_weight=weight)
    expected = VoteLE().fit(None, counts, sample_weight=weight).label_distributions_
    assert_array_equal(found, expected)


def test_new_items_without_features_are_equal():
    enhancer = VoteLE().fit(np.ones((30, 1)), draw_votes(dirichlet_items(30)))
    found = enhancer.transform(np.ones((5, 1)))
    assert found.shape == (5, 4)
    assert_array_equal(found, found[[0]].repeat(5, axis=0))


def test_row_numbers_of_votes_in_another_order_raise_without_names_of_rows(rng):
    X = rng.normal(size=(6, 2))
    table = pd.DataFrame({"item": [3, 0, 1, 5, 2, 4] * 2, "label": list("ab") * 6})
    votes = from_votes(table, item="item", label="label")
    with pytest.raises(ValueError, match=r"X\[y\.items\]"):
        VoteLE(MeanDistribution()).fit(X, votes)
