import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from labeldist import features as kernel_features
from labeldist._kernels.kernels import mean_pairwise_distance
from labeldist._solvers import row_blocks
from labeldist.features import KernelFeatures


@pytest.fixture
def X(rng):
    return rng.normal(size=(150, 3)) * [1.0, 10.0, 0.1]


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def gap(model, X, width):
    """Largest difference between inner products and kernel values."""
    Z = model.fit_transform(X)
    return np.abs(Z @ Z.T - rbf_kernel(X, gamma=1 / (2 * width**2))).max()


@parametrize_with_checks([KernelFeatures(), KernelFeatures(2.0, n_components=3, scale=False)])
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("width", [0.5, 3.0])
@pytest.mark.parametrize("tol", [1e-1, 1e-4, 0.0])
def test_inner_products_equal_the_kernel_within_tol(X, width, tol):
    model = KernelFeatures(width, factor=1, tol=tol, scale=False)
    assert gap(model, X, width) <= max(tol, kernel_features.ROUNDING) + 1e-9
    assert model.bandwidth_ == width


def test_more_components_are_more_accurate(X):
    gaps = [gap(KernelFeatures(1.0, n_components=n, scale=False), X, 0.5) for n in (5, 40, 150)]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 0.5
    assert gaps[-1] < 1e-3
    assert KernelFeatures(n_components=5).fit_transform(X).shape == (150, 5)
    few, many = (KernelFeatures(tol=tol).fit_transform(X).shape[1] for tol in (1e-1, 1e-6))
    assert few < many <= 150


def test_bandwidth_and_factor(X):
    rows = standardised(X)
    model = KernelFeatures(factor=0.7).fit(X)
    assert model.bandwidth_ == pytest.approx(0.7 * mean_pairwise_distance(rows))
    assert_allclose(
        KernelFeatures(model.bandwidth_, factor=1).fit(X).transform(X), model.transform(X)
    )
    narrow, wide = (KernelFeatures(factor=factor).fit_transform(X) for factor in (0.01, 100))
    assert np.median(narrow @ narrow.T) < 1e-3
    assert (wide @ wide.T).min() > 0.99


def test_scale_divides_features_by_their_deviation(X):
    model = KernelFeatures().fit(X)
    assert_allclose(model.bandwidth_ * model.landmarks_.std(axis=0), 1, atol=0.3)
    assert_array_equal(KernelFeatures(scale=False).fit(X).scale_, np.ones(3))


@pytest.mark.parametrize("block", [1, 1000])
def test_block_size_has_no_effect(X, monkeypatch, block):
    model = KernelFeatures().fit(X)
    expected = model.transform(X)
    monkeypatch.setattr(row_blocks, "BLOCK_ENTRIES", block)
    assert_allclose(model.transform(X), expected, atol=1e-12)


def test_large_tables_are_sampled(rng, monkeypatch):
    monkeypatch.setattr(kernel_features, "CANDIDATES", 60)
    monkeypatch.setattr(kernel_features, "DISTANCE_ROWS", 40)
    X = rng.normal(size=(500, 2))
    model = KernelFeatures(tol=1e-6, scale=False).fit(X)
    assert len(model.landmarks_) <= 60
    distances = euclidean_distances(model.bandwidth_ * model.landmarks_, X)
    assert_allclose(distances.min(axis=1), 0, atol=1e-6)
    assert model.bandwidth_ == pytest.approx(0.5 * mean_pairwise_distance(X), rel=0.2)
    assert np.median(np.linalg.norm(model.transform(X), axis=1)) > 0.99


def test_random_state_decides_the_landmarks(X):
    one, again, other = (
        KernelFeatures(n_components=20, random_state=seed).fit(X) for seed in (0, 0, 1)
    )
    assert_array_equal(one.landmarks_, again.landmarks_)
    assert not np.array_equal(one.landmarks_, other.landmarks_)


def test_feature_names_and_set_output(X):
    frame = pd.DataFrame(X, columns=list("abc"))
    model = KernelFeatures(n_components=2).set_output(transform="pandas").fit(frame)
    assert list(model.get_feature_names_out()) == ["kernelfeatures0", "kernelfeatures1"]
    assert list(model.transform(frame).columns) == ["kernelfeatures0", "kernelfeatures1"]
    assert model.n_features_in_ == 3
    with pytest.raises(ValueError, match="same order"):
        model.transform(frame[["b", "a", "c"]])


def test_ridge_on_kernel_features_equals_kernel_ridge(rng):
    X = rng.normal(size=(100, 3))
    new = rng.normal(size=(20, 3))
    y = rng.normal(size=(100, 2))
    exact = KernelRidge(kernel="rbf", gamma=0.5, alpha=0.1).fit(X, y)
    model = make_pipeline(
        KernelFeatures(1.0, factor=1, tol=0, scale=False), Ridge(0.1, fit_intercept=False)
    )
    assert_allclose(model.fit(X, y).predict(new), exact.predict(new), atol=1e-6)


@pytest.mark.parametrize("far", [1e6, 1e10])
def test_transform_is_not_affected_by_outliers(rng, far):
    X = rng.normal(size=(400, 3))
    model = KernelFeatures(n_components=100).fit(X)
    beside = np.vstack([X[:50], [[far] * 3]])
    assert_allclose(model.transform(beside)[:50], model.transform(X[:50]), atol=1e-12)
