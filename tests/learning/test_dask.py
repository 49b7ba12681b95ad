"""Dask collections, on threads and on a cluster of processes, one of which is killed."""

import contextlib
import os
import signal
import threading
import uuid

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from labeldist import BDLDL, BDLDLCV
from labeldist.datasets import make_artificial
from labeldist.features import KernelFeatures
from labeldist.learning import MeanDistribution
from labeldist.learning._block_learner import BlockLearner
from labeldist.published import SABFGS
from tests.estimators import LEARNERS

X, D = make_artificial(600, random_state=0)
WEIGHT = np.random.default_rng(0).uniform(size=600)
FRAME = pd.DataFrame(np.hstack([X, D]), columns=["a", "b", "c", "red", "green", "blue"])
FEATURES, LABELS = ["a", "b", "c"], ["red", "green", "blue"]
GRID = {"reconstructions": [1e-3, 1.0], "ridges": [1e-3, 10.0], "cv": 4}


@pytest.fixture(autouse=True)
def threads():
    with dask.config.set(scheduler="threads"):
        yield


@pytest.fixture
def cluster():
    # Dask sends its settings to a restarted worker, so they must not contain the client.
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as workers,
        Client(workers) as client,
        dask.config.set(scheduler="distributed"),
    ):
        yield client


def arrays(rows=130):
    # Blocks of features split the columns, and blocks of labels have other rows.
    return da.from_array(X, chunks=(rows, 2)), da.from_array(D, chunks=(rows + 70, 3))


def test_dask_arrays_equal_numpy_arrays():
    model = BDLDL().fit(*arrays())
    whole = BDLDL().fit(X, D)
    assert_allclose(model.coef_, whole.coef_, atol=1e-11)
    assert model.n_features_in_ == 3
    predicted = model.predict(arrays()[0])
    assert isinstance(predicted, da.Array)
    assert predicted.shape == (600, 3)
    assert_allclose(predicted.compute(), whole.predict(X), atol=1e-11)


def test_sample_weights():
    whole = BDLDL().fit(X, D, sample_weight=WEIGHT)
    for weight in (WEIGHT, da.from_array(WEIGHT, chunks=100)):
        assert_allclose(BDLDL().fit(*arrays(), sample_weight=weight).coef_, whole.coef_, atol=1e-11)


def test_data_frames_keep_names_and_index():
    frame = dd.from_pandas(FRAME, npartitions=5)
    model = BDLDL().fit(frame[FEATURES], frame[LABELS])
    assert model.label_names_ == LABELS
    assert list(model.feature_names_in_) == FEATURES
    predicted = model.predict(frame[FEATURES])
    assert list(predicted.columns) == LABELS
    expected = BDLDL().fit(FRAME[FEATURES], FRAME[LABELS]).predict(FRAME[FEATURES])
    assert_allclose(predicted.compute(), expected, atol=1e-11)
    assert (predicted.compute().index == FRAME.index).all()
    assert not hasattr(model.fit(*arrays()), "feature_names_in_")


def test_empty_partitions_are_skipped():
    frame = dd.from_pandas(FRAME, npartitions=5)
    some = frame[frame["a"] > FRAME["a"].quantile(0.9)]
    rows = FRAME[FRAME["a"] > FRAME["a"].quantile(0.9)]
    assert_allclose(
        BDLDL().fit(some[FEATURES], some[LABELS]).coef_,
        BDLDL().fit(rows[FEATURES], rows[LABELS]).coef_,
        atol=1e-10,
    )
    none = frame[frame["a"] > 1e9]
    with pytest.raises(ValueError, match="has no rows"):
        BDLDL().fit(none[FEATURES], none[LABELS])


def test_cross_validation_takes_two_passes_and_agrees_with_numpy_arrays():
    lengths = []

    def record(block):
        lengths.append(len(block))
        return block

    x, d = arrays()
    model = BDLDLCV(**GRID).fit(x.rechunk((130, 3)).map_blocks(record, meta=np.empty((0, 0))), d)
    assert len(lengths) == 2 * 5
    # The folds differ, so scores agree only statistically; the final fit is the same.
    in_memory = BDLDLCV(**GRID).fit(X, D)
    assert model.best_params_ == in_memory.best_params_
    assert model.best_score_ == pytest.approx(in_memory.best_score_, rel=0.05)
    assert_allclose(model.coef_, in_memory.coef_, atol=1e-10)
    assert_allclose(model.predict(arrays()[0]).compute(), in_memory.predict(X), atol=1e-10)


def test_cross_validation_scores_equal_those_of_its_folds():
    from sklearn.utils import check_random_state

    from labeldist.learning._fold_moments import BlockFolds

    model = BDLDLCV(**GRID, random_state=3).fit(*arrays(200))
    folds = BlockFolds(4, int(check_random_state(3).randint(2**31)))
    held_out = [
        np.concatenate([200 * block + folds.of(block, 200)[fold] for block in range(3)])
        for fold in range(4)
    ]
    splits = [(np.setdiff1d(np.arange(600), rows), rows) for rows in held_out]
    expected = BDLDLCV(**(GRID | {"cv": splits})).fit(X, D)
    assert_allclose(
        model.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"], rtol=1e-9
    )


def test_partitions_may_have_weight_zero_but_not_all():
    weight = np.where(np.arange(600) < 200, 0.0, WEIGHT)
    model = BDLDL().fit(*arrays(100), sample_weight=weight)
    assert_allclose(model.coef_, BDLDL().fit(X, D, sample_weight=weight).coef_, atol=1e-11)
    assert BDLDLCV(**GRID).fit(*arrays(100), sample_weight=weight).best_score_ < 0
    with pytest.raises(ValueError, match="zero for every row"):
        BDLDL().fit(*arrays(100), sample_weight=np.zeros(600))


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csr_array])
def test_sparse_blocks(form):
    S = da.from_array(X, chunks=(130, 3)).map_blocks(form)
    model = BDLDL().fit(S, arrays()[1])
    assert_allclose(model.predict(S).compute(), BDLDL().fit(X, D).predict(X), atol=1e-10)


@pytest.mark.parametrize(
    "learner", [model for model in LEARNERS if not isinstance(model, BlockLearner)], ids=repr
)
def test_other_learners_raise(learner):
    with pytest.raises(TypeError, match="BDLDL"):
        clone(learner).fit(*arrays())


def test_predictions_of_other_learners_raise():
    pipeline = make_pipeline(KernelFeatures(), BDLDL())
    for model in (SABFGS(), MeanDistribution(), pipeline):
        with pytest.raises(TypeError, match="BDLDL"):
            model.fit(X, D).predict(arrays()[0])


def unknown(table):
    """Return the same table with blocks of unknown length."""
    return dd.from_dask_array(table.rechunk({1: -1}) if table.ndim == 2 else table).to_dask_array()


def test_collections_that_do_not_match_raise():
    x = arrays(100)[0]
    d = da.from_array(D, chunks=(100, 3))
    frame = dd.from_pandas(FRAME, npartitions=5)
    with pytest.raises(TypeError, match="y must be a Dask collection"):
        BDLDL().fit(x, D)
    with pytest.raises(TypeError, match="cv must be an int"):
        BDLDLCV(cv=[(np.arange(10), np.arange(10, 20))]).fit(x, d)
    with pytest.raises(TypeError, match="scoring must be one of"):
        BDLDLCV(scoring=lambda D, P: 0.0).fit(x, d)
    with pytest.raises(ValueError, match="X has 600 rows, but y has 500"):
        BDLDL().fit(x, d[:500])
    with pytest.raises(ValueError, match="X has 600 rows, but sample_weight has 10"):
        BDLDL().fit(x, d, sample_weight=np.ones(10))
    with pytest.raises(TypeError, match="sample_weight must be a Dask collection"):
        BDLDL().fit(frame[FEATURES], frame[LABELS], sample_weight=WEIGHT)
    with pytest.raises(ValueError, match="X has 5 partitions, but y has 3"):
        BDLDL().fit(frame[FEATURES], frame[LABELS].repartition(npartitions=3))
    shuffled = dd.from_pandas(
        FRAME.sample(frac=1, random_state=0)[LABELS], npartitions=5, sort=False
    )
    with pytest.raises(ValueError, match="common labels in different orders"):
        BDLDL().fit(frame[FEATURES], shuffled)
    with pytest.raises(ValueError, match=r"\[100, (50|150)\] rows in partition"):
        BDLDL().fit(x[:200], unknown(da.from_array(D[:200], chunks=((50, 150), 3))))


def test_blocks_of_unknown_length():
    expected = BDLDL().fit(X, D, sample_weight=WEIGHT).coef_
    x = da.from_array(X, chunks=(100, 3))
    d = da.from_array(D, chunks=(100, 3))
    w = da.from_array(WEIGHT, chunks=100)
    for table in (
        (x, unknown(d), w),
        (x, d, unknown(w)),
        (unknown(x), d, w),
        (unknown(x), unknown(d), unknown(w)),
    ):
        assert_allclose(BDLDL().fit(*table).coef_, expected, atol=1e-11)
    predicted = BDLDL().fit(x, d).predict(unknown(x))
    assert_allclose(predicted.compute(), BDLDL().fit(X, D).predict(X), atol=1e-11)


def notes(call, *arguments, **options):
    with pytest.raises(
        ValueError, match=r"negative in 1 row|Negative values|contains NaN"
    ) as failure:
        call(*arguments, **options)
    (note,) = failure.value.__notes__
    return note


def test_errors_name_the_partition():
    x = da.from_array(X, chunks=(100, 3))
    bad = np.where(np.arange(600)[:, None] == 345, -1.0, D)
    assert "partition 3" in notes(BDLDL().fit, x, da.from_array(bad, chunks=(100, 3)))
    weight = np.where(np.arange(600) == 222, -1, WEIGHT)
    assert "partition 2" in notes(BDLDL().fit, x, arrays()[1], sample_weight=weight)
    holes = np.where(np.arange(600)[:, None] == 345, np.nan, X)
    assert "partition 3" in notes(BDLDL().fit, da.from_array(holes, chunks=(100, 3)), arrays()[1])


@pytest.mark.slow
def test_cluster_gives_the_same_predictions(cluster):
    model = BDLDL().fit(*arrays())
    predicted = model.predict(arrays()[0]).compute()
    chosen = BDLDLCV(**GRID).fit(*arrays())
    assert_allclose(predicted, BDLDL().fit(X, D).predict(X), atol=1e-9)
    with dask.config.set(scheduler="threads"):
        assert_allclose(chosen.coef_, BDLDLCV(**GRID).fit(*arrays()).coef_, atol=1e-11)


def fit_in_time(model, x, d):
    """Fit with a time limit."""
    thread = threading.Thread(target=model.fit, args=(x, d), daemon=True)
    thread.start()
    thread.join(timeout=300)
    assert not thread.is_alive(), "no result within five minutes"


def pids(cluster):
    return list(cluster.run(os.getpid).values())


def die_in_the_second_pass(block, folder):
    """Kill one worker during the second pass over the twelve blocks."""
    (folder / uuid.uuid4().hex).touch()
    if len(list(folder.iterdir())) >= 16:
        with contextlib.suppress(FileExistsError):
            (folder.parent / "died").mkdir()  # succeeds in one worker only
            os.kill(os.getpid(), signal.SIGKILL)
    return block


@pytest.mark.soak
def test_coefficients_are_sent_again_after_a_worker_is_killed(cluster, tmp_path):
    folder = tmp_path / "reads"
    folder.mkdir()
    x, d = arrays(50)
    x = x.rechunk((50, 3)).map_blocks(die_in_the_second_pass, folder, meta=np.empty((0, 0)))
    before = pids(cluster)
    model = BDLDLCV(**GRID)
    fit_in_time(model, x, d)
    assert (tmp_path / "died").exists()
    assert set(pids(cluster)) != set(before)
    assert_allclose(model.coef_, BDLDLCV(**GRID).fit(*arrays(50)).coef_, atol=1e-11)
