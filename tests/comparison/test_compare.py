"""`compare`, `compare_enhancers` and `published`."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from scipy import stats
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import labeldist
from labeldist.comparison import Comparison, Store, compare, compare_enhancers
from labeldist.datasets import binarize, list_datasets, load_dataset, make_artificial
from labeldist.enhancement import BDLE, LogicalSoftmax, Uniform
from labeldist.exceptions import LabelDistWarning, LabelWarning
from labeldist.learning import BDLDL, MeanDistribution
from labeldist.metrics import PAPER_MEASURES, score_all
from labeldist.published import AABP, AAKNN, FCM, SABFGS, make_published
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
        own = {m: values_of(found, method=name, measure=m) for m in PAPER_MEASURES}
        assert_frame_equal(pd.DataFrame(own), pd.DataFrame(expected), rtol=1e-7)
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


def means_of(kernel_width, store, **options):
    def kernel(A, B):
        return np.exp(-kernel_width * cdist(A, B, "sqeuclidean"))

    enhancers = {"mine": BDLE(kernel=kernel)}
    sets = {"artificial": (X, D)}
    found = compare_enhancers(enhancers, sets, store=store, measures="clark", **options)
    return found.means("clark").tolist()


def test_methods_without_identity_run_again_with_a_warning(tmp_path):
    path = tmp_path / "runs.sqlite"
    for width in (0.01, 0.1, 1.0):
        with pytest.warns(LabelDistWarning, match=r"'mine'.*inside a function.*by name"):
            stored = means_of(width, path)
        assert stored == means_of(width, None)
    with Store(path) as store:
        assert len(store.results()) == 2  # the baselines


def test_lambdas_inside_pipelines_run_again(tmp_path):
    path = tmp_path / "runs.sqlite"
    found = []
    for power in (1, 2, 3):
        step = FunctionTransformer(lambda X, power=power: X**power)
        methods = {"mine": make_pipeline(step, BDLDL())}
        with pytest.warns(LabelDistWarning, match="is a lambda"):
            stored = compare(methods, {"artificial": (X, D)}, cv=2, store=path)
        assert values_of(stored) == values_of(compare(methods, {"artificial": (X, D)}, cv=2))
        found.append(stored.means("clark")[0, 0])
    assert len(set(found)) == 3


def test_failures_run_again_and_all_methods_on_request(tmp_path, monkeypatch):
    path = tmp_path / "runs.sqlite"
    sets = {"artificial": (X, D)}
    fit = MyRidge.fit
    monkeypatch.setattr(MyRidge, "fit", lambda self, X, D: 1 / 0)
    failed = compare({"mine": MyRidge()}, sets, cv=3, store=path)
    assert set(failed.failures) == {("mine", "artificial")}
    monkeypatch.setattr(MyRidge, "fit", fit)
    repaired = compare({"mine": MyRidge()}, sets, cv=3, store=path)
    assert (repaired.failures, repaired.n_stored) == ({}, 3)  # the mean was stored
    assert compare({"mine": MyRidge()}, sets, cv=3, store=path).n_stored == 6
    monkeypatch.setattr(MyRidge, "fit", lambda self, X, D: 1 / 0)
    again = compare({"mine": MyRidge()}, sets, cv=3, store=path, again=True)
    assert (set(again.failures), again.n_stored) == ({("mine", "artificial")}, 0)


def test_results_belong_to_the_versions_of_the_packages(tmp_path, monkeypatch):
    path = tmp_path / "runs.sqlite"
    sets = {"artificial": (X, D)}
    compare({"mine": MyRidge()}, sets, cv=3, store=path)
    monkeypatch.setattr("labeldist.comparison._compare.versions", lambda: "labeldist 99")
    assert compare({"mine": MyRidge()}, sets, cv=3, store=path).n_stored == 0


def test_results_belong_to_values_of_the_class(tmp_path, monkeypatch):
    sets = {"artificial": (X, D)}
    first = compare({"mine": MyRidge()}, sets, cv=3, store=tmp_path / "runs.sqlite")
    monkeypatch.setattr(MyRidge, "shrinkage", 0.5, raising=False)
    again = compare({"mine": MyRidge()}, sets, cv=3, store=tmp_path / "runs.sqlite")
    assert again.n_stored == len(first.records) / len(first.measures) / 2  # of Mean


@pytest.mark.parametrize("as_list", [False, True])
def test_splits_may_be_given_as_rows(as_list):
    pairs = list(KFold(3).split(X))
    cv = [(train.tolist(), test.tolist()) for train, test in pairs] if as_list else iter(pairs)
    found = compare({}, {"a": (X, D), "b": (X, D)}, cv=cv, measures="clark")
    expected = compare({}, {"a": (X, D), "b": (X, D)}, cv=KFold(3), measures="clark")
    assert [record[:5] for record in found.records] == [record[:5] for record in expected.records]
    for wrong in ([], [([0, 1], [60])], [([0, 1], [])]):
        with pytest.raises(ValueError, match=r"cv .*'a'"):
            compare({}, {"a": (X, D)}, cv=wrong)


def test_groups_are_not_divided():
    groups = np.repeat(np.arange(12), 5)
    found = compare({}, {"a": (X, D, groups)}, cv=GroupKFold(4), measures="clark")
    expected = [
        score_all(D[test], np.tile(D[train].mean(axis=0), (len(test), 1)))["clark"]
        for train, test in GroupKFold(4).split(X, groups=groups)
    ]
    assert_allclose(values_of(found), expected)
    with pytest.raises(ValueError, match=r"'a'.*\(X, D, groups\)"):
        compare({}, {"a": (X, D)}, cv=GroupKFold(4))
    with pytest.raises(ValueError, match="inconsistent"):
        compare({}, {"a": (X, D, groups[1:])}, cv=GroupKFold(4))
    with pytest.raises(ValueError, match=r"'a'.*\(X, D, groups\)"):
        compare({}, {"a": (X, D, groups, groups)})


def test_stratified_splitters_get_the_largest_label():
    found = compare({}, {"a": (X, D)}, cv=StratifiedKFold(4), measures="clark")
    expected = [
        score_all(D[test], np.tile(D[train].mean(axis=0), (len(test), 1)))["clark"]
        for train, test in StratifiedKFold(4).split(X, D.argmax(axis=1))
    ]
    assert_allclose(values_of(found), expected)


def test_records_have_repeats_and_numbers_of_rows():
    cv = RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)
    frame = compare({}, {"a": (X, D)}, cv=cv, measures="clark").to_frame()
    assert frame["fold"].tolist() == list(range(6))
    assert frame["repeat"].tolist() == [0, 0, 0, 1, 1, 1]
    assert (frame["n_train"].unique(), frame["n_test"].unique()) == ([40], [20])


@pytest.mark.parametrize(
    ("cv", "ratio"),
    [
        (RepeatedKFold(n_splits=4, n_repeats=5, random_state=0), 1 / 3),
        (ShuffleSplit(20, test_size=0.25, random_state=0), 1 / 3),
        (ShuffleSplit(20, test_size=0.5, random_state=0), 1.0),
        (4, 1 / 3),
    ],
)
def test_tests_of_a_set_have_the_ratio_of_the_splits(cv, ratio, rng):
    noise = rng.dirichlet(np.ones(3), len(X))
    methods = {"three": AAKNN(3), "ten": AAKNN(10)}
    found = compare(methods, {"a": (X, noise)}, cv=cv, measures="euclidean")
    leads = np.subtract(values_of(found, method="ten"), values_of(found, method="three"))
    k = len(leads)
    t = leads.mean() / (leads.std(ddof=1) * np.sqrt(1 / k + ratio))
    pvalue = 2 * stats.t.sf(abs(t), k - 1)
    assert found.test("euclidean")["per_set"]["ten"]["a"]["pvalue"] == pytest.approx(pvalue)


class FirstColumns(BaseEstimator):
    """The mean degrees of the training rows that are nearest in some columns."""

    def __init__(self, columns):
        self.columns = columns

    def fit(self, X, D):
        self.X, self.D = X[:, self.columns], D
        return self

    def predict(self, X):
        distances = cdist(X[:, self.columns], self.X)
        nearest = np.argpartition(distances, 5, axis=1)[:, :5]
        return self.D[nearest].mean(axis=1)


@pytest.mark.soak
@pytest.mark.parametrize(
    "cv",
    [
        10,
        RepeatedKFold(n_splits=10, n_repeats=10, random_state=0),
        ShuffleSplit(50, test_size=0.3, random_state=0),
    ],
    ids=["10-fold", "RepeatedKFold", "ShuffleSplit"],
)
def test_equal_methods_rarely_differ_clearly(cv, rng):
    # The methods are equally good: their columns are independent of the degrees and alike.
    methods = {"left": FirstColumns([0, 1, 2]), "right": FirstColumns([3, 4, 5])}
    sets = {f"{k}": (rng.normal(size=(100, 6)), rng.dirichlet(np.ones(3), 100)) for k in range(200)}
    found = compare(methods, sets, cv=cv, measures="euclidean")
    pvalues = []
    for name in sets:
        records = [record for record in found.records if record.dataset == name]
        tests = Comparison(records).test("euclidean")["per_set"]["right"]
        pvalues.append(tests[name]["pvalue"])
    share = np.mean(np.array(pvalues) < 0.05)
    print(f"{share:.1%} of 200 sets at p < 0.05")
    assert share <= 0.08


def test_groups_in_another_order_raise():
    frame = pd.DataFrame(X)
    with pytest.raises(ValueError, match=r"X and groups .* different orders"):
        compare({}, {"a": (frame, D, frame[0][::-1])})


class Turned(BaseEstimator):
    """An enhancer that returns degrees as a data frame in another order."""

    def __init__(self, rows=1, columns=1):
        self.rows = rows
        self.columns = columns

    def fit_transform(self, X, L):
        frame = pd.DataFrame(D, index=X.index, columns=["joy", "fear", "calm"])
        return frame.iloc[:: self.rows, :: self.columns]


def test_predictions_in_another_order_fail():
    frame = pd.DataFrame(X, index=[f"item {i}" for i in range(len(X))])
    degrees = pd.DataFrame(D, index=frame.index, columns=["joy", "fear", "calm"])
    methods = {"right": Turned(), "rows": Turned(rows=-1), "columns": Turned(columns=-1)}
    found = compare_enhancers(methods, {"a": (frame, degrees)}, measures="clark")
    assert found.means("clark")[0, 0] == pytest.approx(0, abs=1e-15)
    assert "different orders" in found.failures["rows", "a"]
    assert "['joy', 'fear', 'calm'], in this order" in found.failures["columns", "a"]


def test_one_split_has_no_p_value_on_a_data_set():
    pairs = list(KFold(3).split(X))
    found = compare({"mine": MyRidge()}, {"a": (X, D), "b": (X, 1 - D)}, cv=pairs[:1])
    tests = found.test("clark")
    assert list(tests["per_set"]) == ["Mean"]
    for name, row in zip("ab", found.means("clark"), strict=True):
        test = tests["per_set"]["Mean"][name]
        assert np.isnan(test["pvalue"])
        assert test["lead"] == pytest.approx(row[1] - row[0])
        assert test["wins"] + test["losses"] == 1
    line = "One split, so no test on the data set alone: 'a', 'b'"
    assert line in found.summary("clark").splitlines()
    several = compare({"mine": MyRidge()}, {"a": (X, D)}, cv=pairs)
    assert "One split" not in several.summary("clark")


def test_splits_with_wrong_rows_warn():
    pairs = list(KFold(3).split(X))
    train, test = pairs[0]
    overlapping = (np.r_[train, test[:1]], test)
    repeating = (train, np.r_[test, test[:1]])
    expected = {
        "1 of 3 splits of 'a' test on training rows": [overlapping, *pairs[1:]],
        "1 of 3 splits of 'a' contain a test row repeatedly": [repeating, *pairs[1:]],
    }
    for message, cv in expected.items():
        with pytest.warns(LabelWarning, match=message):
            compare({}, {"a": (X, D)}, cv=cv, measures="clark")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bootstrap = (np.r_[train, train], test)
        compare({}, {"a": (X, D)}, cv=[*pairs, *pairs, bootstrap], measures="clark")


def test_processes_give_equal_records(tmp_path):
    values = [[record[:5] for record in compare_mine(None, n).records] for n in (None, 2)]
    assert values[0] == values[1]


def test_enhancers_recover_tags_of_the_threshold():
    found = compare_enhancers({"BD-LE": BDLE()}, {"artificial": (X, D)}, threshold=0.3)
    L = binarize(D, 0.3)
    for enhancer, name in ((BDLE(), "BD-LE"), (Uniform(), "Uniform")):
        expected = score_all(D, enhancer.fit_transform(X, L))
        own = {m: values_of(found, method=name, measure=m) for m in PAPER_MEASURES}
        assert own == {m: pytest.approx([value], rel=1e-7) for m, value in expected.items()}
    assert found.methods == ["BD-LE", "Uniform", "LogicalSoftmax"]
    assert found.test("clark")["per_set"] == {}


def test_repeats_have_different_seeds():
    found = compare_enhancers({"FCM": FCM()}, {"artificial": (X, D)}, repeats=3, random_state=1)
    L = binarize(D)
    expected = [score_all(D, FCM(random_state=k).fit_transform(X, L))["clark"] for k in (1, 2, 3)]
    assert_allclose(values_of(found, method="FCM", measure="clark"), expected)
    fixed = values_of(found, method="LogicalSoftmax", measure="clark")
    assert_allclose(fixed, [score_all(D, LogicalSoftmax().fit_transform(X, L))["clark"]] * 3)


def test_published_parameters():
    assert make_published("BD-LDL").get_params() == BDLDL(fit_intercept=False).get_params()
    assert isinstance(make_published("AA-BP"), AABP)
    for name in ("SA-BFGS", "sabfgs", "SABFGS"):
        assert isinstance(make_published(name), SABFGS)
    with pytest.raises(ValueError, match=r"'SABFG'\. Did you mean SABFGS\? .*SA-BFGS"):
        make_published("SABFG")


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
    methods = {"mine": MyRidge()} | {name: make_published(name) for name in LEARNERS_OF_THE_PAPER}
    sets = {"artificial": make_artificial(200, random_state=0)}
    for name in ("Yeast_spoem", "Yeast_cold"):
        X, D = load_dataset(name, return_X_y=True)
        sets[name] = X[:200], D[:200]  # to save time
    comparison = labeldist.compare(methods, sets, cv=2, store=tmp_path / "runs.sqlite")
    tests = comparison.test("kl_divergence", against="mine")
    latex = comparison.to_latex("kl_divergence")
    assert comparison.failures == {}
    assert set(tests["over_sets"]) == {*LEARNERS_OF_THE_PAPER, "Mean"}
    assert set(tests["per_set"]["BD-LDL"]) == set(sets)
    assert all(name in latex for name in (*methods, r"Yeast\_cold"))
