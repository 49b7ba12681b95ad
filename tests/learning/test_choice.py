import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import KFold, PredefinedSplit, ShuffleSplit
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from labeldist import learning
from labeldist._tables.preparation import prepare_columns
from labeldist.exceptions import LabelWarning, NotADistributionError
from labeldist.learning import AAKNN, BDLDL, MeanDistribution, choose_learner
from labeldist.learning import _choice as choice
from labeldist.learning._candidates import THE_MEAN, default_candidates
from labeldist.learning._choice import pick
from labeldist.learning._folds import fit_weighted, held_out
from labeldist.learning._learner import DistributionLearner
from labeldist.learning._trials import Trial
from labeldist.metrics import MEASURES, score_all
from labeldist.simplex import normalize


@pytest.fixture
def noise(rng):
    return rng.normal(size=(120, 3)), rng.dirichlet(np.ones(4), size=120)


FEW = {"linear": BDLDL(), "neighbours": AAKNN()}


class Broken(DistributionLearner):
    """Fails where it has more rows than it likes, and says something first."""

    def __init__(self, most=0):
        self.most = most

    def fit(self, X, y):
        warnings.warn("this will not end well", RuntimeWarning, stacklevel=1)
        if len(X) > self.most:
            raise ArithmeticError("too many rows")
        self.model_ = AAKNN().fit(X, y)
        return self

    def predict(self, X):
        return self.model_.predict(X)


class Rash(AAKNN):
    """Near the truth, but rules small degrees out, which is ruinous under Kullback-Leibler."""

    def predict(self, X):
        P = super().predict(X)
        return normalize(np.where(P < 0.15, 0, P))


def test_it_is_imported_when_asked_for():
    assert {"Choice", "choose_learner", "BDLDL"} <= set(dir(learning))
    with pytest.raises(AttributeError, match="no attribute 'choose_enhancer'"):
        learning.choose_enhancer  # noqa: B018


def test_the_best_is_chosen_and_fitted_on_all_rows(curved):
    X, D = curved
    chosen = choose_learner(X, D, candidates=FEW, random_state=0)
    assert chosen.name == "neighbours"
    assert chosen.n_rows == chosen.compared_rows == 200
    assert_array_equal(chosen.estimator.predict(X), AAKNN().fit(X, D).predict(X))


def test_scores_are_those_of_a_plain_cross_validation(curved):
    X, D = curved
    folds = KFold(4, shuffle=True, random_state=7)
    chosen = choose_learner(X, D, candidates=FEW, cv=folds)
    row = next(row for row in chosen.table if row["name"] == "linear")
    by_hand = [score_all(D[test], BDLDL().fit(X[train], D[train]).predict(X[test])) for train, test in folds.split(X)]
    for measure in MEASURES:
        values = [scores[measure] for scores in by_hand]
        assert row[measure] == pytest.approx(np.mean(values))
        assert row[f"{measure}_deviation"] == pytest.approx(np.std(values))
    mean = chosen.table[0]
    assert mean["name"] == THE_MEAN
    assert row["skill"] == pytest.approx(1 - row["kl_divergence"] / mean["kl_divergence"])
    assert chosen.skill == next(row for row in chosen.table if row["name"] == chosen.name)["skill"]


def test_the_mean_is_chosen_where_features_say_nothing(noise):
    chosen = choose_learner(*noise, candidates=FEW, random_state=0)
    assert chosen.name == THE_MEAN
    assert chosen.skill == 0
    assert isinstance(chosen.estimator, MeanDistribution)
    assert "No learner is clearly better than the mean" in chosen.paragraph
    assert "The best other is " in chosen.paragraph


def trial(name, *values, weights=None):
    weights = np.ones(len(values)) if weights is None else np.array(weights, dtype=float)
    return Trial(name, None, {"kl_divergence": np.array(values), "cosine": 1 - np.array(values)}, weights)


def test_of_about_equally_good_ones_the_simplest_is_picked():
    mean = trial("mean", 1.0, 1.1, 1.2)
    simple, best = trial("simple", 0.5, 0.6, 0.7), trial("best", 0.45, 0.62, 0.69)
    clearly = trial("clearly", 0.3, 0.41, 0.5)
    for scoring in ("kl_divergence", "cosine"):
        assert pick([mean, simple, best], scoring) is simple
        assert pick([mean, best, simple], scoring) is best
        assert pick([mean, simple, best, clearly], scoring) is clearly
    unsure = trial("unsure", 0.1, 1.2, 1.6)
    assert pick([mean, unsure], "kl_divergence") is mean
    # It is not clearly worse than the best, for it varies so much, but not clearly better than nothing either.
    assert pick([mean, unsure, best], "kl_divergence") is best


def test_folds_count_by_their_weight():
    assert trial("a", 1.0, 4.0, weights=[3, 1]).mean("kl_divergence") == 1.75
    better, other = trial("a", 0.0, 2.0, weights=[9, 1]), trial("b", 1.0, 0.0, weights=[9, 1])
    assert better.is_clearly_better(other, "kl_divergence")
    assert not trial("a", 0.0, 2.0).is_clearly_better(trial("b", 1.0, 0.0), "kl_divergence")


def test_the_measure_decides(curved):
    X, D = curved
    candidates = {"timid": BDLDL(ridge=30), "rash": Rash()}
    for measure, name in {"kl_divergence": "timid", "clark": "rash", "cosine": "rash"}.items():
        chosen = choose_learner(X, D, candidates=candidates, scoring=measure, random_state=0)
        assert (chosen.scoring, chosen.name) == (measure, name)
        assert MEASURES[measure].title in chosen.paragraph
        assert "Kullback-Leibler" in chosen.paragraph
    with pytest.raises(ValueError, match=r"scoring must be one of chebyshev, .*; got 'accuracy'"):
        choose_learner(X, D, scoring="accuracy")


def test_what_fails_is_left_out_and_told(curved):
    X, D = curved
    seen = []
    candidates = {"broken": Broken(), **FEW}
    chosen = choose_learner(X, D, candidates=candidates, random_state=0, watch=lambda *now: seen.append(now))
    assert chosen.name == "neighbours"
    assert chosen.table[1]["failure"] == "ArithmeticError: too many rows"
    assert chosen.table[1]["kl_divergence"] is None
    assert "2 learners and the mean distribution were compared" in chosen.paragraph
    assert "broken failed and was left out (ArithmeticError: too many rows)" in chosen.paragraph
    assert [done for done, _, _ in seen] == [*range(1, 6), *range(11, 22)]
    assert {total for _, total, _ in seen} == {21}
    assert seen[0][2] == THE_MEAN
    assert seen[-1] == (21, 21, "neighbours")


def test_who_watches_may_stop_it(curved):
    def stop(done, total, name):
        if name == "linear":
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        choose_learner(*curved, candidates=FEW, watch=stop)


def test_what_fails_on_all_rows_makes_way_for_the_next(curved):
    X, D = curved
    chosen = choose_learner(X, D, candidates={"linear": BDLDL(), "broken": Broken(most=180)}, random_state=0)
    assert chosen.name == "linear"
    assert chosen.table[2]["failure"]


def test_what_the_mean_cannot_be_fitted_on_is_refused(curved):
    X, D = curved
    holed = X.copy()
    holed[3, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        choose_learner(holed, D, candidates=FEW)
    with pytest.raises(NotADistributionError, match="first row 2"):
        choose_learner(X, np.where(np.arange(200)[:, None] == 2, 0, D), candidates=FEW)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        choose_learner(X, D[:-1], candidates=FEW)
    with pytest.raises(ValueError, match=r"out of 1 row\(s\): at least two"):
        choose_learner(X[:1], D[:1], candidates=FEW)
    with pytest.raises(TypeError, match="a number of folds or a splitter"):
        choose_learner(X, D, candidates=FEW, cv="five")


@pytest.mark.parametrize("cv", [ShuffleSplit(1), PredefinedSplit([-1] * 150 + [0] * 50)])
def test_one_split_tells_nothing_of_chance(curved, cv):
    with pytest.raises(ValueError, match=rf"cv must split the rows at least twice, .*; got {type(cv).__name__}\("):
        choose_learner(*curved, candidates=FEW, cv=cv)


def test_warnings_are_gathered_each_once(curved):
    X, D = curved
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chosen = choose_learner(X, D, candidates={"loud": Broken(most=1000)}, random_state=0)
    assert chosen.name == "loud"
    assert chosen.trials[1].warnings == ("RuntimeWarning: this will not end well",)
    assert chosen.warnings == ("RuntimeWarning: this will not end well",)


def test_doubtful_labels_are_warned_of_once(curved):
    X, D = curved
    with pytest.warns(LabelWarning, match="look like logical labels") as caught:
        chosen = choose_learner(X, (np.median(D, axis=1, keepdims=True) <= D) * 1.0, candidates=FEW)
    assert len(caught) == 1
    assert not chosen.warnings


def test_few_rows_mean_fewer_folds_and_are_told(curved):
    X, D = curved
    few = choose_learner(X[:4], D[:4], candidates={"linear": BDLDL()}, random_state=0)
    assert few.n_folds == 4
    assert "on 4 rows, each row held out in turn" in few.paragraph
    assert "with 4 rows these figures are rough" in few.paragraph


def test_the_default_learners_manage_the_smallest_tables(curved):
    X, D = curved
    tiny = choose_learner(X[:2], D[:2], random_state=0)
    assert tiny.table[0]["failure"] is None
    small = choose_learner(X[:12], D[:12], cv=2, random_state=0)
    assert [row["name"] for row in small.table if row["failure"]] == []


def test_large_tables_are_drawn_from_and_told(curved, monkeypatch):
    X, D = curved
    monkeypatch.setattr(choice, "MOST_ROWS", 50)
    chosen = choose_learner(X, D, candidates={"neighbours": AAKNN()}, random_state=0)
    assert (chosen.n_rows, chosen.compared_rows) == (200, 50)
    assert "on 50 rows drawn at random from 200, 5 folds" in chosen.paragraph
    assert len(chosen.estimator.label_distributions_) == 200


def test_of_wide_tables_fewer_rows_are_drawn(curved, monkeypatch):
    X, D = curved
    monkeypatch.setattr(choice, "FEWEST_ROWS", 10)
    monkeypatch.setattr(choice, "MOST_CELLS", 20 * X.shape[1])
    assert choose_learner(X, D, candidates=FEW, random_state=0).compared_rows == 20


def test_the_random_state_settles_everything(curved):
    X, D = curved
    X, D = X[:80], D[:80]
    first, second = (choose_learner(X, D, cv=2, random_state=5) for _ in range(2))
    assert_array_equal(first.estimator.predict(X), second.estimator.predict(X))
    for one, other in zip(first.trials, second.trials, strict=True):
        assert_array_equal(one.scores["clark"], other.scores["clark"])
    third = choose_learner(X, D, candidates={}, cv=2, random_state=6)
    assert third.trials[0].mean("clark") != first.trials[0].mean("clark")


def test_weights_go_to_learners_that_take_them_and_into_scores(curved, rng):
    X, D = curved
    weight = rng.integers(0, 3, size=200).astype(float)
    candidates = {"linear": make_pipeline(StandardScaler(), BDLDL()), "neighbours": AAKNN()}
    folds = KFold(3)
    chosen = choose_learner(X, D, candidates=candidates, cv=folds, sample_weight=weight)
    kept = weight > 0
    X, D, weight = X[kept], D[kept], weight[kept]
    assert chosen.n_rows == len(X)
    train, test = next(folds.split(X))
    by_hand = clone(candidates["linear"])
    by_hand.fit(X[train], D[train], standardscaler__sample_weight=weight[train], bdldl__sample_weight=weight[train])
    expected = score_all(D[test], by_hand.predict(X[test]), sample_weight=weight[test])
    assert chosen.trials[1].scores["clark"][0] == pytest.approx(expected["clark"])
    assert_allclose(chosen.trials[1].weights, [weight[test].sum() for _, test in folds.split(X)])
    alone = fit_weighted(BDLDL(), X, D, weight)
    assert_array_equal(alone.coef_, BDLDL().fit(X, D, sample_weight=weight).coef_)
    with pytest.raises(ValueError, match="zero for every row"):
        choose_learner(X, D, sample_weight=np.zeros(len(X)))


def test_a_chosen_learner_that_ignores_weights_says_so(curved):
    X, D = curved
    weight = np.arange(1.0, 201)
    scaled = make_pipeline(StandardScaler(), AAKNN())  # weights count for the scale, but not for neighbours
    for learner, ignores in ((AAKNN(), True), (scaled, True), (BDLDL(), False)):
        candidates = {"it": learner}
        told = choose_learner(X, D, candidates=candidates, cv=2, sample_weight=weight, random_state=0)
        assert told.name == "it"
        assert told.chosen.takes_weights is not ignores
        assert ("it takes no weights and learned from all rows alike" in told.paragraph) is ignores
        plain = choose_learner(X, D, candidates=candidates, cv=2, random_state=0)
        assert "weights" not in plain.paragraph


def test_what_was_predicted_of_held_out_rows_is_kept(curved):
    X, D = curved
    chosen = choose_learner(X, D, candidates=FEW, cv=KFold(4))
    assert_array_equal(chosen.truth, D)
    assert_array_equal(chosen.chosen.predictions, held_out(AAKNN(), X, D, cv=KFold(4)))


def test_units_of_the_features_do_not_ruin_the_default_learners(curved):
    X, D = curved
    X, D = X[:100], D[:100]
    chosen = [choose_learner(table, D, cv=2, random_state=0) for table in (X, X * np.logspace(-6, 6, 3))]
    skills = [[row["skill"] for row in one.table[2:]] for one in chosen]  # the linear one takes features as they are
    assert_allclose(skills[0], skills[1], atol=1e-3)


def test_sparse_features_leave_the_kernels_out(rng):
    X = sparse.random_array((60, 5), density=0.5, rng=rng, format="coo")
    D = rng.dirichlet(np.ones(3), size=60)
    chosen = choose_learner(X, D, cv=2, random_state=0)
    assert not [row["failure"] for row in chosen.table if row["failure"]]
    assert not [row["name"] for row in chosen.table if "kernel" in row["name"]]


def test_large_tables_get_smaller_models():
    def sizes(n_rows, n_features=10):
        made = default_candidates(
            n_rows, 18, n_features, training_rows=2000, sparse=False, scoring="clark", random_state=0
        )
        trees, kernel = made["random trees (DistributionForest)"], made["narrow kernel (BD-LDL)"][0]
        return trees.min_samples_leaf, kernel.n_components, len(made["linear (BD-LDL)"].reconstructions)

    assert sizes(2500) == (3, 1000, 8)
    assert sizes(1_000_000) == (72, 50, 8)
    assert sizes(2500, n_features=1000) == (3, 1000, 1)


def test_tables_keep_their_names_and_are_prepared_within_the_folds(curved):
    X, D = curved
    table = pd.DataFrame({"size": X[:, 0], "place": np.where(X[:, 1] > 0, "north", "south")})
    labels = pd.DataFrame(D, columns=["joy", "fear", "calm"])
    chosen = choose_learner(table, labels, candidates=FEW, prepare=prepare_columns(table), random_state=0)
    assert chosen.estimator.steps[0][0] == "prepare"
    assert chosen.estimator[-1].label_names_ == ["joy", "fear", "calm"]
    assert chosen.estimator.predict(table[["place", "size"]].assign(more=1)).shape == (200, 3)
    piped = choose_learner(
        table,
        labels,
        candidates={"scaled": Pipeline([("scaler", StandardScaler()), ("no", "passthrough"), ("bdldl", BDLDL())])},
        prepare=prepare_columns(table),
        sample_weight=np.full(200, 2.0),
    )
    assert list(piped.estimator.named_steps) == ["prepare", "scaler", "no", "bdldl"]


def test_features_may_be_lists_of_numbers_or_of_texts(curved):
    X, D = curved
    numbers = choose_learner(X.tolist(), D, candidates=FEW, random_state=0)
    assert numbers.skill == pytest.approx(choose_learner(X, D, candidates=FEW, random_state=0).skill)
    texts = [f"{'high' if x > 0 else 'low'} and {'left' if y > 0 else 'right'}" for x, y, _ in X]
    words = choose_learner(texts, D, candidates={"linear": BDLDL()}, prepare=CountVectorizer(), random_state=0)
    assert words.name == "linear"
    assert 0 < words.skill < numbers.skill


def test_one_that_is_insisted_on_is_judged_though_it_is_no_better(noise):
    asked = choose_learner(*noise, candidates={"neighbours": AAKNN()}, insist=True, random_state=0)
    assert asked.name == "neighbours"
    assert asked.skill < 0
    assert "Asked for: neighbours; by Kullback-Leibler it is not better than predicting the mean" in asked.paragraph
    assert "It is not clearly better than the mean" in asked.paragraph
    with pytest.raises(ValueError, match="broken failed: ArithmeticError: too many rows"):
        choose_learner(*noise, candidates={"broken": Broken()}, insist=True)


def test_only_what_comes_into_question_is_compared(curved):
    candidates = {"linear": BDLDL(), "neighbours": AAKNN()}
    found = choose_learner(*curved, candidates=candidates, random_state=0, only=lambda one: isinstance(one, BDLDL))
    assert [trial.name for trial in found.trials] == [THE_MEAN, "linear"]
