"""`compare`, `compare_enhancers` and `published`."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.model_selection import KFold, ShuffleSplit

import labeldist
from labeldist.comparison import compare, compare_enhancers, published
from labeldist.datasets import binarize, list_datasets, load_dataset, make_artificial
from labeldist.enhancement import BDLE, FCM, LogicalSoftmax, Uniform
from labeldist.learning import AABP, BDLDL, MeanDistribution
from labeldist.metrics import PAPER_MEASURES, score_all
from tests.comparison.mine import SETS, Fails, MyRidge, NoisyMean, compare_mine

X, D = SETS["60"]
LEARNERS_OF_THE_PAPER = ["BD-LDL", "PT-Bayes", "PT-SVM", "AA-kNN", "AA-BP", "SA-IIS", "SA-BFGS"]
LEARNERS_OF_THE_PAPER += ["LDL-SCL", "EDL-LRL", "LDLLC"]


def values_of(comparison, **wanted):
    frame = comparison.to_frame()
    for column, value in wanted.items():
        frame = frame[frame[column] == value]
    return frame["value"].tolist()


def test_records_are_scores_of_the_folds():
    found = compare({"mine": MyRidge()}, {"artificial": (X, D)}, cv=3, random_state=7)
    for learner, name in ((MyRidge(), "mine"), (MeanDistribution(), "Mean")):
        expected = [
            score_all(D[test], learner.fit(X[train], D[train]).predict(X[test]))
            for train, test in KFold(3, shuffle=True, random_state=7).split(X)
        ]
        for measure in PAPER_MEASURES:
            own = values_of(found, method=name, measure=measure)
            assert_allclose(own, [scores[measure] for scores in expected])
    assert len(found.to_frame()) == 2 * 3 * len(PAPER_MEASURES)


def test_splitters_measures_and_counts_as_degrees():
    splitter = ShuffleSplit(2, test_size=0.25, random_state=0)
    found = compare({"BD-LDL": BDLDL()}, {"counts": (X, 10 * D)}, cv=splitter, measures="clark")
    expected = [
        score_all(D[test], BDLDL().fit(X[train], D[train]).predict(X[test]))["clark"]
        for train, test in splitter.split(X)
    ]
    assert found.measures == ["clark"]
    assert_allclose(values_of(found, method="BD-LDL"), expected)


def test_random_state_makes_random_methods_repeatable_and_keeps_given_seeds():
    sets = {"artificial": (X, D)}
    methods = {"open": NoisyMean(), "seeded": NoisyMean(5)}
    first, again, other = (
        compare(methods, sets, cv=ShuffleSplit(2, random_state=0), random_state=seed)
        for seed in (0, 0, 1)
    )
    for method, differs in (("open", True), ("seeded", False)):
        own = [values_of(found, method=method) for found in (first, again, other)]
        assert own[0] == own[1]
        assert (own[0] != own[2]) == differs
    assert methods["open"].random_state is None


def test_failures_have_reasons_and_no_mean():
    found = compare({"fails": Fails(), "mine": MyRidge()}, SETS, cv=np.int64(2))
    assert found.failures == {
        ("fails", name): "ValueError: too few rows" for name in ("40", "60", "80")
    }
    assert np.isnan(values_of(found, method="fails")).all()
    assert list(found.ranks("clark")) == ["mine", "Mean"]
    assert "| failed |" in found.to_markdown("clark")


def test_store_is_used_and_extended(tmp_path, monkeypatch):
    path = tmp_path / "runs.sqlite"
    sets = {"artificial": (X, D)}
    first = compare({"mine": MyRidge()}, sets, cv=3, store=path)
    monkeypatch.setattr(MyRidge, "fit", lambda self, X, D: 1 / 0)
    assert compare({"mine": MyRidge()}, sets, cv=3, store=path).records == first.records
    more = compare({"mine": MyRidge(), "other": MyRidge(2.0)}, sets, cv=3, store=path)
    assert set(more.failures) == {("other", "artificial")}
    changed = compare({"mine": MyRidge()}, {"artificial": (X + 1, D)}, cv=3, store=path)
    assert set(changed.failures) == {("mine", "artificial")}


def test_processes_give_equal_records(tmp_path):
    values = [[record[:5] for record in compare_mine(None, n).records] for n in (None, 2)]
    assert values[0] == values[1]


def test_enhancers_recover_tags_of_the_threshold():
    found = compare_enhancers({"BD-LE": BDLE()}, {"artificial": (X, D)}, threshold=0.3)
    L = binarize(D, 0.3)
    for enhancer, name in ((BDLE(), "BD-LE"), (Uniform(), "Uniform")):
        expected = score_all(D, enhancer.fit_transform(X, L))
        for measure in PAPER_MEASURES:
            assert_allclose(values_of(found, method=name, measure=measure), expected[measure])
    assert found.methods == ["BD-LE", "Uniform", "LogicalSoftmax"]
    assert found.test("clark").per_set == {}


def test_repeats_have_different_seeds():
    found = compare_enhancers({"FCM": FCM()}, {"artificial": (X, D)}, repeats=3, random_state=1)
    L = binarize(D)
    expected = [score_all(D, FCM(random_state=k).fit_transform(X, L))["clark"] for k in (1, 2, 3)]
    assert_allclose(values_of(found, method="FCM", measure="clark"), expected)
    fixed = values_of(found, method="LogicalSoftmax", measure="clark")
    assert_allclose(fixed, [score_all(D, LogicalSoftmax().fit_transform(X, L))["clark"]] * 3)


def test_published_parameters():
    assert published("BD-LDL").get_params() == BDLDL(fit_intercept=False).get_params()
    assert isinstance(published("AA-BP"), AABP)
    with pytest.raises(ValueError, match=r"'BDLDL'.*BD-LDL"):
        published("BDLDL")


def test_wrong_data_sets_raise():
    with pytest.raises(ValueError, match=r"artificial.*negative"):
        compare({}, {"artificial": (X, -D)})
    with pytest.raises(ValueError, match="inconsistent"):
        compare({}, {"artificial": (X, D[1:])})


def test_names_of_the_registry(benchmark_folder):
    name = list_datasets()[-4]
    found = compare({}, [name], cv=2)
    X, D = load_dataset(name, return_X_y=True)
    train, test = next(KFold(2, shuffle=True, random_state=0).split(X))
    mean = np.tile(D[train].mean(axis=0), (len(test), 1))
    assert_allclose(found.records[0].value, score_all(D[test], mean)["chebyshev"])


@pytest.mark.slow
def test_own_method_beside_all_methods_of_the_paper(benchmark_folder, tmp_path):
    methods = {"mine": MyRidge()} | {name: published(name) for name in LEARNERS_OF_THE_PAPER}
    sets = {"artificial": make_artificial(200, random_state=0)}
    for name in ("Yeast_spoem", "Yeast_cold"):
        X, D = load_dataset(name, return_X_y=True)
        sets[name] = X[:200], D[:200]  # to save time
    comparison = labeldist.compare(methods, sets, cv=2, store=tmp_path / "runs.sqlite")
    tests = comparison.test("kl_divergence", against="mine")
    latex = comparison.to_latex("kl_divergence")
    assert comparison.failures == {}
    assert set(tests.over_sets) == {*LEARNERS_OF_THE_PAPER, "Mean"}
    assert set(tests.per_set["BD-LDL"]) == set(sets)
    assert all(name in latex for name in (*methods, r"Yeast\_cold"))
