"""Scores on the thirteen benchmark sets, compared with known figures.

``figures/prototype_*.csv`` come from an independent implementation.
"""

import csv
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.model_selection import KFold
from threadpoolctl import threadpool_limits

from labeldist import BDLDL, BDLE, datasets
from labeldist.datasets import list_datasets
from labeldist.enhancement import LogicalSoftmax, Uniform
from labeldist.exceptions import VanishingGraphWarning
from labeldist.learning import MeanDistribution
from labeldist.metrics import PAPER_MEASURES, score_all
from reproduction.paper import paper_cells
from tests.references import enhancement_system_by_hand, sylvester_by_kronecker

FIGURES = Path(__file__).parent / "figures"

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("benchmark_folder")]
load_dataset = partial(datasets.load_dataset, download_if_missing=False)
every_set = pytest.mark.parametrize("name", list_datasets())


def figures(file):
    with (FIGURES / file).open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def prototype(file, dataset, method):
    (row,) = [row for row in figures(file) if (row["dataset"], row["method"]) == (dataset, method)]
    return {name: float(row[name]) for name in PAPER_MEASURES}


def check_scores(scores, expected, atol):
    for measure in PAPER_MEASURES:
        assert_allclose(scores[measure], expected[measure], atol=atol, err_msg=measure)


@every_set
def test_recovery_meets_the_prototype_and_is_better_than_published(name):
    data = load_dataset(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VanishingGraphWarning)  # as published, on three sets
        model = BDLE(1e-3, 1e-3, solver="exact").fit(data.data, data.logical)
    assert model.residual_ <= 1e-12
    scores = score_all(data.target, model.label_distributions_)
    check_scores(scores, prototype("prototype_recovery.csv", name, "BDLE"), atol=2e-4)
    cells = paper_cells().set_index(["experiment", "dataset", "method", "measure"])["value"]
    published = cells.sort_index()["le-recovery", name, "BD-LE"]
    assert scores["chebyshev"] < published["chebyshev"]
    assert (scores["cosine"] > published["cosine"]) == (name != "Natural_Scene")


@every_set
@pytest.mark.parametrize(
    ("method", "enhancer"), [("Uniform", Uniform()), ("LogicalSoftmax(t=1)", LogicalSoftmax())]
)
def test_trivial_recovery_meets_the_prototype(name, method, enhancer):
    data = load_dataset(name)
    scores = score_all(data.target, enhancer.fit_transform(data.data, data.logical))
    check_scores(scores, prototype("prototype_recovery.csv", name, method), atol=2e-4)


@every_set
@pytest.mark.parametrize(
    ("method", "learner"),
    [
        ("BDLDL", BDLDL(reconstruction=1e-3, ridge=1e-2, fit_intercept=False, output="clip")),
        ("UDLDL", BDLDL(reconstruction=0, ridge=1e-2, fit_intercept=False, output="clip")),
        ("MeanDistribution", MeanDistribution()),
    ],
)
def test_prediction_meets_the_prototype(name, method, learner):
    X, D = load_dataset(name, return_X_y=True)
    folds = KFold(10, shuffle=True, random_state=0).split(X)
    scores = [
        score_all(D[test], learner.fit(X[train], D[train]).predict(X[test]))
        for train, test in folds
    ]
    means = {measure: np.mean([fold[measure] for fold in scores]) for measure in PAPER_MEASURES}
    check_scores(means, prototype("prototype_prediction.csv", name, method), atol=1e-4)


@every_set
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_sylvester_equation_is_solved_to_rounding(name, fit_intercept):
    X, D = load_dataset(name, return_X_y=True)
    theta = BDLDL(1e-3, 1e-2, fit_intercept=fit_intercept).fit(X, D).coef_.T
    if fit_intercept:
        X = X - X.mean(axis=0)
        D = D - D.mean(axis=0)
    A = X.T @ X + 1e-2 * np.eye(X.shape[1])
    B = 1e-3 * D.T @ D
    C = 1.001 * X.T @ D
    norm = np.linalg.norm
    residual = norm(A @ theta + theta @ B - C)
    assert residual <= 1e-12 * (norm(A) * norm(theta) + norm(theta) * norm(B) + norm(C))
    assert residual <= 1e-8 * norm(C)


@every_set
def test_the_coefficients_equal_those_of_a_kronecker_system(name):
    data = load_dataset(name)
    # The first of equal rows each: with ties, which neighbour is nearest would be a matter of luck.
    rows = np.sort(np.unique(data.data, axis=0, return_index=True)[1])[:40]
    X = data.data[rows]
    L = data.logical[rows].astype(float)
    model = BDLE(1e-3, 1e-3, graph_width=3.0, solver="exact")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VanishingGraphWarning)
        model.fit(X, L)
    _, A, B, C = enhancement_system_by_hand(X, L, 1e-3, 1e-3, n_neighbors=L.shape[1] + 1, width=3.0)
    W = sylvester_by_kronecker(A, B, C)
    assert_allclose(np.vstack([model.dual_coef_, model.intercept_]), W, atol=1e-8 * np.abs(W).max())


@pytest.mark.parametrize(
    ("name", "rows", "reconstruction"),
    [
        ("Yeast_cold", 400, 1e-4),
        ("SBU_3DFE", 400, 1e-3),
        ("SBU_3DFE", 400, 1.0),
        ("Natural_Scene", 200, 1e-3),
    ],
)
def test_the_closed_form_is_where_lbfgs_arrives(name, rows, reconstruction):
    data = load_dataset(name)
    X = data.data[:rows]
    L = data.logical[:rows].astype(float)
    enhancer = BDLE(reconstruction, graph_width="mean")
    with threadpool_limits(1):  # a second thread costs more for many small products
        exact = clone(enhancer).set_params(solver="exact").fit(X, L)
        searched = clone(enhancer).set_params(solver="lbfgs").fit(X, L)
    assert_allclose(searched.label_distributions_, exact.label_distributions_, atol=1e-5)
    loss = enhancer._loss(exact.X_fit_, L)

    def value(model):
        return loss.value_and_gradient(np.vstack([model.dual_coef_, model.intercept_]))[0]

    assert_allclose(value(searched), value(exact), rtol=1e-9)
