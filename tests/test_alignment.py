"""Tables of one call are paired by name, or an error says that their names differ in order.

Every public function and method that takes two tables is called with each of them in another order
of the rows and of the labels.
"""

import inspect

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from labeldist import BDLDL, BDLE, VoteLE, choose_learner, comparison, metrics, plots, votes
from labeldist.app.explorer.contents import check_contents
from labeldist.app.tables.column_selection import LabelledTable
from labeldist.features import KernelFeatures
from labeldist.learning import (
    MeanDistribution,
    SoftLabelClassifier,
    SoftmaxRegression,
    SoftmaxRegressionCV,
)
from tests.checks import FEATURES, LABELS, N, example, takes_logical_labels
from tests.estimators import ESTIMATORS, SPECIAL
from tools.check_docstrings import public_modules, public_names

pytestmark = pytest.mark.filterwarnings("ignore")  # of small tables and early stops

TABLES = {
    *("D", "D_pred", "D_true", "X", "X_new", "affinity", "baseline", "chunks", "counts"),
    *("datasets", "eval_set", "frame", "groups", "intervals", "logical", "prior"),
    *("sample_weight", "versions", "votes", "y", "y_pred", "y_true"),
}
"""Names of parameters that hold tables with rows of items or columns of labels."""
PAIRS = {"chunks", "datasets"}
"""Parameters that hold two tables each."""

EXCEPTIONS = {
    "annotators": "`groups` may have one row per vote, and votes have no names",
    "from_votes": "`counts` names columns; a `prior` is aligned by label, which its tests show",
}

ROWS = [f"item {k}" for k in range(N)]
X, DEGREES, LOGICAL = example()
FEATURE_TABLE = pd.DataFrame(X, ROWS, FEATURES)
TRUTH = pd.DataFrame(DEGREES, ROWS, LABELS)
PREDICTED = pd.DataFrame(np.roll(DEGREES, 1, axis=0), ROWS, LABELS)
TAGS = pd.DataFrame(LOGICAL.astype(int), ROWS, LABELS)
WEIGHT = pd.Series(np.linspace(1, 2, N), ROWS)
COUNTS = pd.DataFrame(np.rint(9 * DEGREES).astype(int) + 1, ROWS, LABELS)

ONE_LABEL_PER_ROW = {"ALDL", "PLLE"}
BY_NAME = {type(estimator).__name__: estimator for estimator in (*SPECIAL, *ESTIMATORS)}


def public_functions():
    """Yield the names, parameters and objects of public functions and methods."""
    for module in public_modules():
        for name in public_names(module):
            thing = getattr(module, name)
            if inspect.isfunction(thing):
                yield name, thing
            if inspect.isclass(thing):
                for method, function in inspect.getmembers(thing, callable):
                    if not method.startswith(("_", "set_")):
                        yield f"{name}.{method}", function


def tables_of(function):
    """Return the names of the parameters of a function that are tables."""
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # methods of types of Python
        return []
    return [name for name in parameters if name in TABLES]


def takes_two_tables(function):
    tables = tables_of(function)
    return len(tables) > 1 or bool(PAIRS & {*tables})


def given_tables(name, estimator):
    """Return the tables of `fit` of an estimator."""
    y = TAGS if takes_logical_labels(estimator) else TRUTH
    if name in ONE_LABEL_PER_ROW:
        y = pd.Series(DEGREES.argmax(axis=1), ROWS)
    if name == "VoteLE":
        y = COUNTS
    return {"X": FEATURE_TABLE, "y": y}


def calls_of_estimators():
    """Yield names, functions of tables, their tables, and the tables whose labels are compared."""
    for name, estimator in BY_NAME.items():
        tables = given_tables(name, estimator)
        weighted = tables | {"sample_weight": WEIGHT}
        if has_fit_parameter(estimator, "sample_weight"):
            yield f"{name}.fit", estimator.fit, weighted, ()
        else:
            yield f"{name}.fit", estimator.fit, tables, ()
        if hasattr(estimator, "fit_transform"):
            yield f"{name}.fit_transform", estimator.fit_transform, tables, ()
        if hasattr(estimator, "fit_predict"):
            yield f"{name}.fit_predict", estimator.fit_predict, tables, ()
        if hasattr(estimator, "score"):
            labelled = () if name in ONE_LABEL_PER_ROW else ("y",)
            yield f"{name}.score", _score(estimator, tables), weighted, labelled
    yield (
        "BDLDL.partial_fit",
        _partial_fit,
        {"X": FEATURE_TABLE, "y": TRUTH, "sample_weight": WEIGHT},
        ("y",),
    )


def _score(estimator, training):
    fitted = []

    def score(**tables):
        if not fitted:
            fitted.append(clone(estimator).fit(**training))
        return fitted[0].score(**tables)

    return score


def _partial_fit(**tables):
    BDLDL().partial_fit(FEATURE_TABLE, TRUTH).partial_fit(**tables)


def _stream(learner):
    def fit(X, y):
        learner.fit_stream([(FEATURE_TABLE, TRUTH), (X, y)])

    return fit


def _eval_set(X, y):
    classifier = LGBMClassifier(n_estimators=2, early_stopping_round=1, verbose=-1, n_jobs=1)
    SoftLabelClassifier(classifier).fit(FEATURE_TABLE, TRUTH, eval_set=(X, y))


def _choose(X, D, sample_weight):
    return choose_learner(X, D, sample_weight=sample_weight, candidates={}, cv=2)


def _scorer(X, y, sample_weight):
    fitted = MeanDistribution().fit(FEATURE_TABLE, TRUTH)
    return metrics.get_scorer("cosine")(fitted, X, y, sample_weight=sample_weight)


def _vote_le(X, counts, sample_weight):
    VoteLE().fit(X, votes.from_votes(counts, counts=LABELS), sample_weight)


def _noise_ceiling(votes_table, sample_weight):
    found = votes.from_votes(votes_table, counts=LABELS)
    return votes.noise_ceiling(found, sample_weight=sample_weight)


def _compare(X, D):
    return comparison.compare({"mean": MeanDistribution()}, {"set": (X, D)}, cv=2)


def _compare_enhancers(X, D):
    return comparison.compare_enhancers({"bdle": BDLE()}, {"set": (X, D)})


def _draw(display, **options):
    def draw(X, y, **others):
        fitted = MeanDistribution().fit(FEATURE_TABLE, THREE)
        return display.from_estimator(fitted, X, y, **others, **options)

    return draw


def _draw_intervals(D_true, D_pred, lower, upper):
    plots.PredictionDisplay.from_predictions(D_true, D_pred, intervals=(lower, upper))


def _with_degrees(frame, D):
    LabelledTable(frame, LABELS, FEATURES).with_degrees(D)


def _explore(frame, true, logical, lower, upper):
    intervals = {"true": (lower, upper)}
    versions = {"true": true}
    check_contents(frame, LABELS, versions, logical=logical, intervals=intervals)


FEATURES_AND_DEGREES = {"X": FEATURE_TABLE, "D": TRUTH}
PAIR = {"D_true": TRUTH, "D_pred": PREDICTED}
WEIGHTED_PAIR = PAIR | {"sample_weight": WEIGHT}
BOUNDS = {"lower": TRUTH / 2, "upper": TRUTH}
THREE = TRUTH[LABELS[:3]].div(TRUTH[LABELS[:3]].sum(axis=1), axis=0)
ESTIMATED = {"X": FEATURE_TABLE, "y": TRUTH}
OF_THREE = {"X": FEATURE_TABLE, "y": THREE}  # as triangles need
PAIR_OF_THREE = {"D_true": THREE, "D_pred": THREE.iloc[::-1].set_axis(ROWS)}


def calls_of_functions():
    """Yield what `calls_of_estimators` yields, for the other functions."""
    for name in (*metrics.MEASURES, "entropy_correlation", "score_all"):
        yield name, getattr(metrics, name), WEIGHTED_PAIR, PAIR
    with_baseline = WEIGHTED_PAIR | {"baseline": PREDICTED}
    yield "skill", metrics.skill, with_baseline, (*PAIR, "baseline")
    yield "best_constant", metrics.best_constant, {"D": TRUTH, "sample_weight": WEIGHT}, ()
    yield "get_scorer", _scorer, ESTIMATED | {"sample_weight": WEIGHT}, ("y",)
    yield "choose_learner", _choose, FEATURES_AND_DEGREES | {"sample_weight": WEIGHT}, ()
    yield "compare", _compare, FEATURES_AND_DEGREES, ()
    yield "compare_enhancers", _compare_enhancers, FEATURES_AND_DEGREES, ()
    tables = {"X": FEATURE_TABLE, "counts": COUNTS, "sample_weight": WEIGHT}
    yield "VoteLE.fit", _vote_le, tables, ()
    yield "noise_ceiling", _noise_ceiling, {"votes_table": COUNTS, "sample_weight": WEIGHT}, ()
    for display in (plots.CalibrationDisplay, plots.PredictionDisplay, plots.TernaryDisplay):
        name = display.__name__
        yield f"{name}.from_estimator", _draw(display), OF_THREE, ("y",)
        yield f"{name}.from_predictions", display.from_predictions, PAIR_OF_THREE, PAIR
    yield "PredictionDisplay.from_predictions", _draw_intervals, PAIR | BOUNDS, PAIR | BOUNDS
    importance = _draw(plots.FeatureImportanceDisplay, n_repeats=1, random_state=0)
    weighted = OF_THREE | {"sample_weight": WEIGHT}
    yield "FeatureImportanceDisplay.from_estimator", importance, weighted, ("y",)
    for learner in (BDLDL(), SoftmaxRegression(), SoftmaxRegressionCV(cv=2)):
        yield f"{type(learner).__name__}.fit_stream", _stream(learner), ESTIMATED, ("y",)
    for method in ("fit", "fit_transform"):
        yield f"KernelFeatures.{method}", getattr(KernelFeatures(), method), ESTIMATED, ()
    yield "SoftLabelClassifier.fit", _eval_set, ESTIMATED, ("y",)
    table = {"frame": FEATURE_TABLE, "true": TRUTH, "logical": TAGS, **BOUNDS}
    yield "write_explorer", _explore, table, ("true", "logical", *BOUNDS)
    table = {"frame": FEATURE_TABLE.join(TRUTH), "D": TRUTH}
    yield "LabelledTable.with_degrees", _with_degrees, table, ("D",)


CALLS = [*calls_of_estimators(), *calls_of_functions()]
EXAMPLES = [
    pytest.param(function, tables, table, is_of_labels, id=f"{name}-{table}-{kind}")
    for name, function, tables, compared in CALLS
    for kind, is_of_labels in (("rows", False), ("labels", True))
    for table in (compared if is_of_labels else tables)
]


def test_every_public_function_with_two_tables_is_called():
    found = {name for name, function in public_functions() if takes_two_tables(function)}
    called = {name for name, *_ in CALLS}
    assert found - called == {*EXCEPTIONS}


def numbered(table):
    """Return a table with the names 0 to n − 1, as positions."""
    return table.set_axis(range(len(table)))


@pytest.mark.parametrize(("function", "tables", "table", "is_of_labels"), EXAMPLES)
def test_another_order_raises(function, tables, table, is_of_labels):
    function(**tables)
    given = tables[table]
    reordered = given[given.columns[::-1]] if is_of_labels else given.iloc[::-1]
    with pytest.raises(ValueError, match="order"):
        function(**tables | {table: reordered})


@pytest.mark.parametrize(
    ("function", "tables", "table", "is_of_labels"),
    [example for example in EXAMPLES if not example.values[-1]],
)
def test_another_order_of_positions_raises(function, tables, table, is_of_labels):
    positions = {name: numbered(given) for name, given in tables.items()}
    shuffled = positions[table].iloc[np.random.default_rng(0).permutation(N)]
    with pytest.raises(ValueError, match="order"):
        function(**positions | {table: shuffled})
