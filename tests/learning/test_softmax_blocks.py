import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from labeldist._solvers.moments import Moments
from labeldist._solvers.softmax_regression import SoftmaxPath, TableLoss, loss_of_block
from labeldist.datasets import TableStream
from labeldist.learning import SoftmaxRegression, SoftmaxRegressionCV
from labeldist.learning._fold_moments import block_folds

RIDGES = (0.1, 1.0, 10.0, 100.0)
SIZES = (40, 0, 25, 55)  # rows of the chunks


@pytest.fixture
def table(rng):
    X = rng.normal(size=(120, 5)) * [1, 10, 1, 1, 0.1] + [0, 0, 300, 0, 0]
    scores = X @ rng.normal(size=(5, 3)) * 0.2
    D = np.exp(scores - scores.max(axis=1, keepdims=True)) + rng.uniform(0, 0.2, size=(120, 3))
    return X, D / D.sum(axis=1, keepdims=True), rng.integers(0, 4, size=120).astype(float)


def chunks_of(*tables):
    edges = np.cumsum(SIZES)[:-1]
    return list(zip(*(np.split(table, edges) for table in tables), strict=True))


def lazy(table):
    sizes = tuple(size for size in SIZES if size)
    return da.from_array(table, chunks=(sizes, *table.shape[1:]))


@pytest.mark.parametrize("weighted", [False, True])
def test_dask_and_streams_equal_the_fit_in_memory(table, weighted):
    parts = table if weighted else table[:2]
    model = SoftmaxRegression(0.5)
    expected = model.fit(*parts)
    streamed = SoftmaxRegression(0.5).fit_stream(chunks_of(*parts))
    distributed = SoftmaxRegression(0.5).fit(*map(lazy, parts))
    for found in (streamed, distributed):
        assert_allclose(found.coef_, expected.coef_, atol=1e-6)
        assert_allclose(found.intercept_, expected.intercept_, atol=1e-4)  # the mean is 300
        assert_allclose(found.predict(table[0]), expected.predict(table[0]), atol=1e-6)
        assert found.label_names_ == expected.label_names_
        assert found.n_features_in_ == 5
    P = distributed.predict(lazy(table[0]))
    assert_allclose(P.compute(), expected.predict(table[0]), atol=1e-6)


def test_loss_of_blocks_against_the_loss_of_the_table(table, rng):
    X, D, weight = table
    moments = Moments.of(X, D, weight)

    def total(coefficients, present):
        losses = [
            loss_of_block(x, d[:, present], w, coefficients) for x, d, w in chunks_of(X, D, weight)
        ]
        return sum(losses[1:], losses[0])

    path = SoftmaxPath.of_blocks(moments, total)
    rotated = (X - moments.mean_x) @ path.U
    whole = TableLoss(rotated, np.zeros(5), np.ascontiguousarray(D.T), weight, path.V, path.offset)
    for point in (np.zeros((6, 2)), 0.1 * rng.normal(size=(6, 2))):
        ours, expected = path.loss.at(point), whole.at(point)
        assert_allclose(ours.value, expected.value)
        assert_allclose(ours.gradient, expected.gradient, atol=1e-8)


def test_labels_that_never_occur_in_blocks(table):
    X, D, _ = table
    wide = np.insert(D, 1, 0, axis=1)
    expected = SoftmaxRegression().fit(X, wide)
    found = SoftmaxRegression().fit_stream(chunks_of(X, wide))
    assert_allclose(found.predict(X), expected.predict(X), atol=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
def test_search_in_blocks_equals_the_search_in_memory(table, weighted):
    parts = table if weighted else table[:2]
    folds = block_folds(3, "kl_divergence", 0)
    held_out = [[], [], []]
    start = 0
    for number, size in enumerate(SIZES):
        for fold, rows in enumerate(folds.of(number, size)):
            held_out[fold].append(start + rows)
        start += size
    tests = [np.concatenate(rows) for rows in held_out]
    splits = [(np.setdiff1d(np.arange(120), rows), rows) for rows in tests]
    expected = SoftmaxRegressionCV(RIDGES, splits).fit(*parts)
    found = SoftmaxRegressionCV(RIDGES, 3).fit_stream(chunks_of(*parts))
    assert found.ridge_ == expected.ridge_
    assert_allclose(found.best_score_, expected.best_score_, rtol=1e-4)
    assert_allclose(found.coef_, expected.coef_, atol=1e-6)
    assert found.cv_results_.keys() == expected.cv_results_.keys()


def test_search_with_dask(table):
    X, D, weight = table
    expected = SoftmaxRegressionCV(RIDGES, 3).fit_stream(
        [chunk for chunk in chunks_of(X, D, weight) if len(chunk[0])]
    )
    found = SoftmaxRegressionCV(RIDGES, 3).fit(lazy(X), lazy(D), lazy(weight))
    assert found.ridge_ == expected.ridge_
    assert_allclose(found.coef_, expected.coef_, atol=1e-8)
    with pytest.raises(TypeError, match="cv must be an int"):
        SoftmaxRegressionCV(RIDGES, [([0], [1])]).fit(lazy(X), lazy(D))


def test_files_and_data_frames(table, tmp_path):
    X, D, _ = table
    features = pd.DataFrame(X, columns=list("abcde"))
    degrees = pd.DataFrame(D, columns=["x", "y", "z"])
    path = tmp_path / "rows.parquet"
    features.join(degrees).to_parquet(path)
    expected = SoftmaxRegression().fit(features, degrees)
    stream = TableStream(path, labels=["x", "y", "z"], chunk_rows=50)
    streamed = SoftmaxRegression().fit_stream(stream)
    lazy_features, lazy_degrees = (
        dd.from_pandas(frame, npartitions=3) for frame in (features, degrees)
    )
    distributed = SoftmaxRegression().fit(lazy_features, lazy_degrees)
    for found in (streamed, distributed):
        assert_allclose(found.predict(features), expected.predict(features), atol=1e-6)
        assert found.label_names_ == ["x", "y", "z"]
        assert found.feature_names_in_.tolist() == list("abcde")


def test_sparse_chunks(table):
    X, D, _ = table
    X = np.where(X > 0.5, X, 0)
    chunks = [(sparse.csr_array(x), d) for x, d in chunks_of(X, D)]
    found = SoftmaxRegression().fit_stream(chunks)
    assert_allclose(found.predict(X), SoftmaxRegression().fit(X, D).predict(X), atol=1e-5)


def test_invalid_streams_raise(table):
    X, D, weight = table
    with pytest.raises(TypeError, match="several times"):
        SoftmaxRegression().fit_stream(iter(chunks_of(X, D)))
    with pytest.raises(ValueError, match="no rows"):
        SoftmaxRegression().fit_stream([])
    with pytest.raises(ValueError, match="zero"):
        SoftmaxRegression().fit_stream(chunks_of(X, D, 0 * weight))
    broken = X.copy()
    broken[70, 1] = np.nan
    with pytest.raises(ValueError, match="NaN, in row 70 ") as caught:
        SoftmaxRegression().fit_stream(chunks_of(broken, D))
    assert "chunk 3" in caught.value.__notes__[0]


def test_labels_may_be_sparse_in_streams(table):
    X, D, _ = table
    chunks = [(x, sparse.csr_array(d)) for x, d in chunks_of(X, D)]
    expected = SoftmaxRegression().fit_stream(chunks_of(X, D))
    assert_allclose(SoftmaxRegression().fit_stream(chunks).coef_, expected.coef_)
