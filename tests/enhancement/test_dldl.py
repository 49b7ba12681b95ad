import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist._kernels.neighbor_graph import laplacian, neighbor_graph
from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement import DLDL
from labeldist.exceptions import LabelWarning
from labeldist.models import load, save
from labeldist.simplex import softmax


def test_objective_is_that_of_the_attributes(table):
    X, L = table
    model = DLDL(0.2, 0.3, 0.4, n_neighbors=5, tol=1e-8, max_iter=50).fit(X, L)
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    D, P = model.label_distributions_, softmax(Z @ model.scaled_coef_.T + model.intercept_)
    kl = (D * np.log(np.where(L > 0, D, 1) / P)).sum()
    S = laplacian(neighbor_graph(Z, 5, "mean"))
    penalties = 0.2 * np.trace(D.T @ (S @ D)) + 0.3 * (D**2).sum() + 0.4 * (model.scaled_coef_**2).sum()
    assert_allclose(model.objective_[-1], kl + penalties)
    assert_allclose(model.transform(X), P)
    assert (np.diff(model.objective_) <= 0).all()
    assert len(model.objective_) == model.n_iter_ + 1 > 3


def test_degrees_are_those_of_the_model_within_the_tags(table):
    X, L = table
    model = DLDL(0, 0, tol=1e-10).fit(X, L)
    P = L * model.transform(X)
    assert_allclose(model.label_distributions_, P / P.sum(axis=1, keepdims=True), atol=1e-9)


def test_untagged_labels_have_no_degree_without_a_floor(table):
    X, L = table
    assert not DLDL().fit(X, L).label_distributions_[L == 0].any()
    raised = DLDL(floor=0.1).fit(X, L)
    assert raised.label_distributions_.min() > 0.08
    assert raised.transform(X).min() > 0.08


def test_rows_without_tags_have_any_degrees(table):
    X, L = table
    L[:3] = 0
    with pytest.warns(LabelWarning, match="3 of 40 rows"):
        model = DLDL(0, 0, tol=1e-10).fit(X, L)
    assert_allclose(model.label_distributions_[:3], model.transform(X[:3]), atol=1e-9)


def test_flatness_makes_degrees_equal(table):
    X, L = table
    D = DLDL(0, 1e4).fit(X, L).label_distributions_
    assert_allclose(D, L / L.sum(axis=1, keepdims=True), atol=1e-3)


def test_new_rows_are_predicted(tmp_path):
    X, D = make_artificial(300, random_state=0)
    new, truth = make_artificial(100, random_state=1)
    model = DLDL().fit(X, binarize(D))
    assert np.mean(model.transform(new).argmax(axis=1) == truth.argmax(axis=1)) > 0.7
    save(model, tmp_path / "model.skops")
    assert_array_equal(load(tmp_path / "model.skops").transform(new), model.transform(new))
