import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, PredefinedSplit, ShuffleSplit
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from labeldist._tables.preparation import prepare_columns
from labeldist.exceptions import LabelWarning, NotADistributionError
from labeldist.learning import (
    AAKNN,
    BDLDL,
    DistributionForest,
    MeanDistribution,
    SoftLabelClassifier,
    _choice,
    choose_learner,
)
from labeldist.learning._choice import THE_MEAN, TREES, Trial, default_candidates, pick
from labeldist.learning._cross_validation import held_out
from labeldist.learning._learner import DistributionLearner
from labeldist.metrics import MEASURES, PAPER_MEASURES, score_all
from labeldist.simplex import normalize

CANDIDATES = {"linear": BDLDL(), "neighbours": AAKNN()}


@pytest.fixture
def noise(rng):
    return rng.normal(size=(120, 3)), rng.dirichlet(np.ones(4), size=120)


class Failing(DistributionLearner):
    """Issues a warning, and raises an error for more than `max_rows` rows."""

    def __init__(self, max_rows=0):
        self.max_rows = max_rows

    def fit(self, X, y):
        warnings.warn("unstable", RuntimeWarning, stacklevel=1)
        if len(X) > self.max_rows:
            raise ArithmeticError("too many rows")
        self.model_ = AAKNN().fit(X, y)
        return self

    def predict(self, X):
        return self.model_.predict(X)


class Truncating(AAKNN):
    """Predicts zero for small degrees, which increases the Kullback-Leibler divergence."""

    def predict(self, X):
        P = super().predict(X)
        return normalize(np.where(P < 0.15, 0, P))


def trial(name, *values, weights=None):
    weights = np.ones(len(values)) if weights is None else np.array(weights, dtype=float)
    return Trial(name, None, {"kl_divergence": np.array(values), "cosine": 1 - np.array(values)}, weights)


def test_scores_equal_a_plain_cross_validation(curved):
    X, D = curved
    folds = KFold(4, shuffle=True, random_state=7)
    choice = choose_learner(X, D, candidates=CANDIDATES, cv=folds)
    mean, row, _ = choice.table
    expected = [score_all(D[test], BDLDL().fit(X[train], D[train]).predict(X[test])) for train, test in folds.split(X)]
    for measure in PAPER_MEASURES:
        values = [scores[measure] for scores in expected]
        assert row[measure] == pytest.approx(np.mean(values))
        assert row[f"{measure}_deviation"] == pytest.approx(np.std(values))
    assert mean["name"] == THE_MEAN
    assert row["skill"] == pytest.approx(1 - row["kl_divergence"] / mean["kl_divergence"])
    assert choice.skill == choice.table[2]["skill"]


def test_best_learner_is_fitted_on_all_rows_and_held_out_predictions_are_kept(curved):
    X, D = curved
    choice = choose_learner(X, D, candidates=CANDIDATES, cv=KFold(4))
    assert choice.name == "neighbours"
    assert choice.n_rows == choice.compared_rows == 200
    assert_array_equal(choice.estimator.predict(X), AAKNN().fit(X, D).predict(X))
    assert_array_equal(choice.truth, D)
    assert_array_equal(choice.chosen.predictions, held_out(AAKNN(), X, D, cv=KFold(4)))


def test_mean_is_chosen_for_uninformative_features_and_equal_rows(noise):
    X, D = noise
    choice = choose_learner(X, D, candidates=CANDIDATES, random_state=0)
    assert (choice.name, choice.skill) == (THE_MEAN, 0)
    assert isinstance(choice.estimator, MeanDistribution)
    equal = choose_learner(X, np.full_like(D, 0.25), candidates=CANDIDATES, random_state=0)
    assert (equal.name, equal.skill) == (THE_MEAN, 1)
    share = np.arange(20) / 20
    constant = choose_learner(np.full((20, 1), 7.0), np.column_stack([share, 1 - share]), random_state=0)
    assert constant.name == THE_MEAN


@pytest.mark.parametrize("scoring", ["kl_divergence", "cosine"])
def test_one_standard_error_rule_picks_the_simplest(scoring):
    mean = trial("mean", 1.0, 1.1, 1.2)
    simple, best = trial("simple", 0.5, 0.6, 0.7), trial("best", 0.45, 0.62, 0.69)
    clearly = trial("clearly", 0.3, 0.41, 0.5)
    assert pick([mean, simple, best], scoring) is simple
    assert pick([mean, best, simple], scoring) is best
    assert pick([mean, simple, best, clearly], scoring) is clearly
    unsure = trial("unsure", 0.1, 1.2, 1.6)
    assert pick([mean, unsure], scoring) is mean
    # It varies too much to be clearly worse than the best, but it is not clearly better than the mean either.
    assert pick([mean, unsure, best], scoring) is best
    # The best clearly beats the steady learner, but not the erratic one, which is worse.
    steady, erratic = trial("steady", 0.5, 0.6, 0.7), trial("erratic", 0.4, 0.6, 1.0)
    slightly = trial("slightly", 0.48, 0.58, 0.68)
    assert slightly.is_clearly_better(steady, "kl_divergence")
    assert not slightly.is_clearly_better(erratic, "kl_divergence")
    assert pick([mean, steady, erratic, slightly], scoring) is slightly


def test_scoring_decides(curved):
    candidates = {"shrunk": BDLDL(ridge=30), "truncating": Truncating()}
    for measure, name in {"kl_divergence": "shrunk", "clark": "truncating", "manhattan": "truncating"}.items():
        choice = choose_learner(*curved, candidates=candidates, scoring=measure, random_state=0)
        assert (choice.scoring, choice.name) == (measure, name)
        assert MEASURES[measure].title in choice.paragraph
    with pytest.raises(ValueError, match=r"scoring .*chebyshev.*'accuracy'"):
        choose_learner(*curved, scoring="accuracy")


def test_table_has_the_six_measures_and_the_scoring(curved):
    for scoring, further in (("clark", set()), ("wasserstein", {"wasserstein"})):
        choice = choose_learner(*curved, candidates=CANDIDATES, scoring=scoring, random_state=0)
        assert set(choice.trials[0].scores) == {*PAPER_MEASURES} | further
        assert set(choice.table[0]) & set(MEASURES) == {*PAPER_MEASURES} | further


def test_failing_learner_is_left_out_and_progress_continues(curved):
    seen = []
    candidates = {"failing": Failing(), **CANDIDATES}
    choice = choose_learner(*curved, candidates=candidates, random_state=0, watch=lambda *now: seen.append(now))
    assert choice.name == "neighbours"
    assert choice.table[1]["failure"] == "ArithmeticError: too many rows"
    assert choice.table[1]["kl_divergence"] is None
    assert "failing" in choice.paragraph
    assert "ArithmeticError: too many rows" in choice.paragraph
    assert [done for done, _, _ in seen] == [*range(1, 6), *range(11, 22)]
    assert {total for _, total, _ in seen} == {21}
    assert seen[0][2] == THE_MEAN
    assert seen[-1] == (21, 21, "neighbours")


def test_invalid_input_raises(curved):
    X, D = curved
    with_nan = X.copy()
    with_nan[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        choose_learner(with_nan, D, candidates=CANDIDATES)
    with pytest.raises(NotADistributionError, match="row 2"):
        choose_learner(X, np.where(np.arange(200)[:, None] == 2, 0, D), candidates=CANDIDATES)
    with pytest.raises(ValueError, match="200, 199"):
        choose_learner(X, D[:-1], candidates=CANDIDATES)
    with pytest.raises(ValueError, match=r"\b1\b"):
        choose_learner(X[:1], D[:1], candidates=CANDIDATES)
    with pytest.raises(ValueError, match="five"):
        choose_learner(X, D, candidates=CANDIDATES, cv="five")
    for cv in (ShuffleSplit(1), PredefinedSplit([-1] * 150 + [0] * 50)):
        with pytest.raises(ValueError, match=type(cv).__name__):
            choose_learner(X, D, candidates=CANDIDATES, cv=cv)
    with pytest.raises(ValueError, match="zero for every row"):
        choose_learner(X, D, sample_weight=np.zeros(200))


def test_warnings_of_the_final_fit_are_recorded_once(curved):
    X, D = curved
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        choice = choose_learner(X, D, candidates={"failing": Failing(max_rows=1000)}, random_state=0)
    assert choice.warnings == ("RuntimeWarning: unstable",)
    with pytest.warns(LabelWarning) as caught:
        choice = choose_learner(X, (np.median(D, axis=1, keepdims=True) <= D) * 1.0, candidates=CANDIDATES)
    assert len(caught) == 1
    assert not choice.warnings


def test_default_candidates_fit_the_smallest_tables(curved):
    X, D = curved
    tiny = choose_learner(X[:2], D[:2], random_state=0)
    assert tiny.n_folds == 2
    assert "2 rows" in tiny.paragraph
    small = choose_learner(X[:12], D[:12], cv=2, random_state=0)
    assert [row["name"] for row in small.table if row["failure"]] == []


def test_large_and_wide_tables_are_sampled(curved, monkeypatch):
    X, D = curved
    monkeypatch.setattr(_choice, "MAX_ROWS", 50)
    choice = choose_learner(X, D, candidates={"neighbours": AAKNN()}, random_state=0)
    assert (choice.n_rows, choice.compared_rows) == (200, 50)
    assert "50 rows drawn at random from 200" in choice.paragraph
    assert len(choice.estimator.label_distributions_) == 200
    folds = np.arange(200) % 2
    given = choose_learner(X, D, candidates={"linear": BDLDL()}, cv=PredefinedSplit(folds), random_state=0)
    assert given.compared_rows == 200
    assert_allclose(given.truth[:100], D[folds == 0])
    monkeypatch.setattr(_choice, "MIN_ROWS", 10)
    monkeypatch.setattr(_choice, "MAX_CELLS", 20 * X.shape[1])
    assert choose_learner(X, D, candidates=CANDIDATES, random_state=0).compared_rows == 20


def test_random_state_makes_the_choice_reproducible(curved):
    X, D = curved[0][:80], curved[1][:80]
    first, second = (choose_learner(X, D, cv=2, random_state=5) for _ in range(2))
    assert_array_equal(first.estimator.predict(X), second.estimator.predict(X))
    for one, other in zip(first.trials, second.trials, strict=True):
        assert_array_equal(one.scores["clark"], other.scores["clark"])
    third = choose_learner(X, D, candidates={}, cv=2, random_state=6)
    assert third.trials[0].mean("clark") != first.trials[0].mean("clark")


def test_sample_weights_enter_fits_and_scores(curved, rng):
    X, D = curved
    weight = rng.integers(0, 3, size=200).astype(float)
    candidates = {"linear": make_pipeline(StandardScaler(), BDLDL()), "neighbours": AAKNN()}
    folds = KFold(3)
    choice = choose_learner(X, D, candidates=candidates, cv=folds, sample_weight=weight)
    kept = weight > 0
    X, D, weight = X[kept], D[kept], weight[kept]
    assert choice.n_rows == len(X)
    train, test = next(folds.split(X))
    model = clone(candidates["linear"])
    model.fit(X[train], D[train], standardscaler__sample_weight=weight[train], bdldl__sample_weight=weight[train])
    expected = score_all(D[test], model.predict(X[test]), sample_weight=weight[test])
    assert choice.trials[1].scores["clark"][0] == pytest.approx(expected["clark"])
    assert_allclose(choice.trials[1].weights, [weight[test].sum() for _, test in folds.split(X)])


def test_sparse_features_have_no_kernel_candidates(rng):
    X = sparse.random_array((60, 5), density=0.5, rng=rng, format="coo")
    choice = choose_learner(X, rng.dirichlet(np.ones(3), size=60), cv=2, random_state=0)
    assert not [row["failure"] for row in choice.table if row["failure"]]
    assert not [row["name"] for row in choice.table if "kernel" in row["name"]]


@pytest.mark.parametrize(("n_rows", "expected"), [(2500, (3, 1000)), (1_000_000, (144, 50))])
def test_default_candidates_are_smaller_for_large_tables(n_rows, expected):
    options = {"sparse": False, "scoring": "clark", "quick": True, "random_state": 0}
    made = default_candidates((n_rows, 18), 2000, **options)
    forest, kernel = made["random trees (DistributionForest)"], made["kernel (BD-LDL)"][0]
    assert (forest.min_samples_leaf, kernel.n_components) == expected


def test_final_forest_has_more_trees_than_the_compared_one(curved):
    choice = choose_learner(*curved, only=lambda learner: isinstance(learner, DistributionForest), random_state=0)
    assert choice.chosen.estimator.n_estimators < choice.estimator.n_estimators == TREES[0]


def test_prepare_is_the_first_step_of_the_chosen_pipeline(curved):
    X, D = curved
    table = pd.DataFrame({"size": X[:, 0], "place": np.where(X[:, 1] > 0, "north", "south")})
    labels = pd.DataFrame(D, columns=["joy", "fear", "calm"])
    choice = choose_learner(table, labels, candidates=CANDIDATES, prepare=prepare_columns(table), random_state=0)
    assert choice.estimator.steps[0][0] == "prepare"
    assert choice.estimator[-1].label_names_ == ["joy", "fear", "calm"]
    assert choice.estimator.predict(table[["place", "size"]].assign(more=1)).shape == (200, 3)
    pipeline = Pipeline([("scaler", StandardScaler()), ("no", "passthrough"), ("bdldl", BDLDL())])
    weight = np.full(200, 2.0)
    prepare = prepare_columns(table)
    piped = choose_learner(table, labels, candidates={"scaled": pipeline}, prepare=prepare, sample_weight=weight)
    assert list(piped.estimator.named_steps) == ["prepare", "scaler", "no", "bdldl"]


def test_features_may_be_a_list_of_texts(curved):
    X, D = curved
    texts = [f"{'high' if x > 0 else 'low'} and {'left' if y > 0 else 'right'}" for x, y, _ in X]
    words = choose_learner(texts, D, candidates={"linear": BDLDL()}, prepare=CountVectorizer(), random_state=0)
    assert words.name == "linear"
    assert 0 < words.skill < 1


def test_rows_that_may_be_the_same_items_are_a_caution(noise, rng):
    X, D = noise
    items, grades = np.repeat(X[:40], 3, axis=0), rng.integers(3, size=(120, 4))
    named = pd.DataFrame(items, columns=["a", "b", "c"]).assign(title=np.repeat([f"song {i}" for i in range(40)], 3))
    for features, rows in ((items, 80), (named, 80), (X, 0), (grades, 0), (items[:, :1], 0)):
        learner = SoftLabelClassifier(make_pipeline(DummyClassifier()))
        choice = choose_learner(features, D, candidates={"same": learner}, insist=True, random_state=0)
        assert (f"{rows} rows have the same features as earlier rows" in choice.paragraph) == (rows > 0)


def test_values_far_from_all_others_are_a_caution(noise):
    X, D = noise
    high, low = X.copy(), pd.DataFrame(X, columns=["a", "b", "c"]).assign(title="song")
    high[:3, 1], low.loc[2, ["a", "c"]] = 9999, -99
    for features, text in ((high, "9999 in feature 1 is far"), (low, "-99 in feature a (and 1 more) is far"), (X, "")):
        learner = SoftLabelClassifier(make_pipeline(DummyClassifier()))
        paragraph = choose_learner(features, D, candidates={"same": learner}, insist=True, random_state=0).paragraph
        assert text in paragraph
        assert ("far from all other values" in paragraph) == bool(text)


def test_mean_alone_is_not_called_better(noise):
    paragraph = choose_learner(*noise, candidates={}, random_state=0).paragraph
    assert "Chosen: the mean. It predicts the same for every row." in paragraph


def test_insist_and_only_change_the_choice(noise):
    choice = choose_learner(*noise, candidates={"neighbours": AAKNN()}, insist=True, random_state=0)
    assert choice.name == "neighbours"
    assert choice.skill < 0
    assert "not clearly better than the mean" in choice.paragraph
    only = choose_learner(*noise, candidates=CANDIDATES, random_state=0, only=lambda one: isinstance(one, BDLDL))
    assert [row["name"] for row in only.table] == [THE_MEAN, "linear"]
    with pytest.raises(ValueError, match="failing failed: ArithmeticError: too many rows"):
        choose_learner(*noise, candidates={"failing": Failing()}, insist=True)


def test_masked_and_misaligned_rows_raise(noise):
    X, D = noise
    frame, weight = pd.DataFrame(X), pd.Series(np.ones(len(X)))
    for table in ((np.ma.masked_equal(X, X[1, 2]), D), (X, np.ma.masked_equal(D, D[1, 2]))):
        with pytest.raises(ValueError, match=r"masked entries in 1 row.*row 1"):
            choose_learner(*table, candidates=CANDIDATES)
    for labels, weights in ((pd.DataFrame(D)[::-1], weight), (pd.DataFrame(D), weight[::-1])):
        with pytest.raises(ValueError, match="same labels in different orders"):
            choose_learner(frame, labels, candidates=CANDIDATES, sample_weight=weights)


def test_candidates_are_a_mapping_without_the_name_of_the_mean(curved):
    with pytest.raises(TypeError, match="candidates must map names to learners; got list"):
        choose_learner(*curved, candidates=[BDLDL()])
    with pytest.raises(TypeError, match="'the mean' is the name of"):
        choose_learner(*curved, candidates={THE_MEAN: BDLDL()})
    assert choose_learner(*curved, candidates={THE_MEAN: MeanDistribution()}).name == THE_MEAN


def test_candidates_that_accept_texts_are_compared_with_the_mean(curved):
    D = curved[1]
    texts = ["high" if row[0] > np.median(D[:, 0]) else "low" for row in D]
    words = SoftLabelClassifier(make_pipeline(CountVectorizer(), LogisticRegression()))
    weight = np.linspace(1, 2, len(D))
    choice = choose_learner(texts, D, candidates={"words": words}, sample_weight=weight, random_state=0)
    assert choice.name == "words"
    assert choice.skill > 0.1
    numbers = choose_learner(curved[0], D, candidates={"linear": BDLDL()}, sample_weight=weight, random_state=0)
    assert_allclose(choice.trials[0].predictions, numbers.trials[0].predictions)
    mean = choose_learner(texts, D, candidates={})
    assert_allclose(mean.estimator.predict(["new"]), [D.mean(axis=0)])
    with pytest.raises(ValueError, match="linear failed: ValueError"):
        choose_learner(texts, D, candidates={"linear": BDLDL()})
