import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, PredefinedSplit, ShuffleSplit
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from labeldist.app.tables.preparation import prepare_columns
from labeldist.datasets import make_artificial
from labeldist.exceptions import LabelWarning, NotADistributionError
from labeldist.learning import (
    BDLDL,
    DistributionForest,
    MeanDistribution,
    SoftLabelClassifier,
    SoftmaxRegression,
    _choice,
    choose_learner,
)
from labeldist.learning._blended_learner import pool, pool_weights
from labeldist.learning._candidates import FINAL_TREES, default_candidates
from labeldist.learning._choice import BLEND, Trial, pick
from labeldist.learning._cross_validation import held_out
from labeldist.learning._learner import DistributionLearner
from labeldist.metrics import MEASURES, PAPER_MEASURES, score_all, skill
from labeldist.metrics._skill import THE_MEAN
from labeldist.published import AAKNN
from labeldist.simplex import normalize, softmax

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


def trial(name, *values):
    scores = {"kl_divergence": np.array(values), "cosine": 1 - np.array(values)}
    return Trial(name, None, scores, np.ones(len(values)))


def test_scores_equal_a_plain_cross_validation(curved):
    X, D = curved
    folds = KFold(4, shuffle=True, random_state=7)
    choice = choose_learner(X, D, candidates=CANDIDATES, cv=folds)
    mean, row, *_ = choice.table
    scores = pd.DataFrame(
        score_all(D[test], BDLDL().fit(X[train], D[train]).predict(X[test]))
        for train, test in folds.split(X)
    )
    expected = {**scores.mean(), **scores.std(ddof=0).add_suffix("_deviation")}
    assert len(expected) == 2 * len(PAPER_MEASURES)
    assert {name: row[name] for name in expected} == pytest.approx(expected)
    assert mean["name"] == THE_MEAN
    assert row["skill"] == pytest.approx(1 - row["kl_divergence"] / mean["kl_divergence"])
    assert choice.skill == next(row["skill"] for row in choice.table if row["name"] == choice.name)


def test_best_learner_is_fitted_on_all_rows_and_held_out_predictions_are_kept(curved):
    X, D = curved
    choice = choose_learner(X, D, candidates={"neighbours": AAKNN()}, cv=KFold(4))
    assert choice.name == "neighbours"
    assert choice.n_rows == choice.compared_rows == 200
    assert_array_equal(choice.estimator.predict(X), AAKNN().fit(X, D).predict(X))
    assert_array_equal(choice.truth, D)
    assert_array_equal(choice.predictions, held_out(AAKNN(), X, D, cv=KFold(4)))


def test_mean_is_chosen_for_uninformative_features_and_equal_rows(noise):
    X, D = noise
    choice = choose_learner(X, D, candidates=CANDIDATES, random_state=0)
    assert (choice.name, choice.skill) == (THE_MEAN, 0)
    assert isinstance(choice.estimator, MeanDistribution)
    equal = choose_learner(X, np.full_like(D, 0.25), candidates=CANDIDATES, random_state=0)
    assert (equal.name, equal.skill) == (THE_MEAN, 1)
    share = np.arange(20) / 20
    D = np.column_stack([share, 1 - share])
    assert choose_learner(np.full((20, 1), 7.0), D, random_state=0).name == THE_MEAN


@pytest.mark.parametrize("scoring", ["kl_divergence", "cosine"])
def test_one_standard_error_rule_picks_the_simplest(scoring):
    mean = trial("mean", 1.0, 1.1, 1.2)
    simple = trial("simple", 0.5, 0.6, 0.7)
    best = trial("best", 0.45, 0.62, 0.69)
    clearly = trial("clearly", 0.3, 0.41, 0.5)
    assert pick([mean, simple, best], scoring) is simple
    assert pick([mean, best, simple], scoring) is best
    assert pick([mean, simple, best, clearly], scoring) is clearly
    unsure = trial("unsure", 0.1, 1.2, 1.6)
    assert pick([mean, unsure], scoring) is mean
    # It varies too much to be clearly worse than the best, but it is not clearly better than the
    # mean either.
    assert pick([mean, unsure, best], scoring) is best
    # The best clearly beats the simple learner, but not the erratic one, which is worse.
    erratic = trial("erratic", 0.4, 0.6, 1.0)
    slightly = trial("slightly", 0.48, 0.58, 0.68)
    assert slightly.is_clearly_better(simple, "kl_divergence")
    assert not slightly.is_clearly_better(erratic, "kl_divergence")
    assert pick([mean, simple, erratic, slightly], scoring) is slightly


@pytest.mark.parametrize(
    ("scoring", "name"),
    [("kl_divergence", BLEND), ("clark", "truncating"), ("manhattan", "truncating")],
)
def test_scoring_decides(curved, scoring, name):
    candidates = {"shrunk": BDLDL(ridge=30), "truncating": Truncating()}
    choice = choose_learner(*curved, candidates=candidates, scoring=scoring, random_state=0)
    assert (choice.scoring, choice.name) == (scoring, name)
    assert set(choice.table[0]) & set(MEASURES) == {*PAPER_MEASURES, scoring}


def test_failing_learner_is_left_out_and_progress_continues(curved):
    seen = []
    candidates = {"failing": Failing(), **CANDIDATES}
    choice = choose_learner(
        *curved, candidates=candidates, callback=lambda *now: seen.append(now), random_state=0
    )
    assert "failing" not in choice.weights
    assert choice.table[1]["failure"] == "ArithmeticError: too many rows"
    assert choice.table[1]["kl_divergence"] is None
    names = [THE_MEAN, *candidates, choice.name]
    assert seen == [(done, 5, name) for done, name in enumerate(names, start=1)]


def test_choice_and_table_print_as_text_and_the_table_becomes_a_frame(curved):
    candidates = {"linear": BDLDL(), "wrong": BDLDL(ridge=-1)}
    choice = choose_learner(*curved, candidates=candidates, scoring="clark", random_state=0)
    assert repr(choice).startswith(f"Choice('linear', skill {choice.skill:.3f}, 4 learners on ")
    title, mean, linear, wrong, _ = str(choice.table).splitlines()
    assert title.split() == ["clark", "skill", "seconds"]
    assert mean.startswith("the best constant ")
    assert mean.split()[3] == f"{choice.table[0]['clark']:.4g}"
    assert linear.split()[2] == f"{choice.skill:.3f}"
    assert wrong.split()[:2] == ["wrong", "failed:"]
    frame = pd.DataFrame(choice.table)
    assert frame["name"].tolist() == ["the best constant", "linear", "wrong", "blend"]
    assert_allclose(frame["skill"][1], choice.skill)


def test_invalid_input_raises(curved):
    X, D = curved
    with_nan = X.copy()
    with_nan[3, 1] = np.nan
    empty_row = D.copy()
    empty_row[2] = 0
    for features, labels, kind, message in (
        (with_nan, D, ValueError, "NaN"),
        (X, empty_row, NotADistributionError, "row 2"),
        (X, D[:-1], ValueError, "200, 199"),
        (X[:1], D[:1], ValueError, r"\b1\b"),
    ):
        with pytest.raises(kind, match=message):
            choose_learner(features, labels, candidates=CANDIDATES)
    for cv in (ShuffleSplit(1), PredefinedSplit([-1] * 150 + [0] * 50)):
        with pytest.raises(ValueError, match=type(cv).__name__):
            choose_learner(X, D, candidates=CANDIDATES, cv=cv)
    with pytest.raises(ValueError, match="accuracy"):
        choose_learner(X, D, scoring="accuracy")
    with pytest.raises(ValueError, match="zero for every row"):
        choose_learner(X, D, sample_weight=np.zeros(200))


def test_warnings_of_the_final_fit_are_recorded_once(curved):
    X, D = curved
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        choice = choose_learner(X, D, candidates={"failing": Failing(1000)}, random_state=0)
    assert choice.warnings == ("RuntimeWarning: unstable",)
    tags = (np.median(D, axis=1, keepdims=True) <= D) * 1.0
    with pytest.warns(LabelWarning) as caught:
        choice = choose_learner(X, tags, candidates=CANDIDATES)
    assert len(caught) == 1
    assert not choice.warnings


def test_default_candidates_fit_the_smallest_tables(curved):
    X, D = curved
    assert choose_learner(X[:2], D[:2], random_state=0).n_folds == 2
    small = choose_learner(X[:12], D[:12], cv=2, random_state=0)
    assert [row["name"] for row in small.table if row["failure"]] == []


def test_large_and_wide_tables_are_sampled(curved, monkeypatch):
    X, D = curved
    monkeypatch.setattr(_choice, "MAX_ROWS", 50)
    choice = choose_learner(X, D, candidates={"neighbours": AAKNN()}, random_state=0)
    assert (choice.n_rows, choice.compared_rows) == (200, 50)
    assert len(choice.estimator.label_distributions_) == 200
    folds = np.arange(200) % 2
    given = choose_learner(X, D, candidates={"linear": BDLDL()}, cv=PredefinedSplit(folds))
    assert given.compared_rows == 200
    assert_allclose(given.truth[:100], D[folds == 0])
    monkeypatch.setattr(_choice, "MIN_ROWS", 10)
    monkeypatch.setattr(_choice, "MAX_CELLS", 20 * X.shape[1])
    assert choose_learner(X, D, candidates=CANDIDATES).compared_rows == 20


def test_random_state_makes_the_choice_reproducible(curved):
    X, D = curved[0][:60], curved[1][:60]
    first, second = (choose_learner(X, D, cv=2, random_state=5) for _ in range(2))
    assert_array_equal(first.estimator.predict(X), second.estimator.predict(X))
    for one, other in zip(first.table.trials, second.table.trials, strict=True):
        assert_array_equal(one.scores["clark"], other.scores["clark"])
    third = choose_learner(X, D, candidates={}, cv=2, random_state=6)
    assert third.table.trials[0].mean("clark") != first.table.trials[0].mean("clark")


def test_sample_weights_enter_fits_and_scores(curved, rng):
    X, D = curved
    weight = rng.integers(0, 3, size=200).astype(float)
    model = make_pipeline(StandardScaler(), BDLDL())
    folds = KFold(3)
    choice = choose_learner(X, D, candidates={"linear": model}, cv=folds, sample_weight=weight)
    kept = weight > 0
    X, D, weight = X[kept], D[kept], weight[kept]
    assert choice.n_rows == len(X)
    train, test = next(folds.split(X))
    steps = ["standardscaler__sample_weight", "bdldl__sample_weight"]
    model.fit(X[train], D[train], **dict.fromkeys(steps, weight[train]))
    expected = score_all(D[test], model.predict(X[test]), sample_weight=weight[test])
    assert choice.table.trials[1].scores["clark"][0] == pytest.approx(expected["clark"])
    assert_allclose(
        choice.table.trials[1].weights, [weight[test].sum() for _, test in folds.split(X)]
    )


def test_sparse_features_have_no_kernel_candidates(rng):
    X = sparse.random_array((60, 5), density=0.5, rng=rng, format="coo")
    choice = choose_learner(X, rng.dirichlet(np.ones(3), size=60), cv=2, random_state=0)
    assert not [row["name"] for row in choice.table if row["failure"] or "kernel" in row["name"]]


@pytest.mark.parametrize(
    ("n_rows", "expected"), [(2500, (3, 1000, 200)), (1_000_000, (144, 50, 50))]
)
def test_default_candidates_are_smaller_for_large_tables(n_rows, expected):
    made = default_candidates(
        (n_rows, 18), 10, training_rows=2000, sparse=False, scoring="clark", random_state=0
    )
    forest = made["random trees (DistributionForest)"].final
    kernel = made["kernel (BD-LDL)"].learner[0]
    assert (forest.min_samples_leaf, kernel.n_components, forest.n_estimators) == expected


def test_final_forest_is_larger_than_the_compared_one(curved, monkeypatch):
    def only_forest(*arguments, **options):
        name = "random trees (DistributionForest)"
        return {name: default_candidates(*arguments, **options)[name]}

    monkeypatch.setattr(_choice, "default_candidates", only_forest)
    choice = choose_learner(*curved, random_state=0)
    assert len(choice.table.trials) == 2
    compared = choice.table.trials[1].estimator
    assert compared.n_estimators < choice.estimator.n_estimators == FINAL_TREES[1]
    assert compared.max_features == choice.estimator.max_features


@pytest.fixture
def two_parts(rng):
    """Return features and degrees: the sum of a linear and a curved score."""
    X = rng.normal(size=(400, 4))
    curved = np.column_stack([np.sin(3 * X[:, 0]), np.cos(3 * X[:, 1]), np.zeros(400)])
    noise = 0.3 * rng.normal(size=(400, 3))
    return X, softmax(X @ rng.normal(size=(4, 3)) / 2 + curved + noise)


def test_a_blend_is_chosen_if_it_is_clearly_better(two_parts):
    X, D = two_parts
    given = {"linear": SoftmaxRegression(), "neighbours": AAKNN(), "ridge": BDLDL()}
    choice = choose_learner(X[:300], D[:300], candidates=given, random_state=0)
    assert choice.name == choice.table[-1]["name"] == BLEND
    weights = choice.weights
    assert min(weights["linear"], weights["neighbours"]) > 0.2
    assert THE_MEAN not in weights  # only learners with weight are fitted
    assert [name for name, _ in choice.estimator.estimators_] == list(weights)
    learners = [clone(given[name]).fit(X[:300], D[:300]) for name in weights]
    scores = [learner.score(X[300:], D[300:]) for learner in learners]
    assert choice.estimator.score(X[300:], D[300:]) > max(scores) + 0.01


def test_a_blend_is_scored_with_weights_from_the_other_folds(two_parts):
    X, D = two_parts
    given = {"linear": SoftmaxRegression(), "neighbours": AAKNN()}
    choice = choose_learner(X, D, candidates=given, cv=KFold(2), random_state=0)
    *trials, blend = choice.table.trials
    weights = pool_weights([trial.predictions[200:] for trial in trials], D[200:])
    expected = pool([trial.predictions[:200] for trial in trials], weights)
    assert_allclose(blend.predictions[:200], expected)


def test_candidates_with_their_own_preparation(two_parts):
    X, D = two_parts
    scalings = {"first": StandardScaler(), "second": MinMaxScaler()}
    choice = choose_learner(X, D, prepare_linear=scalings, random_state=0)
    by_name = {trial.name: trial.estimator for trial in choice.table.trials}
    assert type(by_name["softmax regression on first"][0]) is StandardScaler
    assert type(by_name["softmax regression on second"][0]) is MinMaxScaler
    assert "softmax regression" not in by_name
    assert isinstance(by_name["random trees (DistributionForest)"], DistributionForest)


def test_prepare_is_the_first_step_of_the_chosen_pipeline(curved):
    X, D = curved
    table = pd.DataFrame({"size": X[:, 0], "place": np.where(X[:, 1] > 0, "north", "south")})
    labels = pd.DataFrame(D, columns=["joy", "fear", "calm"])
    pipeline = Pipeline([("scaler", StandardScaler()), ("no", "passthrough"), ("bdldl", BDLDL())])
    choice = choose_learner(
        table,
        labels,
        candidates={"scaled": pipeline},
        prepare=prepare_columns(table),
        sample_weight=np.full(200, 2.0),
    )
    assert list(choice.estimator.named_steps) == ["prepare", "scaler", "no", "bdldl"]
    assert choice.estimator[-1].label_names_ == ["joy", "fear", "calm"]
    assert choice.estimator.predict(table[["place", "size"]].assign(more=1)).shape == (200, 3)


def test_single_candidate_is_chosen_whatever_its_score_without_the_mean(noise):
    options = {"allow_mean": False, "random_state": 0}
    choice = choose_learner(*noise, candidates={"neighbours": AAKNN()}, **options)
    assert choice.name == "neighbours"
    assert choice.skill == choice.table[1]["skill"] < 0
    with pytest.raises(ValueError, match="failing failed: ArithmeticError"):
        choose_learner(*noise, candidates={"failing": Failing()}, **options)


def test_one_of_several_bad_candidates_is_chosen_without_the_mean(noise):
    candidates = {"three": AAKNN(3), "thirty": AAKNN(30)}
    choice = choose_learner(*noise, candidates=candidates, allow_mean=False, random_state=0)
    assert choice.name in ("thirty", BLEND)
    assert choose_learner(*noise, candidates=candidates, random_state=0).name == THE_MEAN


def test_fit_without_weights_is_a_warning_of_the_choice(curved):
    weight = np.arange(1.0, len(curved[0]) + 1)
    options = {"sample_weight": weight, "allow_mean": False, "random_state": 0}
    choice = choose_learner(*curved, candidates={"neighbours": AAKNN()}, **options)
    assert choice.warnings[-1].startswith("neighbours is fitted without weights")
    assert not choose_learner(*curved, candidates={"linear": BDLDL()}, **options).warnings


def test_texts_can_be_features(curved):
    X, D = curved
    texts = ["high" if row[0] > np.median(D[:, 0]) else "low" for row in D]
    words = SoftLabelClassifier(make_pipeline(CountVectorizer(), LogisticRegression()))
    options = {"sample_weight": np.linspace(1, 2, len(D)), "random_state": 0}
    choice = choose_learner(texts, D, candidates={"words": words}, **options)
    assert choice.name == "words"
    assert choice.skill > 0.1
    numbers = choose_learner(X, D, candidates={"linear": BDLDL()}, **options)
    assert_allclose(choice.table.trials[0].predictions, numbers.table.trials[0].predictions)
    mean = choose_learner(texts, D, candidates={})
    assert_allclose(mean.estimator.predict(["new"]), [D.mean(axis=0)])
    with pytest.raises(ValueError, match="linear failed: ValueError"):
        choose_learner(texts, D, candidates={"linear": BDLDL()})
    counted = choose_learner(texts, D, candidates={"linear": BDLDL()}, prepare=CountVectorizer())
    assert counted.name == "linear"


def test_skill_is_over_the_best_constant_for_the_measure():
    X, D = make_artificial(120, random_state=0)
    choice = choose_learner(X, D, candidates={}, scoring="manhattan", random_state=0)
    assert choice.name == "the best constant"
    assert choice.skill == 0
    constant = choice.estimator.predict(X)
    assert skill(D, constant, measure="manhattan") == pytest.approx(0)
    candidates = {"neighbours": AAKNN()}
    choice = choose_learner(X, D, candidates=candidates, scoring="manhattan", random_state=0)
    constant, chosen = (trial.mean("manhattan") for trial in choice.table.trials)
    assert choice.skill == pytest.approx(1 - chosen / constant)
    texts = [f"text {row}" for row in range(120)]
    choice = choose_learner(texts, D, candidates={}, scoring="manhattan", random_state=0)
    assert choice.estimator.predict(texts[:2]).shape == (2, 3)
    with pytest.raises(ValueError, match="Unknown measure 'no'"):
        choose_learner(X, D, scoring="no")


def test_skill_is_that_of_the_selection(rng):
    is_positive = []
    raw = []
    for seed in range(40):
        X = rng.normal(size=(60, 6))
        D = softmax(rng.normal(size=(60, 4)))
        candidates = {f"ridge {ridge}": SoftmaxRegression(ridge) for ridge in (1, 10, 100, 1000)}
        choice = choose_learner(X, D, candidates=candidates, random_state=seed)
        is_positive.append(choice.skill > 0)
        raw += [row["skill"] > 0 for row in choice.table if row["name"] == choice.name]
    assert np.mean(is_positive) <= 0.1 < np.mean(raw)


def test_skill_of_a_clear_choice_is_that_of_the_learner(rng):
    X = rng.normal(size=(200, 3))
    D = softmax(X)
    choice = choose_learner(X, D, candidates={"softmax": SoftmaxRegression(0.1)}, random_state=0)
    assert choice.name == "softmax"
    assert_allclose(choice.skill, choice.table[1]["skill"])
